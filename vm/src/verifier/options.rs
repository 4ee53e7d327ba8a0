//! What a caller asks of a proof.

use droste_native::whir::settings::MAX_LOG_BLOCK;

/// Logarithm of the blowup of proofs of programs, unless their prover asks for another.
const USUAL_LOG_BLOWUP: usize = 2;

/// What a caller asks of a proof, beside what the proof must say.
///
/// ```
/// use droste_vm::verifier::VerifyOptions;
///
/// let strong = VerifyOptions::default();
/// assert_eq!(strong.min_bits, 100);
/// let insecure = VerifyOptions::min_bits(0).with_limit(1 << 20);
/// assert_eq!(insecure.limit, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyOptions {
    /// Proven bits of security that a proof must have at least: 100 unless the caller says
    /// otherwise.
    pub min_bits: usize,
    /// Where the caller has the program, not its key: the most rows of the program's table,
    /// extended by the blowup, to which a verifier commits. `2^22` unless the caller says
    /// otherwise: those of the longest run that can be proved over WHIR, at the usual blowup 4.
    /// They take 0.5 GB, and some eight seconds in Poseidon-16.
    pub limit: usize,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl VerifyOptions {
    /// The default options.
    pub const DEFAULT: Self = Self {
        min_bits: 100,
        limit: 1 << (MAX_LOG_BLOCK + USUAL_LOG_BLOWUP),
    };

    /// The default options, but for the proven bits that a proof must have. With 0, proofs without
    /// security are accepted.
    pub const fn min_bits(min_bits: usize) -> Self {
        Self {
            min_bits,
            ..Self::DEFAULT
        }
    }

    /// The same options with another limit.
    #[must_use]
    pub const fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }
}
