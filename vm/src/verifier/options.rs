//! What a caller asks of a proof.

/// What a caller asks of a proof, beside what the proof must say.
///
/// ```
/// use droste_vm::verifier::VerifyOptions;
///
/// let strong = VerifyOptions::default();
/// assert_eq!(strong.min_bits, 100);
/// let insecure = VerifyOptions::min_bits(0).with_limit(1 << 22);
/// assert_eq!(insecure.limit, 1 << 22);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifyOptions {
    /// Proven bits of security that a proof must have at least: 100 unless the caller says
    /// otherwise.
    pub min_bits: usize,
    /// Where the caller has the program, not its key: the most rows of the program's table,
    /// extended by the blowup, to which a verifier commits. `2^20` unless the caller says
    /// otherwise, which take some 100 MiB, and two seconds in Poseidon-16.
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
        limit: 1 << 20,
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
