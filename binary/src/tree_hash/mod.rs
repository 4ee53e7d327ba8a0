//! The hash of a proof's Merkle trees and of its transcript.

mod blake3;
mod poseidon16;

use std::fmt::Debug;

use droste_native::HashId;
use droste_native::stark::challenger::Observe;
use droste_native::stark::security::DIGEST_COLLISION_BITS;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::field::K;

pub use blake3::Blake3;
pub use poseidon16::Poseidon16;

/// Base-two logarithm of the most positions that [`Transcript::sample_positions`] draws from: the
/// order of the group of units of KoalaBear is `127 * 2^24`.
pub const MAX_LOG_POSITIONS: usize = 24;

/// Bits of security that a challenge of [`Transcript::sample`] lacks, at most. Those of Poseidon-16
/// lack it, `4 log2(128 / 127)` and a little for their last byte, and those of a byte hash nothing.
pub const CHALLENGE_LOSS: f64 = 0.0453;

/// By how much the probability of a set of positions is above its share of all, at most: the
/// reciprocal of KoalaBear's order. Positions of a byte hash are uniform.
pub const POSITION_BIAS: f64 = 1.0 / 2_130_706_433.0;

/// Bits of every hash's digests against collisions, at least: half of those of Poseidon-16.
pub const COLLISION_BITS: f64 = DIGEST_COLLISION_BITS;

/// A hash that commits to rows of elements, and makes challenges.
pub trait TreeHash: Clone + Debug + PartialEq + Eq + Send + Sync + 'static {
    /// Its number in files.
    const ID: HashId;

    /// A leaf, a node or a root.
    type Digest: Copy
        + Debug
        + Default
        + Eq
        + Send
        + Sync
        + Serialize
        + DeserializeOwned
        + Observe<Self::Transcript>;

    /// The challenger.
    type Transcript: Transcript + Clone + Debug;

    /// Digests of rows of `width` elements each, one after the other.
    ///
    /// Rows of one width with different elements are different messages of the hash.
    fn hash_rows(rows: &[K], width: usize, digests: &mut [Self::Digest]);

    /// Parents of pairs of nodes.
    fn compress(pairs: &[[Self::Digest; 2]], parents: &mut [Self::Digest]);

    /// A transcript of the protocol `domain`: the number of its bytes is observed, then the bytes.
    fn transcript(domain: &str) -> Self::Transcript;
}

/// The transcript: every challenge depends on all that was observed before it.
///
/// Lists have no length in the transcript: what is observed between two samples must have a length
/// that the protocol fixes, as here the settings of both parties do.
pub trait Transcript {
    /// Observes a list of elements.
    fn observe(&mut self, elements: &[K]);

    /// Samples an element. An event of `n` values has a probability of at most `n / 2^128` times
    /// `2^`[`CHALLENGE_LOSS`].
    fn sample(&mut self) -> K;

    /// Samples the low `log` bits of a number, of at most [`MAX_LOG_POSITIONS`]. A set of a
    /// fraction `mu` of all positions is hit with a probability of at most `mu +`
    /// [`POSITION_BIAS`].
    fn sample_bits(&mut self, log: usize) -> usize;

    /// Samples `count` positions below `2^log`, which may repeat.
    ///
    /// # Panics
    /// If `log` is above [`MAX_LOG_POSITIONS`].
    fn sample_positions(&mut self, count: usize, log: usize) -> Vec<usize> {
        assert!(
            log <= MAX_LOG_POSITIONS,
            "positions of {log} bits, of at most {MAX_LOG_POSITIONS}"
        );
        (0..count).map(|_| self.sample_bits(log)).collect()
    }
}

impl Observe<dyn Transcript + '_> for K {
    fn observe(&self, transcript: &mut (dyn Transcript + '_)) {
        transcript.observe(&[*self]);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use p3_binary_field::TowerLevel;
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    fn samples_depend_on_all_that_was_observed<H: TreeHash>() {
        let mut seen = HashSet::new();
        let mut digests = [H::Digest::default()];
        H::hash_rows(&[K::ONE], 1, &mut digests);
        for domain in ["", "a", "b", "ab", "ab\0"] {
            for bit in 0..128 {
                let mut transcript = H::transcript(domain);
                transcript.observe(&[K::from_repr(1 << bit), K::ONE]);
                assert!(seen.insert(transcript.sample()));
                assert!(seen.insert(transcript.sample()));
                digests[0].observe(&mut transcript);
                assert!(seen.insert(transcript.sample()));
            }
        }
    }

    #[test]
    fn samples() {
        samples_depend_on_all_that_was_observed::<Poseidon16>();
        samples_depend_on_all_that_was_observed::<Blake3>();
    }

    /// Digests of many rows are those of each alone, and differ with each bit of the last element.
    fn rows_are_hashed_alike<H: TreeHash>(width: usize) {
        let rows: Vec<K> = (0..70 * width as u128)
            .map(|i| K::from_repr(i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834)))
            .collect();
        let digest = |row: &[K]| {
            let mut digests = [H::Digest::default()];
            H::hash_rows(row, width, &mut digests);
            digests[0]
        };
        let mut digests = vec![H::Digest::default(); 70];
        H::hash_rows(&rows, width, &mut digests);
        for (row, &expected) in rows.chunks(width).zip(&digests) {
            assert_eq!(digest(row), expected, "{width} elements");
        }
        let mut row = rows[..width].to_vec();
        for bit in 0..128 {
            row[width - 1] += K::from_repr(1 << bit);
            assert_ne!(digest(&row), digests[0]);
            row[width - 1] += K::from_repr(1 << bit);
        }
    }

    #[test]
    fn rows() {
        for width in [1, 2, 4, 13, 16, 25] {
            rows_are_hashed_alike::<Poseidon16>(width);
            rows_are_hashed_alike::<Blake3>(width);
        }
    }
}
