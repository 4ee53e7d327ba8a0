//! The file format of aggregates.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FILE_VERSION`], little-endian |
//! | rest | recursion keys, ascending, each with its bits and its recipe; all other keys of the claim tree, ascending; the tree, each node before its children, with the number of its key in these two lists; the proof: as `droste_native::codec` writes values |
//!
//! As with proofs, decoding refuses everything that encoding does not write, and takes memory in
//! proportion to its input: lists longer than [`MAX_KEYS`] and [`MAX_NODES`] are refused by their
//! lengths, before their entries are read. The tree is stored as a flat list, so that nested input
//! does not lead to nested calls before its depth is checked. Reading a node takes at most 160
//! bytes of memory, although some have 3 bytes in the file: 84 MB for the largest tree. Leaves with
//! a key each take up to 400, but 70 in the file: 96 MB. Whatever is in a file, decoding its lists
//! allocates at most 48 bytes per byte plus 2 MiB (`droste_native::codec`), so a file may have at most
//! [`MAX_BYTES`].
//!
//! [`member`] is the format of proofs that a leaf is in a claim, [`mod@fold`] that of folds.

pub mod fold;
pub mod member;
mod tree;

use droste_native::codec::{
    DecodeError, EncodeError, check_length, decode_body, encode_body, is_body, short_list,
};
use droste_vm::key::KeyDigest;
use droste_vm::whir;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tree::{FlatTree, Node};

use crate::aggregate::{Aggregate, UnverifiedAggregate};
use crate::claim::{ClaimError, ClaimTree, MAX_NODES};
use crate::fold::FamilyError;
use crate::keys::{ClaimedKeys, Recipe};

/// First bytes of an aggregate's file.
pub const MAGIC: [u8; 8] = *b"droste\0a";

/// Version of the format, raised by every change of its meaning. Version 2 added recipes to keys;
/// since version 3 each key is stored once, however many nodes have it; version 4 could hold proofs
/// over FRI; since version 5 recursion proofs are over WHIR; version 6 has nonces before lookups.
pub const FILE_VERSION: u32 = 6;

/// Length of the longest file that is decoded: 16 MiB.
pub const MAX_BYTES: usize = 1 << 24;

/// Largest number of recursion keys in a file.
pub const MAX_KEYS: usize = 256;

const HEADER: usize = MAGIC.len() + 4;

/// Bytes of memory that elements of lists may take per byte of the file. A node takes 40 and is at
/// least 3 in the file, so that trees of any shape are read. The rest takes less than half.
const LIST_FACTOR: usize = 16;

