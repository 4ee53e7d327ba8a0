//! Claims: the statements of recursion proofs.
//!
//! The statement of a recursion proof is a digest of the key digest and the statement of each of
//! its children. A child that is a recursion proof itself has such a digest as its statement, so
//! the statement at the root binds a whole tree, down to the statements of ordinary programs.

#[allow(
    clippy::indexing_slicing,
    reason = "indices are positions in lists that the same pass made, of a tree that has them"
)]
mod digest;
mod leaves;

use std::slice;

use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
#[cfg(feature = "prover")]
use droste_vm::stack::RunProof;
use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

pub use leaves::AcceptedLeaves;

use crate::keys::DigestKind;
use crate::tags::{CLAIM_TAG, PUBLIC_TAG};

/// Largest number of levels of an aggregate's claim tree. Functions on trees call themselves once
/// a level, so this bounds their stack.
pub const MAX_DEPTH: usize = 1024;

/// Largest number of nodes of an aggregate's claim tree. It suffices for 65,536 leaves: each may
/// take up to six steps to the canonical shape, and joins of two or more are fewer than the leaves.
pub const MAX_NODES: usize = 1 << 19;

/// A proof as its parent sees it: the digest of its key, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimTree {
    /// Digest of its key.
    pub key: KeyDigest,
    /// What it says.
    pub claim: Claim,
}

/// What a proof says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The statement of a program: public inputs, then outputs, then zeros; or the digest of the
    /// public values of a proof of AIRs.
    Statement([F; 8]),
    /// Proofs under these keys with these claims are valid, in this order.
    Children(Vec<ClaimTree>),
}

/// Why a claim tree is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// The digest of the tree differs from the proof's statement.
    #[error("the digest of the claim tree is not the statement of the proof")]
    Digest,
    /// The root of the tree has another key than the proof.
    #[error("the root of the claim tree names key {found}, but the proof has key {expected}")]
    Root {
        /// Key of the proof.
        expected: KeyDigest,
        /// Key in the tree.
        found: KeyDigest,
    },
    /// A node with children has a key that is not the key of an accepted recursion program.
    #[error("{0} is not the key of an accepted recursion program")]
    Recursion(KeyDigest),
    /// A leaf's key is not one of those that the caller accepts.
    #[error("{0} is the key of a leaf, but not one of the keys accepted for leaves")]
    Leaf(KeyDigest),
    /// A leaf is not accepted, and one of the keys accepted for leaves is not that of a leaf.
    #[error("{key} was given as a program key of leaves, but this file has it as a {is}")]
    NoLeafKey {
        /// The digest that the caller gave.
        key: KeyDigest,
        /// What the file has with it.
        is: DigestKind,
    },
    /// A proof of a recursion program is listed without its children.
    #[error("{0} is the key of a recursion program, but its children are not listed")]
    Hidden(KeyDigest),
    /// A recursion program accepts proofs with fewer bits than the caller requires.
    #[error(
        "the children of {key} have {found} proven bits of security, expected at least {expected}"
    )]
    Security {
        /// Key of the recursion program.
        key: KeyDigest,
        /// Bits that the caller requires.
        expected: usize,
        /// Proven bits of every proof that the program accepts.
        found: usize,
    },
    /// The tree is too large.
    #[error(
        "the claim tree has {nodes} nodes and {depth} levels or more, expected at most {MAX_NODES} \
         nodes and {MAX_DEPTH} levels"
    )]
    TooLarge {
        /// Nodes of the tree, as far as they were counted.
        nodes: usize,
        /// Levels of the tree, as far as they were counted.
        depth: usize,
    },
    /// A listed key is not the key of any proof in the tree.
    #[error("{0} is listed as the key of a recursion program, but no proof of the tree has it")]
    Unused(KeyDigest),
}

/// The claim tree of a proof whose children have these trees; the proof of an ordinary program has
/// none.
#[cfg(feature = "prover")]
pub fn claim_tree(proof: &impl RunProof, children: Vec<ClaimTree>) -> ClaimTree {
    tree_of(proof.key().digest(), proof.statement(), children)
}

/// [`claim_tree`] of a proof with this key and statement.
#[cfg(feature = "prover")]
pub(crate) fn tree_of(key: KeyDigest, statement: [F; 8], children: Vec<ClaimTree>) -> ClaimTree {
    ClaimTree {
        key,
        claim: if children.is_empty() {
            Claim::Statement(statement)
        } else {
            Claim::Children(children)
        },
    }
}

