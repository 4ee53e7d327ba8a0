//! Lane-wise field arithmetic on vectors.
//!
//! No other file of these kernels calls the processor's intrinsics, except for the transpositions
//! in `rows`. The module is compiled only if the whole build targets AVX-512 F and IFMA, so every
//! processor that runs the build has them.

use std::arch::asm;
use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm256_storeu_si256, _mm512_add_epi64, _mm512_alignr_epi64,
    _mm512_and_si512, _mm512_cvtepi64_epi32, _mm512_cvtepu32_epi64, _mm512_loadu_si512,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_min_epu64, _mm512_or_si512,
    _mm512_permutexvar_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64,
    _mm512_srli_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
};

use p3_koala_bear::PackedKoalaBearAVX512;

use super::constants::{Multiplier, P};
use crate::field::F;

/// A vector of eight lanes.
pub(super) type Lanes = __m512i;

/// `p^-1 mod 2^52`.
const INVERSE: u64 = {
    // p = 1 + 127 * 2^24, so 1 - 127 * 2^24 + (127 * 2^24)^2 is the inverse modulo 2^72.
    let step = 127u128 << 24;
    ((1 + step * step + (1 << 100) - step) & ((1 << 52) - 1)) as u64
};

/// `-p mod 2^52`.
const NEGATED: u64 = (1 << 52) - P;

/// Defines safe functions each of which is one intrinsic.
macro_rules! intrinsics {
    ($($(#[$doc:meta])* $name:ident($($argument:ident),*) = $intrinsic:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name($($argument: Lanes),*) -> Lanes {
            // SAFETY: the target has AVX-512 F and IFMA, as the module's documentation explains.
            unsafe { $intrinsic($($argument),*) }
        }
    )*};
}

intrinsics! {
    /// Zero in every lane.
    zero() = _mm512_setzero_si512;
    /// Sum modulo `2^64`.
    add(a, b) = _mm512_add_epi64;
    /// Difference modulo `2^64`.
    sub(a, b) = _mm512_sub_epi64;
    /// Bitwise and.
    and(a, b) = _mm512_and_si512;
    /// Bitwise or.
    or(a, b) = _mm512_or_si512;
    /// The smaller one of two lanes.
    min(a, b) = _mm512_min_epu64;
    /// `sum` plus the low 52 bits of the product of the low 52 bits of `a` and `b`.
    multiply_add(sum, a, b) = _mm512_madd52lo_epu64;
    /// `sum` plus the high 52 bits of the product of the low 52 bits of `a` and `b`.
    multiply_add_high(sum, a, b) = _mm512_madd52hi_epu64;
}

/// The same constant in every lane.
#[inline(always)]
pub(super) fn splat(value: u64) -> Lanes {
    // SAFETY: the target has AVX-512 F.
    unsafe { _mm512_set1_epi64(value.cast_signed()) }
}

/// Shifts every lane left.
#[inline(always)]
pub(super) fn shift_left<const BITS: u32>(x: Lanes) -> Lanes {
    // SAFETY: the target has AVX-512 F.
    unsafe { _mm512_slli_epi64::<BITS>(x) }
}

/// Shifts every lane right.
#[inline(always)]
pub(super) fn shift_right<const BITS: u32>(x: Lanes) -> Lanes {
    // SAFETY: the target has AVX-512 F.
    unsafe { _mm512_srli_epi64::<BITS>(x) }
}

/// Loads the sixteen Montgomery words of a packed element, two per lane.
#[inline(always)]
pub(super) fn load(x: &PackedKoalaBearAVX512) -> Lanes {
    // SAFETY: a packed element is 16 words of 32 bits, 64 bytes without padding, and the load needs
    // no alignment; the target has AVX-512 F.
    unsafe { _mm512_loadu_si512(std::ptr::from_ref(x).cast()) }
}

/// Stores sixteen Montgomery words, each of which must be below `p`.
#[inline(always)]
pub(super) fn store(x: &mut PackedKoalaBearAVX512, words: Lanes) {
    // SAFETY: as for the load; words below p are what a packed element may hold.
    unsafe { _mm512_storeu_si512(std::ptr::from_mut(x).cast(), words) }
}

