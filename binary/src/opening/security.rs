//! What a prover without a good polynomial can gain.

use droste_native::stark::security::{
    BIRTHDAY, Regime, SCHWARTZ_ZIPPEL, SecurityBound, SecurityTerm,
};

use super::{FOLDED, Settings};
use crate::tree_hash::{CHALLENGE_LOSS, COLLISION_BITS, POSITION_BIAS};

/// Bits of a challenge.
const CHALLENGE_BITS: f64 = 128.0 - CHALLENGE_LOSS;

/// Theorem of the terms of proximity.
const PROXIMITY: &str = "ePrint 2024/1351, corollary 3.7";

impl Settings {
    /// The proven terms, each a bound of the probability that a challenge or a set of positions
    /// lets a false claim pass, if the hash is modelled as an ideal one.
    ///
    /// Let the code of a round have `N` rows, rate `rho`, and distance `d = N - rho N + 1`, and let
    /// `e = floor((d - 1) / 2)`, so that `N - e - 1 < N (1 + rho) / 2`. A committed word has at
    /// most one message whose interleaved codeword differs from it in at most `e` rows. A false
    /// claim passes only if one of the following happens in a round. If words have no such message,
    /// that round is the last one with such a word, or a later one; so what follows its fold, the
    /// next word or the last polynomial, has a message: the *next polynomial*.
    ///
    /// - *Proximity*: the word has no such message, but its fold by the four challenges is within
    ///   `e` of the code. The fold is the tensor combination of 16 words (columns that are left out
    ///   are words of zeros). Such words within `e` of a
    ///   Reed-Solomon code have a probability of at most `4 N / |K|`, unless all 16 agree with
    ///   codewords outside of the same `e` rows: Diamond and Gruen, "Proximity gaps in interleaved
    ///   codes" (ePrint 2024/1351), corollary 3.7. It rests on affine lines (Ben-Sasson, Carmon,
    ///   Ishai, Kopparty and Saraf, ePrint 2020/654, theorem 4.1), at most `N / |K|` for each
    ///   variable, so the four may be drawn one after the other.
    /// - *Sumcheck*: the claim is false for the word's message, but true for its fold. The message
    ///   of a variable differs from the right one, of degree 2, and agrees at the challenge: at
    ///   most `2 / |K|` for each variable. The last variables have a term of their own.
    /// - *Queries*: the word has no message, or the next polynomial is not the fold of its message,
    ///   but every opened row folds to the next polynomial's codeword. In both cases they differ in
    ///   more than `e` rows (in the second one, two codewords differ in `d` or more rows, and the
    ///   word's fold from its own in at most `e`). So a query passes with a probability of at most
    ///   `(1 + rho) / 2` and the bias of
    ///   [positions](crate::tree_hash::Transcript::sample_positions).
    /// - *Batching*: one of the claims of the rows, or that of the sumcheck, is false, but their
    ///   sum by powers of the challenge is true. The difference is a polynomial in the challenge,
    ///   of a degree of the number of queries.
    ///
    /// Collisions of digests are counted once, with half the bits of a digest. All challenges lack
    /// [`CHALLENGE_LOSS`] bits.
    pub fn security(&self) -> SecurityBound {
        let mut terms = Vec::new();
        let mut push = |commitment, name, theorem, bits| {
            terms.push(SecurityTerm {
                commitment,
                name,
                theorem,
                bits,
            });
        };
        let challenge = |values: usize| CHALLENGE_BITS - (values as f64).log2();
        for (i, round) in self.rounds.iter().enumerate() {
            let rate = (-(round.log_inv_rate as f64)).exp2();
            let passes = (1.0 + rate) / 2.0 + POSITION_BIAS;
            let proximity = challenge(FOLDED << round.log_rows());
            let queries = -(round.queries as f64) * passes.log2();
            let (sums, rows) = (challenge(2 * FOLDED), challenge(round.queries));
            push(Some(i), "proximity", PROXIMITY, proximity);
            push(Some(i), "sumcheck", SCHWARTZ_ZIPPEL, sums);
            push(Some(i), "queries", "unique decoding", queries);
            push(Some(i), "batching", SCHWARTZ_ZIPPEL, rows);
        }
        let last = challenge(2 * self.last_variables());
        push(None, "last sumcheck", SCHWARTZ_ZIPPEL, last);
        push(None, "collisions", BIRTHDAY, COLLISION_BITS);
        SecurityBound {
            regime: Regime::UniqueDecoding,
            terms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::{QUERIES, SettingsError};

    #[test]
    fn queries_are_the_fewest_of_103_bits() {
        for (i, queries) in QUERIES.into_iter().enumerate() {
            let rate = (-((i + 1) as f64)).exp2();
            let bits = -((1.0 + rate) / 2.0).log2();
            assert_eq!((103.0 / bits).ceil() as usize, queries);
        }
    }

    #[test]
    fn one_hundred_bits() {
        for k in Settings::MIN_VARIABLES..=Settings::MAX_VARIABLES {
            let settings = Settings::new(k).unwrap();
            let bits = settings.security().sum();
            assert!(bits >= 100.0, "{bits} bits at {k} variables");
            assert!((4..=8).contains(&settings.last_variables()));
        }
        for k in [0, 7, 28, usize::MAX] {
            assert_eq!(
                Settings::new(k),
                Err(SettingsError::NumVariables { found: k })
            );
        }
    }

    /// Hundredths of bits, rounded down: the sum, then proximity and queries of each round.
    #[test]
    fn table() {
        let hundredths = |bits: f64| (bits * 100.0).floor() as u32;
        for (k, total, expected) in TABLE {
            let security = Settings::new(k).unwrap().security();
            let of = |name| {
                let terms = security.terms.iter().filter(move |term| term.name == name);
                terms.map(|term| hundredths(term.bits))
            };
            let rounds: Vec<_> = of("proximity").zip(of("queries")).collect();
            assert_eq!(
                (hundredths(security.sum()), &rounds[..]),
                (total, expected),
                "k = {k}"
            );
        }
    }

    type Line = (usize, u32, &'static [(u32, u32)]);

    const TABLE: [Line; 7] = [
        (
            20,
            10_167,
            &[(10_795, 10_306), (11_095, 10_375), (11_395, 10_311)],
        ),
        (
            21,
            10_131,
            &[
                (10_795, 10_334),
                (10_995, 10_375),
                (11_295, 10_311),
                (11_595, 10_320),
            ],
        ),
        (
            22,
            10_129,
            &[
                (10_695, 10_334),
                (10_895, 10_375),
                (11_195, 10_311),
                (11_495, 10_320),
            ],
        ),
        (
            23,
            10_126,
            &[
                (10_595, 10_334),
                (10_795, 10_375),
                (11_095, 10_311),
                (11_395, 10_320),
            ],
        ),
        (
            24,
            10_119,
            &[
                (10_495, 10_334),
                (10_695, 10_375),
                (10_995, 10_311),
                (11_295, 10_320),
            ],
        ),
        (
            25,
            10_076,
            &[
                (10_395, 10_334),
                (10_595, 10_375),
                (10_895, 10_311),
                (11_195, 10_320),
                (11_595, 10_320),
            ],
        ),
        (
            26,
            10_057,
            &[
                (10_295, 10_334),
                (10_495, 10_375),
                (10_795, 10_311),
                (11_095, 10_320),
                (11_495, 10_320),
            ],
        ),
    ];
}
