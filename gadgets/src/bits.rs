//! Decomposition of elements into bits.

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

/// The bits of an integer.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    /// The integer, a canonical one.
    integer: Felt,
    /// The integer shifted right by 0 to `8 blocks - 1` bits.
    shifts: Slice,
    blocks: usize,
}

impl Bits {
    /// Returns the bits of the canonical integer of `x`. Fails if there are more than `8 blocks`;
    /// `blocks` is 1 to 4.
    pub fn new(x: Felt, blocks: usize) -> Self {
        Self {
            integer: x,
            shifts: right_shifts(x, blocks),
            blocks,
        }
    }

    /// Returns the integer of the bits from bit `from` on.
    pub fn above(&self, from: usize) -> Felt {
        if from == 0 {
            self.integer
        } else if from >= 8 * self.blocks {
            Felt::ZERO
        } else {
            self.shifts.block(from / 8).lane(from % 8)
        }
    }

    /// Returns the integer of bits `from..to`. The same bits are computed once.
    ///
    /// Fails unless `from <= to <= 8 blocks`.
    pub fn part(&self, from: usize, to: usize) -> Felt {
        assert!(from <= to);
        assert!(to <= 8 * self.blocks);
        if from == to {
            Felt::ZERO
        } else {
            self.above(from) - self.above(to) * felt(1usize << (to - from))
        }
    }
}

/// Inverses of the generators of the subgroups: entry `i` is for the subgroup of order `2^i`.
pub const INVERSE_GENERATORS: [u32; 25] = [
    1, 2130706432, 16711679, 1739704753, 1461727711, 1808419225, 452244254, 2112448339, 1640664448,
    477556550, 659430709, 1153704882, 1801589760, 1614507365, 2097696018, 1635147220, 1425973309,
    1510868961, 2085064165, 1558164422, 1640213611, 1891266472, 1149154590, 1761238261, 1796240327,
];
