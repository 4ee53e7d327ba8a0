//! Proven security of a proof over WHIR.

use p3_multi_stark::{MultiStarkSecurityReport, SecurityError};
use serde::Serialize;

use crate::stark::security::DIGEST_COLLISION_BITS;

/// A source of error, and the bits of security against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WhirTerm {
    /// The commitment to which the term belongs, if it belongs to one.
    pub commitment: Option<&'static str>,
    /// Name of the event that the term bounds.
    pub name: &'static str,
    /// `-log2` of the probability of the event, including grinding.
    pub bits: f64,
}

/// Proven security of a proof, and the terms that it follows from.
///
/// The terms are those that `p3-multi-stark` computes from the verifier's own view of the statement
/// and adds (a union bound): constraints, lookups, and each opening in the list-decoding regime up
/// to the Johnson radius, every outer term charged for all codewords that are so near. The bounds
/// of that regime are those of `p3-security` 0.8.0 (ePrint 2026/2056; WHIR's mutual correlated
/// agreement, ePrint 2024/1586, section 4.2). No conjecture about proximity beyond the Johnson
/// radius is used. Transcripts are taken for random oracles.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhirSecurity {
    /// All terms, the collision resistance of digests among them.
    pub terms: Vec<WhirTerm>,
    /// What Plonky3 has no bound for. If there is anything, the proof has 0 proven bits.
    pub unassessed: Vec<String>,
    bits: f64,
}

impl WhirSecurity {
    /// Reads Plonky3's report. An error of it is something without a bound.
    pub fn new(report: Result<MultiStarkSecurityReport, SecurityError>) -> Self {
        let report = match report {
            Ok(report) => report,
            Err(error) => return Self::none(error.to_string()),
        };
        let unassessed = report.unassessed_components().iter();
        Self {
            terms: report
                .terms()
                .iter()
                .map(|term| WhirTerm {
                    commitment: term.component,
                    name: term.label,
                    bits: term.bits.bits(),
                })
                .collect(),
            unassessed: unassessed.map(|&name| name.to_owned()).collect(),
            bits: report.security_bits().unwrap_or(0.0),
        }
    }

    /// No security, for this reason.
    pub fn none(reason: String) -> Self {
        Self {
            terms: vec![],
            unassessed: vec![reason],
            bits: 0.0,
        }
    }

    /// Proven bits, rounded down; 0 if anything has no bound.
    ///
    /// The result is at most [`DIGEST_COLLISION_BITS`]: a verifier knows what is proved by digests
    /// of 8 KoalaBear elements.
    pub fn bits(&self) -> usize {
        if !self.unassessed.is_empty() || self.terms.is_empty() || !self.bits.is_finite() {
            return 0;
        }
        (self.bits.max(0.0).floor() as usize).min(DIGEST_COLLISION_BITS)
    }

    /// The term that limits the security.
    pub fn binding(&self) -> Option<&WhirTerm> {
        self.terms
            .iter()
            .min_by(|left, right| left.bits.total_cmp(&right.bits))
    }
}
