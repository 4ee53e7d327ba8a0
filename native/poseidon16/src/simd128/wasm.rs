//! Vectors of WebAssembly.
//!
//! A module that has these instructions is refused by engines that do not, so functions that are
//! compiled for them need no check, and the instructions no `unsafe`.

use std::arch::wasm32::{
    i16x8_narrow_i32x4, i32x4, i32x4_add, i32x4_dot_i16x8, i32x4_extract_lane, i32x4_mul,
    i32x4_replace_lane, i32x4_shl, i32x4_shr, i32x4_shuffle, i32x4_splat, i32x4_sub,
    i64x2_extmul_high_i32x4, i64x2_extmul_low_i32x4, u32x4_min, v128, v128_and, v128_xor,
};

use super::super::WIDTH;
use super::VECTORS;
use super::vector::Vector;
use crate::field::F;

/// A vector.
#[derive(Clone, Copy)]
pub(super) struct Words(v128);

#[cfg(test)]
impl Words {
    /// The integers.
    pub(super) fn lanes(self) -> [i32; 4] {
        [
            i32x4_extract_lane::<0>(self.0),
            i32x4_extract_lane::<1>(self.0),
            i32x4_extract_lane::<2>(self.0),
            i32x4_extract_lane::<3>(self.0),
        ]
    }
}

impl Vector for Words {
    #[inline(always)]
    fn new([a, b, c, d]: [i32; 4]) -> Self {
        Self(i32x4(a, b, c, d))
    }

    #[inline(always)]
    fn of_elements(state: &[F; WIDTH], part: usize) -> Self {
        // SAFETY: an element is a `u32`, its Montgomery form, and every `u32` is an `i32`.
        let words = unsafe { &*std::ptr::from_ref(state).cast::<[[i32; 4]; VECTORS]>() };
        Self::new(words[part])
    }

    #[inline(always)]
    fn to_elements(parts: [Self; VECTORS]) -> [F; WIDTH] {
        // SAFETY: an element is a `u32`, its Montgomery form; those of `parts` are canonical.
        unsafe { std::mem::transmute::<[Self; VECTORS], [F; WIDTH]>(parts) }
    }

    #[inline(always)]
    fn first(self) -> i32 {
        i32x4_extract_lane::<0>(self.0)
    }

    #[inline(always)]
    fn with_first(self, first: i32) -> Self {
        Self(i32x4_replace_lane::<0>(self.0, first))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(i32x4_add(self.0, other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(i32x4_sub(self.0, other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(self) -> Self {
        Self(i32x4_shl(self.0, BITS))
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(self) -> Self {
        Self(i32x4_shr(self.0, BITS))
    }

    #[inline(always)]
    fn add_to_negative(self, other: Self) -> Self {
        // A negative integer is the greater one of the two, without its sign.
        Self(u32x4_min(self.0, i32x4_add(self.0, other.0)))
    }

    #[inline(always)]
    fn low_product(self, other: Self) -> Self {
        Self(i32x4_mul(self.0, other.0))
    }

    #[inline(always)]
    fn high_product(self, other: Self) -> Self {
        let low = i64x2_extmul_low_i32x4(self.0, other.0);
        let high = i64x2_extmul_high_i32x4(self.0, other.0);
        Self(i32x4_shuffle::<1, 3, 5, 7>(low, high))
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        let extended = |x| i32x4_shr(i32x4_shl(x, 16), 16);
        Self(i16x8_narrow_i32x4(extended(self.0), extended(other.0)))
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        let rounded = |x| i32x4_shr(i32x4_add(x, i32x4_splat(1 << 15)), 16);
        Self(i16x8_narrow_i32x4(rounded(self.0), rounded(other.0)))
    }

    #[inline(always)]
    fn pairs(self) -> [Self; 4] {
        [
            i32x4_shuffle::<0, 0, 0, 0>(self.0, self.0),
            i32x4_shuffle::<1, 1, 1, 1>(self.0, self.0),
            i32x4_shuffle::<2, 2, 2, 2>(self.0, self.0),
            i32x4_shuffle::<3, 3, 3, 3>(self.0, self.0),
        ]
        .map(Self)
    }

    #[inline(always)]
    fn dot(self, other: Self) -> Self {
        Self(i32x4_dot_i16x8(self.0, other.0))
    }
}
