//! Proven security of a proof over WHIR.

use droste_native::EF;
use droste_native::gkr;
use droste_native::stark::security::DIGEST_COLLISION_BITS;
use droste_native::whir::Scheme;
use p3_field::Field;
use serde::Serialize;

use crate::multilinear::tables::{Shape, System};

/// A source of error, and the bits of security against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WhirTerm {
    /// Number of the commitment to which the term belongs, if it belongs to one.
    pub commitment: Option<usize>,
    /// Name of the event that the term bounds.
    pub name: &'static str,
    /// `-log2` of the probability of the event, including grinding.
    pub bits: f64,
}

/// Proven security of a proof, and the terms that it follows from.
///
/// Those of the opening are the bounds of `p3-whir` 0.8.0 in the list-decoding regime up to the Johnson
/// radius (ePrint 2026/2056; mutual correlated agreement as in ePrint 2024/1586, section 4.2). The
/// samples outside the domain are taken right after the commitment, so that all later steps are about
/// one polynomial: the lemma of Schwartz and Zippel bounds each. No conjecture about proximity beyond
/// the Johnson radius is used. Transcripts are taken for random oracles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhirSecurity {
    /// All terms, the collision resistance of digests among them.
    pub terms: Vec<WhirTerm>,
}

impl WhirSecurity {
    /// Proven bits: those of the weakest term, rounded down, as for proofs over FRI. In a transcript of
    /// random oracles, each query of the prover succeeds with at most this probability (round-by-round
    /// soundness). A term that bounds several rounds is their sum, but for that of two samples outside
    /// the domain, which is explained in docs/soundness.md.
    ///
    /// The result is at most [`DIGEST_COLLISION_BITS`]: a verifier knows what is proved by digests
    /// of 8 KoalaBear elements.
    pub fn bits(&self) -> usize {
        let bits = match self.terms.iter().any(|term| term.bits.is_nan()) {
            true => 0.0,
            false => self.binding().map_or(0.0, |term| term.bits),
        };
        (bits.max(0.0).floor() as usize).min(DIGEST_COLLISION_BITS)
    }

    /// Bits of the sum of all terms: of the interactive protocol's whole error, with the probability of
    /// a collision of digests.
    pub fn bits_of_sum(&self) -> f64 {
        let error: f64 = self.terms.iter().map(|term| (-term.bits).exp2()).sum();
        -error.log2()
    }

    /// The term that limits the security.
    pub fn binding(&self) -> Option<&WhirTerm> {
        self.terms
            .iter()
            .min_by(|left, right| left.bits.total_cmp(&right.bits))
    }
}

/// The security of proofs of these tables.
pub(super) fn security(system: &System, shape: &Shape, scheme: &Scheme) -> WhirSecurity {
    let field_bits = EF::bits() as f64 - 1.0;
    let over_field = |count: f64| field_bits - count.log2();
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
    let mut terms = vec![
        // Fractions that do not add up to zero do so at random challenges: the numerator of their sum
        // is a polynomial in both challenges, of degree at most the product of the number of
        // fractions and of the length of a message plus one.
        WhirTerm {
            commitment: None,
            name: "lookups",
            bits: over_field(leaves * (system.message_width() as f64 + 1.0)),
        },
        WhirTerm {
            commitment: None,
            name: "fractions",
            bits: gkr::security(shape.log_leaves()),
        },
        // A constraint that is not zero on all rows is zero at the random point: its degree there is
        // the number of variables. Then constraints and the claim about fractions are combined by
        // powers of one challenge, numerators and denominators by another.
        WhirTerm {
            commitment: None,
            name: "constraints",
            bits: over_field(rounds + system.num_constraints() as f64 + 2.0),
        },
        WhirTerm {
            commitment: None,
            name: "zerocheck",
            bits: over_field(rounds * system.degree() as f64),
        },
        // Values of slots are combined by powers of one challenge, for each kind of values of a table.
        WhirTerm {
            commitment: None,
            name: "columns",
            bits: over_field(slots),
        },
    ];
    let opening = scheme.security(claims);
    terms.extend(opening.terms.iter().map(|term| WhirTerm {
        commitment: Some(term.commitment),
        name: term.name,
        bits: term.bits,
    }));
    terms.push(WhirTerm {
        commitment: None,
        name: "collisions of digests",
        bits: DIGEST_COLLISION_BITS as f64,
    });
    WhirSecurity { terms }
}
