//! Which leaves of a claim tree a verifier accepts.

use std::collections::BTreeSet;

use droste_vm::key::KeyDigest;
use serde::{Serialize, Serializer};

use super::{ClaimError, ClaimTree};

/// The keys that leaves may have.
///
/// A tree does not tell the proof of an ordinary program from a recursion proof whose key no key
/// set lists and whose children the tree does not show: both are leaves, and the bits of what the
/// second one verified are not counted. So whoever verifies says which leaves to accept.
///
/// It serializes as the list of keys, or as `any`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcceptedLeaves {
    /// Those with one of these keys. The caller must have the keys from the programs, not from the
    /// file that is verified.
    Keys(BTreeSet<KeyDigest>),
    /// All of them. What is accepted then says nothing about the programs that were run, unless the
    /// caller compares keys and statements of the leaves itself.
    Any,
}

impl FromIterator<KeyDigest> for AcceptedLeaves {
    fn from_iter<I: IntoIterator<Item = KeyDigest>>(keys: I) -> Self {
        Self::Keys(keys.into_iter().collect())
    }
}

impl Serialize for AcceptedLeaves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Keys(keys) => serializer.collect_seq(keys.iter().map(KeyDigest::to_string)),
            Self::Any => serializer.serialize_str("any"),
        }
    }
}

impl AcceptedLeaves {
    /// Checks the key of a leaf.
    ///
    /// # Errors
    /// [`ClaimError::Leaf`].
    pub fn check(&self, key: KeyDigest) -> Result<(), ClaimError> {
        match self {
            Self::Keys(keys) if !keys.contains(&key) => Err(ClaimError::Leaf(key)),
            Self::Keys(_) | Self::Any => Ok(()),
        }
    }
}

impl ClaimTree {
    /// Checks the keys of all leaves.
    ///
    /// # Errors
    /// The first leaf that is not accepted: [`ClaimError::Leaf`].
    pub fn check_leaves(&self, accepted: &AcceptedLeaves) -> Result<(), ClaimError> {
        let mut leaves = self.nodes().filter(|(_, node)| node.children().is_empty());
        leaves.try_for_each(|(_, leaf)| accepted.check(leaf.key))
    }
}
