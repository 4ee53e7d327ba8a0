//! Claims: what a recursion proof says.
//!
//! The statement of a recursion proof is the digest of its children: for each its key digest and its
//! statement. A child that is a recursion proof itself has such a digest as its statement, so the
//! statement at the root binds a whole tree, down to the statements of ordinary programs.

use std::collections::{BTreeMap, BTreeSet};

use droste_native::F;
use droste_native::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

use crate::keys::{ClaimedKeys, KeySet};

/// Tag of a claim: the letters "clai", in ASCII, big-endian.
pub const CLAIM_TAG: F = F::new(0x636c_6169);

/// Tag of the statement of a proof of AIRs: the letters "publ", in ASCII, big-endian.
pub const PUBLIC_TAG: F = F::new(0x7075_626c);

/// A proof as its parent sees it.
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
    /// A program's statement: public inputs, outputs, and lanes that bind nothing; or the digest of the
    /// public values of a proof of AIRs.
    Statement([F; 8]),
    /// These proofs are valid, in this order.
    Children(Vec<ClaimTree>),
}

/// Why a claim tree is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// The tree is not the one that the proof is about.
    #[error("the claim tree has another digest than the proof's statement")]
    Digest,
    /// The tree is of another key than the proof.
    #[error("the root of the claim tree names key {found}, the proof has {expected}")]
    Root {
        /// Key of the proof.
        expected: KeyDigest,
        /// Key in the tree.
        found: KeyDigest,
    },
    /// A node with children was not made by a known recursion program.
    #[error("{0} is not the key of an accepted recursion program")]
    Recursion(KeyDigest),
    /// A leaf's key is not one that the caller knows.
    #[error("{0} is the key of a leaf, but not one of those that are asked for")]
    Leaf(KeyDigest),
    /// A proof of a recursion program is listed without its children.
    #[error("{0} is the key of a recursion program, but its children are not listed")]
    Hidden(KeyDigest),
    /// A recursion program accepts weaker proofs than the caller.
    #[error(
        "the children of {key} have {found} proven bits of security, at least {expected} expected"
    )]
    Security {
        /// Key of the recursion program.
        key: KeyDigest,
        /// Bits asked for.
        expected: usize,
        /// Bits that every proof has that the program accepts.
        found: usize,
    },
    /// A key is listed that no proof of the tree has.
    #[error("{0} is listed as the key of a recursion program, but no proof of the tree has it")]
    Unused(KeyDigest),
}

/// Proven bits of the proofs of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeBits {
    /// Number of proofs, by their bits.
    proofs: BTreeMap<usize, u64>,
}

impl TreeBits {
    /// Adds so many proofs of these bits.
    pub fn add(&mut self, bits: usize, proofs: usize) {
        let number = self.proofs.entry(bits).or_default();
        *number = number.saturating_add(proofs as u64);
    }

    /// Number of proofs.
    pub fn proofs(&self) -> u64 {
        self.proofs
            .values()
            .fold(0, |sum, &number| sum.saturating_add(number))
    }

    /// The least bits of one proof; none without proofs.
    pub fn least(&self) -> Option<usize> {
        self.proofs.keys().next().copied()
    }

    /// Bits of all proofs together, by the union bound: the chance that any of them is false is at most
    /// the sum of theirs, `sum 2^-bits`. Rounded down to a whole number of bits, not below 0; none
    /// without proofs. The bits of one proof are those of the round that is weakest (round-by-round
    /// soundness), here as everywhere: rounds are not summed, proofs are.
    pub fn union(&self) -> Option<usize> {
        let least = self.least()?;
        // The sum in units of 2^-bits, rounded up: it is exact for whole numbers of bits.
        let (mut sum, mut unit) = (0u64, least);
        for (&bits, &proofs) in self.proofs.iter().rev() {
            let shift = (unit.max(bits) - bits).min(63);
            sum = sum.div_ceil(1 << shift).saturating_add(proofs);
            unit = bits;
        }
        // Its logarithm, rounded up.
        let lost = u64::BITS - sum.saturating_sub(1).leading_zeros();
        Some(least.saturating_sub(lost as usize))
    }
}

