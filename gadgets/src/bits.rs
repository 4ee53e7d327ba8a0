//! Decomposition of elements into bits, and what a query index means.

use crate::prelude::*;

/// The 31 bits of the canonical integer of `x`, low first.
///
/// Bits are hints. The modulus is `127 * 2^24 + 1`: an integer of 31 bits is below it exactly if its
/// top seven bits are not all ones, or its low 24 bits are zero.
pub fn canonical_bits(x: Felt) -> [Felt; 31] {
    let mut bits = [Felt::ZERO; 31];
    for i in 0..31 {
        bits[i] = hint_felt().bit();
    }
    let mut high = Felt::ZERO;
    for i in 0..7 {
        high = high * felt(2) + bits[30 - i];
    }
    let mut low = Felt::ZERO;
    for i in 0..24 {
        low = low * felt(2) + bits[23 - i];
    }
    assert_eq!(high * felt(1 << 24) + low, x);
    // `all` is forced to zero unless the top bits are all ones, and then it is one.
    let distance = high - felt(127);
    // Every value is admissible: a wrong one fails the next assertion.
    let inverse = hint_felt().any();
    let all = Felt::ONE - distance * inverse;
    assert_eq!(distance * all, Felt::ZERO);
    assert_eq!(low * all, Felt::ZERO);
    bits
}

/// `index >> i` for every `i` up to `n`, where `index` is the integer of the first `n <= 31` bits.
pub fn shifts(bits: [Felt; 31], n: usize) -> [Felt; 32] {
    let mut shifted = [Felt::ZERO; 32];
    for i in 0..n {
        let at = n - 1 - i;
        shifted[at] = shifted[at + 1] * felt(2) + bits[at];
    }
    shifted
}

/// Bits `from..to` of an index, as an integer.
pub fn window(shifted: [Felt; 32], from: usize, to: usize) -> Felt {
    shifted[from] - shifted[to] * felt(1 << (to - from))
}

/// For every `i` up to `n`: the product of `g_(j + 1)` over the bits `j` from `i` to `n - 1` that are
/// one, where `g_k` generates the subgroup of order `2^k`.
///
/// Entry 0 is `g_n^r` for the bit-reversed index `r`: the point at which codewords of length `2^n` are
/// opened. In general entry `i`, raised to `2^c` for `c <= i`, is that point on the domain of length
/// `2^(n - c)`, with its low `i - c` bits set to zero.
pub fn points(bits: [Felt; 31], n: usize) -> [Felt; 32] {
    let mut points = [Felt::ONE; 32];
    for i in 0..n {
        let at = n - 1 - i;
        let factor = bits[at] * (Felt::new(GENERATORS[at + 1]) - Felt::ONE) + Felt::ONE;
        points[at] = points[at + 1] * factor;
    }
    points
}

/// `x^(2^n)`.
pub fn square_times(x: Felt, n: usize) -> Felt {
    let mut power = x;
    for _i in 0..n {
        power = power * power;
    }
    power
}

/// Generator of the subgroup of order `2^i`.
pub const GENERATORS: [u32; 25] = [
    1, 2130706432, 2113994754, 1748172362, 148625052, 170455089, 1548376985, 699882112, 392596362,
    665670555, 860702919, 2000983452, 1989134074, 809067698, 1047035213, 1168510561, 1848593786,
    373019801, 1816824389, 339671193, 1364057261, 1213133211, 542991299, 1760025929, 1791270792,
];

/// Inverses of [`GENERATORS`].
pub const INVERSE_GENERATORS: [u32; 25] = [
    1, 2130706432, 16711679, 1739704753, 1461727711, 1808419225, 452244254, 2112448339, 1640664448,
    477556550, 659430709, 1153704882, 1801589760, 1614507365, 2097696018, 1635147220, 1425973309,
    1510868961, 2085064165, 1558164422, 1640213611, 1891266472, 1149154590, 1761238261, 1796240327,
];
