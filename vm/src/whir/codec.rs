//! Files of proofs over WHIR.
//!
//! Their format is that of [`droste_native::codec`], and what it says of decoding and its memory holds
//! here, too, except that these files may be [`MAX_BYTES`] long.

use droste_native::HashSuite;
use droste_native::codec::{
    DecodeError, EncodeError, HEADER, Kind, check_length, encode_body, file_length,
};

use super::proof::Proof;

/// First bytes of a file with a proof over WHIR.
pub const MAGIC: [u8; 8] = *b"droste\0w";

/// Version of these files; that of the keys in them is
/// [`FORMAT_VERSION`](super::FORMAT_VERSION).
pub const FILE_VERSION: u32 = 5;

/// Length of the longest file that is decoded; proofs at the presets take a twentieth
/// of it, those of a stack of 2^11 rows two thirds.
pub const MAX_BYTES: usize = 4 << 20;

pub(crate) const KIND: Kind = Kind {
    magic: MAGIC,
    version: FILE_VERSION,
};

/// Returns the bytes of a proof file.
///
/// # Errors
/// None for proofs that a prover made.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub fn encode<H: HashSuite>(proof: &Proof<H>) -> Result<Vec<u8>, EncodeError> {
    encode_body(KIND.header(H::ID), proof)
}

/// Number of bytes that [`encode`] returns.
///
/// # Errors
/// As [`encode`].
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub fn encoded_length<H: HashSuite>(proof: &Proof<H>) -> Result<usize, EncodeError> {
    file_length(HEADER, proof)
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
