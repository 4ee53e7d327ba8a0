//! Sets of recursion keys that a verifier accepts, each named by one digest.
//!
//! The machine enforces that each child of a recursion proof verifies under the key that it is
//! listed with. It does not enforce that this is the key of a program that [`crate::circuit`] or
//! [`crate::airs`] generates. A key is therefore not trusted because a file lists it. Files list
//! each key with its [`Recipe`], everything its program is generated from, and the list is decoded
//! as [`ClaimedKeys`], which no function accepts as trusted. It becomes a trusted [`KeySet`] in two
//! ways:
//!
//! - [`Deriver::derive`] generates every program and compares its key and bits with the list;
//! - [`ClaimedKeys::pinned`] compares the digest of the set with one that the caller trusts.
//!
//! A program accepts children of one shape only, and the shape determines their proven bits, which
//! are listed beside the key. The digest of a set covers keys and bits and nothing else, so it
//! depends only on the generated programs.

#[cfg(feature = "prover")]
mod cache;
mod children;
#[cfg(feature = "prover")]
mod cost;
#[cfg(feature = "prover")]
mod derive;
mod kind;
#[cfg(feature = "prover")]
mod limits;
mod recipe;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;
use serde::Serialize;
use thiserror::Error;

#[cfg(feature = "prover")]
pub use cache::Cache;
pub use children::{
    BinaryShape, CallsShape, ChildShape, Children, MAX_TABLES, Openings, OpeningsNameError,
    PathsShape,
};
#[cfg(feature = "prover")]
pub(crate) use cost::{power, table_cost};
#[cfg(feature = "prover")]
pub use derive::Deriver;
pub use kind::DigestKind;
pub(crate) use kind::mistaken;
#[cfg(feature = "prover")]
pub(crate) use limits::at_most;
#[cfg(feature = "prover")]
pub use limits::{
    MAX_CAP_HEIGHT, MAX_CHILDREN, MAX_LATER_FOLD, MAX_LOG_ARITY, MAX_LOG_BLOWUP,
    MAX_LOG_FINAL_POLY_LEN, MAX_LOG_PROGRAM_CODEWORD,
};
pub use recipe::{MAX_COST, Recipe, RecipeError};
pub use tree::TreeBits;

use crate::tags::KEY_SET_TAG;

/// Largest number of bits that a list may have. No proof has more, because of the length of its
/// digests.
pub const MAX_BITS: usize = 256;

/// Reason to trust the recursion keys of an aggregate, and the bits listed with them; the strongest
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Their programs were generated here, now or by this build before (see [`Cache`]).
    Derived,
    /// The caller gave the digest of the set.
    Pinned,
    /// There is none: only the file lists them.
    Claimed,
}

/// Why keys are not trusted.
#[derive(Debug, Error)]
pub enum KeysError {
    /// The set has another digest than the caller's.
    #[error("the key set is {found}, expected {expected}{}", mistaken(*.is))]
    Digest {
        /// Digest that the caller gave.
        expected: KeyDigest,
        /// Digest of the set.
        found: KeyDigest,
        /// What the file has with the digest that the caller gave, if anything.
        is: Option<DigestKind>,
    },
    /// The program that a key is listed with has another key.
    #[error(
        "{key} is listed as the key of a recursion program, but that program's key is {found}: the \
         list is forged, or was made by another version"
    )]
    Forged {
        /// The listed key.
        key: KeyDigest,
        /// The key that its recipe gives.
        found: KeyDigest,
    },
    /// The bits that a key is listed with are not those of the proofs that its program accepts.
    #[error(
        "{key} is listed with children of {listed} proven bits of security, but they have {found}: \
         the list is forged, or was made by another version"
    )]
    Bits {
        /// The key.
        key: KeyDigest,
        /// Bits in the list.
        listed: usize,
        /// Bits computed.
        found: usize,
    },
    /// Deriving the keys that were not derived before would exceed [`MAX_COST`].
    #[error(
        "deriving the listed keys would cost as much as compiling {found} instructions, expected \
         at most {MAX_COST}: pin the key set (`droste join --key-set DIGEST`), or use files with \
         fewer keys"
    )]
    Cost {
        /// What deriving the keys would cost ([`Recipe::cost`]).
        found: usize,
    },
    /// No program can be derived from a key's recipe.
    #[error("no program can be derived from the recipe listed with the recursion key {key}")]
    Recipe {
        /// The key.
        key: KeyDigest,
        /// What is wrong with its recipe.
        #[source]
        source: Box<RecipeError>,
    },
}

