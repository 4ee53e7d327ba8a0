//! Statements about Merkle paths, whose leaves, indices and roots are public, and nothing else.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use droste_native::hash::blake3::{CHUNK_END, CHUNK_START, ROOT};
use thiserror::Error;

use crate::calls::{Hash, bytes_of};
use crate::native::IV;
use crate::shape::StatementShape;

/// A digest: a leaf, an inner node or a root.
pub type Digest = [u8; 32];

/// Bytes that a node is the hash of.
const MESSAGE: usize = 64;

/// Most levels between a leaf and its root.
pub const MAX_DEPTH: usize = 64;

/// The parent of two nodes: the digest of the 64 bytes `left || right` in BLAKE3, BLAKE2s with 32
/// bytes of output and no key (RFC 7693), or Keccak-256 (`Hash::KeccakF`, `Hash::KeccakRate`).
pub fn node(hash: Hash, left: &Digest, right: &Digest) -> Digest {
    let output = hash.apply(&input(hash, left, right));
    output.first_chunk().copied().unwrap_or_default()
}

/// The digest that a path's siblings lead to, from the leaf's to the one below the root. `None` if
/// there are more than [`MAX_DEPTH`] of them, or the tree has no leaf of this index.
pub fn root(hash: Hash, leaf: &Digest, index: u64, siblings: &[Digest]) -> Option<Digest> {
    let levels = siblings.len();
    if levels > MAX_DEPTH || index.checked_shr(levels as u32).unwrap_or(0) != 0 {
        return None;
    }
    let up = |child: Digest, (level, sibling): (usize, &Digest)| match index >> level & 1 {
        0 => node(hash, &child, sibling),
        _ => node(hash, sibling, &child),
    };
    Some(siblings.iter().enumerate().fold(*leaf, up))
}

/// Where the message of a node is in its call's input, in bytes.
pub(crate) const fn message_offset(hash: Hash) -> usize {
    match hash {
        Hash::Blake3 | Hash::Blake2s => 32,
        Hash::KeccakF | Hash::KeccakRate => 0,
    }
}

/// The input of the call that is a node, with zeros for the message.
pub(crate) fn input_without_message(hash: Hash) -> Vec<u8> {
    let message = [0; MESSAGE].as_slice();
    match hash {
        Hash::Blake3 => {
            let flags = u32::from(CHUNK_START | CHUNK_END | ROOT);
            let rest = bytes_of(&[0, 0, MESSAGE as u32, flags]);
            [&bytes_of(&IV), message, &rest].concat()
        }
        Hash::Blake2s => {
            let mut state = IV;
            // The parameters: no key, 32 bytes of output (RFC 7693, section 2.5).
            state[0] ^= 0x0101_0020;
            let rest = bytes_of(&[MESSAGE as u32, 0, u32::MAX, 0]);
            [&bytes_of(&state), message, &rest].concat()
        }
        // Padding from byte 64 to the last of the rate of 136 bytes, then the capacity.
        Hash::KeccakF => [message, &[1], &[0; 70], &[0x80], &[0; 64]].concat(),
        // With eight bytes between rate and capacity.
        Hash::KeccakRate => [message, &[1], &[0; 70], &[0x80], &[0; 72]].concat(),
    }
}

/// The input of the call that is the parent of two nodes.
pub(crate) fn input(hash: Hash, left: &Digest, right: &Digest) -> Vec<u8> {
    let mut input = input_without_message(hash);
    let bytes = input.iter_mut().skip(message_offset(hash));
    for (byte, message) in bytes.zip(left.iter().chain(right)) {
        *byte = *message;
    }
    input
}

/// The public part of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Digest that the path begins with.
    pub leaf: Digest,
    /// Index of the leaf among the `2^depth` of its tree, from the left. Its lowest bit says
    /// whether the leaf is a right child.
    pub index: u64,
    /// Digest that the path ends in.
    pub root: Digest,
}

impl Path {
    /// Whether the node of a level, from the leaf's, which is 0, is a right child. No node is one
    /// above the levels of an index.
    pub const fn is_right(&self, level: usize) -> bool {
        level < MAX_DEPTH && self.index >> level & 1 == 1
    }

    /// Left and right child of which the second is on the path, given the one that is not.
    const fn children(&self, level: usize, child: Digest, sibling: Digest) -> (Digest, Digest) {
        if self.is_right(level) {
            (sibling, child)
        } else {
            (child, sibling)
        }
    }
}

/// Why a list of paths is not a statement.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathsError {
    /// There are no statements about paths of this hash.
    #[error("there are no statements about paths of {0}, only graphs")]
    OnlyGraphs(Hash),
    /// There are no paths.
    #[error("the list has no paths, expected at least one")]
    Empty,
    /// No tree has this depth here.
    #[error("the paths have depth {0}, expected 1 to {MAX_DEPTH}")]
    Depth(usize),
    /// There are more nodes than one proof has.
    #[error(
        "{paths} paths of depth {depth} have more than {most} nodes of {hash}, the most in one \
         proof: split the list"
    )]
    TooManyNodes {
        /// Hash of the nodes.
        hash: Hash,
        /// Number of paths.
        paths: usize,
        /// Depth of each.
        depth: usize,
        /// Most nodes of a statement, [`Hash::max_calls`].
        most: usize,
    },
    /// An index is not that of a leaf.
    #[error("the index of path {path} is {index}, expected less than 2^{depth}")]
    Index {
        /// Number of the path.
        path: usize,
        /// Its index.
        index: u64,
        /// Depth of all paths.
        depth: usize,
    },
}

