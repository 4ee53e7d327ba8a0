//! Vectors of eight lanes, with AVX-512 F and DQ.
//!
//! The module is compiled only if the whole build targets both, so every processor that runs the
//! build has them.

use std::arch::asm;
use std::arch::x86_64::{
    __m512d, __m512i, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_add_epi32, _mm512_add_pd,
    _mm512_broadcastsd_pd, _mm512_castpd_si512, _mm512_castpd512_pd128, _mm512_cvtepi64_epi32,
    _mm512_cvtepi64_pd, _mm512_cvtepu32_epi64, _mm512_fmadd_pd, _mm512_fnmadd_pd, _mm512_loadu_pd,
    _mm512_loadu_si512, _mm512_mask_blend_epi32, _mm512_mask_blend_pd, _mm512_min_epu32,
    _mm512_mul_pd, _mm512_permute_pd, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_set1_pd,
    _mm512_shuffle_f64x2, _mm512_slli_epi64, _mm512_srli_epi64, _mm512_storeu_pd,
    _mm512_storeu_si512, _mm512_sub_epi64, _mm512_sub_pd,
};
use std::ops::{Add, Mul, Sub};

use super::super::WIDTH;
use super::lanes::Lanes;
use crate::field::F;

/// The instruction set.
#[derive(Clone, Copy)]
pub(super) struct Avx512;

/// Eight doubles.
#[derive(Clone, Copy)]
pub(super) struct Doubles(__m512d);

macro_rules! operators {
    ($($trait:ident, $method:ident, $intrinsic:ident;)*) => {$(
        impl $trait for Doubles {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the target has AVX-512 F.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    )*};
}

operators! {
    Add, add, _mm512_add_pd;
    Sub, sub, _mm512_sub_pd;
    Mul, mul, _mm512_mul_pd;
}

impl Lanes for Avx512 {
    const LANES: usize = 8;

    type Doubles = Doubles;
    type Words = __m512i;

    #[inline(always)]
    fn splat(value: f64) -> Doubles {
        // SAFETY: the target has AVX-512 F.
        Doubles(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn multiply_add(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: the target has AVX-512 F.
        Doubles(unsafe { _mm512_fmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn subtract_product(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: the target has AVX-512 F.
        Doubles(unsafe { _mm512_fnmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn in_order(mut x: Doubles) -> Doubles {
        // SAFETY: the assembly contains no instruction.
        unsafe { asm!("/* {0} */", inout(zmm_reg) x.0, options(nomem, nostack, preserves_flags)) };
        x
    }

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
    fn broadcast_first(x: Doubles) -> Doubles {
        // SAFETY: the target has AVX-512 F.
        Doubles(unsafe { _mm512_broadcastsd_pd(_mm512_castpd512_pd128(x.0)) })
    }

    #[inline(always)]
    fn load(values: &[f64; WIDTH], part: usize) -> Doubles {
        let values = &values.as_chunks::<8>().0[part];
        // SAFETY: the target has AVX-512 F; the reference covers 64 bytes, no alignment needed.
        Doubles(unsafe { _mm512_loadu_pd(values.as_ptr()) })
    }

    #[inline(always)]
    fn store(x: Doubles, values: &mut [f64; WIDTH], part: usize) {
        let values = &mut values.as_chunks_mut::<8>().0[part];
        // SAFETY: the target has AVX-512 F; the reference covers 64 bytes, no alignment needed.
        unsafe { _mm512_storeu_pd(values.as_mut_ptr(), x.0) };
    }

    #[inline(always)]
    fn bits(x: Doubles) -> __m512i {
        // SAFETY: the target has AVX-512 F.
        unsafe { _mm512_castpd_si512(x.0) }
    }

    #[inline(always)]
    fn to_doubles(x: __m512i) -> Doubles {
        // SAFETY: the target has AVX-512 DQ.
        Doubles(unsafe { _mm512_cvtepi64_pd(x) })
    }

    #[inline(always)]
    fn splat_words(value: u64) -> __m512i {
        // SAFETY: the target has AVX-512 F.
        unsafe { _mm512_set1_epi64(value.cast_signed()) }
    }

    #[inline(always)]
    fn splat_halves(value: u32) -> __m512i {
        // SAFETY: the target has AVX-512 F.
        unsafe { _mm512_set1_epi32(value.cast_signed()) }
    }

    /// In assembly, since the compiler replaces the intrinsic by a slower 64-bit multiplication
    /// where only the low half of the product is used.
    #[inline(always)]
    fn multiply(a: __m512i, b: __m512i) -> __m512i {
        let product;
        // SAFETY: the target has AVX-512 F; the instruction reads and writes these registers only.
        unsafe {
            asm!(
                "vpmuldq {0}, {1}, {2}",
                out(zmm_reg) product, in(zmm_reg) a, in(zmm_reg) b,
                options(nomem, nostack, preserves_flags),
            );
        }
        product
    }

    #[inline(always)]
    fn subtract(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the target has AVX-512 F.
        unsafe { _mm512_sub_epi64(a, b) }
    }

    #[inline(always)]
    fn add_halves(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the target has AVX-512 F.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn min_halves(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the target has AVX-512 F.
        unsafe { _mm512_min_epu32(a, b) }
    }

    #[inline(always)]
    fn high_halves(x: __m512i) -> __m512i {
        // SAFETY: the target has AVX-512 F.
        unsafe { _mm512_srli_epi64::<32>(x) }
    }

    #[inline(always)]
    fn load_halves(values: &[u32; WIDTH], part: usize) -> __m512i {
        let values = &values.as_chunks::<8>().0[part];
        // SAFETY: the target has AVX-512 F; the reference covers 32 bytes, no alignment needed.
        unsafe { _mm512_cvtepu32_epi64(_mm256_loadu_si256(values.as_ptr().cast())) }
    }

    #[inline(always)]
    fn load_elements(state: &[F; WIDTH], part: usize) -> __m512i {
        let values = &state.as_chunks::<8>().0[part];
        // SAFETY: the target has AVX-512 F; the reference covers 32 bytes, no alignment needed. An
        // element is a `u32`, its Montgomery form.
        unsafe { _mm512_cvtepu32_epi64(_mm256_loadu_si256(values.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store_elements(x: __m512i, state: &mut [F; WIDTH], part: usize) {
        let values = &mut state.as_chunks_mut::<8>().0[part];
        // SAFETY: as in `load_elements`; the caller's values are canonical.
        unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(x)) };
    }

    #[inline(always)]
    fn load_packed(packed: &[F]) -> __m512i {
        let values = &packed.as_chunks::<16>().0[0];
        // SAFETY: the target has AVX-512 F; the reference covers 64 bytes, no alignment needed. An
        // element is a `u32`, its Montgomery form.
        unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
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
