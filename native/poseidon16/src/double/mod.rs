//! Kernels of Poseidon-16 in double-precision arithmetic, for processors without AVX-512 IFMA.
//!
//! # Numbers
//!
//! The states are vectors of doubles, each an integer that stands for a field element in Plonky3's
//! Montgomery form, that is, times `2^32`. A double is exact up to 53 bits, and processors multiply
//! and add doubles in one instruction, which with integers takes two (J. van der Hoeven, G. Lecerf,
//! G. Quintin, "Modular SIMD arithmetic in Mathemagix", 2016, section 3). All sums and products
//! here are exact: every intermediate result is a multiple of a power of two and fits 53 bits. The
//! one operation that rounds is the division in `arithmetic::reduce`, whose quotient need not be
//! exact.
//!
//! Only the S-boxes leave doubles: adding `3 * 2^51` to a double moves its integer into the low
//! bits, and a cube is two signed Montgomery multiplications of 32 bits.
//!
//! # Matrix
//!
//! The circulant matrix has entries below 102, so the product by it needs no reduction in between.
//! The cyclic convolution of length 16 is split over the factors
//! `x - 1, x + 1, x^2 + 1, x^4 + 1, x^8 + 1` of `x^16 - 1`, which takes 86 multiplications by small
//! constants instead of 256.
//!
//! # Partial rounds
//!
//! They are computed two at a time. With `M` the matrix, `a` the state before both, whose element 0
//! has been through the first S-box, and `d` what the second S-box changes, the state after both is
//! `M (M a + d e_0) = M^2 a + d M e_0`. The entries of `M^2` sum up to `371^2` per row, so this
//! product is exact, too: for `|a| < 2^31` it is below `2^49`, in multiples of 1/16. Only elements
//! 0 is needed of `M a`. The constants are moved so that they are added to element 0 alone
//! (`constants::partial_constants`).

mod arithmetic;
#[cfg(any(test, poseidon16 = "avx2"))]
mod avx2;
#[cfg(all(
    any(test, poseidon16 = "avx512"),
    target_feature = "avx512f",
    target_feature = "avx512dq"
))]
mod avx512;
mod constants;
mod lanes;
mod packed;
mod single;
#[cfg(test)]
mod tests;
mod vector;

#[cfg(not(poseidon16 = "avx512ifma"))]
use super::WIDTH;
#[cfg(not(poseidon16 = "avx512ifma"))]
use crate::field::F;

/// The permutation on packed states. It is not inlined, so that it is compiled in this crate, at
/// its level of optimisation, whatever the caller's is.
#[cfg(any(poseidon16 = "avx512", poseidon16 = "avx2"))]
#[inline(never)]
pub(super) fn permute_packed(state: &mut [<F as p3_field::Field>::Packing; WIDTH]) {
    packed::permute::<Fastest, _>(state);
}

/// The permutation on one state.
#[cfg(not(poseidon16 = "avx512ifma"))]
pub(super) fn permute(state: &mut [F; WIDTH]) {
    single::permute::<Fastest, VECTORS>(state);
}

#[cfg(poseidon16 = "avx2")]
use avx2::Avx2 as Fastest;
#[cfg(poseidon16 = "avx512")]
use avx512::Avx512 as Fastest;

/// Vectors for a state.
#[cfg(not(poseidon16 = "avx512ifma"))]
const VECTORS: usize = WIDTH / <Fastest as lanes::Lanes>::LANES;
