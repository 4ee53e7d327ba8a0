//! Proven security of a proof over WHIR.

use droste_native::gkr;
use droste_native::stark::security::{
    BIRTHDAY, DIGEST_COLLISION_BITS, SCHWARTZ_ZIPPEL, Security, SecurityBound, SecurityTerm,
};
use droste_native::whir::{LIST_DECODING, Scheme, field_bits};
use droste_native::{HashId, HashSuite};

use crate::multilinear::tables::{Shape, System};

/// Theorem about sums of fractions by GKR.
const LOGUP_GKR: &str = "ePrint 2023/1284";

/// The security of proofs of these tables.
///
/// The samples outside the domain are taken right after the commitment, so that all later steps are
/// about one polynomial: the lemma of Schwartz and Zippel bounds each. Terms of the opening are
/// [`Scheme::security`]'s. A term that bounds several rounds is their sum, but for that of two
/// samples outside the domain, which is explained in docs/soundness.md.
pub(super) fn security<H: HashSuite>(
    system: &System,
    shape: &Shape,
    scheme: &Scheme<H>,
) -> Security {
    let term = |name, theorem, bits| SecurityTerm {
        commitment: None,
        name,
        theorem,
        bits,
    };
    let zeros = |name, theorem, count: f64| term(name, theorem, field_bits() - count.log2());
    let leaves = shape.num_leaves() as f64;
    let rounds = shape.max_log_height() as f64;
    let slots: f64 = scheme
        .layout()
        .tables()
        .iter()
        .flat_map(|regions| [regions.main, regions.preprocessed])
        .flatten()
        .map(|region| 2.0 * f64::from(1_u32 << region.log_slots))
        .sum();
    let kinds = system
        .tables()
        .iter()
        .flat_map(|table| [&table.main, &table.preprocessed]);
    let claims = kinds
        .map(|slots| usize::from(slots.width() > 0) + usize::from(slots.log_next().is_some()))
        .sum();
    let outer = [
        // Fractions that do not add up to zero do so at random challenges: the numerator of their
        // sum is a polynomial in both challenges, of degree at most the product of the number of
        // fractions and of the length of a message plus one.
        zeros(
            "lookups",
            LOGUP_GKR,
            leaves * (system.message_width() as f64 + 1.0),
        ),
        term("fractions", LOGUP_GKR, gkr::security(shape.log_leaves())),
        // A constraint that is not zero on all rows is zero at the random point: its degree there
        // is the number of variables. Then constraints and the claim about fractions are combined
        // by powers of one challenge, numerators and denominators by another.
        zeros(
            "constraints",
            SCHWARTZ_ZIPPEL,
            rounds + system.num_constraints() as f64 + 2.0,
        ),
        zeros(
            "zerocheck",
            SCHWARTZ_ZIPPEL,
            rounds * system.degree() as f64,
        ),
        // Values of slots are combined by powers of one challenge, for each kind of values of a
        // table.
        zeros("columns", SCHWARTZ_ZIPPEL, slots),
    ];
    // Keys and claims are named by digests in Poseidon-16, whatever the hash of the commitments is.
    let mut digests = vec![term(
        "collisions of digests",
        BIRTHDAY,
        DIGEST_COLLISION_BITS,
    )];
    if H::ID != HashId::Poseidon16 {
        digests.push(term(
            "collisions of commitments",
            BIRTHDAY,
            H::COLLISION_BITS,
        ));
    }
    Security::new(|gap| {
        let mut terms = outer.to_vec();
        terms.extend(scheme.security(claims, gap));
        terms.extend(&digests);
        SecurityBound {
            regime: LIST_DECODING,
            terms,
        }
    })
}
