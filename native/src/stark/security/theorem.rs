//! The terms of a bound, and the theorem that each of them rests on.

use std::fmt::Display;

use p3_security::assumption::SecurityAssumption;
use serde::Serialize;

/// Theorem of a term that is the number of zeros of a polynomial over the size of the field.
pub const SCHWARTZ_ZIPPEL: &str = "Schwartz-Zippel";

/// Theorem of the terms that count collisions of digests.
pub const BIRTHDAY: &str = "birthday bound";

/// Bits of security against collisions of digests of 8 KoalaBear elements: `4 log2 p`, rounded down
/// to four places. Whatever is proved, a verifier knows it by such digests.
pub const DIGEST_COLLISION_BITS: f64 = 123.9547;

/// Bits of security as text with one decimal, rounded down: no more are claimed than are proven.
pub fn decimals(bits: f64) -> String {
    format!("{:.1}", (bits * 10.0).floor() / 10.0)
}

/// A proven bound on proximity gaps of Reed-Solomon codes up to the Johnson radius, with mutual
/// correlated agreement. Each of them counts the challenges at which a line through words that are
/// far from the code comes near it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProximityGap {
    /// ePrint 2025/2055, theorem 4.2, with mutual correlated agreement by ePrint 2025/2110.
    Bchks25,
    /// ePrint 2026/2056, theorem 5.12: fewer challenges by five bits and more.
    Dkt26,
}

impl ProximityGap {
    /// The paper and the theorem.
    pub const fn theorem(self) -> &'static str {
        match self {
            Self::Bchks25 => "ePrint 2025/2055, theorem 4.2, and 2025/2110",
            Self::Dkt26 => "ePrint 2026/2056, theorem 5.12",
        }
    }

    /// Logarithm of the largest number of exceptional challenges of a line, for the code of
    /// polynomials with `2^log_degree` coefficients at rate `2^-log_blowup`, at the agreement
    /// `(1 + 1 / (2 multiplicity)) sqrt(rate)`, for a multiplicity of 3 or more. A curve of degree
    /// `d` has `d` times as many.
    pub fn exceptional_challenges(
        self,
        log_degree: usize,
        log_blowup: usize,
        multiplicity: usize,
    ) -> f64 {
        match self {
            Self::Bchks25 => {
                let (m, rate) = (multiplicity as f64 + 0.5, (-(log_blowup as f64)).exp2());
                let radius = 1.0 - rate.sqrt() * (1.0 + 0.5 / multiplicity as f64);
                let per_point =
                    (2.0 * m.powi(5) + 3.0 * m * radius * rate) / (3.0 * rate.powf(1.5));
                let points = ((log_degree + log_blowup) as f64).exp2();
                (per_point * points + m / rate.sqrt()).log2()
            }
            Self::Dkt26 => -SecurityAssumption::prox_gaps_error_jb_at_m(
                log_degree,
                log_blowup,
                0,
                2,
                multiplicity,
            ),
        }
    }
}

/// A proximity regime: how far from a codeword a committed word may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Regime {
    /// Up to half the minimum distance; one codeword at most is that near.
    UniqueDecoding,
    /// Up to the Johnson radius less a margin of `1 / (2 multiplicity)`; a short list of codewords
    /// is that near.
    ListDecoding {
        /// Multiplicity parameter of the decoder, at least 3.
        multiplicity: usize,
    },
}

impl Display for Regime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UniqueDecoding => f.write_str("unique decoding"),
            Self::ListDecoding { multiplicity } => write!(f, "list decoding, m = {multiplicity}"),
        }
    }
}

/// A source of error, and the bits of security against it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SecurityTerm {
    /// Number of the commitment to which the term belongs, if it belongs to one; the first is 0.
    pub commitment: Option<usize>,
    /// Name of the event that the term bounds.
    pub name: &'static str,
    /// What bounds it.
    pub theorem: &'static str,
    /// `-log2` of the probability of the event, including grinding.
    pub bits: f64,
}

impl Display for SecurityTerm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)?;
        self.commitment
            .map_or(Ok(()), |number| write!(f, " {number}"))
    }
}

/// Every term of a protocol.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SecurityBound {
    /// How far from a codeword a committed word may be.
    pub regime: Regime,
    /// All terms, collisions of digests among them.
    pub terms: Vec<SecurityTerm>,
}

impl SecurityBound {
    /// The term that limits the security, if there is any.
    pub fn weakest(&self) -> Option<&SecurityTerm> {
        let terms = self.terms.iter();
        terms.min_by(|left, right| left.bits.total_cmp(&right.bits))
    }

    /// Bits of the weakest term, rounded down; 0 if a term is not a number. In a transcript of
    /// random oracles, each query of the prover succeeds with at most this probability
    /// (round-by-round soundness, ePrint 2018/1004).
    pub fn bits(&self) -> usize {
        if self.terms.iter().any(|term| term.bits.is_nan()) {
            0
        } else {
            self.weakest().map_or(0, |term| term.bits.max(0.0) as usize)
        }
    }

    /// Bits of the sum of all terms: of the interactive protocol's whole error, with the
    /// probability of a collision of digests.
    pub fn sum(&self) -> f64 {
        let error: f64 = self.terms.iter().map(|term| (-term.bits).exp2()).sum();
        -error.log2()
    }
}

/// A bound, with what is said of all its terms.
#[derive(Clone, Debug, Serialize)]
pub struct BoundSummary {
    /// Bits of the weakest term, rounded down.
    pub bits: usize,
    /// Its name.
    pub weakest: String,
    /// Bits of the sum of all terms.
    pub sum: f64,
    /// How far from a codeword a committed word may be.
    pub regime: String,
    /// All terms.
    pub terms: Vec<SecurityTerm>,
}

impl BoundSummary {
    /// That of a bound.
    pub fn new(bound: &SecurityBound) -> Self {
        Self {
            bits: bound.bits(),
            weakest: bound
                .weakest()
                .map_or(String::new(), SecurityTerm::to_string),
            sum: bound.sum(),
            regime: bound.regime.to_string(),
            terms: bound.terms.clone(),
        }
    }

    /// The bound of whoever relies on another proof, too: any event of either proof may happen.
    #[must_use]
    pub fn and(self, other: &SecurityBound) -> Self {
        let terms = [self.terms, other.terms.clone()].concat();
        // Sums and bits are those of the terms.
        let regime = other.regime;
        Self {
            regime: self.regime,
            ..Self::new(&SecurityBound { regime, terms })
        }
    }
}

/// Proven security of a proof, with the newest bound on proximity gaps and without it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Security {
    /// By [`ProximityGap::Bchks25`]: nothing here rests on ePrint 2026/2056.
    pub without: SecurityBound,
    /// By [`ProximityGap::Dkt26`].
    pub with: SecurityBound,
}

impl Security {
    /// Computes both bounds.
    pub fn new(bound: impl Fn(ProximityGap) -> SecurityBound) -> Self {
        Self {
            without: bound(ProximityGap::Bchks25),
            with: bound(ProximityGap::Dkt26),
        }
    }

    /// Proven bits: [`SecurityBound::bits`] without ePrint 2026/2056. They are at most 123, since
    /// digests collide at [`DIGEST_COLLISION_BITS`].
    pub fn bits(&self) -> usize {
        self.without.bits()
    }

    /// Adds a term to both bounds.
    pub fn add(&mut self, term: SecurityTerm) {
        self.without.terms.push(term);
        self.with.terms.push(term);
    }
}
