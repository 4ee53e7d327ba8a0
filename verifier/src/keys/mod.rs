//! The recursion keys that a verifier accepts, under one digest.
//!
//! The machine enforces that each child of a recursion proof verifies under the key it is listed
//! with, not that the key is a good one: of a program that [`crate::recursion`] or [`crate::driver`]
//! generates. So nobody takes a key from a file because it is listed there. Each is listed with its
//! [`Recipe`], all that its program is generated from, and the list is of a type that nothing trusts:
//! [`ClaimedKeys`]. It becomes a [`KeySet`] in two ways:
//!
//! - [`Deriver::derive`] generates every program anew and compares keys and bits;
//! - [`ClaimedKeys::pinned`] compares the digest of the set with one that the caller brings.
//!
//! A program accepts children of one shape only, and the shape fixes their security: those are the bits
//! beside a key. The digest of a set names keys and bits together and nothing else: it is a function of
//! generated programs alone.

mod cache;
mod cost;
mod derive;
mod recipe;

use std::collections::{BTreeMap, BTreeSet};

use droste_native::F;
use droste_native::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

pub use cache::Cache;
pub use cost::MAX_COST;
pub use derive::Deriver;
pub(crate) use recipe::proving_key;
pub use recipe::{
    ChildShape, Children, MAX_BYTE_CHILDREN, MAX_CAP_HEIGHT, MAX_CHILDREN, MAX_LOG_ARITY,
    MAX_LOG_BLOWUP, MAX_LOG_FINAL_POLY_LEN, MAX_LOG_PROGRAM_CODEWORD, MAX_TABLES, Recipe,
    RecipeError,
};

/// Tag of a key set's digest: the letters "keys", in ASCII, big-endian.
pub const KEY_SET_TAG: F = F::new(0x6b65_7973);

/// Most bits that are listed: no proof has more, its digests are too short.
pub const MAX_BITS: usize = 256;

/// Why keys are not trusted.
#[derive(Debug, Error)]
pub enum KeysError {
    /// The set has another digest than the caller's.
    #[error("the set of recursion keys is {found}, expected {expected}")]
    Digest {
        /// Digest asked for.
        expected: KeyDigest,
        /// Digest of the set.
        found: KeyDigest,
    },
    /// The program that a key is listed with has another key.
    #[error(
        "{key} is listed as the key of a recursion program, but that program's key is {found}: the list \
         is forged, or of another version"
    )]
    Forged {
        /// The key.
        key: KeyDigest,
        /// What its recipe gives.
        found: KeyDigest,
    },
    /// The bits that a key is listed with are not those of the proofs that its program accepts.
    #[error(
        "the children of {key} have {found} proven bits of security, not {listed} as is listed"
    )]
    Bits {
        /// The key.
        key: KeyDigest,
        /// Bits in the list.
        listed: usize,
        /// Bits computed.
        found: usize,
    },
    /// Deriving those of the keys that were not derived before is too much work.
    #[error(
        "deriving the listed keys costs as much as compiling {found} instructions, at most {MAX_COST} are \
         allowed: give the digest of the set, or files with fewer keys"
    )]
    Cost {
        /// What deriving the keys would cost ([`Recipe::cost`]).
        found: usize,
    },
    /// A key's recipe is that of no program.
    #[error("the recursion key {key}: {source}")]
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
    /// Proven bits that every proof has, it says, which the key's program accepts.
    pub bits: usize,
    /// What the key is made from, it says.
    pub recipe: Recipe,
}

/// Keys of recursion programs as somebody lists them: a claim, not to be trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimedKeys(BTreeMap<KeyDigest, ListedKey>);

/// Keys of recursion programs, each with the proven bits that every proof has which its program
/// accepts: all derived here, or named by a digest that the caller brought.
#[derive(Clone, Debug, Default)]
pub struct KeySet {
    listed: ClaimedKeys,
    /// Keys that were derived. Of the others only keys and bits are known to be right: a digest does not
    /// bind recipes.
    derived: BTreeSet<KeyDigest>,
}

/// Sets are equal if they list the same, whatever vouches for it.
impl PartialEq for KeySet {
    fn eq(&self, other: &Self) -> bool {
        self.listed == other.listed
    }
}

impl Eq for KeySet {}

impl KeysError {
    /// What is wrong with the recipe of `key`.
    pub(crate) fn recipe(key: KeyDigest) -> impl FnOnce(RecipeError) -> Self {
        move |source| Self::Recipe {
            key,
            source: Box::new(source),
        }
    }
}

impl ClaimedKeys {
    /// Adds a key. Where it is listed with fewer bits already, those stay.
    pub fn insert(&mut self, key: KeyDigest, bits: usize, recipe: Recipe) {
        let bits = bits.min(MAX_BITS);
        self.0
            .entry(key)
            .and_modify(|listed| listed.bits = bits.min(listed.bits))
            .or_insert(ListedKey { bits, recipe });
    }

    /// Proven bits of the proofs that the program of this key accepts, if it is listed.
    pub fn bits(&self, key: KeyDigest) -> Option<usize> {
        self.0.get(&key).map(|listed| listed.bits)
    }

    /// The keys, in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyDigest, &ListedKey)> + '_ {
        self.0.iter().map(|(&key, listed)| (key, listed))
    }

    /// The name of the set: `Poseidon16::hash` under [`KEY_SET_TAG`] of the number of keys, then for
    /// each, in ascending order, its digest and its bits.
    pub fn digest(&self) -> KeyDigest {
        let mut message = vec![F::from_usize(self.0.len())];
        for (key, listed) in self.iter() {
            message.extend(key.0);
            message.push(F::from_usize(listed.bits));
        }
        KeyDigest(Poseidon16.hash(KEY_SET_TAG, &message))
    }

    /// The set, if it has the digest that the caller expects. The digest is trusted input: it must come
    /// from a derivation, not from where the list comes from.
    ///
    /// The digest binds keys and bits, not recipes: those are what somebody says until they are derived.
    ///
    /// # Errors
    /// [`KeysError::Digest`].
    pub fn pinned(self, expected: KeyDigest) -> Result<KeySet, KeysError> {
        let found = self.digest();
        if found != expected {
            return Err(KeysError::Digest { expected, found });
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
            // What was listed before may be the word of whoever made a file whose digest was given.
            listed.recipe = recipe;
        }
    }

    /// Adds the keys of another set. Of the recipes of one key, that from which it was derived stays.
    pub fn extend(&mut self, other: &Self) {
        for (key, listed) in other.listed.iter() {
            match other.derived.contains(&key) {
                true => self.insert(key, listed.bits, listed.recipe.clone()),
                false => self.listed.insert(key, listed.bits, listed.recipe.clone()),
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

    /// The name of the set, see [`ClaimedKeys::digest`].
    pub fn digest(&self) -> KeyDigest {
        self.listed.digest()
    }
}

#[cfg(test)]
mod tests {
    use droste_native::FriSettings;
    use droste_vm::heights::Heights;

    use super::*;

    fn key(n: u32) -> KeyDigest {
        KeyDigest([F::from_u32(n); 8])
    }

    fn list(keys: &[(u32, usize)]) -> ClaimedKeys {
        let mut list = ClaimedKeys::default();
        for &(n, bits) in keys {
            let recipe = Recipe {
                children: Children::Airs {
                    identity: [F::from_u32(n); 8],
                },
                settings: FriSettings::toy(),
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

    /// A pinned list's recipes are its maker's word: one that is of no program must not take the place of
    /// one from which the key was derived, or nobody could derive the key again.
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
            // And it stays, whatever is added.
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
