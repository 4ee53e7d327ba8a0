#![allow(clippy::needless_range_loop)] // plain loops inline into functions of a target feature
//! Arithmetic on eight field elements at a time, in 5 limbs of 52 bits, by AVX-512 IFMA.
//!
//! The Montgomery radix is `2^260`, and moduli have 65 to 255 bits. Elements are not kept below the
//! modulus: a product of factors below `u p` and `v p` is below `(1 + u v / 32) p`, so a sum or
//! difference of a few elements can be multiplied without being reduced. Every function states in
//! multiples of `p` what it accepts and returns. "Normal" limbs are below `2^52`; multiplication
//! ignores higher bits.

#[cfg(test)]
mod tests;

use std::arch::x86_64::*;

/// Eight 64-bit words.
pub type V = __m512i;

/// Number of limbs of an element.
pub const LIMBS: usize = 5;

const BITS: u32 = 52;
const MASK: u64 = (1 << BITS) - 1;

/// Eight field elements.
pub type Fe = [V; LIMBS];

/// Whether this machine has the instructions that the functions of this module use.
pub fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512ifma")
        && is_x86_feature_detected!("avx512vbmi2")
}

/// Converts an integer in four words to limbs of 52 bits.
pub const fn limbs(words: &[u64; 4]) -> [u64; LIMBS] {
    [
        words[0] & MASK,
        (words[0] >> 52 | words[1] << 12) & MASK,
        (words[1] >> 40 | words[2] << 24) & MASK,
        (words[2] >> 28 | words[3] << 36) & MASK,
        words[3] >> 16,
    ]
}

/// Number of multiples of the modulus in the table, from 0 on.
const MULTIPLES: usize = 10;

/// An odd modulus of 65 to 255 bits, with the constants that the functions need.
#[derive(Clone, Copy, Debug)]
pub struct Modulus {
    /// `k p` in normal limbs, for `k` up to 9.
    multiples: [[u64; LIMBS]; MULTIPLES],
    /// `p^-1 mod 2^52`.
    inverse: u64,
}

impl Modulus {
    /// The constants of a modulus, if it is odd and of a length that is supported.
    pub fn new(words: &[u64; 4]) -> Option<Self> {
        if words[0] & 1 == 0 || words[3] >> 63 != 0 || words[1..] == [0; 3] {
            return None;
        }
        let p = limbs(words);
        let mut multiples = [[0; LIMBS]; MULTIPLES];
        for k in 1..MULTIPLES {
            let mut carry = 0;
            for i in 0..LIMBS {
                let sum = multiples[k - 1][i] + p[i] + carry;
                multiples[k][i] = sum & MASK;
                carry = sum >> BITS;
            }
        }
        // Newton's iteration: an odd number is its own inverse modulo 8.
        let inverse = (0..5).fold(p[0], |x, _| {
            x.wrapping_mul(2u64.wrapping_sub(p[0].wrapping_mul(x)))
        });
        Some(Self {
            multiples,
            inverse: inverse & MASK,
        })
    }

