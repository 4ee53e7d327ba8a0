//! What the kernels need of vectors.

use std::ops::{Add, Mul, Sub};

use super::super::WIDTH;
use crate::field::F;

/// An instruction set, with vectors of [`Self::LANES`] lanes of 64 bits.
///
/// A lane of [`Self::Words`] has two halves of 32 bits. Methods that do not say otherwise act on
/// every lane. A state of 16 elements takes `WIDTH / LANES` vectors; `part` is the number of one of
/// them.
pub(super) trait Lanes: Copy {
    /// Number of lanes.
    const LANES: usize;

    /// Doubles.
    type Doubles: Copy
        + Add<Output = Self::Doubles>
        + Sub<Output = Self::Doubles>
        + Mul<Output = Self::Doubles>;

    /// Integers.
    type Words: Copy;

    /// The same double in every lane.
    fn splat(value: f64) -> Self::Doubles;

    /// `a b + c`; whether the product is rounded depends on the instruction set.
    fn multiply_add(a: Self::Doubles, b: Self::Doubles, c: Self::Doubles) -> Self::Doubles;

    /// `c - a b`; whether the product is rounded depends on the instruction set.
    fn subtract_product(a: Self::Doubles, b: Self::Doubles, c: Self::Doubles) -> Self::Doubles;

    /// Returns `x` unchanged, and keeps the compiler from moving its computation across other calls
    /// of this method and of [`Self::multiply`].
    ///
    /// The compiler would otherwise gather a chain of dependent steps in one place. Spread out,
    /// their latency is hidden by the independent work between them.
    fn in_order(x: Self::Doubles) -> Self::Doubles;

    /// The sum of all lanes, in every lane.
    fn horizontal_sum(x: Self::Doubles) -> Self::Doubles;

    /// `x` with lane 0 of `first`.
    fn replace_first(x: Self::Doubles, first: Self::Doubles) -> Self::Doubles;

    /// Lane 0, in every lane.
    fn broadcast_first(x: Self::Doubles) -> Self::Doubles;

    /// Part `part` of sixteen doubles.
    fn load(values: &[f64; WIDTH], part: usize) -> Self::Doubles;

    /// Writes part `part` of sixteen doubles.
    fn store(x: Self::Doubles, values: &mut [f64; WIDTH], part: usize);

    /// The bits of doubles.
    fn bits(x: Self::Doubles) -> Self::Words;

    /// The nearest doubles to signed integers.
    fn to_doubles(x: Self::Words) -> Self::Doubles;

    /// The same integer in every lane.
    fn splat_words(value: u64) -> Self::Words;

    /// The same integer in both halves of every lane.
    fn splat_halves(value: u32) -> Self::Words;

    /// Products of the low halves, which are signed.
    fn multiply(a: Self::Words, b: Self::Words) -> Self::Words;

    /// Differences modulo `2^64`.
    fn subtract(a: Self::Words, b: Self::Words) -> Self::Words;

    /// Sums of the halves modulo `2^32`.
    fn add_halves(a: Self::Words, b: Self::Words) -> Self::Words;

    /// The smaller ones of the halves, which are unsigned.
    fn min_halves(a: Self::Words, b: Self::Words) -> Self::Words;

    /// The high halves, as low halves; the high halves become zero.
    fn high_halves(x: Self::Words) -> Self::Words;

    /// Part `part` of sixteen integers, as low halves; the high halves are zero.
    fn load_halves(values: &[u32; WIDTH], part: usize) -> Self::Words;

    /// Part `part` of a state, in Montgomery form, as low halves; the high halves are zero.
    fn load_elements(state: &[F; WIDTH], part: usize) -> Self::Words;

    /// Writes the low halves as part `part` of a state, in Montgomery form. They must be canonical.
    fn store_elements(x: Self::Words, state: &mut [F; WIDTH], part: usize);

    /// A packed element: the Montgomery forms of `2 LANES` elements, one in each half.
    ///
    /// # Panics
    ///
    /// If there are fewer elements.
    fn load_packed(packed: &[F]) -> Self::Words;

    /// Writes a packed element: the low halves of `even` and of `odd` in turns. They must be
    /// canonical.
    ///
    /// # Panics
    ///
    /// If there is place for fewer elements.
    fn store_packed(even: Self::Words, odd: Self::Words, packed: &mut [F]);
}
