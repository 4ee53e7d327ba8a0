//! Ranges and comparisons of integers at run time.
//!
//! An element stands for its canonical integer, which is below `p = 2^31 - 2^24 + 1`. So an integer
//! of 32 bits takes two elements ([`U32`]). Nothing here reads a hint of the tape: the bits are
//! those of the precompile `right_shifts`, whose table constrains them.

use crate::bits::Bits;
use crate::prelude::*;

/// Fails unless the integer of `x` is below `2^bits`; `bits` is 1 to 32. At 31 and 32 this holds
/// for every element.
pub fn assert_bits(x: Felt, bits: usize) {
    let integer = Bits::new(x, bits.div_ceil(8));
    assert_eq!(integer.above(bits), Felt::ZERO);
}

/// Returns whether the integer of `a` is below that of `b`.
pub fn less_than(a: Felt, b: Felt) -> bool {
    U32::from_felt(a).less_than(U32::from_felt(b))
}

/// An integer below 2^32: two limbs below 2^16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct U32 {
    low: Felt,
    high: Felt,
}

impl U32 {
    /// Returns the integer `low + 2^16 high`. Fails unless both limbs are below 2^16.
    pub fn new(low: Felt, high: Felt) -> Self {
        assert_bits(low, 16);
        assert_bits(high, 16);
        Self { low, high }
    }

    /// Returns the integer of an element, which is below `p`.
    pub fn from_felt(x: Felt) -> Self {
        let high = Bits::new(x, 4).above(16);
        let low = x - high * felt(1 << 16);
        Self { low, high }
    }

    /// Returns the low limb.
    pub fn low(self) -> Felt {
        self.low
    }

    /// Returns the high limb.
    pub fn high(self) -> Felt {
        self.high
    }

    /// Returns whether this integer is below `other`.
    pub fn less_than(self, other: Self) -> bool {
        let borrowed = borrow(self.low, other.low, Felt::ZERO);
        borrow(self.high, other.high, borrowed) == Felt::ONE
    }
}

/// Returns one if `a < b + borrowed` and zero otherwise, for limbs `a` and `b` below 2^16 and
/// `borrowed` zero or one.
fn borrow(a: Felt, b: Felt, borrowed: Felt) -> Felt {
    // This is at least 0 and below 2^17. Its bit 16 is zero if and only if `a < b + borrowed`.
    let difference = a - b - borrowed + felt(1 << 16);
    Felt::ONE - Bits::new(difference, 3).above(16)
}
