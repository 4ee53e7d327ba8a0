#![allow(clippy::needless_range_loop)] // plain loops inline into functions of a target feature
//! The endomorphism split of eight scalars at a time, by AVX-512 IFMA: the same arithmetic as
//! [`Endomorphism::split`], in limbs of 52 bits and modulo `2^208`.

use std::arch::x86_64::*;

use super::endomorphism::{Endomorphism, SHIFT, Short};
use super::field::ifma::{self, V};
use super::planes::Block;
use super::schedule::LANES;

/// Number of limbs of a number modulo `2^208`.
const SHORT: usize = 4;

/// The limb of a product at which rounding cuts, and the bit within it.
const CUT: usize = SHIFT as usize / 52;
const BIT: u32 = SHIFT % 52;

const MASK: i64 = (1 << 52) - 1;

/// The limbs of a number in two's complement, modulo `2^208`.
fn limbs(short: &Short) -> [u64; SHORT] {
    let sign = (short[2] as i64 >> 63) as u64;
    let [a, b, c, d, _] = ifma::limbs(&[short[0], short[1], short[2], sign]);
    [a, b, c, d]
}

impl<F: Copy> Endomorphism<F> {
    /// Splits eight scalars into their halves, in two's complement.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn split_vectorised(&self, scalars: &Block) -> [Block; 2] {
        let zero = _mm512_setzero_si512();
        let mut w = [zero; 4];
        for i in 0..4 {
            w[i] = ifma::load(&scalars[i]);
        }
        let k = ifma::from_words(&w);
        let mut halves = [[k[0], k[1], k[2], k[3]], [zero; SHORT]];
        for i in 0..2 {
            let count = rounded(&k, &limbs(&self.split.factors[i]));
            for half in 0..2 {
                add_product(
                    &mut halves[half],
                    &count,
                    &limbs(&self.split.basis[i][half]),
                );
            }
        }
        let mut out = [[[0; LANES]; 4]; 2];
        for half in 0..2 {
            let words = to_words(&halves[half]);
            for i in 0..4 {
                ifma::store(&mut out[half][i], words[i]);
            }
        }
        out
    }
}

/// `k factor / 2^304`, rounded to the nearest integer, which is below `2^156`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn rounded(k: &ifma::Fe, factor: &[u64; SHORT]) -> [V; 3] {
    let mask = _mm512_set1_epi64(MASK);
    let mut t = [_mm512_setzero_si512(); 9];
    t[CUT] = _mm512_set1_epi64(1 << (BIT - 1));
    for j in 0..SHORT {
        let factor = _mm512_set1_epi64(factor[j] as i64);
        for i in 0..ifma::LIMBS {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], k[i], factor);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], k[i], factor);
        }
    }
    for i in 0..8 {
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64::<52>(t[i]));
        t[i] = _mm512_and_si512(t[i], mask);
    }
    let mut out = [t[0]; 3];
    for i in 0..3 {
        let low = _mm512_srli_epi64::<BIT>(t[CUT + i]);
        let high = _mm512_slli_epi64::<{ 52 - BIT }>(t[CUT + i + 1]);
        out[i] = _mm512_and_si512(_mm512_or_si512(low, high), mask);
    }
    out
}

/// Adds a product, modulo `2^208`, without propagating carries.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn add_product(sum: &mut [V; SHORT], count: &[V; 3], factor: &[u64; SHORT]) {
    for j in 0..SHORT {
        let factor = _mm512_set1_epi64(factor[j] as i64);
        for i in 0..3 {
            if i + j < SHORT {
                sum[i + j] = _mm512_madd52lo_epu64(sum[i + j], count[i], factor);
            }
            if i + j + 1 < SHORT {
                sum[i + j + 1] = _mm512_madd52hi_epu64(sum[i + j + 1], count[i], factor);
            }
        }
    }
}

/// Converts limbs of any size to words in two's complement.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn to_words(limbs: &[V; SHORT]) -> [V; 4] {
    let mask = _mm512_set1_epi64(MASK);
    let mut l = *limbs;
    for i in 0..3 {
        l[i + 1] = _mm512_add_epi64(l[i + 1], _mm512_srli_epi64::<52>(l[i]));
        l[i] = _mm512_and_si512(l[i], mask);
    }
    // The sign is bit 51 of the last limb.
    let top = _mm512_srai_epi64::<12>(_mm512_slli_epi64::<12>(l[3]));
    [
        _mm512_or_si512(l[0], _mm512_slli_epi64::<52>(l[1])),
        _mm512_or_si512(_mm512_srli_epi64::<12>(l[1]), _mm512_slli_epi64::<40>(l[2])),
        _mm512_or_si512(_mm512_srli_epi64::<24>(l[2]), _mm512_slli_epi64::<28>(top)),
        _mm512_srai_epi64::<36>(top),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::endomorphism::endomorphism;
    use super::super::planes::{Word, by_word};
    use super::*;
    use crate::msm::MsmCurve;
    use crate::test_utils::{on_words, rows};

    fn check<C: MsmCurve>(scalars: &[Word; LANES]) {
        if !ifma::available() {
            return;
        }
        let endomorphism = endomorphism::<C>().unwrap();
        // SAFETY: the features were found.
        let found = unsafe { endomorphism.split_vectorised(&by_word(scalars)) };
        let halves = scalars.map(|scalar| endomorphism.split(&scalar));
        assert_eq!(
            found,
            [0, 1].map(|half| by_word(&halves.map(|both| both[half])))
        );
    }

    fn check_curves(scalars: &[Word; LANES]) {
        check::<ark_bn254::g1::Config>(scalars);
        check::<ark_grumpkin::GrumpkinConfig>(scalars);
        check::<ark_pallas::PallasConfig>(scalars);
        check::<ark_vesta::VestaConfig>(scalars);
    }

    #[test]
    fn boundaries() {
        for bit in 0..256 {
            let mut power = [0; 4];
            power[bit / 64] = 1u64 << (bit % 64);
            let below = std::array::from_fn(|i| match i.cmp(&(bit / 64)) {
                std::cmp::Ordering::Less => u64::MAX,
                std::cmp::Ordering::Equal => power[i] - 1,
                std::cmp::Ordering::Greater => 0,
            });
            let rest = power.map(|word| !word);
            check_curves(&[
                power,
                below,
                rest,
                [0; 4],
                [u64::MAX; 4],
                power,
                rest,
                below,
            ]);
        }
    }

    #[test]
    fn agrees_with_the_scalar_split() {
        on_words(256, 4 * LANES, &|words| check_curves(&rows(words)));
    }
}
