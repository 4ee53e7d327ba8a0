//! Files of proofs over WHIR.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FORMAT_VERSION`], little-endian |
//! | rest | the [`Proof`], as `bincode` 2 with variable-length integers writes it |
//!
//! What [`crate::codec`] says of decoding holds here, too, except that these files may be
//! [`MAX_BYTES`] long: they have lists of lists, which take up to 48 bytes of memory per byte of
//! the file.

use super::key::FORMAT_VERSION;
use super::prover::Proof;
use crate::codec::{DecodeError, EncodeError, check_length, decode_canonical, encode_body};

/// First bytes of a file with a proof over WHIR.
pub const MAGIC: [u8; 8] = *b"droste\0w";

/// Length of the longest file that is decoded; proofs of the machine take a twentieth of it.
pub const MAX_BYTES: usize = 4 << 20;

const HEADER: usize = MAGIC.len() + 4;

/// Returns the bytes of a proof file.
///
/// # Errors
/// None for proofs that a prover made.
pub fn encode(proof: &Proof) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    encode_body(bytes, proof)
}

/// Decodes a proof file.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] writes for some proof.
pub fn decode(bytes: &[u8]) -> Result<Proof, DecodeError> {
    check_length(bytes, MAX_BYTES)?;
    let (magic, rest) = bytes.split_first_chunk().ok_or(DecodeError::Magic)?;
    if *magic != MAGIC {
        return Err(DecodeError::Magic);
    }
    let (version, _) = rest.split_first_chunk().ok_or(DecodeError::Magic)?;
    let found = u32::from_le_bytes(*version);
    if found != FORMAT_VERSION {
        return Err(DecodeError::Version { found });
    }
    decode_canonical(bytes, HEADER, encode)
}
