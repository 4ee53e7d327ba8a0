//! The file format of memberships.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FILE_VERSION`], little-endian |
//! | rest | recursion keys with their bits; the levels of the path, each with its children's keys and statements and the number of the child that the path goes on with: as `droste_native::codec` writes values |
//!
//! Decoding refuses everything that encoding does not write. It allocates at most 15 bytes per
//! byte of the file plus 2 MiB, as for proofs (`droste_native::codec`).

use droste_native::codec::{LIST_FACTOR, decode_body, encode_body, is_body};

use super::{FileError, version};
use crate::member::Membership;

/// First bytes of a membership's file.
pub const MAGIC: [u8; 8] = *b"droste\0m";

/// Version of the format, raised by every change of its meaning.
pub const FILE_VERSION: u32 = 1;

const HEADER: usize = MAGIC.len() + 4;

/// Whether bytes begin like the file of a membership.
pub fn is_membership(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Encodes a membership as a file.
///
/// # Errors
/// None for memberships that [`Membership::new`] or [`decode`] made.
pub fn encode(member: &Membership) -> Result<Vec<u8>, FileError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FILE_VERSION.to_le_bytes());
    Ok(encode_body(bytes, member)?)
}

/// Decodes the membership in a file. Nothing in it is verified.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] writes for some membership.
pub fn decode(bytes: &[u8]) -> Result<Membership, FileError> {
    match version(bytes, MAGIC) {
        None => return Err(FileError::MemberMagic),
        Some(FILE_VERSION) => {}
        Some(found) => return Err(FileError::MemberVersion(found)),
    }
    let member: Membership = decode_body(bytes, HEADER, LIST_FACTOR)?;
    if is_body(&member, bytes, HEADER) {
        Ok(member)
    } else {
        Err(FileError::NotCanonical)
    }
}