/// A key that a file lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKey {
    /// Proven bits that, according to the list, every proof has that the key's program accepts.
    pub bits: usize,
    /// What, according to the list, the key's program is generated from.
    pub recipe: Recipe,
}

/// Keys of recursion programs as a file lists them. They are not trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimedKeys(BTreeMap<KeyDigest, ListedKey>);

/// Trusted keys of recursion programs, each with the proven bits of every proof that its program
/// accepts. They were derived, or the caller pinned the digest of the set.
#[derive(Clone, Debug, Default)]
pub struct KeySet {
    listed: ClaimedKeys,
    /// The keys that were derived. For the pinned ones only key and bits are trusted, because the
    /// digest of a set does not bind recipes.
    derived: BTreeSet<KeyDigest>,
}

/// Sets are equal if their lists are, no matter which keys were derived and which pinned.
impl PartialEq for KeySet {
    fn eq(&self, other: &Self) -> bool {
        self.listed == other.listed
    }
}

impl Eq for KeySet {}

/// The digest of the set of these keys and bits, in this order ([`ClaimedKeys::digest`]).
pub(crate) fn set_digest(keys: impl ExactSizeIterator<Item = (KeyDigest, usize)>) -> KeyDigest {
    let mut message = vec![F::from_usize(keys.len())];
    for (key, bits) in keys {
        message.extend(key.0);
        message.push(F::from_usize(bits));
    }
    KeyDigest(Poseidon16.hash(KEY_SET_TAG, &message))
}

impl ClaimedKeys {
    /// Adds a key. If it is listed already, the smaller number of bits is kept.
    pub fn insert(&mut self, key: KeyDigest, bits: usize, recipe: Recipe) {
        let bits = bits.min(MAX_BITS);
        self.0
            .entry(key)
            .and_modify(|listed| listed.bits = bits.min(listed.bits))
            .or_insert(ListedKey { bits, recipe });
    }

    /// Listed bits of the proofs that the program of this key accepts, if it is listed.
    pub fn bits(&self, key: KeyDigest) -> Option<usize> {
        self.0.get(&key).map(|listed| listed.bits)
    }

    /// The keys, in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyDigest, &ListedKey)> + '_ {
        self.0.iter().map(|(&key, listed)| (key, listed))
    }

    /// The digest that names the set: `Poseidon16::hash` under [`KEY_SET_TAG`] of the number of
    /// keys, then for each key, in ascending order, its digest and its bits.
    pub fn digest(&self) -> KeyDigest {
        set_digest(self.iter().map(|(key, listed)| (key, listed.bits)))
    }

    /// Returns the set as trusted if it has the digest that the caller expects.
    ///
    /// # Soundness obligations
    ///
    /// The caller must have the digest from a derivation, not from the source of the list. It binds
    /// keys and bits, but not recipes, which stay untrusted until their keys are derived.
    ///
    /// # Errors
    /// [`KeysError::Digest`].
    pub fn pinned(self, expected: KeyDigest) -> Result<KeySet, KeysError> {
        let found = self.digest();
        if found != expected {
            let is = self.bits(expected).map(|_| DigestKind::RecursionKey);
            return Err(KeysError::Digest {
                expected,
                found,
                is,
            });
        }
        Ok(KeySet {
            listed: self,
            derived: BTreeSet::new(),
        })
    }
}

impl KeySet {
    /// Adds a key that was just derived from its program.
    pub(crate) fn insert(&mut self, key: KeyDigest, bits: usize, recipe: Recipe) {
        self.listed.insert(key, bits, recipe.clone());
        if self.derived.insert(key)
            && let Some(listed) = self.listed.0.get_mut(&key)
        {
            // A recipe listed before may come from a pinned file, which the digest does not bind.
            listed.recipe = recipe;
        }
    }

