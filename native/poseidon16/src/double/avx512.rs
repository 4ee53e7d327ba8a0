//! Vectors of eight lanes, with AVX-512 F and DQ.
//!
//! The module is compiled only if the whole build targets both, so every processor that runs the
//! build has them.

use std::arch::asm;
use std::arch::x86_64::{
    __m512d, __m512i, _mm256_storeu_si256, _mm512_cvtepi64_epi32, _mm512_cvtepi64_pd,
    _mm512_mask_blend_epi32, _mm512_mask_blend_pd, _mm512_permute_pd, _mm512_shuffle_f64x2,
    _mm512_slli_epi64, _mm512_storeu_si512,
};
use std::ops::{Add, Mul, Sub};

use super::super::WIDTH;
use super::lanes::Lanes;
use super::vector::vectors;
use crate::field::F;

vectors! {
    /// The instruction set.
    Avx512: 8 lanes of __m512d, __m512i, in zmm_reg;
    add: _mm512_add_pd,
    sub: _mm512_sub_pd,
    mul: _mm512_mul_pd,
    splat: _mm512_set1_pd,
    multiply_add: _mm512_fmadd_pd,
    subtract_product: _mm512_fnmadd_pd,
    first: _mm512_castpd512_pd128,
    broadcast: _mm512_broadcastsd_pd,
    load: _mm512_loadu_pd,
    store: _mm512_storeu_pd,
    bits: _mm512_castpd_si512,
    splat_words: _mm512_set1_epi64,
    splat_halves: _mm512_set1_epi32,
    subtract: _mm512_sub_epi64,
    add_halves: _mm512_add_epi32,
    min_halves: _mm512_min_epu32,
    shift_right: _mm512_srli_epi64,
    load_half: _mm256_loadu_si256,
    widen: _mm512_cvtepu32_epi64,
    load_words: _mm512_loadu_si512,
    {
        #[inline(always)]
        fn horizontal_sum(x: Doubles) -> Doubles {
            // SAFETY: the target has AVX-512 F.
            unsafe {
                let x = x + Doubles(_mm512_shuffle_f64x2::<0b01_00_11_10>(x.0, x.0));
                let x = x + Doubles(_mm512_shuffle_f64x2::<0b10_11_00_01>(x.0, x.0));
                x + Doubles(_mm512_permute_pd::<0b0101_0101>(x.0))
            }
        }

        #[inline(always)]
        fn replace_first(x: Doubles, first: Doubles) -> Doubles {
            // SAFETY: the target has AVX-512 F.
            Doubles(unsafe { _mm512_mask_blend_pd(1, x.0, first.0) })
        }

        #[inline(always)]
        fn to_doubles(x: __m512i) -> Doubles {
            // SAFETY: the target has AVX-512 DQ.
            Doubles(unsafe { _mm512_cvtepi64_pd(x) })
        }

        #[inline(always)]
        fn store_elements(x: __m512i, state: &mut [F; WIDTH], part: usize) {
            let values = &mut state.as_chunks_mut::<8>().0[part];
            // SAFETY: as in `load_elements`; the caller's values are canonical.
            unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(x)) };
        }

        #[inline(always)]
        fn store_packed(even: __m512i, odd: __m512i, packed: &mut [F]) {
            let values = &mut packed.as_chunks_mut::<16>().0[0];
            // SAFETY: as in `load_packed`; the caller's values are canonical.
            unsafe {
                let odd = _mm512_slli_epi64::<32>(odd);
                let words = _mm512_mask_blend_epi32(0xaaaa, even, odd);
                _mm512_storeu_si512(values.as_mut_ptr().cast(), words);
            }
        }
    }
}
