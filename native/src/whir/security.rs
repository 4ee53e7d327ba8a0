//! Proven security of openings: a bound for each way in which a false claim may be accepted.
//!
//! The terms are those of WHIR (ePrint 2024/1586, theorem 5.2) in the list-decoding regime, by the
//! formulas of `p3-security` 0.8.0 where it has them. Mutual correlated agreement is proven up to
//! the Johnson radius (ePrint 2025/2110); how many challenges are exceptional is
//! [`ProximityGap`]'s. No conjecture is used. The transcript is taken for a random oracle, and
//! collisions of digests are not among the terms.
//!
//! The values outside the domain of the stack are sampled right after the commitment. So up to the
//! term for these samples, everything that is proved afterwards is about one polynomial, and terms
//! of an outer protocol need not be multiplied by the number of polynomials near the commitment.
//! The commitment to preprocessed rows is part of the key. Rows that are absent are codewords,
//! namely zero, and known.

use p3_whir::SecurityAssumption;

use super::scheme::Scheme;
use crate::field::{EXTENSION_DEGREE, MODULUS};
use crate::stark::security::{ProximityGap, Regime, SCHWARTZ_ZIPPEL, SecurityTerm};
use crate::stark::suite::HashSuite;

/// The regime of all bounds: list decoding up to the Johnson radius, less a margin of a twentieth
/// of the square root of the rate.
const REGIME: SecurityAssumption = SecurityAssumption::JohnsonBound;

/// The multiplicity of that margin.
const MULTIPLICITY: usize = 10;

/// The regime in the terms of [`crate::stark::security`].
pub const LIST_DECODING: Regime = Regime::ListDecoding {
    multiplicity: MULTIPLICITY,
};

/// Theorem of most terms.
const WHIR: &str = "ePrint 2024/1586, theorem 5.2";

/// Logarithm of the number of elements of the challenge field.
pub fn field_bits() -> f64 {
    EXTENSION_DEGREE as f64 * f64::from(MODULUS).log2()
}

/// Bits of the round that binds one more variable of a commitment of so many variables, without
/// grinding: by mutual correlated agreement for the code after the round (theorem 5.2, with one
/// variable fewer after each round).
pub(super) fn fold_bits(gap: ProximityGap, variables: usize, rate: usize) -> f64 {
    let after = variables.saturating_sub(1);
    field_bits() - gap.exceptional_challenges(after, rate, MULTIPLICITY)
}

/// Bits of the sumcheck of such a round: for each polynomial near the commitment, a polynomial of
/// degree 2 that is not the claimed one has two points in common with it.
pub(super) fn sumcheck_bits(variables: usize, rate: usize) -> f64 {
    field_bits() + REGIME.fold_sumcheck_error(0, variables, rate)
}

impl<H: HashSuite> Scheme<H> {
    /// The terms of the proven security of openings of so many claims, not counting those about the
    /// values outside the domain. An opening's error is at most their sum.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn security(&self, claims: usize, gap: ProximityGap) -> Vec<SecurityTerm> {
        // Where these formulas of p3-security take the size of the field, they add it.
        let field = field_bits();
        let mut terms = vec![];
        let mut add = |commitment, name, theorem, bits| {
            terms.push(SecurityTerm {
                commitment: Some(commitment),
                name,
                theorem,
                bits,
            });
        };
        let stack = &self.schedule.stack;
        let combined = claims.saturating_add(stack.outside);
        // Each of the polynomials near the commitment has a false claim, whose power of the
        // challenge is at most that of the last one. No proof of work protects the challenge.
        let of_claims = REGIME.initial_claims_error(0, stack.variables, stack.log_blowup, combined);
        add(0, "combination of claims", WHIR, field + of_claims);
        let mut previous = None;
        for (number, step) in self.schedule.commitments().enumerate() {
            let (variables, rate) = (step.variables, step.log_blowup);
            // Two polynomials near the commitment agree outside the domain.
            let outside = REGIME.ood_error(variables, rate, 0, step.outside);
            let bits = step.outside as f64 * field + outside;
            add(number, "samples outside the domain", WHIR, bits);
            if let Some((log_blowup, queries, grinding)) = previous {
                // No query meets a difference between the folded rows and what is claimed.
                let bits = REGIME.queries_error(log_blowup, queries) + grinding;
                add(number - 1, "queries", WHIR, bits);
                let combined =
                    REGIME.queries_combination_error(0, variables, rate, step.outside, queries);
                let bits = field + combined + grinding;
                add(number, "combination of answers", WHIR, bits);
            }
            // For each variable that is bound: rows that are far from codewords become near ones,
            // or the claims of all near codewords' rows are false and become true.
            let grinding = step.fold_grinding_bits as f64;
            for bound in 0..step.fold {
                let bits = fold_bits(gap, variables - bound, rate) + grinding;
                add(number, "fold", gap.theorem(), bits);
                add(
                    number,
                    "sumcheck",
                    WHIR,
                    sumcheck_bits(variables, rate) + grinding,
                );
            }
            previous = Some((rate, step.queries, step.query_grinding_bits as f64));
        }
        let last = self.schedule.folded.len();
        if let Some((log_blowup, queries, grinding)) = previous {
            let bits = REGIME.queries_error(log_blowup, queries) + grinding;
            add(last, "queries", WHIR, bits);
        }
        // A round's polynomial has degree 2.
        let bits = field - 1.0 + self.schedule.final_grinding_bits as f64;
        for _ in 0..self.schedule.final_variables {
            add(last + 1, "sumcheck", SCHWARTZ_ZIPPEL, bits);
        }
        terms
    }
}