    /// Adds the keys of another set. If a key has two recipes, the one from which it was derived is
    /// kept.
    pub fn extend(&mut self, other: &Self) {
        for (key, listed) in other.listed.iter() {
            if other.derived.contains(&key) {
                self.insert(key, listed.bits, listed.recipe.clone())
            } else {
                self.listed.insert(key, listed.bits, listed.recipe.clone())
            }
        }
    }

    /// The set as a list, as files have it.
    pub const fn claimed(&self) -> &ClaimedKeys {
        &self.listed
    }

    /// Proven bits of the proofs that the program of this key accepts, if it is in the set.
    pub fn bits(&self, key: KeyDigest) -> Option<usize> {
        self.listed.bits(key)
    }

    /// Keys and bits, in ascending order of keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyDigest, usize)> + '_ {
        self.listed.iter().map(|(key, listed)| (key, listed.bits))
    }

    /// The digest that names the set ([`ClaimedKeys::digest`]).
    pub fn digest(&self) -> KeyDigest {
        self.listed.digest()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use droste_native::whir::WhirSettings;
    use droste_vm::heights::Heights;

    use super::*;
    use crate::claim::tests::key;

    /// A list of these keys and bits.
    pub(crate) fn list(keys: &[(u32, usize)]) -> ClaimedKeys {
        let mut list = ClaimedKeys::default();
        for &(n, bits) in keys {
            let recipe = Recipe {
                children: Children::Airs {
                    identity: [F::from_u32(n); 8],
                },
                settings: WhirSettings::toy(),
                heights: Heights::Minimal,
            };
            list.insert(key(n), bits, recipe);
        }
        list
    }

    #[test]
    fn digest_binds_keys_and_bits_whatever_the_order() {
        let digest = list(&[(1, 100), (2, 90)]).digest();
        assert_eq!(list(&[(2, 90), (1, 100)]).digest(), digest);
        for other in [
            &[(1, 100)][..],
            &[(1, 100), (2, 91)],
            &[(1, 90), (2, 100)],
            &[(1, 100), (3, 90)],
            &[(1, 100), (2, 90), (3, 90)],
        ] {
            assert_ne!(list(other).digest(), digest, "{other:?}");
        }
    }

    #[test]
    fn a_key_listed_twice_has_the_fewer_bits() {
        let keys = list(&[(1, 100), (1, 7), (2, 1000), (1, 100)]);
        assert_eq!(keys.bits(key(1)), Some(7));
        assert_eq!(keys.bits(key(2)), Some(MAX_BITS));
        assert_eq!(keys.bits(key(3)), None);
    }

    /// The recipes of a pinned list are not checked. A false one must not replace the recipe from
    /// which the key was derived, or nobody could derive the key again.
    #[test]
    fn derived_recipes_replace_pinned_ones() {
        let recipe = |n: u32| list(&[(n, 0)]).0.remove(&key(n)).unwrap().recipe;
        let (derived_from, said, bits) = (recipe(1), recipe(2), 100);
        let mut list = ClaimedKeys::default();
        list.insert(key(1), bits, said.clone());
        let digest = list.digest();
        let pinned = list.pinned(digest).unwrap();
        let mut derived = KeySet::default();
        derived.insert(key(1), bits, derived_from.clone());
        let of_one = |set: &KeySet| set.listed.0[&key(1)].recipe.clone();
        assert_eq!(of_one(&pinned), said);

        for (first, second) in [(&pinned, &derived), (&derived, &pinned)] {
            let mut both = first.clone();
            both.extend(second);
            assert_eq!(of_one(&both), derived_from);
            // The derived recipe stays, whatever is added.
            both.extend(&pinned);
            assert_eq!(of_one(&both), derived_from);
            assert_eq!((both.digest(), both.bits(key(1))), (digest, Some(bits)));
        }
        // A step's own key is derived, too.
        let mut step = pinned;
        step.insert(key(1), bits, derived_from.clone());
        assert_eq!(of_one(&step), derived_from);
    }

    #[test]
    fn only_its_digest_pins_a_list() {
        let keys = list(&[(1, 100)]);
        let digest = keys.digest();
        let refused = list(&[(1, 101)]).pinned(digest).unwrap_err();
        assert!(matches!(refused, KeysError::Digest { expected, .. } if expected == digest));
        assert_eq!(keys.pinned(digest).unwrap().bits(key(1)), Some(100));
    }
}
