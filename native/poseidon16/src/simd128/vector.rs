//! What the kernel needs of vectors.

use super::super::WIDTH;
use super::VECTORS;
use crate::field::F;

/// A vector of four signed integers of 32 bits, or of eight of 16 bits, which are their halves, the
/// low one first.
///
/// Methods act on every integer of 32 bits, modulo `2^32`, if they do not say otherwise.
pub(super) trait Vector: Copy {
    /// The vector of these.
    fn new(values: [i32; 4]) -> Self;

    /// Part `part` of a state, in Montgomery form.
    fn of_elements(state: &[F; WIDTH], part: usize) -> Self;

    /// The state of these parts, in Montgomery form, which must be canonical.
    fn to_elements(parts: [Self; VECTORS]) -> [F; WIDTH];

    /// The first integer.
    fn first(self) -> i32;

    /// The same with another first integer.
    fn with_first(self, first: i32) -> Self;

    /// The sum.
    fn add(self, other: Self) -> Self;

    /// The difference.
    fn sub(self, other: Self) -> Self;

    /// The exclusive or.
    fn xor(self, other: Self) -> Self;

    /// The bits that are in both.
    fn and(self, other: Self) -> Self;

    /// The product by a power of two.
    fn shift_left<const BITS: u32>(self) -> Self;

    /// The quotient by a power of two, rounded down.
    fn shift_right<const BITS: u32>(self) -> Self;

    /// The sum with another, where these are negative. It must not be.
    fn add_to_negative(self, other: Self) -> Self;

    /// The low half of the product of 64 bits.
    fn low_product(self, other: Self) -> Self;

    /// The high half of the product of 64 bits.
    fn high_product(self, other: Self) -> Self;

    /// The low halves of these four integers and the other four.
    fn low_halves(self, other: Self) -> Self;

    /// The high halves of these four integers and the other four, if the low ones have a sign. The
    /// integers must be below `2^31 - 2^15`.
    fn high_halves(self, other: Self) -> Self;

    /// Each integer, four times.
    fn pairs(self) -> [Self; 4];

    /// The product of the low halves plus that of the high ones.
    fn dot(self, other: Self) -> Self;
}