    /// `k p`, for `k` up to 9.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn multiple<const K: usize>(&self) -> Fe {
        splat(&self.multiples[K])
    }

    /// `a b / 2^260`: for `a` below `u p` and `b` below `v p`, with normal limbs, the result is
    /// below `(1 + u v / 32) p`, with normal limbs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn mul(&self, a: &Fe, b: &Fe) -> Fe {
        let p = self.multiple::<1>();
        let minus_inverse = _mm512_set1_epi64((self.inverse.wrapping_neg() & MASK) as i64);
        let zero = _mm512_setzero_si512();
        let mut t = [zero; LIMBS];
        for j in 0..LIMBS {
            t[j] = lo(zero, a[j], b[0]);
        }
        for i in 0..LIMBS {
            // The additions that do not wait for the quotient come first.
            let mut next: Fe = [t[1], t[2], t[3], t[4], zero];
            for j in 0..LIMBS {
                next[j] = hi(next[j], a[j], b[i]);
                if i + 1 < LIMBS {
                    next[j] = lo(next[j], a[j], b[i + 1]);
                }
            }
            let quotient = lo(zero, t[0], minus_inverse);
            let carry = _mm512_srli_epi64::<BITS>(lo(t[0], quotient, p[0]));
            for j in 0..LIMBS {
                next[j] = hi(next[j], quotient, p[j]);
                if j + 1 < LIMBS {
                    next[j] = lo(next[j], quotient, p[j + 1]);
                }
            }
            next[0] = _mm512_add_epi64(next[0], carry);
            t = next;
        }
        normalize(t)
    }

    /// `sum_j a_j b_j / 2^260` for up to 8 terms. Each `b_j` is one number, the same for all lanes:
    /// `b[limb][j]`. For `a_j` below `u_j p` and `b_j` below `v_j p`, with normal limbs, the result
    /// is below `(1 + sum_j u_j v_j / 32) p`, with normal limbs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn dot_broadcast(&self, a: &[[[u64; 8]; LIMBS]], b: &[[u64; 8]; LIMBS]) -> Fe {
        let zero = _mm512_setzero_si512();
        // Low and high halves are summed separately, which makes the chains of additions half as
        // long.
        let (mut low, mut high) = ([zero; 2 * LIMBS], [zero; 2 * LIMBS]);
        for (term, a) in a.iter().enumerate().take(8) {
            for i in 0..LIMBS {
                let factor = _mm512_set1_epi64(b[i][term] as i64);
                for j in 0..LIMBS {
                    let a = load(&a[j]);
                    low[i + j] = lo(low[i + j], a, factor);
                    high[i + j + 1] = hi(high[i + j + 1], a, factor);
                }
            }
        }
        let p = self.multiple::<1>();
        let minus_inverse = _mm512_set1_epi64((self.inverse.wrapping_neg() & MASK) as i64);
        let mut t = low;
        for i in 0..2 * LIMBS {
            t[i] = _mm512_add_epi64(low[i], high[i]);
        }
        for i in 0..LIMBS {
            let quotient = lo(zero, t[i], minus_inverse);
            let carry = _mm512_srli_epi64::<BITS>(lo(t[i], quotient, p[0]));
            t[i + 1] = _mm512_add_epi64(t[i + 1], carry);
            for j in 0..LIMBS {
                t[i + j + 1] = hi(t[i + j + 1], quotient, p[j]);
                if j + 1 < LIMBS {
                    t[i + j + 1] = lo(t[i + j + 1], quotient, p[j + 1]);
                }
            }
        }
        normalize([t[5], t[6], t[7], t[8], t[9]])
    }

    /// `a - b + K p` with normal limbs. `b` must not exceed `a + K p`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn sub<const K: usize>(&self, a: &Fe, b: &Fe) -> Fe {
        let offset = self.multiple::<K>();
        normalize(sub(&add(a, &offset), b))
    }

    /// Subtracts `K p` from values that are about that or more. The value must not be negative and
    /// must be below `u p`, with any limbs; the result is below `max(K + 0.01, u - K) p`, with
    /// normal limbs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn reduce_once<const K: usize>(&self, a: &Fe) -> Fe {
        let offset = self.multiple::<K>();
        // The top limb lacks what the other limbs still carry into it, a few units of 2^208. The
        // comparison requires some units more, so that no result is negative.
        let bound = _mm512_add_epi64(offset[4], _mm512_set1_epi64(16));
        let large = _mm512_cmpgt_epi64_mask(a[4], bound);
        let mut out = *a;
        for i in 0..LIMBS {
            out[i] = _mm512_mask_sub_epi64(out[i], large, out[i], offset[i]);
        }
        normalize(out)
    }

    /// Subtracts `K p` from exactly the values that are at least that. The value must have normal
    /// limbs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn reduce_exactly<const K: usize>(&self, a: &Fe) -> Fe {
        let less = normalize(sub(a, &self.multiple::<K>()));
        let negative = _mm512_movepi64_mask(less[4]);
        select(negative, &less, a)
    }

    /// A mask of the lanes whose value may be a multiple of the modulus: all lanes whose value is
    /// one, and one in `2^49` of the others. The value must be below `8 p`, with normal limbs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn maybe_zero(&self, a: &Fe) -> u8 {
        // The product of k p and p^-1 is k.
        let inverse = _mm512_set1_epi64(self.inverse as i64);
        let k = lo(_mm512_setzero_si512(), a[0], inverse);
        // Only the low 52 bits of the product were kept, so other values can pass too.
        _mm512_cmplt_epu64_mask(k, _mm512_set1_epi64(8))
    }

    /// A mask of the lanes whose value is a multiple of the modulus. The value must be below
    /// `10 p`, with normal limbs.
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
    pub fn is_zero(&self, a: &Fe) -> u8 {
        self.multiples.iter().fold(0, |found, multiple| {
            let equal = a
                .iter()
                .zip(splat(multiple))
                .fold(0xff, |equal, (x, y)| equal & _mm512_cmpeq_epi64_mask(*x, y));
            found | equal
        })
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn lo(sum: V, a: V, b: V) -> V {
    _mm512_madd52lo_epu64(sum, a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
fn hi(sum: V, a: V, b: V) -> V {
    _mm512_madd52hi_epu64(sum, a, b)
}

/// The same element in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn splat(limbs: &[u64; LIMBS]) -> Fe {
    let mut out = [_mm512_setzero_si512(); LIMBS];
    for i in 0..LIMBS {
        out[i] = _mm512_set1_epi64(limbs[i] as i64);
    }
    out
}

/// Sums limb by limb. The result's limbs are not normal.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn add(a: &Fe, b: &Fe) -> Fe {
    let mut out = *a;
    for i in 0..LIMBS {
        out[i] = _mm512_add_epi64(a[i], b[i]);
    }
    out
}

/// Differences limb by limb. The result's limbs are signed.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn sub(a: &Fe, b: &Fe) -> Fe {
    let mut out = *a;
    for i in 0..LIMBS {
        out[i] = _mm512_sub_epi64(a[i], b[i]);
    }
    out
}