impl Claim {
    /// The statement of a proof that says this.
    pub fn statement(&self) -> [F; 8] {
        match self {
            Self::Statement(statement) => *statement,
            Self::Children(children) => digest::claim_of(children),
        }
    }
}

/// The statement of a recursion proof that verified children with these key digests and statements.
pub fn claim_digest(children: &[(KeyDigest, [F; 8])]) -> [F; 8] {
    let message: Vec<F> = children
        .iter()
        .flat_map(|(key, statement)| key.0.iter().chain(statement))
        .copied()
        .collect();
    Poseidon16.hash(CLAIM_TAG, &message)
}

/// The statement of a proof of AIRs with these public values, one list per table: their hash, in
/// order, padded with zeros to whole blocks of 8, at least one block. The key fixes how many values
/// there are, so the padding is unambiguous.
pub fn public_digest(public_values: &[Vec<F>]) -> [F; 8] {
    let mut message = public_values.concat();
    message.resize(message.len().next_multiple_of(8).max(8), F::ZERO);
    Poseidon16.hash(PUBLIC_TAG, &message)
}

/// Checks that a tree whose root has these children is within [`MAX_NODES`] and [`MAX_DEPTH`].
///
/// # Errors
/// [`ClaimError::TooLarge`].
pub fn check_size(children: &[ClaimTree]) -> Result<(), ClaimError> {
    let (mut nodes, mut depth) = (1, 1);
    for (level, _) in Nodes::of(children) {
        nodes += 1;
        depth = depth.max(level + 1);
        if nodes > MAX_NODES || depth > MAX_DEPTH {
            return Err(ClaimError::TooLarge { nodes, depth });
        }
    }
    Ok(())
}

/// The nodes of trees, each before its children, with their levels ([`ClaimTree::nodes`]).
#[derive(Clone, Debug)]
pub struct Nodes<'a> {
    /// On each level, the nodes that were not returned yet.
    left: Vec<slice::Iter<'a, ClaimTree>>,
}

impl<'a> Nodes<'a> {
    fn of(trees: &'a [ClaimTree]) -> Self {
        Self {
            left: vec![trees.iter()],
        }
    }
}

impl<'a> Iterator for Nodes<'a> {
    type Item = (usize, &'a ClaimTree);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let level = self.left.len();
            let Some(node) = self.left.last_mut()?.next() else {
                self.left.pop();
                continue;
            };
            if let Claim::Children(children) = &node.claim {
                self.left.push(children.iter());
            }
            return Some((level, node));
        }
    }
}

impl ClaimTree {
    /// The proofs that this one verified; none for a leaf.
    pub fn children(&self) -> &[Self] {
        match &self.claim {
            Claim::Statement(_) => &[],
            Claim::Children(children) => children,
        }
    }

