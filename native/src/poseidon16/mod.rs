//! Poseidon-16: Poseidon over KoalaBear at width 16.
//!
//! Poseidon (ePrint 2019/458) with S-box `x^3`, 8 full and 20 partial rounds, the circulant matrix
//! [`MDS_COLUMN`] and round constants of the Grain LFSR: the function of Plonky3's
//! `default_koalabear_poseidon1_16`, with which it agrees on every input.
//!
//! - [`Poseidon16::permute`]: the permutation `P`, all 16 outputs.
//! - [`Poseidon16::compress`]: `x -> truncate_8(P(x) + x)`, one-way and collision resistant for any
//!   16 elements, in the model where `P` is an ideal permutation; 124 bits.
//! - [`Poseidon16::hash`], [`Poseidon16::hash_bytes`]: sponge hashes bound to a tag and a length.

mod constants;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
))]
mod ifma;
mod leaf;
mod mds;
mod permutation;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512ifma"
))]
mod rows;
mod sponge;
#[cfg(test)]
mod tests;

pub use constants::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, RATE, ROUND_CONSTANTS, ROUNDS,
    SparsePartialRounds, WIDTH, sparse_partial_rounds,
};
pub use leaf::Poseidon16LeafHasher;
pub use mds::{MdsRing, mds_convolve, mds_multiply};
pub use permutation::permute_generic;
pub use sponge::{BYTES_TAG, ZeroSuffix};

use p3_symmetric::{CryptographicPermutation, Permutation, PseudoCompressionFunction};

use crate::field::{DIGEST, F};

/// The Poseidon-16 permutation and its compression function. A zero-size handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poseidon16;

impl Poseidon16 {
    /// The permutation: 16 elements in, 16 elements out.
    #[inline]
    pub fn permute(&self, mut state: [F; WIDTH]) -> [F; WIDTH] {
        permutation::permute(&mut state);
        state
    }

    /// The compression function `truncate_8(P(x) + x)`.
    ///
    /// The feed-forward makes it one-way on all 16 inputs; a truncated permutation alone is only
    /// safe where every input is itself a digest.
    #[inline]
    pub fn compress(&self, input: [F; WIDTH]) -> [F; DIGEST] {
        let output = self.permute(input);
        std::array::from_fn(|i| output[i] + input[i])
    }

    /// [`Self::compress`] of two digests, the parent of a Merkle tree node.
    #[inline]
    pub fn compress_pair(&self, left: [F; DIGEST], right: [F; DIGEST]) -> [F; DIGEST] {
        self.compress(std::array::from_fn(|i| {
            if i < DIGEST {
                left[i]
            } else {
                right[i - DIGEST]
            }
        }))
    }
}

impl Permutation<[F; WIDTH]> for Poseidon16 {
    #[inline]
    fn permute_mut(&self, state: &mut [F; WIDTH]) {
        permutation::permute(state);
    }
}

impl CryptographicPermutation<[F; WIDTH]> for Poseidon16 {}

impl PseudoCompressionFunction<[F; DIGEST], 2> for Poseidon16 {
    const LANES: usize = leaf::LANES;

    #[inline]
    fn compress(&self, [left, right]: [[F; DIGEST]; 2]) -> [F; DIGEST] {
        self.compress_pair(left, right)
    }

    fn compress_many(&self, inputs: &[[[F; DIGEST]; 2]], out: &mut [[F; DIGEST]]) {
        assert_eq!(inputs.len(), out.len(), "one output per pair of children");
        leaf::compress_pairs(inputs, out);
    }
}

/// Implementations for the packed field, where the target has one that is not the field itself.
#[allow(unused_macros)] // The field packs itself on targets without vectors.
macro_rules! implement_packed {
    ($packed:ty) => {
        impl Permutation<[$packed; WIDTH]> for Poseidon16 {
            #[inline]
            fn permute_mut(&self, state: &mut [$packed; WIDTH]) {
                permutation::permute_packed(state);
            }
        }

        impl CryptographicPermutation<[$packed; WIDTH]> for Poseidon16 {}

        impl PseudoCompressionFunction<[$packed; DIGEST], 2> for Poseidon16 {
            #[inline]
            fn compress(&self, [left, right]: [[$packed; DIGEST]; 2]) -> [$packed; DIGEST] {
                let mut state = std::array::from_fn(|i| {
                    if i < DIGEST {
                        left[i]
                    } else {
                        right[i - DIGEST]
                    }
                });
                self.permute_mut(&mut state);
                std::array::from_fn(|i| state[i] + left[i])
            }
        }
    };
}

crate::field::for_packed_field!(implement_packed);
