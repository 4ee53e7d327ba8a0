//! Vectors as arrays, for tests on every processor. They panic where the kernel must not overflow.

use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::super::WIDTH;
use super::VECTORS;
use super::vector::Vector;
use crate::field::F;

/// A vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lanes(pub [i32; 4]);

impl Lanes {
    fn zip(self, other: Self, operation: impl Fn(i32, i32) -> i32) -> Self {
        Self(std::array::from_fn(|i| operation(self.0[i], other.0[i])))
    }

    /// The integers of 16 bits.
    fn sixteens(self) -> [i16; 8] {
        std::array::from_fn(|i| (self.0[i / 2] >> (16 * (i % 2))) as i16)
    }

    fn of_sixteens(values: [i16; 8]) -> Self {
        Self(std::array::from_fn(|i| {
            super::halves(values[2 * i].into(), values[2 * i + 1].into())
        }))
    }
}

/// `2^32`.
fn radix() -> F {
    F::TWO.exp_u64(32)
}

impl Vector for Lanes {
    fn new(values: [i32; 4]) -> Self {
        Self(values)
    }

    fn of_elements(state: &[F; WIDTH], part: usize) -> Self {
        let montgomery = |i: usize| (state[4 * part + i] * radix()).as_canonical_u32();
        Self(std::array::from_fn(|i| montgomery(i).cast_signed()))
    }

    fn to_elements(parts: [Self; VECTORS]) -> [F; WIDTH] {
        std::array::from_fn(|i| {
            let value = parts[i / 4].0[i % 4].cast_unsigned();
            assert!(value < F::ORDER_U32, "{value} is not canonical");
            F::from_u32(value) / radix()
        })
    }

    fn first(self) -> i32 {
        self.0[0]
    }

    fn with_first(self, first: i32) -> Self {
        let Self([_, b, c, d]) = self;
        Self([first, b, c, d])
    }

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a.checked_add(b).expect("no overflow"))
    }

    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a.checked_sub(b).expect("no overflow"))
    }

    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }

    fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    fn shift_left<const BITS: u32>(self) -> Self {
        Self(self.0.map(|x| x.wrapping_shl(BITS)))
    }

    fn shift_right<const BITS: u32>(self) -> Self {
        Self(self.0.map(|x| x >> BITS))
    }

    fn add_to_negative(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < 0 { a + b } else { a })
    }

    fn low_product(self, other: Self) -> Self {
        self.zip(other, i32::wrapping_mul)
    }

    fn high_product(self, other: Self) -> Self {
        self.zip(other, |a, b| ((i64::from(a) * i64::from(b)) >> 32) as i32)
    }

    fn low_halves(self, other: Self) -> Self {
        let all = [self.0, other.0].concat();
        Self::of_sixteens(std::array::from_fn(|i| all[i] as i16))
    }

    fn high_halves(self, other: Self) -> Self {
        let all = [self.0, other.0].concat();
        Self::of_sixteens(std::array::from_fn(|i| {
            let high = (i64::from(all[i]) - i64::from(all[i] as i16)) >> 16;
            high.try_into().expect("16 bits")
        }))
    }

    fn pairs(self) -> [Self; 4] {
        self.0.map(|pair| Self([pair; 4]))
    }

    fn dot(self, other: Self) -> Self {
        let (a, b) = (self.sixteens(), other.sixteens());
        let product = |i: usize| i32::from(a[i]) * i32::from(b[i]);
        Self(std::array::from_fn(|i| {
            product(2 * i)
                .checked_add(product(2 * i + 1))
                .expect("no overflow")
        }))
    }
}
