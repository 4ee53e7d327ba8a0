//! Poseidon-16: Poseidon over KoalaBear at width 16.
//!
//! Poseidon (ePrint 2019/458) with S-box `x^3`, 8 full and 20 partial rounds, the circulant matrix
//! [`MDS_COLUMN`] and round constants from the Grain LFSR. It agrees with Plonky3's
//! `default_koalabear_poseidon1_16` on every input.
//!
//! - [`Poseidon16::permute`]: the permutation `P`, with all 16 outputs.
//! - [`Poseidon16::compress`]: `x -> truncate_8(P(x) + x)`, one-way and collision resistant for any
//!   16 elements, with 124 bits, if `P` is modelled as an ideal permutation.
//! - [`Poseidon16::hash`], [`Poseidon16::hash_bytes`]: sponge hashes that bind a tag and the
//!   length.
//!
//! A crate of its own, so that its kernels are compiled at a high level in every profile, and what
//! is around them at the level that the profile says. `droste-native` has it as
//! `hash::poseidon16`.
//!
//! It provides no constant time: do not hash secrets where an attacker can measure how long that
//! takes.

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)
)]

mod constants;
#[cfg(any(
    poseidon16 = "avx512",
    poseidon16 = "avx2",
    all(test, target_feature = "avx2", target_feature = "fma")
))]
mod double;
pub mod field;
#[cfg(poseidon16 = "avx512ifma")]
mod ifma;
mod leaf;
mod mds;
mod permutation;
#[cfg(any(poseidon16 = "avx512ifma", poseidon16 = "avx512"))]
mod rows;
#[cfg(any(test, poseidon16 = "simd128"))]
mod simd128;
mod sponge;
#[cfg(test)]
mod tests;

pub use constants::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, RATE, ROUND_CONSTANTS, ROUNDS,
    SparsePartialRounds, WIDTH, sparse_partial_rounds,
};
pub use leaf::Poseidon16LeafHasher;
pub use mds::{MdsRing, mds_convolve, mds_multiply};
pub use sponge::{BYTES_PER_ELEMENT, BYTES_TAG};

use p3_symmetric::{CryptographicPermutation, Permutation, PseudoCompressionFunction};

use crate::field::{DIGEST, F};

/// The kernels of this build: `avx512ifma`, `avx512`, `avx2`, `simd128`, or `portable`, which are
/// Plonky3's. They are chosen by the features of the target, and run only on processors that have
/// them.
pub const KERNELS: &str = env!("POSEIDON16_KERNELS");

/// The Poseidon-16 permutation and its compression function. A zero-size handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Poseidon16;

impl Poseidon16 {
    /// The permutation: maps 16 elements to 16 elements.
    #[inline]
    pub fn permute(&self, mut state: [F; WIDTH]) -> [F; WIDTH] {
        permutation::permute(&mut state);
        state
    }

    /// The compression function `truncate_8(P(x) + x)`.
    ///
    /// The feed-forward makes it one-way for any 16 inputs. A truncated permutation without it is
    /// only secure if every input is itself a digest.
    #[inline]
    pub fn compress(&self, input: [F; WIDTH]) -> [F; DIGEST] {
        let output = self.permute(input);
        std::array::from_fn(|i| output[i] + input[i])
    }

    /// [`Self::compress`] of two digests: their parent in a Merkle tree.
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

/// Implementations for the packed field, on targets where the field is not its own packing.
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

crate::for_packed_field!(implement_packed);