/// Why bytes are not the file of an aggregate, a membership or a fold, or it cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub enum FileError {
    /// The first bytes are not those of an aggregate's file.
    #[error("not an aggregate of proofs, which `droste wrap` and `droste join` write")]
    Magic,
    /// Another version of the format.
    #[error(
        "aggregate format version {0}, expected {FILE_VERSION}: earlier versions could hold \
         recursion proofs over FRI, which are no longer read"
    )]
    Version(u32),
    /// The content cannot be read.
    Decode(#[from] DecodeError),
    /// The content cannot be encoded.
    Encode(#[from] EncodeError),
    /// The list of nodes does not describe one tree.
    #[error("the nodes of the claim tree do not form one tree")]
    Tree,
    /// A node has the number of a key that is not in the file.
    #[error("a node of the claim tree has key {number}, but the file has {keys} keys")]
    Key {
        /// Number of the key, from 0.
        number: u32,
        /// Number of keys.
        keys: usize,
    },
    /// The claim tree is too large: [`ClaimError::TooLarge`].
    TooLarge(#[from] ClaimError),
    /// The number of recursion keys exceeds [`MAX_KEYS`].
    #[error("the aggregate has {0} recursion keys, expected at most {MAX_KEYS}")]
    TooManyKeys(usize),
    /// The content can be decoded, but encoding it again gives other bytes.
    #[error("the file is not in canonical form")]
    NotCanonical,
    /// The first bytes are not those of a membership's file.
    #[error("not a membership of a leaf, which `droste member` writes")]
    MemberMagic,
    /// Another version of the format of memberships.
    #[error("membership format version {0}, expected {version}", version = member::FILE_VERSION)]
    MemberVersion(u32),
    /// The first bytes are not those of a fold's file.
    #[error("not a fold, which `droste fold step` and `droste fold all` write")]
    FoldMagic,
    /// Another version of the format of folds.
    #[error("fold format version {0}, expected {version}", version = fold::FILE_VERSION)]
    FoldVersion(u32),
    /// The list of rules is that of no fold.
    Fold(#[from] FamilyError),
}

/// A key digest, the bits of its children, and its recipe.
type ListedKey<R> = (KeyDigest, u16, R);

#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "R: Deserialize<'de>, P: Deserialize<'de>"))]
struct Content<R, P> {
    #[serde(deserialize_with = "short_list::<_, _, MAX_KEYS>")]
    keys: Vec<ListedKey<R>>,
    #[serde(deserialize_with = "short_list::<_, _, MAX_NODES>")]
    other_keys: Vec<KeyDigest>,
    #[serde(deserialize_with = "short_list::<_, _, MAX_NODES>")]
    nodes: Vec<Node>,
    proof: P,
}

/// Whether bytes begin like the file of an aggregate.
pub fn is_aggregate(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Encodes an aggregate as a file. The figures of the steps that made it are not stored.
///
/// # Errors
/// If the claim tree or the set of keys is too large.
pub fn encode(aggregate: &Aggregate) -> Result<Vec<u8>, FileError> {
    write(
        aggregate.proof(),
        aggregate.tree(),
        aggregate.keys().claimed(),
    )
}

/// Encodes an unverified aggregate as a file, without checking its content.
///
/// # Errors
/// As [`encode`].
pub fn encode_unverified(aggregate: &UnverifiedAggregate) -> Result<Vec<u8>, FileError> {
    write(&aggregate.proof, &aggregate.tree, &aggregate.keys)
}

/// The content of an aggregate's file after its header, as a value whose fields can be inspected.
///
/// # Errors
/// As [`encode`].
pub fn content(aggregate: &Aggregate) -> Result<impl Serialize + use<'_>, FileError> {
    listed(
        aggregate.proof(),
        aggregate.tree(),
        aggregate.keys().claimed(),
    )
}

fn listed<'a>(
    proof: &'a whir::Proof,
    tree: &ClaimTree,
    keys: &'a ClaimedKeys,
) -> Result<Content<&'a Recipe, &'a whir::Proof>, FileError> {
    check_count(keys.iter().len())?;
    let FlatTree { other_keys, nodes } = FlatTree::new(tree, keys)?;
    Ok(Content {
        keys: keys
            .iter()
            .map(|(key, listed)| (key, listed.bits as u16, &listed.recipe))
            .collect(),
        other_keys,
        nodes,
        proof,
    })
}

fn write(proof: &whir::Proof, tree: &ClaimTree, keys: &ClaimedKeys) -> Result<Vec<u8>, FileError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FILE_VERSION.to_le_bytes());
    Ok(encode_body(bytes, &listed(proof, tree, keys)?)?)
}

/// Decodes the aggregate in a file. Nothing in it is verified.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] writes for some aggregate.
pub fn decode(bytes: &[u8]) -> Result<UnverifiedAggregate, FileError> {
    match version(bytes, MAGIC) {
        None => return Err(FileError::Magic),
        Some(FILE_VERSION) => {}
        Some(found) => return Err(FileError::Version(found)),
    }
    check_length(bytes, MAX_BYTES)?;
    let content: Content<Recipe, whir::Proof> = decode_body(bytes, HEADER, LIST_FACTOR)?;
    let tree_keys = content.keys.iter().map(|(key, ..)| *key);
    let tree_keys: Vec<KeyDigest> = tree_keys.chain(content.other_keys).collect();
    let mut keys = ClaimedKeys::default();
    for (key, bits, recipe) in content.keys {
        keys.insert(key, usize::from(bits), recipe);
    }
    let aggregate = UnverifiedAggregate {
        proof: content.proof,
        tree: tree::unflatten(content.nodes, &tree_keys)?,
        keys,
    };
    let UnverifiedAggregate { proof, tree, keys } = &aggregate;
    if is_body(&listed(proof, tree, keys)?, bytes, HEADER) {
        Ok(aggregate)
    } else {
        Err(FileError::NotCanonical)
    }
}

/// The version in the header of a file that begins with `magic`; `None` if it does not.
fn version(bytes: &[u8], magic: [u8; 8]) -> Option<u32> {
    let (version, _) = bytes.strip_prefix(&magic)?.split_first_chunk()?;
    Some(u32::from_le_bytes(*version))
}

fn check_count(keys: usize) -> Result<(), FileError> {
    if keys <= MAX_KEYS {
        Ok(())
    } else {
        Err(FileError::TooManyKeys(keys))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_keys_is_bounded() {
        assert_eq!(check_count(MAX_KEYS), Ok(()));
        let found = MAX_KEYS + 1;
        assert_eq!(check_count(found), Err(FileError::TooManyKeys(found)));
    }
}