impl Claim {
    /// The statement of a proof that says this.
    pub fn statement(&self) -> [F; 8] {
        match self {
            Self::Statement(statement) => *statement,
            Self::Children(children) => {
                let children: Vec<_> = children
                    .iter()
                    .map(|child| (child.key, child.claim.statement()))
                    .collect();
                claim_digest(&children)
            }
        }
    }
}

/// The statement of a proof that children with these keys and statements verify.
pub fn claim_digest(children: &[(KeyDigest, [F; 8])]) -> [F; 8] {
    let message: Vec<F> = children
        .iter()
        .flat_map(|(key, statement)| key.0.iter().chain(statement))
        .copied()
        .collect();
    Poseidon16.hash(CLAIM_TAG, &message)
}

/// The statement of a proof of AIRs with these public values, by table: their hash, in order, padded
/// with zeros to whole blocks of 8, at least one. The key fixes how many there are.
pub fn public_digest(public_values: &[Vec<F>]) -> [F; 8] {
    let mut message = public_values.concat();
    message.resize(message.len().next_multiple_of(8).max(8), F::ZERO);
    Poseidon16.hash(PUBLIC_TAG, &message)
}

impl ClaimTree {
    /// Checks that every node with children is of a recursion program of `keys` whose children have
    /// at least `min_bits` proven bits, that no recursion proof hides its children, and that every key
    /// of `keys` occurs. Gives the bits of all proofs below the root, as their parents' programs accept
    /// them.
    ///
    /// # Soundness
    /// The tree must be that of a verified proof: its key and statement those of the root.
    ///
    /// # Errors
    /// What in the tree is not as expected.
    pub fn check(&self, keys: &KeySet, min_bits: usize) -> Result<TreeBits, ClaimError> {
        self.check_listed(keys.claimed(), min_bits)
    }

    /// As [`Self::check`], with keys that are only claimed: what it gives is worth as much as they are.
    pub(crate) fn check_listed(
        &self,
        keys: &ClaimedKeys,
        min_bits: usize,
    ) -> Result<TreeBits, ClaimError> {
        let (mut bits, mut used) = (TreeBits::default(), BTreeSet::new());
        self.visit(keys, min_bits, &mut bits, &mut used)?;
        match keys.iter().find(|(key, _)| !used.contains(key)) {
            Some((key, _)) => Err(ClaimError::Unused(key)),
            None => Ok(bits),
        }
    }

    fn visit(
        &self,
        keys: &ClaimedKeys,
        min_bits: usize,
        bits: &mut TreeBits,
        used: &mut BTreeSet<KeyDigest>,
    ) -> Result<(), ClaimError> {
        let key = self.key;
        match (&self.claim, keys.bits(key)) {
            (Claim::Statement(_), None) => Ok(()),
            (Claim::Statement(_), Some(_)) => Err(ClaimError::Hidden(key)),
            (Claim::Children(_), None) => Err(ClaimError::Recursion(key)),
            (Claim::Children(_), Some(found)) if found < min_bits => Err(ClaimError::Security {
                key,
                expected: min_bits,
                found,
            }),
            (Claim::Children(children), Some(found)) => {
                used.insert(key);
                bits.add(found, children.len());
                children
                    .iter()
                    .try_for_each(|child| child.visit(keys, min_bits, bits, used))
            }
        }
    }

    /// Keys and statements of the ordinary proofs below, from first to last.
    pub fn leaves(&self) -> Vec<(KeyDigest, [F; 8])> {
        match &self.claim {
            Claim::Statement(statement) => vec![(self.key, *statement)],
            Claim::Children(children) => children.iter().flat_map(Self::leaves).collect(),
        }
    }

    /// Checks that the leaves are of these keys alone.
    ///
    /// Nothing in a tree tells an ordinary program from a recursion program that no key set lists, whose
    /// statement is a digest of children that the tree does not show: both are leaves. Who knows the
    /// programs that he means to have verified names their keys here.
    ///
    /// # Errors
    /// The first leaf of another key: [`ClaimError::Leaf`].
    pub fn check_leaves(&self, keys: &[KeyDigest]) -> Result<(), ClaimError> {
        match &self.claim {
            Claim::Statement(_) if keys.contains(&self.key) => Ok(()),
            Claim::Statement(_) => Err(ClaimError::Leaf(self.key)),
            Claim::Children(children) => children
                .iter()
                .try_for_each(|child| child.check_leaves(keys)),
        }
    }