/// Loads eight constants, one per lane.
#[inline(always)]
pub(super) fn lanes(values: &[u64; 8]) -> Lanes {
    // SAFETY: the reference covers 64 bytes, and the load needs no alignment; the target has
    // AVX-512 F.
    unsafe { _mm512_loadu_si512(values.as_ptr().cast()) }
}

/// Rotates lanes: lane `i` of the result is lane `i + BY` of `x`, cyclically.
#[inline(always)]
pub(super) fn rotate<const BY: i32>(x: Lanes) -> Lanes {
    // SAFETY: the target has AVX-512 F.
    unsafe { _mm512_alignr_epi64::<BY>(x, x) }
}

/// Copies lane `index` of `x`, which must be below 8, to every lane.
#[inline(always)]
pub(super) fn broadcast(x: Lanes, index: u64) -> Lanes {
    // SAFETY: the target has AVX-512 F.
    unsafe { _mm512_permutexvar_epi64(splat(index), x) }
}

/// Loads eight Montgomery words, one per lane.
#[inline(always)]
pub(super) fn load_eight(x: &[F; 8]) -> Lanes {
    // SAFETY: an element is one word of 32 bits, so this is 32 bytes, and the load needs no
    // alignment; the target has AVX-512 F.
    unsafe { _mm512_cvtepu32_epi64(_mm256_loadu_si256(x.as_ptr().cast())) }
}

/// Stores eight Montgomery words, each of which must be below `p`.
#[inline(always)]
pub(super) fn store_eight(x: &mut [F; 8], words: Lanes) {
    // SAFETY: as for the load; words below p are what an element may hold.
    unsafe { _mm256_storeu_si256(x.as_mut_ptr().cast(), _mm512_cvtepi64_epi32(words)) }
}

/// Returns `x` unchanged, and keeps the compiler from moving its computation across other calls of
/// this function.
///
/// The compiler would otherwise gather a chain of dependent steps in one place. Spread out, their
/// latency is hidden by the independent work between them.
#[inline(always)]
pub(super) fn in_order(mut x: Lanes) -> Lanes {
    // SAFETY: the assembly contains no instruction.
    unsafe { asm!("/* {0} */", inout(zmm_reg) x, options(nomem, nostack, preserves_flags)) };
    x
}

/// `x w` modulo `p`, below `p + x p / 2^52`.
#[inline(always)]
pub(super) fn multiply(x: Lanes, w: &Multiplier) -> Lanes {
    let quotient = multiply_add_high(zero(), x, splat(w.quotient));
    let low = multiply_add(zero(), x, splat(w.value));
    multiply_add(low, quotient, splat(NEGATED))
}

/// Reduces `x`, which must be below `2^52`, modulo `p` to a value below `p + x p / 2^52 + 1`.
#[inline(always)]
pub(super) fn reduce(x: Lanes) -> Lanes {
    let quotient = multiply_add_high(zero(), x, splat((1 << 52) / P));
    multiply_add(x, quotient, splat(NEGATED))
}

/// The representative below `p` of a value that is below `2^46`.
#[inline(always)]
pub(super) fn canonical(x: Lanes) -> Lanes {
    let mask = splat((1 << 52) - 1);
    let reduced = and(reduce(and(x, mask)), mask);
    min(reduced, sub(reduced, splat(P)))
}

/// A Montgomery product that is being computed: first the halves of the product, then the quotient
/// and the high half.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub low: Lanes,
    pub high: Lanes,
}

/// First third of a Montgomery product: computes the product.
#[inline(always)]
pub(super) fn montgomery_start(a: Lanes, b: Lanes) -> Product {
    Product {
        low: multiply_add(zero(), a, b),
        high: multiply_add_high(splat(P), a, b),
    }
}

/// Second third: computes the quotient, which is the low half times `p^-1`.
#[inline(always)]
pub(super) fn montgomery_middle(product: Product) -> Product {
    Product {
        low: multiply_add(zero(), product.low, splat(INVERSE)),
        ..product
    }
}

/// Last third: returns `a b / 2^52` modulo `p`, above 0 and at most `a b / 2^52 + p`.
///
/// The low halves of the product and of the quotient times `p` are equal, so only the high halves
/// are subtracted. That of the quotient times `p` is below `p`, and the first third has added `p`.
#[inline(always)]
pub(super) fn montgomery_end(product: Product) -> Lanes {
    sub(
        product.high,
        multiply_add_high(zero(), product.low, splat(P)),
    )
}

