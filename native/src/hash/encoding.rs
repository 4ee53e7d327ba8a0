//! How field elements become bytes and bytes become field elements; no other module defines this.
//!
//! The byte hashes (Blake3, Keccak-256) follow the conventions of Plonky3 0.8.0, so that Droste can
//! verify Plonky3's proofs in-circuit. Hashing and sampling encode elements differently:
//!
//! - **Hashing and observing.** An element `x` is encoded as the 4 little-endian bytes of its
//!   *Montgomery word* `x * 2^32 mod p`, the unique representative below `p`, as by Plonky3's
//!   `RawDataSerializable`. Merkle leaves, observed values and proof-of-work nonces are all encoded
//!   in this way. An extension element is encoded as its 5 coefficients in order, constant
//!   term first. A Merkle parent is the hash of the 64 bytes `left || right`.
//! - **Sampling.** Four bytes of a digest, taken *from its last byte down*, are read as a
//!   little-endian word. Its low 31 bits are the *canonical* value `x`; if they are not below `p`,
//!   the sample is drawn again ([`element_from_sample`]). An extension element takes 5 samples,
//!   constant term first.
//! - **Sampling over WHIR.** An extension element takes a whole digest, the 16 limbs of two bytes each,
//!   little-endian: coefficient `i` is `l_i + 2^16 l_(i + 5) + 2^32 l_(i + 10)` modulo `p`
//!   ([`extension_from_digest`]). Nothing is drawn again. This is Droste's own, since it takes a
//!   program in the machine a tenth of the time.
//! - **Sampling bits.** Four bytes of a digest, taken in the same order, are read as a
//!   little-endian word, whose low bits are the sample. Nothing is drawn again.
//!
//! What is neither hashed nor sampled but stored by its value, as in signatures and their keys, is
//! the 4 little-endian bytes of the *canonical* value ([`element_to_canonical_bytes`]).
//!
//! Decoding an element from stored bytes accepts only words below `p`, so each element has exactly
//! one encoding.

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

use crate::field::{EF, F, MODULUS};

/// Number of bytes of an encoded element.
pub const ELEMENT_BYTES: usize = 4;

/// The four bytes of the canonical value of `x`, little-endian.
pub fn element_to_canonical_bytes(x: F) -> [u8; ELEMENT_BYTES] {
    x.as_canonical_u32().to_le_bytes()
}

/// The element that [`element_to_canonical_bytes`] encodes as `bytes`, or `None` if there is none.
pub fn element_from_canonical_bytes(bytes: [u8; ELEMENT_BYTES]) -> Option<F> {
    let value = u32::from_le_bytes(bytes);
    (value < MODULUS).then(|| F::new(value))
}

/// The element that four sampled bytes stand for, or `None` if they must be drawn again.
pub fn element_from_sample(bytes: [u8; ELEMENT_BYTES]) -> Option<F> {
    let value = u32::from_le_bytes(bytes) & 0x7fff_ffff;
    (value < MODULUS).then(|| F::new(value))
}

/// The extension element that a whole digest stands for, where proofs over WHIR sample one.
///
/// An integer of 48 uniform bits has each remainder modulo `p < 2^31` with a probability of at most
/// `(2^48 / p + 1) / 2^48 < (1 + 2^-17) / p`. So of a uniform digest no element has a probability
/// of more than `(1 + 2^-17)^5 / p^5`, which are 2^-14 bits less than if it were uniform.
pub fn extension_from_digest(digest: &[u8; 32]) -> EF {
    let (limbs, _) = digest.as_chunks::<2>();
    let limb = |index: usize| {
        limbs
            .get(index)
            .map_or(0, |limb| u64::from(u16::from_le_bytes(*limb)))
    };
    let coefficient = |i| F::from_u64(limb(i) | limb(i + 5) << 16 | limb(i + 10) << 32);
    EF::from_basis_coefficients_fn(coefficient)
}

#[cfg(test)]
mod tests {
    use p3_field::{PrimeCharacteristicRing, RawDataSerializable};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn elements_are_read_from_whole_digests() {
        let element =
            |coefficient: u64| EF::from_basis_coefficients_fn(|_| F::from_u64(coefficient));
        assert_eq!(extension_from_digest(&[0; 32]), element(0));
        let largest = (1_u64 << 48) - 1;
        assert_eq!(
            extension_from_digest(&[0xff; 32]),
            element(largest % u64::from(MODULUS))
        );
        // Each limb has a place of its own, but for the last one, which has none.
        for limb in 0..16 {
            let mut digest = [0; 32];
            digest[2 * limb..2 * limb + 2].copy_from_slice(&0x0302_u16.to_le_bytes());
            let value = F::from_u64(0x0302 << (16 * (limb / 5)));
            let expected = |i| {
                if limb < 15 && i == limb % 5 {
                    value
                } else {
                    F::ZERO
                }
            };
            let expected = EF::from_basis_coefficients_fn(expected);
            assert_eq!(extension_from_digest(&digest), expected);
        }
    }

    #[test]
    fn words_at_and_above_the_modulus_encode_nothing() {
        for word in [MODULUS, MODULUS + 1, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            assert_eq!(element_from_canonical_bytes(word.to_le_bytes()), None);
        }
        assert_eq!(element_from_sample(MODULUS.to_le_bytes()), None);
        assert_eq!(element_from_sample([0xff; 4]), None);
        assert_eq!(element_from_sample([0, 0, 0, 0x80]), Some(F::ZERO));
        // What is hashed for 1 is 2^32 mod p = 2^25 - 2.
        let hashed: Vec<u8> = F::into_byte_stream([F::ZERO, F::ONE]).into_iter().collect();
        assert_eq!(hashed, [[0; 4], 0x01ff_fffe_u32.to_le_bytes()].concat());
    }

    proptest! {
        #[test]
        fn encodings_round_trip(value in 0..MODULUS) {
            let sample = element_from_sample(value.to_le_bytes()).unwrap();
            prop_assert_eq!(sample.as_canonical_u32(), value);
            prop_assert_eq!(element_to_canonical_bytes(sample), value.to_le_bytes());
            prop_assert_eq!(element_from_canonical_bytes(value.to_le_bytes()), Some(sample));
        }
    }
}
