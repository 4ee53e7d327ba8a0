//! Four lanes without intrinsics, for every processor.

use std::ops::{Add, Mul, Sub};

use p3_field::PrimeField32 as _;

use super::super::WIDTH;
use super::lanes::Lanes;
use crate::field::F;

/// No instruction set in particular.
#[derive(Clone, Copy)]
pub(super) struct Portable;

/// Four doubles.
#[derive(Clone, Copy)]
pub(super) struct Doubles([f64; 4]);

/// Four integers.
#[derive(Clone, Copy)]
pub(super) struct Words([u64; 4]);

macro_rules! operators {
    ($($trait:ident, $method:ident, $operator:tt;)*) => {$(
        impl $trait for Doubles {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i] $operator other.0[i]))
            }
        }
    )*};
}

operators! {
    Add, add, +;
    Sub, sub, -;
    Mul, mul, *;
}

/// The low half of a word, with its sign.
#[inline(always)]
fn signed(word: u64) -> i64 {
    i64::from((word as u32).cast_signed())
}

/// The element whose Montgomery form is the low half of a word, which must be canonical.
#[cfg_attr(poseidon16 = "portable", allow(dead_code))] // As in `Lanes`.
#[inline(always)]
fn element(word: u64) -> F {
    // SAFETY: an element is a `u32`, its Montgomery form.
    unsafe { std::mem::transmute::<u32, F>(word as u32) }
}

/// Applies a function of 32 bits to both halves of two words.
#[inline(always)]
fn halves(a: u64, b: u64, function: impl Fn(u32, u32) -> u32) -> u64 {
    let low = function(a as u32, b as u32);
    let high = function((a >> 32) as u32, (b >> 32) as u32);
    u64::from(low) | u64::from(high) << 32
}

impl Lanes for Portable {
    const LANES: usize = 4;

    type Doubles = Doubles;
    type Words = Words;

    #[inline(always)]
    fn splat(value: f64) -> Doubles {
        Doubles([value; 4])
    }

    /// In two operations: `mul_add` is a call of a library where the processor has no instruction
    /// for it.
    #[inline(always)]
    fn multiply_add(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        a * b + c
    }

    #[inline(always)]
    fn subtract_product(a: Doubles, b: Doubles, c: Doubles) -> Doubles {
        c - a * b
    }

    #[inline(always)]
    fn in_order(x: Doubles) -> Doubles {
        x
    }

    #[inline(always)]
    fn horizontal_sum(Doubles([a, b, c, d]): Doubles) -> Doubles {
        Self::splat((a + c) + (b + d))
    }

    #[inline(always)]
    fn replace_first(Doubles([_, b, c, d]): Doubles, first: Doubles) -> Doubles {
        Doubles([first.0[0], b, c, d])
    }

    #[inline(always)]
    fn broadcast_first(x: Doubles) -> Doubles {
        Self::splat(x.0[0])
    }

    #[inline(always)]
    fn load(values: &[f64; WIDTH], part: usize) -> Doubles {
        Doubles(values.as_chunks().0[part])
    }

    #[inline(always)]
    fn store(x: Doubles, values: &mut [f64; WIDTH], part: usize) {
        values.as_chunks_mut().0[part] = x.0;
    }

    #[inline(always)]
    fn bits(x: Doubles) -> Words {
        Words(x.0.map(f64::to_bits))
    }

    #[inline(always)]
    fn to_doubles(x: Words) -> Doubles {
        Doubles(x.0.map(|word| word.cast_signed() as f64))
    }

    #[inline(always)]
    fn splat_words(value: u64) -> Words {
        Words([value; 4])
    }

    #[inline(always)]
    fn splat_halves(value: u32) -> Words {
        Words([u64::from(value) | u64::from(value) << 32; 4])
    }

    #[inline(always)]
    fn multiply(a: Words, b: Words) -> Words {
        Words(std::array::from_fn(|i| {
            (signed(a.0[i]) * signed(b.0[i])).cast_unsigned()
        }))
    }

    #[inline(always)]
    fn subtract(a: Words, b: Words) -> Words {
        Words(std::array::from_fn(|i| a.0[i].wrapping_sub(b.0[i])))
    }

    #[inline(always)]
    fn add_halves(a: Words, b: Words) -> Words {
        Words(std::array::from_fn(|i| {
            halves(a.0[i], b.0[i], u32::wrapping_add)
        }))
    }

    #[inline(always)]
    fn min_halves(a: Words, b: Words) -> Words {
        Words(std::array::from_fn(|i| halves(a.0[i], b.0[i], u32::min)))
    }

    #[inline(always)]
    fn high_halves(x: Words) -> Words {
        Words(x.0.map(|word| word >> 32))
    }

    #[inline(always)]
    fn load_halves(values: &[u32; WIDTH], part: usize) -> Words {
        Words(values.as_chunks::<4>().0[part].map(u64::from))
    }

    #[inline(always)]
    fn load_elements(state: &[F; WIDTH], part: usize) -> Words {
        let values = state.as_chunks::<4>().0[part];
        // The value that identifies an element is its Montgomery form.
        Words(values.map(|value| u64::from(value.to_unique_u32())))
    }

    #[inline(always)]
    fn store_elements(x: Words, state: &mut [F; WIDTH], part: usize) {
        let values = &mut state.as_chunks_mut::<4>().0[part];
        // SAFETY: an element is a `u32`, its Montgomery form; the caller's values are canonical.
        *values =
            x.0.map(|word| unsafe { std::mem::transmute::<u32, F>(word as u32) });
    }

    #[inline(always)]
    fn load_packed(packed: &[F]) -> Words {
        let pairs = packed.as_chunks::<2>().0.as_chunks::<4>().0[0];
        Words(pairs.map(|[even, odd]| {
            u64::from(even.to_unique_u32()) | u64::from(odd.to_unique_u32()) << 32
        }))
    }

    #[inline(always)]
    fn store_packed(even: Words, odd: Words, packed: &mut [F]) {
        let pairs = packed.as_chunks_mut::<2>().0;
        for (pair, (even, odd)) in pairs.iter_mut().zip(even.0.into_iter().zip(odd.0)) {
            *pair = [element(even), element(odd)];
        }
    }
}
