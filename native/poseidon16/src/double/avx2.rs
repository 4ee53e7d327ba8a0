//! Vectors of four lanes, with AVX2 and FMA.
//!
//! The module is compiled only if the whole build targets both, so every processor that runs the
//! build has them.

use std::arch::asm;
use std::arch::x86_64::{
    __m256d, __m256i, _mm_storeu_si128, _mm256_blend_epi32, _mm256_blend_pd, _mm256_castsi256_pd,
    _mm256_castsi256_si128, _mm256_permute_pd, _mm256_permute2f128_pd, _mm256_permutevar8x32_epi32,
    _mm256_setr_epi32, _mm256_slli_epi64, _mm256_storeu_si256, _mm256_xor_si256,
};
use std::ops::{Add, Mul, Sub};

use super::super::WIDTH;
use super::lanes::Lanes;
use super::vector::vectors;
use crate::field::F;

vectors! {
    /// The instruction set.
    Avx2: 4 lanes of __m256d, __m256i, in ymm_reg;
    add: _mm256_add_pd,
    sub: _mm256_sub_pd,
    mul: _mm256_mul_pd,
    splat: _mm256_set1_pd,
    multiply_add: _mm256_fmadd_pd,
    subtract_product: _mm256_fnmadd_pd,
    first: _mm256_castpd256_pd128,
    broadcast: _mm256_broadcastsd_pd,
    load: _mm256_loadu_pd,
    store: _mm256_storeu_pd,
    bits: _mm256_castpd_si256,
    splat_words: _mm256_set1_epi64x,
    splat_halves: _mm256_set1_epi32,
    subtract: _mm256_sub_epi64,
    add_halves: _mm256_add_epi32,
    min_halves: _mm256_min_epu32,
    shift_right: _mm256_srli_epi64,
    load_half: _mm_loadu_si128,
    widen: _mm256_cvtepu32_epi64,
    load_words: _mm256_loadu_si256,
    {
        #[inline(always)]
        fn horizontal_sum(x: Doubles) -> Doubles {
            // SAFETY: the target has AVX2.
            unsafe {
                let x = x + Doubles(_mm256_permute2f128_pd::<1>(x.0, x.0));
                x + Doubles(_mm256_permute_pd::<0b0101>(x.0))
            }
        }

        #[inline(always)]
        fn replace_first(x: Doubles, first: Doubles) -> Doubles {
            // SAFETY: the target has AVX2.
            Doubles(unsafe { _mm256_blend_pd::<1>(x.0, first.0) })
        }

        /// The low halves of `x` must be zero: these kernels convert nothing else, and AVX2 has no
        /// instruction for 64 bits.
        ///
        /// With `h` the high half, `h + 2^31` in the low half of a double whose last bit counts
        /// `2^32` is `2^84 + 2^63 + 2^32 h`.
        #[inline(always)]
        fn to_doubles(x: __m256i) -> Doubles {
            const OFFSET: f64 = ((1u128 << 84) + (1 << 63)) as f64;
            let exponent = Self::splat_words(0x4530_0000_8000_0000);
            // SAFETY: the target has AVX2.
            let shifted =
                unsafe { _mm256_castsi256_pd(_mm256_xor_si256(Self::high_halves(x), exponent)) };
            Doubles(shifted) - Self::splat(OFFSET)
        }

        #[inline(always)]
        fn store_elements(x: __m256i, state: &mut [F; WIDTH], part: usize) {
            let values = &mut state.as_chunks_mut::<4>().0[part];
            // SAFETY: as in `load_elements`; the caller's values are canonical.
            unsafe {
                let low = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
                let halves = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(x, low));
                _mm_storeu_si128(values.as_mut_ptr().cast(), halves);
            }
        }

        #[inline(always)]
        fn store_packed(even: __m256i, odd: __m256i, packed: &mut [F]) {
            let values = &mut packed.as_chunks_mut::<8>().0[0];
            // SAFETY: as in `load_packed`; the caller's values are canonical.
            unsafe {
                let words = _mm256_blend_epi32::<0b1010_1010>(even, _mm256_slli_epi64::<32>(odd));
                _mm256_storeu_si256(values.as_mut_ptr().cast(), words);
            }
        }
    }
}
