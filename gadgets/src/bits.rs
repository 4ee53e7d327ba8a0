//! Decomposition of elements into bits.

use crate::advice::advise_inverse;
use crate::prelude::*;

/// Reads `N` hints and asserts that each is zero or one. The other entries of the result are zero.
pub fn hint_bits<const N: usize>() -> [Felt; 32] {
    let mut bits = [Felt::ZERO; 32];
    for i in 0..N {
        bits[i] = hint_felt().bit();
    }
    bits
}

/// The element by which the top bit is multiplied so that the following sum is an extension
/// element. Its first coefficient doubles the bit; the other coefficients of the sum are not used.
const STEP: Ext = Ext::new([2, 1, 0, 0, 0]);

/// Returns the integer of bits `from..from + len`, low first; `len` must be at least 1.
///
/// From four bits on, the sum is the first coefficient of an extension element, since that takes
/// only one instruction per bit.
pub fn integer(bits: [Felt; 32], from: usize, len: usize) -> Felt {
    let top = from + len - 1;
    if len < 4 {
        let mut sum = bits[top];
        for i in 1..len {
            sum = sum * felt(2) + bits[top - i];
        }
        sum
    } else {
        let mut sum = STEP * bits[top] + bits[top - 1];
        for i in 2..len {
            sum = sum * felt(2) + bits[top - i];
        }
        sum.coeff(0)
    }
}

/// Fails unless `bits` are the 31 bits, low first, of the canonical integer of `x`; `low` must be
/// the integer of the first `n <= 24` of them.
///
/// The modulus is `127 * 2^24 + 1`, so an integer of 31 bits is below it exactly if its top seven
/// bits are not all ones, or its low 24 bits are zero.
pub fn assert_canonical(x: Felt, bits: [Felt; 32], low: Felt, n: usize) {
    // The sum is computed as in `integer`, but its first four bits in words. The length of a
    // query's frame is the larger one of its numbers of words and of blocks, so these should be
    // about equal.
    let mut first = bits[30];
    for i in 1..4 {
        first = first * felt(2) + bits[30 - i];
    }
    let mut sum = STEP * first + bits[26];
    for i in 5..7 {
        sum = sum * felt(2) + bits[30 - i];
    }
    let top = sum.coeff(0);
    for i in 7..(31 - n) {
        sum = sum * felt(2) + bits[30 - i];
    }
    assert_eq!(sum.coeff(0) * felt(1 << n) + low, x);
    // Every value of this hint is admissible: unless the low bits are zero, the assertion below
    // requires it to be the inverse of `top - 127`.
    advise_inverse(top, felt(127));
    let inverse = hint_felt().any();
    let low = x - top * felt(1 << 24);
    assert_eq!((top - felt(127)) * inverse * low, low);
}

/// Returns `x^(2^n)`.
pub fn square_times(x: Felt, n: usize) -> Felt {
    let mut power = x;
    for _i in 0..n {
        power = power * power;
    }
    power
}

/// Inverses of the generators of the subgroups: entry `i` is for the subgroup of order `2^i`.
pub const INVERSE_GENERATORS: [u32; 25] = [
    1, 2130706432, 16711679, 1739704753, 1461727711, 1808419225, 452244254, 2112448339, 1640664448,
    477556550, 659430709, 1153704882, 1801589760, 1614507365, 2097696018, 1635147220, 1425973309,
    1510868961, 2085064165, 1558164422, 1640213611, 1891266472, 1149154590, 1761238261, 1796240327,
];
