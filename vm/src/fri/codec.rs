//! Files of proofs over FRI, in the format of [`droste_native::codec`].

use droste_native::HashSuite;
use droste_native::codec::{DecodeError, EncodeError, Kind, MAX_BYTES, check_length, encode_body};

use super::{FORMAT_VERSION, Proof};

/// First bytes of a file with a proof over FRI.
pub const MAGIC: [u8; 8] = *b"droste\0p";

pub(crate) const KIND: Kind = Kind {
    magic: MAGIC,
    version: FORMAT_VERSION,
};

/// Returns the bytes of a proof file.
///
/// # Errors
/// None for proofs that a prover made.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub fn encode<H: HashSuite>(proof: &Proof<H>) -> Result<Vec<u8>, EncodeError> {
    encode_body(KIND.header(H::ID), proof)
}

/// Decodes a proof file.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] writes for some proof committed in hash `H`.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub fn decode<H: HashSuite>(bytes: &[u8]) -> Result<Proof<H>, DecodeError> {
    check_length(bytes, MAX_BYTES)?;
    KIND.decode(bytes, H::ID)
}
