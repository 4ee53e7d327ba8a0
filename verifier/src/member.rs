//! Memberships: proofs that a leaf is in the claim of an aggregate, for a verifier who has the
//! claim but not the aggregate.
//!
//! A claim is a digest of the keys and statements of the children of the aggregate's root; the
//! statement of a child that is itself a recursion proof is such a digest in turn. A [`Membership`]
//! lists, for each level from the root to the leaf, the keys and statements of one proof's
//! children, and says which of them the path goes on with. It also lists the recursion keys of the
//! aggregate with their bits, because they decide where a path ends: a statement is the digest of
//! children if and only if its key is one of them.
//!
//! # What a membership shows
//!
//! Let somebody whom the verifier believes have accepted an aggregate with this claim under this
//! digest of recursion keys ([`crate::aggregate::UnverifiedAggregate::verify`]). By the collision
//! resistance of Poseidon-16, the claim tree of that aggregate then has a leaf with the key and the
//! statement of the [`Member`] at its position. It is a leaf of that tree and not an inner node or
//! something below a leaf, because acceptance looks up the same keys in the same set. So a valid
//! proof of the statement exists under the leaf's key, at least with the bits of the set:
//! acceptance requires that every recursion key of the tree is in the set, the root's included.
//!
//! # What it does not show
//!
//! - It shows nothing if no such aggregate was accepted: anyone can hash a list.
//! - With [`AcceptedLeaves::Any`], a leaf is taken for the proof of an ordinary program. As in a
//!   claim tree, it may be a recursion proof whose key the set does not list.
//! - A position is a path: which child on each level. Claims bind that, and so the order of leaves,
//!   but not how many leaves the subtrees beside the path have. Whoever needs the leaf's number in
//!   the whole tree must know the tree's shape from elsewhere.

use droste_native::F;
use droste_native::codec::short_list;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::claim::{
    AcceptedLeaves, ClaimError, ClaimTree, MAX_DEPTH, MAX_NODES, check_size, claim_digest,
};
use crate::file::MAX_KEYS;
use crate::keys::{ClaimedKeys, DigestKind, KeysError, set_digest};

/// A path through a claim tree from the root to a leaf. Nothing of it is verified before
/// [`Self::verify`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The recursion keys of the aggregate, ascending, with the bits of the proofs that each
    /// accepts.
    #[serde(deserialize_with = "short_list::<_, _, MAX_KEYS>")]
    pub keys: Vec<(KeyDigest, u16)>,
    /// The levels below the root, the root's own children first.
    #[serde(deserialize_with = "short_list::<_, _, MAX_DEPTH>")]
    pub path: Vec<Level>,
}

/// The proofs that one proof on the path verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// Their keys and statements, in order.
    #[serde(deserialize_with = "short_list::<_, _, MAX_NODES>")]
    pub children: Vec<(KeyDigest, [F; 8])>,
    /// Number of the child that the path goes on with, from 0.
    pub child: u32,
}

/// A leaf of an aggregate's claim tree, as a verified membership shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Digest of its key.
    pub key: KeyDigest,
    /// What it says.
    pub statement: [F; 8],
    /// The number of the child that leads to it, from 0, on each level below the root.
    pub position: Vec<u32>,
    /// Proven bits that every proof below the root has at least, as the set of keys lists them.
    pub bits: usize,
}

