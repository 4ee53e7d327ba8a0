//! The Keccak tree of leaves, and paths in it.

use droste_gadgets::leaf_root::LEAF_WORD;
use droste_native::F;
use droste_native::hash::keccak::Keccak256;
use droste_vm::key::KeyDigest;
use thiserror::Error;

use super::bytes;

/// The digest of a leaf: that of 68 bytes, the canonical integers of its key and its statement, low
/// byte first, and `leaf` in ASCII. Nodes hash 64 bytes, so no leaf passes for a node.
pub fn leaf_digest(key: KeyDigest, statement: &[F; 8]) -> [u8; 32] {
    let tag = (LEAF_WORD as u32).to_le_bytes();
    let message = bytes(&key.0).chain(bytes(statement)).chain(tag);
    Keccak256.hash(&message.collect::<Vec<_>>())
}

/// The Keccak tree of `n` leaves. Node `i` below `n` is the digest of leaf `i`, node `n + j` that
/// of nodes `2j` and `2j + 1`, and node `2n - 2` is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafTree {
    leaves: Vec<(KeyDigest, [F; 8])>,
    nodes: Vec<[u8; 32]>,
}

/// Why a path does not lead from a leaf to the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// The tree does not have the leaf.
    #[error("there is no leaf {leaf}, counted from 0: the tree has {leaves} leaves")]
    NoLeaf {
        /// Number of the leaf, from 0.
        leaf: u32,
        /// Number of leaves.
        leaves: u32,
    },
    /// The path is too short or too long.
    #[error("the path has {found} digests, expected {expected}")]
    Length {
        /// Number of digests that it should have.
        expected: usize,
        /// Number that it has.
        found: usize,
    },
    /// The path does not lead to the root.
    #[error("the path does not lead to the root")]
    Root,
}

/// The numbers of the nodes on the path from a leaf to the root, both included; `None` if there is
/// no such leaf.
fn path_nodes(leaf: u32, leaves: u32) -> Option<impl Iterator<Item = u64>> {
    let (leaf, leaves) = (u64::from(leaf), u64::from(leaves));
    let root = (2 * leaves).checked_sub(2)?;
    let next = move |&node: &u64| (node < root).then(|| leaves + node / 2);
    (leaf < leaves).then(|| std::iter::successors(Some(leaf), next))
}

impl LeafTree {
    /// The tree of these leaves; `None` if there are none.
    pub fn new(leaves: Vec<(KeyDigest, [F; 8])>) -> Option<Self> {
        let digests = leaves.iter();
        let mut nodes: Vec<_> = digests.map(|(key, says)| leaf_digest(*key, says)).collect();
        for pair in 0..leaves.len().checked_sub(1)? {
            let child = |side: usize| nodes.get(2 * pair + side);
            let parent = Keccak256.parent(child(0)?, child(1)?);
            nodes.push(parent);
        }
        Some(Self { leaves, nodes })
    }

    /// Keys and statements of the leaves, in order.
    pub fn leaves(&self) -> &[(KeyDigest, [F; 8])] {
        &self.leaves
    }

    /// The digests of all nodes.
    pub fn nodes(&self) -> &[[u8; 32]] {
        &self.nodes
    }

    /// The digest of the last node.
    pub fn root(&self) -> [u8; 32] {
        self.nodes.last().copied().unwrap_or_default()
    }

    /// The digests beside the path from a leaf to the root, from the leaf up; `None` if there is no
    /// such leaf.
    pub fn path(&self, leaf: u32) -> Option<Vec<[u8; 32]>> {
        let count = u32::try_from(self.leaves.len()).ok()?;
        let mut nodes: Vec<u64> = path_nodes(leaf, count)?.collect();
        nodes.pop();
        let sibling = |node: u64| self.nodes.get(usize::try_from(node ^ 1).ok()?).copied();
        nodes.into_iter().map(sibling).collect()
    }

    /// On which side the nodes on the path are, from the leaf up: bit `i` is set if that of level
    /// `i` is the second child; `None` if there is no such leaf.
    pub fn sides(&self, leaf: u32) -> Option<u64> {
        let count = u32::try_from(self.leaves.len()).ok()?;
        let mut nodes: Vec<u64> = path_nodes(leaf, count)?.collect();
        nodes.pop();
        let bits = (0..).zip(nodes);
        Some(bits.map(|(level, node)| (node % 2) << level).sum())
    }
}

/// Verifies that `leaf`, counted from 0, of the tree of `leaves` leaves with this root has this
/// digest ([`leaf_digest`]).
///
/// # Errors
/// Why it has not.
pub fn verify_path(
    root: &[u8; 32],
    leaves: u32,
    leaf: u32,
    digest: [u8; 32],
    path: &[[u8; 32]],
) -> Result<(), PathError> {
    let none = PathError::NoLeaf { leaf, leaves };
    let mut nodes: Vec<u64> = path_nodes(leaf, leaves).ok_or(none)?.collect();
    nodes.pop();
    if nodes.len() != path.len() {
        return Err(PathError::Length {
            expected: nodes.len(),
            found: path.len(),
        });
    }
    let steps = nodes.into_iter().zip(path);
    let found = steps.fold(digest, |below, (node, sibling)| match node % 2 {
        0 => Keccak256.parent(&below, sibling),
        _ => Keccak256.parent(sibling, &below),
    });
    if found == *root {
        Ok(())
    } else {
        Err(PathError::Root)
    }
}