/// Propagates signed carries: all limbs become normal, but the top one keeps the sign.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn normalize(mut a: Fe) -> Fe {
    let mask = _mm512_set1_epi64(MASK as i64);
    for i in 0..LIMBS - 1 {
        a[i + 1] = _mm512_add_epi64(a[i + 1], _mm512_srai_epi64::<BITS>(a[i]));
        a[i] = _mm512_and_si512(a[i], mask);
    }
    a
}

/// `yes` in the lanes that the mask contains, `no` in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn select(mask: u8, no: &Fe, yes: &Fe) -> Fe {
    let mut out = *no;
    for i in 0..LIMBS {
        out[i] = _mm512_mask_blend_epi64(mask, no[i], yes[i]);
    }
    out
}

/// Converts four words per lane to limbs of 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn from_words(w: &[V; 4]) -> Fe {
    let mask = _mm512_set1_epi64(MASK as i64);
    [
        _mm512_and_si512(w[0], mask),
        _mm512_and_si512(_mm512_shrdi_epi64::<52>(w[0], w[1]), mask),
        _mm512_and_si512(_mm512_shrdi_epi64::<40>(w[1], w[2]), mask),
        _mm512_and_si512(_mm512_shrdi_epi64::<28>(w[2], w[3]), mask),
        _mm512_srli_epi64::<16>(w[3]),
    ]
}

/// Converts normal limbs of a value below `2^256` to four words per lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn to_words(a: &Fe) -> [V; 4] {
    [
        _mm512_or_si512(a[0], _mm512_slli_epi64::<52>(a[1])),
        _mm512_or_si512(_mm512_srli_epi64::<12>(a[1]), _mm512_slli_epi64::<40>(a[2])),
        _mm512_or_si512(_mm512_srli_epi64::<24>(a[2]), _mm512_slli_epi64::<28>(a[3])),
        _mm512_or_si512(_mm512_srli_epi64::<36>(a[3]), _mm512_slli_epi64::<16>(a[4])),
    ]
}

/// Transposes an 8 by 8 matrix of words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn transpose(r: &[V; 8]) -> [V; 8] {
    // First pairs of words are exchanged, then pairs of pairs, then halves.
    let mut pairs = [r[0]; 8];
    for i in 0..4 {
        pairs[2 * i] = _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]);
        pairs[2 * i + 1] = _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]);
    }
    let mut quads = [r[0]; 8];
    for half in 0..2 {
        for odd in 0..2 {
            let (a, b) = (pairs[4 * half + odd], pairs[4 * half + 2 + odd]);
            quads[4 * half + odd] = _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
            quads[4 * half + 2 + odd] = _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b);
        }
    }
    // quads[odd] has the words odd and odd + 4 of rows 0 to 3, quads[2 + odd] the words odd + 2 and
    // odd + 6.
    let mut out = [r[0]; 8];
    for i in 0..4 {
        out[i] = _mm512_shuffle_i64x2::<0b10_00_10_00>(quads[i], quads[i + 4]);
        out[i + 4] = _mm512_shuffle_i64x2::<0b11_01_11_01>(quads[i], quads[i + 4]);
    }
    out
}

/// Loads eight words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn load(words: &[u64; 8]) -> V {
    // SAFETY: the reference covers the 64 bytes, and the instruction requires no alignment.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

/// Loads four words into the low half and four into the high half.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn load_pair(low: &[u64; 4], high: &[u64; 4]) -> V {
    // SAFETY: the references cover 32 bytes each, and the instruction requires no alignment.
    let [low, high] = [low, high].map(|w| unsafe { _mm256_loadu_si256(w.as_ptr().cast()) });
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// Stores eight words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma,avx512vbmi2")]
pub fn store(words: &mut [u64; 8], value: V) {
    // SAFETY: the reference covers the 64 bytes, and the instruction requires no alignment.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), value) }
}
