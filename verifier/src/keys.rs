//! The recursion keys that a verifier accepts, under one digest.
//!
//! The machine enforces that each child of a recursion proof verifies under the key it is listed
//! with, not that the key is a good one. A [`KeySet`] lists the good ones: keys of programs that
//! [`crate::recursion`] generates. A program accepts children of one shape only, and the shape fixes
//! their security; it is listed beside the key. [`KeySet::digest`] names keys and bits together, so
//! that whoever ends a chain of proofs needs to know one digest.

use std::collections::BTreeMap;

use droste_native::F;
use droste_native::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;

/// Tag of a key set's digest: the letters "keys", in ASCII, big-endian.
pub const KEY_SET_TAG: F = F::new(0x6b65_7973);

/// Most bits that are listed: no proof has more, its digests are too short.
pub const MAX_BITS: usize = 256;

/// Keys of recursion programs, each with the proven bits that every proof has which its program
/// accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySet(BTreeMap<KeyDigest, usize>);

impl KeySet {
    /// Adds a recursion program: its key, and the proven bits of the proofs it accepts. Where the key
    /// is listed with fewer bits already, those stay.
    pub fn insert(&mut self, key: KeyDigest, bits: usize) {
        let bits = bits.min(MAX_BITS);
        self.0
            .entry(key)
            .and_modify(|listed| *listed = bits.min(*listed))
            .or_insert(bits);
    }

    /// Adds the keys of another set.
    pub fn extend(&mut self, other: &Self) {
        for (key, bits) in other.iter() {
            self.insert(key, bits);
        }
    }

    /// Proven bits of the proofs that the program of this key accepts, if it is listed.
    pub fn bits(&self, key: KeyDigest) -> Option<usize> {
        self.0.get(&key).copied()
    }

    /// Keys and bits, in ascending order of keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (KeyDigest, usize)> + '_ {
        self.0.iter().map(|(&key, &bits)| (key, bits))
    }

    /// The name of the set: `Poseidon16::hash` under [`KEY_SET_TAG`] of the number of keys, then for
    /// each, in ascending order, its digest and its bits.
    pub fn digest(&self) -> KeyDigest {
        let mut message = vec![F::from_usize(self.0.len())];
        for (key, bits) in self.iter() {
            message.extend(key.0);
            message.push(F::from_usize(bits));
        }
        KeyDigest(Poseidon16.hash(KEY_SET_TAG, &message))
    }
}

impl FromIterator<(KeyDigest, usize)> for KeySet {
    fn from_iter<I: IntoIterator<Item = (KeyDigest, usize)>>(keys: I) -> Self {
        let mut set = Self::default();
        for (key, bits) in keys {
            set.insert(key, bits);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u32) -> KeyDigest {
        KeyDigest([F::from_u32(n); 8])
    }

    #[test]
    fn digest_binds_keys_and_bits_whatever_the_order() {
        let set = |keys: &[(u32, usize)]| -> KeySet {
            keys.iter().map(|&(n, bits)| (key(n), bits)).collect()
        };
        let digest = set(&[(1, 100), (2, 90)]).digest();
        assert_eq!(set(&[(2, 90), (1, 100)]).digest(), digest);
        for other in [
            &[(1, 100)][..],
            &[(1, 100), (2, 91)],
            &[(1, 90), (2, 100)],
            &[(1, 100), (3, 90)],
            &[(1, 100), (2, 90), (3, 90)],
        ] {
            assert_ne!(set(other).digest(), digest, "{other:?}");
        }
    }

    #[test]
    fn a_key_listed_twice_has_the_fewer_bits() {
        let mut set = KeySet::default();
        set.insert(key(1), 100);
        set.extend(&[(key(1), 7), (key(2), 1000)].into_iter().collect());
        set.insert(key(1), 100);
        assert_eq!(set.bits(key(1)), Some(7));
        assert_eq!(set.bits(key(2)), Some(MAX_BITS));
        assert_eq!(set.bits(key(3)), None);
    }
}
