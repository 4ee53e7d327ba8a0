//! BLAKE3, for proofs that no circuit verifies.

use droste_native::HashId;
use droste_native::hash::blake3::Blake3 as Hasher;
use droste_native::stark::challenger::Observe;
use p3_binary_field::TowerLevel;
use p3_challenger::{CanObserve, CanSample, HashChallenger};
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};
use serde::{Deserialize, Serialize};

use super::{Transcript, TreeHash};
use crate::field::K;

/// Bytes of an element.
const BYTES: usize = 16;

/// Bytes of a block. Rows are filled up with zeros to whole ones, which are hashed in vectors.
const BLOCK: usize = 64;

/// Rows whose bytes are laid out at a time.
const ROWS: usize = 32;

/// BLAKE3 of rows' bytes, each element little-endian, and of pairs of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blake3;

/// Plonky3's challenger of a byte hash.
#[derive(Clone, Debug)]
pub struct Blake3Transcript(HashChallenger<u8, Hasher, 32>);

impl TreeHash for Blake3 {
    const ID: HashId = HashId::Blake3;

    type Digest = [u8; 32];

    type Transcript = Blake3Transcript;

    fn hash_rows(rows: &[K], width: usize, digests: &mut [[u8; 32]]) {
        let length = (width * BYTES).next_multiple_of(BLOCK);
        let mut bytes = vec![0; ROWS.min(digests.len()) * length];
        for (rows, digests) in rows.chunks(ROWS * width).zip(digests.chunks_mut(ROWS)) {
            for (row, bytes) in rows.chunks_exact(width).zip(bytes.chunks_exact_mut(length)) {
                for (element, bytes) in row.iter().zip(bytes.as_chunks_mut().0) {
                    *bytes = element.to_repr().to_le_bytes();
                }
            }
            Hasher.hash_many(&bytes[..digests.len() * length], digests);
        }
    }

    fn compress(pairs: &[[[u8; 32]; 2]], parents: &mut [[u8; 32]]) {
        Hasher.compress_many(pairs, parents);
    }

    fn transcript(domain: &str) -> Blake3Transcript {
        let mut challenger = HashChallenger::new(vec![], Hasher);
        challenger.observe_slice(&(domain.len() as u64).to_le_bytes());
        challenger.observe_slice(domain.as_bytes());
        Blake3Transcript(challenger)
    }
}

impl Observe<Blake3Transcript> for [u8; 32] {
    fn observe(&self, transcript: &mut Blake3Transcript) {
        transcript.0.observe_slice(self);
    }
}

impl Transcript for Blake3Transcript {
    fn observe(&mut self, elements: &[K]) {
        for element in elements {
            self.0.observe_slice(&element.to_repr().to_le_bytes());
        }
    }

    fn sample(&mut self) -> K {
        let bytes: [u8; BYTES] = self.0.sample_array();
        K::from_repr(u128::from_le_bytes(bytes))
    }

    fn sample_bits(&mut self, log: usize) -> usize {
        let bytes: [u8; 4] = self.0.sample_array();
        u32::from_le_bytes(bytes) as usize & ((1 << log) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_and_samples_are_of_the_bytes() {
        let row = [K::from_repr(7), K::from_repr(9 << 64)];
        let mut digests = [[0; 32]];
        Blake3::hash_rows(&row, 2, &mut digests);
        let mut bytes = [0; 64];
        (bytes[0], bytes[24]) = (7, 9);
        assert_eq!(digests[0], Hasher.hash(&bytes));

        let mut transcript = Blake3::transcript("ab");
        transcript.observe(&row[..1]);
        let mut input = vec![2, 0, 0, 0, 0, 0, 0, 0, b'a', b'b'];
        input.extend(&bytes[..16]);
        let mut digest = Hasher.hash(&input);
        // Bytes are drawn from the last one down.
        digest.reverse();
        let (first, rest) = digest.split_at(16);
        assert_eq!(transcript.sample().to_repr().to_le_bytes(), first);
        let position = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]);
        assert_eq!(
            transcript.sample_positions(1, 24),
            [position as usize % (1 << 24)]
        );
    }

    /// Eight positions are drawn from a digest. What is left of it is dropped by an observation,
    /// and the digest is part of what is hashed next.
    #[test]
    fn bytes_from_before_an_observation_are_not_drawn() {
        let reversed = |bytes: &[u8]| {
            let mut digest = Hasher.hash(bytes);
            digest.reverse();
            digest
        };
        let element = K::from_repr(5 << 96);
        let first = Hasher.hash(&[1, 0, 0, 0, 0, 0, 0, 0, b'a']);
        let mut observed = first.to_vec();
        observed.extend(element.to_repr().to_le_bytes());
        observed.extend([7; 32]);
        let expected = reversed(&observed);
        for drawn in 0..8 {
            let mut transcript = Blake3::transcript("a");
            transcript.sample_positions(1 + drawn, 24);
            transcript.observe(&[element]);
            [7; 32].observe(&mut transcript);
            assert_eq!(transcript.sample().to_repr().to_le_bytes(), expected[..16]);
        }
        // Without an observation, the digest alone is hashed.
        let mut transcript = Blake3::transcript("a");
        let positions = transcript.sample_positions(9, 24);
        let second = reversed(&first);
        let ninth = u32::from_le_bytes([second[0], second[1], second[2], second[3]]);
        assert_eq!(positions[8], ninth as usize % (1 << 24));
    }
}
