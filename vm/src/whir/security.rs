//! Proven security of a proof over WHIR.

use std::collections::BTreeMap;

use droste_native::stark::security::{
    BIRTHDAY, DIGEST_COLLISION_BITS, SCHWARTZ_ZIPPEL, Security, SecurityBound, SecurityTerm,
};
use droste_native::whir::{LIST_DECODING, Scheme, field_bits};
use droste_native::{HashId, HashSuite, gkr};

use crate::whir::system::{Shape, System};

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
    lookup_grinding_bits: usize,
) -> Security {
    let term = |name, theorem, bits| SecurityTerm {
        commitment: None,
        name,
        theorem,
        bits,
    };
    let zeros = |name, theorem, count: f64| term(name, theorem, field_bits() - count.log2());
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
        term(
            "lookups",
            SCHWARTZ_ZIPPEL,
            field_bits() - exceptional(system, shape).log2() + lookup_grinding_bits as f64,
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
        terms
            .iter_mut()
            .for_each(|term| term.bits -= H::ID.sampling_loss());
        terms.extend(&digests);
        SecurityBound {
            regime: LIST_DECODING,
            terms,
        }
    })
}

/// Bounds the share of challenges `alpha` and `beta` at which fractions that do not cancel add up
/// to zero, as a multiple of one in `|EF|`: a count of roots, by the lemma of Schwartz and Zippel.
///
/// Take the messages whose multiplicities do not cancel modulo `p`, each once, and one of them,
/// `u`. If `beta` is such that `u` has another denominator than all the others, the sum is not zero
/// as a function of `alpha`: its numerator, equal denominators merged, has fewer zeros than there
/// are fractions. (GKR refuses denominators that are zero.) Two denominators agree at `beta` if a
/// polynomial is zero there, whose degree is less than the length of the messages if both are on
/// one bus, all messages of which have one length ([`System::new`]), and otherwise the length of
/// the longest message of all, at which the bus has its place. So fix any bus. If a message on it
/// does not cancel, let that be `u`; if none does, `u` is any other, and the messages of that bus
/// do not count. This holds for every bus, so the one with the fewest collisions gives the bound.
fn exceptional(system: &System, shape: &Shape) -> f64 {
    // Of each bus, the number of messages and their length.
    let mut buses: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (table, &log_height) in system.tables().iter().zip(shape.log_heights()) {
        let messages = table.expressions.messages().iter().zip(&table.buses);
        for (message, &bus) in messages {
            let (count, length) = buses.entry(bus).or_default();
            *count += f64::from(log_height as u32).exp2();
            *length = length.max(message.payload.len() as f64);
        }
    }
    let (all, width) = (shape.num_leaves() as f64, system.message_width() as f64);
    let collisions = buses
        .values()
        .map(|(count, length)| count * length + (all - count) * width);
    all + collisions.fold(all * width, f64::min)
}
