//! The file format of memberships.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FILE_VERSION`], little-endian |
//! | rest | recursion keys with their bits; the levels of the path, each with its children's keys and statements and the number of the child that the path goes on with: as `droste_vm::codec` writes values |
//!
//! Decoding refuses everything that encoding does not write. Values take no more memory than bytes
//! of the file, and lists are refused by their lengths.

use droste_native::F;
use droste_vm::codec::{decode_body, encode_body, short_list};
use droste_vm::key::KeyDigest;
use serde::{Deserialize, Serialize};

use super::{FileError, MAX_KEYS, version};
use crate::claim::{MAX_DEPTH, MAX_NODES};
use crate::member::{Level, Membership};

/// First bytes of a membership's file.
pub const MAGIC: [u8; 8] = *b"droste\0m";

/// Version of the format, raised by every change of its meaning.
pub const FILE_VERSION: u32 = 1;

const HEADER: usize = MAGIC.len() + 4;

#[derive(Serialize, Deserialize)]
struct Content {
    #[serde(deserialize_with = "short_list::<_, _, MAX_KEYS>")]
    keys: Vec<([F; 8], u16)>,
    #[serde(deserialize_with = "short_list::<_, _, MAX_DEPTH>")]
    path: Vec<StoredLevel>,
}

#[derive(Serialize, Deserialize)]
struct StoredLevel {
    /// Keys and statements.
    #[serde(deserialize_with = "short_list::<_, _, MAX_NODES>")]
    children: Vec<([F; 8], [F; 8])>,
    child: u32,
}

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
    Ok(encode_body(bytes, &stored(member))?)
}

/// The content of a membership's file after its header, as a value whose fields can be inspected.
pub fn content(member: &Membership) -> impl Serialize + use<> {
    stored(member)
}

fn stored(member: &Membership) -> Content {
    let level = |level: &Level| StoredLevel {
        children: level
            .children
            .iter()
            .map(|(key, statement)| (key.0, *statement))
            .collect(),
        child: level.child,
    };
    Content {
        keys: member
            .keys
            .iter()
            .map(|(key, bits)| (key.0, *bits))
            .collect(),
        path: member.path.iter().map(level).collect(),
    }
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
    let content: Content = decode_body(bytes, HEADER)?;
    let level = |level: StoredLevel| {
        let children = level.children.into_iter();
        Level {
            children: children
                .map(|(key, statement)| (KeyDigest(key), statement))
                .collect(),
            child: level.child,
        }
    };
    let keys = content.keys.into_iter();
    let member = Membership {
        keys: keys.map(|(key, bits)| (KeyDigest(key), bits)).collect(),
        path: content.path.into_iter().map(level).collect(),
    };
    match encode(&member)? == bytes {
        true => Ok(member),
        false => Err(FileError::NotCanonical),
    }
}
