//! The transcript: every challenge depends on all that was observed before it.

use droste_native::stark::challenger::Poseidon16Challenger;
use droste_poseidon16::BYTES_PER_ELEMENT;
use p3_binary_field::TowerLevel;
use p3_challenger::{CanObserve, CanSample};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use crate::field::{F, K, LIMB_BITS, for_each_limb};

/// Base-two logarithm of the most positions that [`Transcript::sample_positions`] draws from: the
/// order of the group of units of [`F`] is `127 * 2^24`.
pub const MAX_LOG_POSITIONS: usize = 24;

/// Bits of security that a challenge of [`Transcript::sample`] lacks, at most: `4 log2(128 / 127)`
/// and a little for its last byte.
pub const CHALLENGE_LOSS: f64 = 0.0453;

/// A duplex sponge over Poseidon-16 that observes and samples elements of [`K`].
///
/// Lists have no length in the transcript: what is observed between two samples must have a length
/// that the protocol fixes, as here the settings of both parties do.
#[derive(Clone, Debug)]
pub struct Transcript {
    challenger: Poseidon16Challenger,
}

impl Transcript {
    /// A transcript of the protocol `domain`: the number of its bytes is observed, then the bytes,
    /// three little-endian in an element.
    pub fn new(domain: &str) -> Self {
        let mut challenger = Poseidon16Challenger::default();
        challenger.observe(F::from_usize(domain.len()));
        for bytes in domain.as_bytes().chunks(BYTES_PER_ELEMENT) {
            let packed = bytes
                .iter()
                .rev()
                .fold(0, |packed, &byte| packed << 8 | u32::from(byte));
            challenger.observe(F::from_u32(packed));
        }
        Self { challenger }
    }

    /// Observes a list of elements of [`K`], as the limbs of [`for_each_limb`].
    pub fn observe(&mut self, elements: &[K]) {
        for_each_limb(elements, |limb| self.challenger.observe(limb));
    }

    /// Observes a list of elements of [`F`], such as a digest.
    pub fn observe_elements(&mut self, elements: &[F]) {
        self.challenger.observe_slice(elements);
    }

    /// Samples an element of [`K`] from five elements of [`F`]: the low 30 bits of four of them and
    /// the low 8 of the fifth.
    ///
    /// It is not uniform. At most two of the `p` elements share their low 30 bits, and at most
    /// `127 * 2^16 + 1` their low 8. So each value of [`K`] has a probability of at most `(2 / p)^4
    /// (127 * 2^16 + 1) / p < 2^-128 (128 / 127)^4 (1 + 2^-22)`, and an event of `n` values at most
    /// `n 2^-127.95`: [`CHALLENGE_LOSS`] bits less than `n / 2^128`.
    pub fn sample(&mut self) -> K {
        let mask = (1 << LIMB_BITS) - 1;
        // The shift drops all but 8 bits of the fifth.
        K::from_repr((0..5).fold(0, |bits, i| {
            bits | u128::from(self.sample_element() & mask) << (LIMB_BITS * i)
        }))
    }

    /// Samples `count` positions below `2^log`, which may repeat: the low bits of one element of
    /// [`F`] each.
    ///
    /// Position 0 is the result of `127 * 2^(24 - log) + 1` elements, every other one of one less.
    /// So a set of a fraction `mu` of all positions is hit with a probability of at most `mu + 1 /
    /// p`.
    ///
    /// # Panics
    /// If `log` is above [`MAX_LOG_POSITIONS`].
    pub fn sample_positions(&mut self, count: usize, log: usize) -> Vec<usize> {
        assert!(
            log <= MAX_LOG_POSITIONS,
            "positions of {log} bits, of at most {MAX_LOG_POSITIONS}"
        );
        let mask = (1 << log) - 1;
        (0..count)
            .map(|_| self.sample_element() as usize & mask)
            .collect()
    }

    fn sample_element(&mut self) -> u32 {
        let element: F = self.challenger.sample();
        element.as_canonical_u32()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use p3_symmetric::Permutation;

    use super::*;

    /// The first sample by the permutation alone: what is observed overwrites the rate, its count
    /// is added to the capacity, and the rate is read from its end.
    #[test]
    fn samples_are_bits_of_the_sponge() {
        let mut state = [F::ZERO; 16];
        state[0] = F::from_u8(4);
        state[1] = F::from_u32(0x63_62_61);
        state[2] = F::from_u32(0x64);
        state[8] = F::from_u8(3);
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
        let mut transcript = Transcript::new("abcd");
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
    fn samples_depend_on_all_that_was_observed() {
        let mut seen = HashSet::new();
        for domain in ["", "a", "b", "ab", "ab\0"] {
            for bit in 0..128 {
                let mut transcript = Transcript::new(domain);
                transcript.observe(&[K::from_repr(1 << bit), K::ONE]);
                assert!(seen.insert(transcript.sample()));
                assert!(seen.insert(transcript.sample()));
                transcript.observe_elements(&[F::ONE]);
                assert!(seen.insert(transcript.sample()));
            }
        }
    }

    #[test]
    fn loss_of_bits() {
        let p = f64::from(F::ORDER_U32);
        let most = 4.0 * (2.0 / p).log2() + ((127.0 * 65536.0 + 1.0) / p).log2();
        assert!(128.0 + most < CHALLENGE_LOSS && 128.0 + most > CHALLENGE_LOSS - 1e-4);
    }
}
