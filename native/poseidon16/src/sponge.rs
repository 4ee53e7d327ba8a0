//! Hashes of slices and of bytes, each of which binds a tag and the length.
//!
//! They are an overwrite sponge of rate 8. The message is cut into blocks of 8 elements, and the
//! last block is filled up with zeros. Each block overwrites lanes 0 to 7, then the state is
//! permuted; the digest is lanes 0 to 7 at the end. The initial capacity, lanes 8 to 15, is
//! `[tag, length mod 2^30, length >> 30, 0, 0, 0, 0, 0]`, so messages of different tags or lengths
//! start from different states, and padding with zeros is injective. An empty message is hashed as
//! one block of zeros.

use p3_field::PrimeCharacteristicRing;
use p3_field::PrimeField32;

use super::{Poseidon16, RATE, WIDTH};
use crate::field::{DIGEST, F};

/// Tag of [`Poseidon16::hash_bytes`]: the letters "byte" in ASCII, big-endian.
pub const BYTES_TAG: F = F::new(0x6279_7465);

/// Number of bytes that [`Poseidon16::hash_bytes`] packs into one element: 24 bits are always below
/// the modulus.
pub const BYTES_PER_ELEMENT: usize = 3;

impl Poseidon16 {
    /// Returns the hash of a slice, which binds `tag` and the slice's length.
    pub fn hash(&self, tag: F, elements: &[F]) -> [F; DIGEST] {
        let mut state = initial_state(tag, elements.len());
        for block in blocks(elements) {
            self.absorb(&mut state, &block);
        }
        digest(&state)
    }

    /// Returns the hash of bytes, as `droste hash poseidon16` prints it.
    ///
    /// Three bytes, little-endian, make an element; the last element is filled up with zero bytes.
    /// The elements are absorbed as by [`Self::hash`] under [`BYTES_TAG`], but with the number of
    /// *bytes* as the length, which makes the encoding injective. The digest's elements are written
    /// as canonical little-endian integers of 4 bytes.
    pub fn hash_bytes(&self, bytes: &[u8]) -> [u8; 4 * DIGEST] {
        let state = absorb_bytes(bytes, |input| self.permute(input));
        let mut output = [0; 4 * DIGEST];
        for (bytes, element) in output.chunks_exact_mut(4).zip(digest(&state)) {
            bytes.copy_from_slice(&element.as_canonical_u32().to_le_bytes());
        }
        output
    }

    /// Returns the inputs of the permutations that [`Self::hash_bytes`] applies, in order. The
    /// first 8 elements of the last permutation's output are the digest.
    pub fn permutations_of_bytes(&self, bytes: &[u8]) -> Vec<[F; WIDTH]> {
        let mut inputs = Vec::new();
        let _ = absorb_bytes(bytes, |input| {
            inputs.push(input);
            self.permute(input)
        });
        inputs
    }

    fn absorb(&self, state: &mut [F; WIDTH], block: &[F; RATE]) {
        state[..RATE].copy_from_slice(block);
        *state = self.permute(*state);
    }
}

/// Returns the state after the sponge of [`Poseidon16::hash_bytes`], with `permute` as its
/// permutation, has absorbed the bytes.
fn absorb_bytes(bytes: &[u8], mut permute: impl FnMut([F; WIDTH]) -> [F; WIDTH]) -> [F; WIDTH] {
    let mut state = initial_state(BYTES_TAG, bytes.len());
    let mut chunks = bytes.chunks(RATE * BYTES_PER_ELEMENT);
    // There is always a first block, even if the message is empty.
    let mut chunk = chunks.next().unwrap_or_default();
    loop {
        let mut block = [F::ZERO; RATE];
        for (element, packed) in block.iter_mut().zip(chunk.chunks(BYTES_PER_ELEMENT)) {
            let mut word = [0; 4];
            word[..packed.len()].copy_from_slice(packed);
            *element = F::from_u32(u32::from_le_bytes(word));
        }
        state[..RATE].copy_from_slice(&block);
        state = permute(state);
        match chunks.next() {
            Some(next) => chunk = next,
            None => return state,
        }
    }
}