/// `x^3 / 2^104` modulo `p`, below `2 p` for `x < 2^45`, for `N` values at once.
#[inline(always)]
pub(super) fn cubes<const N: usize>(x: &[Lanes; N]) -> [Lanes; N] {
    let mut product: [Product; N] = std::array::from_fn(|i| montgomery_start(x[i], x[i]));
    for product in &mut product {
        *product = montgomery_middle(*product);
    }
    for (i, product) in product.iter_mut().enumerate() {
        *product = montgomery_start(montgomery_end(*product), x[i]);
    }
    for product in &mut product {
        *product = montgomery_middle(*product);
    }
    std::array::from_fn(|i| montgomery_end(product[i]))
}

/// `low + 2^52 high`, divided by `2^52`, modulo `p`: above 0 and at most `high + low / 2^52 + p`.
#[inline(always)]
pub(super) fn montgomery_reduce(low: Lanes, high: Lanes) -> Lanes {
    let quotient = multiply_add(zero(), low, splat(INVERSE));
    let carried = add(add(high, splat(P)), shift_right::<52>(low));
    sub(carried, multiply_add_high(zero(), quotient, splat(P)))
}

#[cfg(test)]
mod tests {
    use p3_field::{Field, PrimeCharacteristicRing};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// Boundary values and random values in lanes, all below `bound`.
    fn samples(bound: u64) -> Vec<[u64; 8]> {
        let mut rng = SmallRng::seed_from_u64(52);
        let edges = [0, 1, 2, P - 1, P, P + 1, 2 * P - 1, bound - 1];
        let mut samples = vec![
            edges.map(|edge| edge.min(bound - 1)),
            [bound - 1; 8],
            [0; 8],
        ];
        samples.extend((0..500).map(|_| std::array::from_fn(|_| rng.random_range(0..bound))));
        samples
    }

    fn words(x: Lanes) -> [u64; 8] {
        let mut words = [0; 8];
        // SAFETY: the reference covers 64 bytes, no alignment needed; the target has AVX-512 F.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), x) };
        words
    }

    fn low(word: u64) -> u64 {
        word & ((1 << 52) - 1)
    }

    #[test]
    fn products_by_constants_are_exact_and_bounded() {
        for constant in [0, 1, 2, P - 1, 16, 148_625_052] {
            let multiplier = Multiplier::new(F::from_u64(constant));
            for x in samples(1 << 52) {
                // Bits above the low 52 are ignored.
                let dirty = add(lanes(&x), splat(7 << 52));
                for (result, x) in words(multiply(dirty, &multiplier)).map(low).iter().zip(x) {
                    assert_eq!(F::from_u64(*result), F::from_u64(constant) * F::from_u64(x));
                    assert!(
                        u128::from(*result)
                            <= u128::from(P) + ((u128::from(x) * u128::from(P)) >> 52)
                    );
                }
            }
        }
    }

    #[test]
    fn cubes_are_exact_and_bounded() {
        let factor = F::TWO.exp_u64(104).inverse();
        for x in samples(1 << 45) {
            let [cube] = cubes(&[add(lanes(&x), splat(9 << 52))]);
            for (result, x) in words(cube).iter().zip(x) {
                assert_eq!(F::from_u64(*result), F::from_u64(x).cube() * factor);
                assert!(*result < 2 * P);
            }
        }
    }

    #[test]
    fn canonical_is_the_residue() {
        for x in samples(1 << 46) {
            let dirty = add(lanes(&x), splat(5 << 52));
            assert_eq!(words(canonical(dirty)), x.map(|x| x % P));
        }
    }

    #[test]
    fn montgomery_reduction_is_exact() {
        let factor = F::TWO.exp_u64(52).inverse();
        for (low, high) in samples(1 << 57).into_iter().zip(samples(1 << 20)) {
            let reduced = words(montgomery_reduce(lanes(&low), lanes(&high)));
            for i in 0..8 {
                let expected = F::from_u64(low[i]) * factor + F::from_u64(high[i]);
                assert_eq!(F::from_u64(reduced[i]), expected);
            }
        }
    }
}
