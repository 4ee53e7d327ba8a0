//! What writing a tape needs from a hash family.

use droste_native::{F, HashFamily};

use super::transcript::Transcript;

/// A hash family whose proofs can be verified in-circuit.
pub trait TapeFamily: HashFamily {
    /// The native side of its in-circuit transcript.
    type Transcript: Transcript<Digest = Self::Digest>;

    /// The blocks of a digest.
    fn digest_blocks(digest: &Self::Digest) -> Vec<[F; 8]>;
}