/// Why a membership is not accepted, or cannot be made.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum MemberError {
    /// The recursion keys are not the expected ones.
    Keys(#[from] KeysError),
    /// A recursion key has too few bits, a node of the path is no recursion proof of the set, or
    /// the leaf is one.
    Claim(#[from] ClaimError),
    /// The children on this level, from 1 for those of the root, do not hash to the statement of
    /// their parent.
    #[error("the proofs on level {0} of the path do not hash to the {parent}", parent = above(*.0))]
    Digest(usize),
    /// A level does not have the child that the path goes on with.
    #[error("level {level} of the path has {children} proofs, but the path goes on with {child}")]
    Child {
        /// Number of the level, from 1 for the children of the root.
        level: usize,
        /// Number of the child, from 0.
        child: u32,
        /// Number of children.
        children: usize,
    },
    /// The path or the list of keys is empty.
    #[error("the membership has no path or no recursion keys")]
    Empty,
    /// The tree has no leaf of this number.
    #[error("there is no leaf {leaf}: the tree has {leaves} leaves, counted from 0")]
    NoLeaf {
        /// Number of the leaf.
        leaf: usize,
        /// Number of leaves.
        leaves: usize,
    },
}

/// Names the statement that the proofs on a level must hash to.
fn above(level: usize) -> String {
    match level {
        1 => "claim".to_owned(),
        _ => format!("statement of their parent on level {}", level - 1),
    }
}

impl Membership {
    /// The membership of a leaf, counted from 0 in order, in the claim of an aggregate with this
    /// tree and these recursion keys. It is accepted if the aggregate is.
    ///
    /// # Errors
    /// [`MemberError::NoLeaf`]; [`MemberError::Empty`] if the tree is a leaf;
    /// [`ClaimError::TooLarge`].
    pub fn new(tree: &ClaimTree, keys: &ClaimedKeys, leaf: usize) -> Result<Self, MemberError> {
        check_size(tree.children())?;
        let position = tree.position(leaf).ok_or_else(|| MemberError::NoLeaf {
            leaf,
            leaves: tree.leaves().len(),
        })?;
        let (mut node, mut parents) = (tree, vec![]);
        for child in position {
            parents.push((node.children(), child));
            node = node.children().get(child).ok_or(MemberError::Empty)?;
        }
        // From the leaf to the root, so that every statement is computed once.
        let mut statement = node.claim.statement();
        let mut path = vec![];
        for (siblings, child) in parents.into_iter().rev() {
            let children = siblings.iter().enumerate().map(|(index, sibling)| {
                let on_path = index == child;
                let own = || sibling.claim.statement();
                (sibling.key, if on_path { statement } else { own() })
            });
            let children: Vec<_> = children.collect();
            statement = claim_digest(&children);
            path.push(Level {
                children,
                child: u32::try_from(child).map_err(|_| MemberError::Empty)?,
            });
        }
        path.reverse();
        if path.is_empty() {
            return Err(MemberError::Empty);
        }
        let keys = keys.iter();
        Ok(Self {
            // A list has no more than `keys::MAX_BITS` bits.
            keys: keys
                .map(|(key, listed)| (key, listed.bits as u16))
                .collect(),
            path,
        })
    }

    /// Verifies that a leaf is in `claim` and is one of `leaves`, and returns it. `key` is the
    /// digest of the aggregate's recursion keys, each of which must be listed with the proven bits
    /// that `options` ask for.
    ///
    /// # Soundness obligations
    ///
    /// An aggregate with this claim must have been accepted under this digest of keys, by the
    /// caller or by somebody whom the caller believes; the digest must come from a derivation, and
    /// the keys of leaves from their programs, not from a file. See [the module](self) for what
    /// this shows.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        &self,
        claim: &[F; 8],
        key: KeyDigest,
        options: VerifyOptions,
        leaves: &AcceptedLeaves,
    ) -> Result<Member, MemberError> {
        let bits = self.check_keys(key, claim, options.min_bits)?;
        let mut member: Option<(KeyDigest, [F; 8])> = None;
        for (level, step) in (1..).zip(&self.path) {
            // The node whose children these are; above the first level it is the root, whose key
            // the claim does not bind and acceptance of the aggregate checked.
            let statement = match member {
                Some((key, _)) if !self.is_recursion(key) => {
                    return Err(ClaimError::Recursion(key).into());
                }
                Some((_, statement)) => statement,
                None => *claim,
            };
            if claim_digest(&step.children) != statement {
                return Err(MemberError::Digest(level));
            }
            let child = step.children.get(step.child as usize);
            member = Some(*child.ok_or(MemberError::Child {
                level,
                child: step.child,
                children: step.children.len(),
            })?);
        }
        let (key, statement) = member.ok_or(MemberError::Empty)?;
        if self.is_recursion(key) {
            return Err(ClaimError::Hidden(key).into());
        }
        leaves.check(key)?;
        Ok(Member {
            key,
            statement,
            position: self.path.iter().map(|level| level.child).collect(),
            bits,
        })
    }

    /// The digest of the recursion keys.
    pub fn key(&self) -> KeyDigest {
        let keys = self.keys.iter();
        set_digest(keys.map(|&(key, bits)| (key, bits.into())))
    }

    /// Checks the recursion keys and returns the least of their bits.
    fn check_keys(
        &self,
        expected: KeyDigest,
        claim: &[F; 8],
        min_bits: usize,
    ) -> Result<usize, MemberError> {
        let found = self.key();
        if found != expected {
            let is = self.kind_of(expected, claim);
            return Err(KeysError::Digest {
                expected,
                found,
                is,
            }
            .into());
        }
        let keys = self.keys.iter().map(|&(key, bits)| (key, bits.into()));
        let (key, found) = keys
            .min_by_key(|&(_, bits)| bits)
            .ok_or(MemberError::Empty)?;
        if found < min_bits {
            Err(ClaimError::Security {
                key,
                expected: min_bits,
                found,
            }
            .into())
        } else {
            Ok(found)
        }
    }

    /// What the membership, or its verifier, has with this digest beside the set of keys.
    fn kind_of(&self, digest: KeyDigest, claim: &[F; 8]) -> Option<DigestKind> {
        let mut children = self.path.iter().flat_map(|level| &level.children);
        if digest.0 == *claim {
            Some(DigestKind::Claim)
        } else if self.is_recursion(digest) {
            Some(DigestKind::RecursionKey)
        } else {
            let has_it = children.any(|&(key, _)| key == digest);
            has_it.then_some(DigestKind::ProgramKey)
        }
    }

    fn is_recursion(&self, key: KeyDigest) -> bool {
        self.keys.iter().any(|&(listed, _)| listed == key)
    }
}

#[cfg(test)]
mod tests;
