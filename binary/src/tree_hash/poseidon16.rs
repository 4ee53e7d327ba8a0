//! Poseidon-16, for proofs that a circuit over KoalaBear verifies.

use droste_native::HashId;
use droste_native::precompile::{BINARY_LANE_BITS, BINARY_LANES, LANES, binary_to_block};
use droste_native::stark::challenger::{Observe, Poseidon16Challenger};
use droste_poseidon16::{BYTES_PER_ELEMENT, Poseidon16 as Permutation16, Poseidon16LeafHasher};
use p3_binary_field::TowerLevel;
use p3_challenger::{CanObserve, CanSample};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_koala_bear::KoalaBear as F;
use p3_symmetric::{CryptographicHasher, PseudoCompressionFunction};
use serde::{Deserialize, Serialize};

use super::{Transcript, TreeHash};
use crate::field::K;

/// Number of elements of [`F`] that an element of [`K`] becomes in a leaf: 30 bits in each of four,
/// the last 8 in the fifth ([`binary_to_block`]).
pub const LIMBS: usize = BINARY_LANES;

/// Poseidon-16 of the elements of KoalaBear that the bits of rows become, and of pairs of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Poseidon16;

/// A duplex sponge over Poseidon-16 that observes and samples elements of [`K`].
#[derive(Clone, Debug)]
pub struct Poseidon16Transcript(Poseidon16Challenger);

impl Poseidon16 {
    /// What the transcript of a protocol observes first: the number of the name's bytes, and the
    /// bytes, three little-endian in an element. With zeros they fill whole blocks, as all that is
    /// observed does.
    pub fn domain(name: &str) -> Vec<F> {
        let bytes = name.as_bytes().chunks(BYTES_PER_ELEMENT).map(|bytes| {
            let bytes = bytes.iter().rev();
            F::from_u32(bytes.fold(0, |packed, &byte| packed << 8 | u32::from(byte)))
        });
        let mut lanes: Vec<F> = std::iter::once(F::from_usize(name.len()))
            .chain(bytes)
            .collect();
        lanes.resize(lanes.len().next_multiple_of(LANES), F::ZERO);
        lanes
    }
}

impl TreeHash for Poseidon16 {
    const ID: HashId = HashId::Poseidon16;

    type Digest = [F; 8];

    type Transcript = Poseidon16Transcript;

    fn hash_rows(rows: &[K], width: usize, digests: &mut [[F; 8]]) {
        let mut limbs = Vec::with_capacity(digests.len() * width * LIMBS);
        for &element in rows {
            limbs.extend_from_slice(&binary_to_block(element)[..LIMBS]);
        }
        Poseidon16LeafHasher.hash_many(&limbs, digests);
    }

    fn compress(pairs: &[[[F; 8]; 2]], parents: &mut [[F; 8]]) {
        Permutation16.compress_many(pairs, parents);
    }

    fn transcript(domain: &str) -> Poseidon16Transcript {
        let mut challenger = Poseidon16Challenger::default();
        challenger.observe_slice(&Self::domain(domain));
        Poseidon16Transcript(challenger)
    }
}

impl Observe<Poseidon16Transcript> for [F; 8] {
    fn observe(&self, transcript: &mut Poseidon16Transcript) {
        transcript.0.observe_slice(self);
    }
}

impl Transcript for Poseidon16Transcript {
    /// Observes the whole block of each element.
    fn observe(&mut self, elements: &[K]) {
        for &element in elements {
            self.0.observe_slice(&binary_to_block(element));
        }
    }

    /// Samples an element of [`K`] from five elements of [`F`]: the low 30 bits of four of them and
    /// the low 8 of the fifth.
    ///
    /// It is not uniform. At most two of the `p` elements share their low 30 bits, and at most
    /// `127 * 2^16 + 1` their low 8. So each value of [`K`] has a probability of at most `(2 / p)^4
    /// (127 * 2^16 + 1) / p < 2^-128 (128 / 127)^4 (1 + 2^-22)`.
    fn sample(&mut self) -> K {
        // The shift drops all but 8 bits of the fifth.
        K::from_repr((0..5).fold(0, |bits, i| {
            bits | (self.sample_bits(BINARY_LANE_BITS) as u128) << (BINARY_LANE_BITS * i)
        }))
    }

    /// Samples the low bits of one element of [`F`].
    ///
    /// Position 0 is the result of `127 * 2^(24 - log) + 1` elements, every other one of one less.
    fn sample_bits(&mut self, log: usize) -> usize {
        let element: F = self.0.sample();
        element.as_canonical_u32() as usize & ((1 << log) - 1)
    }
}

#[cfg(test)]
mod tests {
    use p3_symmetric::Permutation;

    use super::*;
    use crate::tree_hash::CHALLENGE_LOSS;

    /// The first sample by the permutation alone: what is observed overwrites the rate, its count
    /// is added to the capacity, and the rate is read from its end.
    #[test]
    fn samples_are_bits_of_the_sponge() {
        let mut state = [F::ZERO; 16];
        state[0] = F::from_u8(4);
        state[1] = F::from_u32(0x63_62_61);
        state[2] = F::from_u32(0x64);
        state[8] = F::from_u8(8);
        droste_poseidon16::Poseidon16.permute_mut(&mut state);
        let limbs: Vec<u128> = (3..8)
            .rev()
            .map(|i| u128::from(state[i].as_canonical_u32()))
            .collect();
        let low = |i: usize, bits: usize| limbs[i] % (1 << bits);
        let expected = low(0, 30)
            + (low(1, 30) << 30)
            + (low(2, 30) << 60)
            + (low(3, 30) << 90)
            + (low(4, 8) << 120);
        let mut transcript = Poseidon16::transcript("abcd");
        assert_eq!(transcript.clone().sample(), K::from_repr(expected));
        let positions = transcript.sample_positions(5, 10);
        assert_eq!(
            positions,
            limbs
                .iter()
                .map(|limb| (limb % 1024) as usize)
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn loss_of_bits() {
        let p = f64::from(F::ORDER_U32);
        let most = 4.0 * (2.0 / p).log2() + ((127.0 * 65536.0 + 1.0) / p).log2();
        assert!(128.0 + most < CHALLENGE_LOSS && 128.0 + most > CHALLENGE_LOSS - 1e-4);
    }
}
