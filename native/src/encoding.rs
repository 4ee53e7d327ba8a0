//! How field elements and bytes become one another. The one place that says so.
//!
//! The byte hashes (Blake3, Keccak-256) follow the conventions of Plonky3 0.8.0, so that its proofs
//! can be recursed. They are not symmetric:
//!
//! - **Hashing and observing.** An element `x` is 4 bytes, little-endian, of its *Montgomery word*
//!   `x * 2^32 mod p`, the unique representative below `p` ([`element_to_bytes`]). Merkle leaves,
//!   observed values and proof-of-work nonces are all written so. An extension element is its 5
//!   coefficients in order, constant term first. A Merkle parent is the hash of the 64 bytes
//!   `left || right`.
//! - **Sampling.** Four digest bytes, taken from the digest's *last byte down*, are a little-endian
//!   word; its low 31 bits are the *canonical* value `x`, redrawn while not below `p`
//!   ([`element_from_sample`]). An extension element is 5 samples, constant term first.
//! - **Sampling bits.** Four digest bytes, taken as above, are a little-endian word; its low bits are
//!   the sample. Nothing is redrawn.
//!
//! Decoding an element from hashed bytes accepts words below `p` only: the encoding is injective in
//! both directions.

use p3_field::{PrimeField32, RawDataSerializable};

use crate::field::{F, MODULUS};

/// Bytes of one encoded element.
pub const ELEMENT_BYTES: usize = 4;

/// The four bytes by which a byte hash absorbs `x`: its Montgomery word, little-endian.
pub fn element_to_bytes(x: F) -> [u8; ELEMENT_BYTES] {
    x.to_unique_u32().to_le_bytes()
}

/// The element that [`element_to_bytes`] encodes as `bytes`, or nothing if no element does.
pub fn element_from_bytes(bytes: [u8; ELEMENT_BYTES]) -> Option<F> {
    let word = u32::from_le_bytes(bytes);
    // 2^-32 mod p undoes the Montgomery factor.
    (word < MODULUS).then(|| F::new(word) * F::new(INVERSE_RADIX))
}

/// `2^-32 mod p`.
const INVERSE_RADIX: u32 = 0x3f01_0000;

/// The canonical element drawn by four sampled bytes, or nothing where the sample is redrawn.
pub fn element_from_sample(bytes: [u8; ELEMENT_BYTES]) -> Option<F> {
    let value = u32::from_le_bytes(bytes) & 0x7fff_ffff;
    (value < MODULUS).then(|| F::new(value))
}

/// The bytes by which a byte hash absorbs a slice: its elements' encodings, one after another.
pub fn elements_to_bytes(elements: &[F]) -> Vec<u8> {
    F::into_byte_stream(elements.iter().copied())
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_at_and_above_the_modulus_encode_nothing() {
        for word in [MODULUS, MODULUS + 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            assert_eq!(element_from_bytes(word.to_le_bytes()), None);
        }
        assert_eq!(element_from_sample(MODULUS.to_le_bytes()), None);
        assert_eq!(element_from_sample([0xff; 4]), None);
        assert_eq!(element_from_sample([0, 0, 0, 0x80]), Some(F::ZERO));
        assert_eq!(element_to_bytes(F::ZERO), [0; 4]);
        // 2^32 mod p = 2^25 - 2.
        assert_eq!(element_to_bytes(F::ONE), 0x01ff_fffe_u32.to_le_bytes());
    }

    proptest! {
        #[test]
        fn encodings_round_trip(word in 0..MODULUS, value in 0..MODULUS) {
            let element = element_from_bytes(word.to_le_bytes()).unwrap();
            prop_assert_eq!(element_to_bytes(element), word.to_le_bytes());
            let sample = element_from_sample(value.to_le_bytes()).unwrap();
            prop_assert_eq!(sample.as_canonical_u32(), value);
            prop_assert_eq!(element_from_bytes(element_to_bytes(sample)), Some(sample));
            let both = elements_to_bytes(&[element, sample]);
            prop_assert_eq!(&both[..4], element_to_bytes(element));
            prop_assert_eq!(&both[4..], element_to_bytes(sample));
        }
    }
}