/// Why siblings do not fit a statement's paths.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SiblingsError {
    /// There are more or fewer lists of siblings than paths.
    #[error("siblings were given for {found} paths, expected {expected}")]
    Paths {
        /// Number of paths.
        expected: usize,
        /// Number of lists.
        found: usize,
    },
    /// A path has more or fewer siblings than its depth.
    #[error("path {path} has {found} siblings, expected {expected}")]
    Depth {
        /// Number of the path.
        path: usize,
        /// Depth of the paths.
        expected: usize,
        /// Number of siblings.
        found: usize,
    },
    /// A path does not lead to its root.
    #[error("path {path} does not lead to its root")]
    Root {
        /// Number of the path.
        path: usize,
    },
}

/// Merkle paths of one hash and one depth: what a proof is about. They have at most
/// [`Hash::max_calls`] nodes, each of which is a call: paths times depth.
///
/// Each says that its leaf is at its index in a tree with its root. Roots may differ from path to
/// path. The siblings, and so the inner nodes, are no part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerklePaths {
    hash: Hash,
    depth: usize,
    paths: Vec<Path>,
}

impl MerklePaths {
    /// A statement of paths of this depth, which is the number of levels between leaves and roots.
    ///
    /// # Errors
    /// [`PathsError`].
    pub fn new(hash: Hash, depth: usize, paths: Vec<Path>) -> Result<Self, PathsError> {
        if !hash.is_listed() {
            return Err(PathsError::OnlyGraphs(hash));
        }
        if !(1..=MAX_DEPTH).contains(&depth) {
            return Err(PathsError::Depth(depth));
        }
        if paths.is_empty() {
            return Err(PathsError::Empty);
        }
        let most = hash.max_calls();
        if paths.len() > most / depth {
            return Err(PathsError::TooManyNodes {
                hash,
                paths: paths.len(),
                depth,
                most,
            });
        }
        let outside = |path: &Path| depth < 64 && path.index >> depth != 0;
        let numbered = paths.iter().enumerate();
        match numbered.clone().find(|(_, path)| outside(path)) {
            Some((path, &Path { index, .. })) => Err(PathsError::Index { path, index, depth }),
            None => Ok(Self { hash, depth, paths }),
        }
    }

    /// The hash of the nodes.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Levels between leaves and roots.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// The paths.
    pub fn paths(&self) -> &[Path] {
        &self.paths
    }

    /// The shape of the statement.
    pub const fn shape(&self) -> StatementShape {
        StatementShape::Paths {
            hash: self.hash,
            depth: self.depth,
            paths: self.paths.len(),
        }
    }

    /// Number of all nodes but the leaves.
    pub const fn nodes(&self) -> usize {
        self.paths.len() * self.depth
    }

    /// The inputs of all nodes' calls in order, from each leaf to its root.
    ///
    /// # Errors
    /// [`SiblingsError`] if there are not as many siblings as levels, or they do not lead to the
    /// roots.
    pub fn inputs(&self, siblings: &[impl AsRef<[Digest]>]) -> Result<Vec<u8>, SiblingsError> {
        let (expected, found) = (self.paths.len(), siblings.len());
        if found != expected {
            return Err(SiblingsError::Paths { expected, found });
        }
        let mut inputs = vec![];
        for (number, (path, siblings)) in self.paths.iter().zip(siblings).enumerate() {
            let siblings = siblings.as_ref();
            if siblings.len() != self.depth {
                return Err(SiblingsError::Depth {
                    path: number,
                    expected: self.depth,
                    found: siblings.len(),
                });
            }
            let mut child = path.leaf;
            for (level, &sibling) in siblings.iter().enumerate() {
                let (left, right) = path.children(level, child, sibling);
                inputs.extend(input(self.hash, &left, &right));
                child = node(self.hash, &left, &right);
            }
            if child != path.root {
                return Err(SiblingsError::Root { path: number });
            }
        }
        Ok(inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_leaves_have_a_root() {
        let (leaf, siblings) = ([1; 32], [[2; 32]; 65]);
        for (index, levels, known) in [
            (0, 0, true),
            (1, 0, false),
            (1, 1, true),
            (2, 1, false),
            (u64::MAX, 63, false),
            (u64::MAX, 64, true),
            (0, 65, false),
        ] {
            let root = root(Hash::Blake2s, &leaf, index, &siblings[..levels]);
            assert_eq!(root.is_some(), known, "leaf {index} of {levels} levels");
        }
    }

    /// Its nodes are those of Keccak-256 all the same.
    #[test]
    fn not_every_hash_has_paths() {
        let (hash, leaf) = (Hash::KeccakRate, [1; 32]);
        let root = node(hash, &leaf, &[2; 32]);
        assert_eq!(root, node(Hash::KeccakF, &leaf, &[2; 32]));
        let index = 0;
        let paths = vec![Path { leaf, index, root }];
        let error = MerklePaths::new(hash, 1, paths).unwrap_err();
        assert_eq!(error, PathsError::OnlyGraphs(hash));
    }

    #[test]
    fn levels_above_an_index_have_no_right_children() {
        let path = Path {
            leaf: [0; 32],
            index: u64::MAX,
            root: [0; 32],
        };
        assert!(path.is_right(63));
        for level in [64, 65, usize::MAX] {
            assert!(!path.is_right(level));
        }
    }
}