    /// Levels of the tree: 1 for an ordinary proof.
    pub fn depth(&self) -> usize {
        match &self.claim {
            Claim::Statement(_) => 1,
            Claim::Children(children) => {
                1 + children.iter().map(Self::depth).max().unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use droste_native::FriSettings;
    use droste_vm::heights::Heights;
    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::keys::{Children, Recipe};

    const fn key(n: u32) -> KeyDigest {
        KeyDigest([F::new(n); 8])
    }

    fn leaf(n: u32) -> ClaimTree {
        ClaimTree {
            key: key(n),
            claim: Claim::Statement([F::from_u32(n); 8]),
        }
    }

    fn node(n: u32, children: Vec<ClaimTree>) -> ClaimTree {
        ClaimTree {
            key: key(n),
            claim: Claim::Children(children),
        }
    }

    fn keys(keys: &[(u32, usize)]) -> ClaimedKeys {
        let mut list = ClaimedKeys::default();
        for &(n, bits) in keys {
            let recipe = Recipe {
                children: Children::Airs {
                    identity: [F::ZERO; 8],
                },
                settings: FriSettings::toy(),
                heights: Heights::Minimal,
            };
            list.insert(key(n), bits, recipe);
        }
        list
    }

    /// A wrap (10) of one program, a wrap (11) of another, joined (20).
    fn tree() -> ClaimTree {
        node(20, vec![node(10, vec![leaf(1)]), node(11, vec![leaf(2)])])
    }

    #[test]
    fn every_recursion_key_is_checked() {
        let all = keys(&[(10, 100), (11, 7), (20, 104)]);
        let bits = tree().check_listed(&all, 7).unwrap();
        assert_eq!((bits.least(), bits.proofs()), (Some(7), 4));
        // A toy child below proofs that are strong themselves.
        let weak = ClaimError::Security {
            key: key(11),
            expected: 8,
            found: 7,
        };
        assert_eq!(tree().check_listed(&all, 8), Err(weak));
        let refusal = |list: &[(u32, usize)]| tree().check_listed(&keys(list), 0).unwrap_err();
        let some = refusal(&[(10, 100), (20, 104)]);
        assert_eq!(some, ClaimError::Recursion(key(11)));
        let more = refusal(&[(10, 100), (11, 7), (20, 104), (2, 100)]);
        assert_eq!(more, ClaimError::Hidden(key(2)));
        let unused = refusal(&[(10, 100), (11, 7), (20, 104), (30, 100)]);
        assert_eq!(unused, ClaimError::Unused(key(30)));
    }

    #[test]
    fn bits_of_all_proofs_are_those_of_the_union_bound() {
        let union = |proofs: &[(usize, usize)]| {
            let mut bits = TreeBits::default();
            for &(number, count) in proofs {
                bits.add(number, count);
            }
            bits.union()
        };
        assert_eq!(union(&[]), None);
        assert_eq!(union(&[(100, 1)]), Some(100));
        assert_eq!(union(&[(100, 2)]), Some(99));
        assert_eq!(union(&[(100, 4)]), Some(98));
        // However little is added to four of 100, it is no longer 98.
        assert_eq!(union(&[(100, 4), (250, 1)]), Some(97));
        assert_eq!(union(&[(100, 3), (250, 1)]), Some(98));
        assert_eq!(union(&[(100, 1), (101, 2)]), Some(99));
        assert_eq!(union(&[(7, 1), (100, 1 << 16)]), Some(6));
        assert_eq!(union(&[(3, 100)]), Some(0));
        assert_eq!(union(&[(3, usize::MAX), (2, usize::MAX)]), Some(0));
    }

    #[test]
    fn children_hidden_behind_a_leaf_are_found_by_who_knows_the_programs() {
        let known = [key(1), key(2)];
        assert_eq!(tree().check_leaves(&known), Ok(()));
        assert_eq!(
            tree().check_leaves(&known[..1]),
            Err(ClaimError::Leaf(key(2)))
        );
        // The same claim, but the second wrap does not show what it verified.
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
}
