//! Vectors of four lanes, with AVX2 and FMA.
//!
//! The module is compiled only if the whole build targets both, so every processor that runs the
//! build has them.

use std::arch::asm;
use std::arch::x86_64::{
    __m256d, __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_epi32, _mm256_add_pd,
    _mm256_blend_epi32, _mm256_blend_pd, _mm256_broadcastsd_pd, _mm256_castpd_si256,
    _mm256_castpd256_pd128, _mm256_castsi256_pd, _mm256_castsi256_si128, _mm256_cvtepu32_epi64,
    _mm256_fmadd_pd, _mm256_fnmadd_pd, _mm256_loadu_pd, _mm256_loadu_si256, _mm256_min_epu32,
    _mm256_mul_pd, _mm256_permute_pd, _mm256_permute2f128_pd, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_setr_epi32, _mm256_slli_epi64,
    _mm256_srli_epi64, _mm256_storeu_pd, _mm256_storeu_si256, _mm256_sub_epi64, _mm256_sub_pd,
    _mm256_xor_si256,
};
use std::ops::{Add, Mul, Sub};

use super::super::WIDTH;
use super::lanes::Lanes;
use crate::field::F;

/// The instruction set.
#[derive(Clone, Copy)]
pub(super) struct Avx2;

/// Four doubles.
#[derive(Clone, Copy)]
pub(super) struct Doubles(__m256d);

macro_rules! operators {
    ($($trait:ident, $method:ident, $intrinsic:ident;)*) => {$(
        impl $trait for Doubles {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the target has AVX2.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    )*};
}

operators! {
    Add, add, _mm256_add_pd;
    Sub, sub, _mm256_sub_pd;
    Mul, mul, _mm256_mul_pd;
}

impl Lanes for Avx2 {
    const LANES: usize = 4;

    type Doubles = Doubles;
    type Words = __m256i;

    #[inline(always)]
    fn splat(value: f64) -> Doubles {
        // SAFETY: the target has AVX2.
        Doubles(unsafe { _mm256_set1_pd(value) })
    }

    #[inline(always)]
    fn multiply_add(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: the target has FMA.
        Doubles(unsafe { _mm256_fmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn subtract_product(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        // SAFETY: the target has FMA.
        Doubles(unsafe { _mm256_fnmadd_pd(a.0, b.0, c.0) })
    }

    #[inline(always)]
    fn in_order(mut x: Doubles) -> Doubles {
        // SAFETY: the assembly contains no instruction.
        unsafe { asm!("/* {0} */", inout(ymm_reg) x.0, options(nomem, nostack, preserves_flags)) };
        x
    }

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

    #[inline(always)]
    fn broadcast_first(x: Doubles) -> Doubles {
        // SAFETY: the target has AVX2.
        Doubles(unsafe { _mm256_broadcastsd_pd(_mm256_castpd256_pd128(x.0)) })
    }

    #[inline(always)]
    fn load(values: &[f64; WIDTH], part: usize) -> Doubles {
        let values = &values.as_chunks::<4>().0[part];
        // SAFETY: the target has AVX2; the reference covers 32 bytes, no alignment needed.
        Doubles(unsafe { _mm256_loadu_pd(values.as_ptr()) })
    }

    #[inline(always)]
    fn store(x: Doubles, values: &mut [f64; WIDTH], part: usize) {
        let values = &mut values.as_chunks_mut::<4>().0[part];
        // SAFETY: the target has AVX2; the reference covers 32 bytes, no alignment needed.
        unsafe { _mm256_storeu_pd(values.as_mut_ptr(), x.0) };
    }

    #[inline(always)]
    fn bits(x: Doubles) -> __m256i {
        // SAFETY: the target has AVX2.
        unsafe { _mm256_castpd_si256(x.0) }
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
    fn splat_words(value: u64) -> __m256i {
        // SAFETY: the target has AVX2.
        unsafe { _mm256_set1_epi64x(value.cast_signed()) }
    }

    #[inline(always)]
    fn splat_halves(value: u32) -> __m256i {
        // SAFETY: the target has AVX2.
        unsafe { _mm256_set1_epi32(value.cast_signed()) }
    }

    /// In assembly, since the compiler replaces the intrinsic by a slower 64-bit multiplication
    /// where only the low half of the product is used.
    #[inline(always)]
    fn multiply(a: __m256i, b: __m256i) -> __m256i {
        let product;
        // SAFETY: the target has AVX2; the instruction reads and writes these registers only.
        unsafe {
            asm!(
                "vpmuldq {0}, {1}, {2}",
                out(ymm_reg) product, in(ymm_reg) a, in(ymm_reg) b,
                options(nomem, nostack, preserves_flags),
            );
        }
        product
    }

    #[inline(always)]
    fn subtract(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the target has AVX2.
        unsafe { _mm256_sub_epi64(a, b) }
    }

    #[inline(always)]
    fn add_halves(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the target has AVX2.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    fn min_halves(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: the target has AVX2.
        unsafe { _mm256_min_epu32(a, b) }
    }

    #[inline(always)]
    fn high_halves(x: __m256i) -> __m256i {
        // SAFETY: the target has AVX2.
        unsafe { _mm256_srli_epi64::<32>(x) }
    }

    #[inline(always)]
    fn load_halves(values: &[u32; WIDTH], part: usize) -> __m256i {
        let values = &values.as_chunks::<4>().0[part];
        // SAFETY: the target has AVX2; the reference covers 16 bytes, no alignment needed.
        unsafe { _mm256_cvtepu32_epi64(_mm_loadu_si128(values.as_ptr().cast())) }
    }

    #[inline(always)]
    fn load_elements(state: &[F; WIDTH], part: usize) -> __m256i {
        let values = &state.as_chunks::<4>().0[part];
        // SAFETY: the target has AVX2; the reference covers 16 bytes, no alignment needed. An
        // element is a `u32`, its Montgomery form.
        unsafe { _mm256_cvtepu32_epi64(_mm_loadu_si128(values.as_ptr().cast())) }
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
    fn load_packed(packed: &[F]) -> __m256i {
        let values = &packed.as_chunks::<8>().0[0];
        // SAFETY: the target has AVX2; the reference covers 32 bytes, no alignment needed. An
        // element is a `u32`, its Montgomery form.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
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