    /// The nodes of the tree, each before its children, with their levels: 1 for the root.
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::of(slice::from_ref(self))
    }

    /// Key digests and statements of the leaves, in order.
    pub fn leaves(&self) -> Vec<(KeyDigest, [F; 8])> {
        self.nodes()
            .filter_map(|(_, node)| match node.claim {
                Claim::Statement(statement) => Some((node.key, statement)),
                Claim::Children(_) => None,
            })
            .collect()
    }

    /// Where the leaf of this number is, counted from 0 in order: on each level below the root, the
    /// number of the child that leads to it. `None` if there are fewer leaves.
    pub fn position(&self, leaf: usize) -> Option<Vec<usize>> {
        let (mut position, mut found) = (vec![], 0);
        for (level, node) in self.nodes() {
            // The last node of this level, if it had the same parent, was the child before.
            position.truncate(level);
            match position.get_mut(level - 1) {
                Some(child) => *child += 1,
                None => position.push(0),
            }
            if let Claim::Statement(_) = node.claim {
                if found == leaf {
                    position.remove(0);
                    return Some(position);
                }
                found += 1;
            }
        }
        None
    }

    /// Number of levels of the tree; 1 for a leaf.
    pub fn depth(&self) -> usize {
        let levels = self.nodes().map(|(level, _)| level);
        levels.max().unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    pub(crate) const fn key(n: u32) -> KeyDigest {
        KeyDigest([F::new(n); 8])
    }

    pub(crate) fn leaf(n: u32) -> ClaimTree {
        ClaimTree {
            key: key(n),
            claim: Claim::Statement([F::from_u32(n); 8]),
        }
    }

    pub(crate) fn node(n: u32, children: Vec<ClaimTree>) -> ClaimTree {
        ClaimTree {
            key: key(n),
            claim: Claim::Children(children),
        }
    }

    /// A join (20) of two wraps (10 and 11), of one program each.
    pub(crate) fn tree() -> ClaimTree {
        node(20, vec![node(10, vec![leaf(1)]), node(11, vec![leaf(2)])])
    }

    #[test]
    fn children_hidden_behind_a_leaf_are_found_with_the_programs_keys() {
        let known = AcceptedLeaves::from_iter([key(1), key(2)]);
        assert_eq!(tree().check_leaves(&known), Ok(()));
        let refused = |keys: &[KeyDigest]| {
            let accepted = keys.iter().copied().collect();
            tree().check_leaves(&accepted).unwrap_err()
        };
        assert_eq!(refused(&[key(1)]), ClaimError::Leaf(key(2)));
        assert_eq!(refused(&[]), ClaimError::Leaf(key(1)));
        // The claim is the same, but the tree does not show what the second wrap verified.
        let hidden = ClaimTree {
            key: key(11),
            claim: Claim::Statement(node(11, vec![leaf(2)]).claim.statement()),
        };
        let tree_with_hidden = node(20, vec![node(10, vec![leaf(1)]), hidden]);
        assert_eq!(tree_with_hidden.claim.statement(), tree().claim.statement());
        assert_eq!(
            tree_with_hidden.check_leaves(&known),
            Err(ClaimError::Leaf(key(11)))
        );
        assert_eq!(tree_with_hidden.check_leaves(&AcceptedLeaves::Any), Ok(()));
    }

    #[test]
    fn order_keys_and_statements_are_bound() {
        let statement = tree().claim.statement();
        let other = [
            node(20, vec![node(11, vec![leaf(2)]), node(10, vec![leaf(1)])]),
            node(20, vec![node(10, vec![leaf(1)])]),
            node(20, vec![node(10, vec![leaf(1)]), node(12, vec![leaf(2)])]),
            node(20, vec![node(10, vec![leaf(1)]), node(11, vec![leaf(3)])]),
            node(20, vec![leaf(1), node(11, vec![leaf(2)])]),
        ];
        for other in other {
            assert_ne!(other.claim.statement(), statement, "{other:?}");
        }
        assert_eq!(tree().leaves().len(), 2);
        assert_eq!(tree().depth(), 3);
    }

    #[test]
    fn positions_lead_to_leaves() {
        let deep = (0..4).fold(leaf(3), |tree, _| node(9, vec![tree]));
        let tree = node(
            30,
            vec![leaf(0), node(20, vec![leaf(1), leaf(2)]), deep, tree()],
        );
        let expected = [
            vec![0],
            vec![1, 0],
            vec![1, 1],
            vec![2, 0, 0, 0, 0],
            vec![3, 0, 0],
            vec![3, 1, 0],
        ];
        for (number, (key, statement)) in tree.leaves().into_iter().enumerate() {
            let position = tree.position(number).unwrap();
            assert_eq!(position, expected[number]);
            let found = position
                .iter()
                .fold(&tree, |node, &child| &node.children()[child]);
            assert_eq!(
                (found.key, found.claim.statement()),
                (key, statement),
                "{number}"
            );
        }
        assert_eq!(tree.position(expected.len()), None);
        assert_eq!(leaf(1).position(0), Some(vec![]));
    }

    fn chain(depth: usize) -> ClaimTree {
        (1..depth).fold(leaf(0), |tree, _| node(1, vec![tree]))
    }

    #[test]
    fn depth_and_number_of_nodes_are_bounded() {
        let size = |tree: &ClaimTree| check_size(tree.children());
        assert_eq!(size(&leaf(1)), Ok(()));
        assert_eq!(size(&chain(MAX_DEPTH)), Ok(()));
        let depth = MAX_DEPTH + 1;
        let nodes = depth;
        let too_large = Err(ClaimError::TooLarge { nodes, depth });
        assert_eq!(size(&chain(depth)), too_large);
        let wide = |nodes: usize| node(1, vec![leaf(1); nodes - 1]);
        assert_eq!(size(&wide(MAX_NODES)), Ok(()));
        let nodes = MAX_NODES + 1;
        let too_large = Err(ClaimError::TooLarge { nodes, depth: 2 });
        assert_eq!(size(&wide(nodes)), too_large);
    }
}