fn initial_state(tag: F, length: usize) -> [F; WIDTH] {
    let mut state = [F::ZERO; WIDTH];
    state[RATE] = tag;
    state[RATE + 1] = F::from_usize(length & ((1 << 30) - 1));
    state[RATE + 2] = F::from_usize(length >> 30);
    state
}

/// All blocks of a message, at least one, the last one filled up with zeros.
fn blocks(elements: &[F]) -> impl Iterator<Item = [F; RATE]> + '_ {
    let block = |i: usize| elements.get(i).copied().unwrap_or_default();
    (0..elements.len().div_ceil(RATE).max(1))
        .map(move |index| std::array::from_fn(|i| block(index * RATE + i)))
}

fn digest(state: &[F; WIDTH]) -> [F; DIGEST] {
    std::array::from_fn(|i| state[i])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use p3_symmetric::{CryptographicHasher, PaddingFreeSponge};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn elements(length: usize) -> Vec<F> {
        (1..=length).map(F::from_usize).collect()
    }

    #[test]
    fn tags_lengths_and_padding_are_bound() {
        let mut seen = HashSet::new();
        for tag in [F::ZERO, F::ONE, BYTES_TAG] {
            for length in 0..40 {
                // Messages of zeros only: nothing but their lengths tells them apart.
                assert!(seen.insert(Poseidon16.hash(tag, &vec![F::ZERO; length])));
            }
        }
        let mut message = elements(20);
        for i in 0..20 {
            message[i] += F::ONE;
            assert!(seen.insert(Poseidon16.hash(F::ONE, &message)));
        }
    }

    /// With a zero capacity, the sponge agrees with Plonky3's.
    #[test]
    fn sponge_is_plonky3s_after_the_first_capacity() {
        let message = elements(24);
        let mut state = [F::ZERO; WIDTH];
        for block in blocks(&message) {
            Poseidon16.absorb(&mut state, &block);
        }
        let sponge = PaddingFreeSponge::<Poseidon16, WIDTH, RATE, DIGEST>::new(Poseidon16);
        assert_eq!(digest(&state), sponge.hash_slice(&message));
    }

    #[test]
    fn one_block_is_one_permutation() {
        let message = elements(5);
        let mut state = [F::ZERO; WIDTH];
        state[..5].copy_from_slice(&message);
        state[8] = F::TWO;
        state[9] = F::from_u8(5);
        let expected = Poseidon16.permute(state);
        assert_eq!(Poseidon16.hash(F::TWO, &message), expected[..8]);
    }

    #[test]
    fn bytes_are_three_to_an_element() {
        let mut seen = HashSet::new();
        for length in 0..100 {
            assert!(seen.insert(Poseidon16.hash_bytes(&vec![0; length])));
        }
        let mut state = [F::ZERO; WIDTH];
        state[0] = F::from_u32(0x03_02_01);
        state[1] = F::from_u32(0x04);
        state[8] = BYTES_TAG;
        state[9] = F::from_u8(4);
        let mut expected = vec![];
        for element in &Poseidon16.permute(state)[..8] {
            expected.extend(element.as_canonical_u32().to_le_bytes());
        }
        assert_eq!(Poseidon16.hash_bytes(&[1, 2, 3, 4]), expected[..]);
    }

    #[test]
    fn bytes_hash_as_their_elements() {
        let mut rng = SmallRng::seed_from_u64(26);
        for length in 0..200 {
            let bytes: Vec<u8> = (0..length).map(|_| rng.random()).collect();
            let elements: Vec<F> = bytes
                .chunks(3)
                .map(|chunk| {
                    let value = chunk
                        .iter()
                        .rev()
                        .fold(0u32, |acc, &b| acc << 8 | u32::from(b));
                    F::from_u32(value)
                })
                .collect();
            let mut state = initial_state(BYTES_TAG, bytes.len());
            for block in blocks(&elements) {
                Poseidon16.absorb(&mut state, &block);
            }
            let mut expected = vec![];
            for element in digest(&state) {
                expected.extend(element.as_canonical_u32().to_le_bytes());
            }
            assert_eq!(&Poseidon16.hash_bytes(&bytes)[..], &expected[..]);
        }
    }
}
