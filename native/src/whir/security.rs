//! Proven security of openings: a bound for each way in which a false claim may be accepted.

use p3_field::Field;
use p3_security::ErrorBits;
use p3_whir::SecurityAssumption;
use serde::Serialize;

use super::scheme::Scheme;
use crate::field::EF;

/// The regime of all bounds: list decoding up to the Johnson radius, less a margin of a twentieth of
/// the square root of the rate.
const REGIME: SecurityAssumption = SecurityAssumption::JohnsonBound;

/// A source of error, and the bits of security against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OpeningTerm {
    /// Number of the commitment to which the term belongs, the stack being 0. That of the final
    /// polynomial follows after the last commitment's.
    pub commitment: usize,
    /// Name of the event that the term bounds.
    pub name: &'static str,
    /// `-log2` of the probability of the event, including grinding.
    pub bits: f64,
}

/// Proven security of an opening. Its error is at most the sum of the terms.
///
/// The terms are those of WHIR (ePrint 2024/1586, theorem 5.2) in the list-decoding regime, by the
/// formulas of `p3-security` 0.8.0, which Plonky3's own report of an opening has too. Mutual
/// correlated agreement is proven up to the Johnson radius (ePrint 2025/2110; the bound is that of
/// ePrint 2026/2056, theorem 5.12). No conjecture is used. The transcript is taken for a random
/// oracle, and collisions of digests are not among the terms.
///
/// The values outside the domain of the stack are sampled right after the commitment. So up to the
/// term for these samples, everything that is proved afterwards is about one polynomial, and terms of
/// an outer protocol need not be multiplied by the number of polynomials near the commitment.
/// The commitment to preprocessed rows is part of the key. Rows that are absent are codewords, namely
/// zero, and known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpeningSecurity {
    /// The terms.
    pub terms: Vec<OpeningTerm>,
}

impl OpeningSecurity {
    /// Bits of security: `-log2` of the sum of the terms' probabilities.
    pub fn bits(&self) -> f64 {
        let bits: Vec<ErrorBits> = self.terms.iter().map(|term| ErrorBits(term.bits)).collect();
        ErrorBits::sum(&bits).bits()
    }
}

impl Scheme {
    /// The proven security of openings of so many claims, not counting those about the values outside
    /// the domain.
    pub fn security(&self, claims: usize) -> OpeningSecurity {
        // The number of elements is rounded down to a power of two.
        let field_bits = EF::bits() - 1;
        let mut terms = vec![];
        let mut add = |commitment, name, bits| {
            terms.push(OpeningTerm {
                commitment,
                name,
                bits,
            });
        };
        let stack = &self.schedule.stack;
        let combined = claims.saturating_add(stack.outside);
        // Each of the polynomials near the commitment has a false claim, whose power of the challenge
        // is at most that of the last one. No proof of work protects the challenge.
        add(
            0,
            "combination of claims",
            REGIME.initial_claims_error(field_bits, stack.variables, stack.log_blowup, combined),
        );
        let mut previous = None;
        for (number, step) in self.schedule.commitments().enumerate() {
            let (variables, rate) = (step.variables, step.log_blowup);
            // Two polynomials near the commitment agree outside the domain.
            add(
                number,
                "samples outside the domain",
                REGIME.ood_error(variables, rate, field_bits, step.outside),
            );
            if let Some((log_blowup, queries, grinding)) = previous {
                // No query meets a difference between the folded rows and what is claimed.
                add(
                    number - 1,
                    "queries",
                    REGIME.queries_error(log_blowup, queries) + grinding,
                );
                let combined = REGIME.queries_combination_error(
                    field_bits,
                    variables,
                    rate,
                    step.outside,
                    queries,
                );
                add(number, "combination of answers", combined + grinding);
            }
            // For each variable that is bound: rows that are far from codewords become near ones, or
            // the claims of all near codewords' rows are false and become true. The first bound is
            // charged one bit more than it needs, as in Plonky3's report.
            let grinding = step.fold_grinding_bits as f64;
            let gap = REGIME.prox_gaps_error(variables, rate, field_bits, 2) - 1.0;
            let sumcheck = REGIME.fold_sumcheck_error(field_bits, variables, rate);
            for _ in 0..step.fold {
                add(number, "fold", gap + grinding);
                add(number, "sumcheck", sumcheck + grinding);
            }
            previous = Some((rate, step.queries, step.query_grinding_bits as f64));
        }
        let last = self.schedule.folded.len();
        if let Some((log_blowup, queries, grinding)) = previous {
            add(
                last,
                "queries",
                REGIME.queries_error(log_blowup, queries) + grinding,
            );
        }
        // A round's polynomial has degree 2.
        let bits = (field_bits - 1 + self.schedule.final_grinding_bits) as f64;
        for _ in 0..self.schedule.final_variables {
            add(last + 1, "sumcheck", bits);
        }
        OpeningSecurity { terms }
    }
}
