//! Proof files.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`VERSION`], little-endian |
//! | rest | digest of the statement and proof, encoded as [`droste_vm::codec`] says |
//!
//! A file does not contain the statement. Decoding refuses every file that encoding does not write,
//! and files above [`MAX_BYTES`].

use droste_vm::codec::{DecodeError, EncodeError, check_length, decode_body, encode_body, is_body};

use crate::Proof;

/// First bytes of a proof file.
pub const MAGIC: [u8; 8] = *b"droste\0b";

/// Version of the format.
pub const VERSION: u32 = 1;

/// Length in bytes of the largest file that is read: 4 MiB. Decoding takes at most 48 bytes of memory
/// a byte, for lists of empty lists that grow.
pub const MAX_BYTES: usize = 1 << 22;

const HEADER: usize = MAGIC.len() + 4;

/// Returns the bytes of a proof file.
///
/// # Errors
/// None for proofs that [`crate::prove`] made.
pub fn encode(proof: &Proof) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    encode_body(bytes, proof)
}

/// Decodes a proof file.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] writes for some proof.
pub fn decode(bytes: &[u8]) -> Result<Proof, DecodeError> {
    check_length(bytes, MAX_BYTES)?;
    let rest = bytes.strip_prefix(&MAGIC).ok_or(DecodeError::Magic)?;
    let version = rest.first_chunk().ok_or(DecodeError::Magic)?;
    let (expected, found) = (VERSION, u32::from_le_bytes(*version));
    if found != expected {
        return Err(DecodeError::Version { expected, found });
    }
    let proof = decode_body(bytes, HEADER)?;
    match is_body(&proof, bytes, HEADER) {
        true => Ok(proof),
        false => Err(DecodeError::NotCanonical),
    }
}
