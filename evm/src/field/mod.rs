//! The challenge field on words of 256 bits.
//!
//! # One word for an element
//!
//! An element of the extension, `sum_k x_k X^k` with `X^5 = 1 - X^2`, is one word: five lanes of 51
//! bits, lane `k` at bit `51 k`. A lane is *congruent* to `2^40 x_k` modulo `p`; it need not be
//! below `p`. Coefficients have 31 bits, so thousands of elements are added by one addition each,
//! and nothing is carried from lane to lane.
//!
//! # Multiplication
//!
//! With `X = 2^51`, a word is the value of its polynomial, and `N = 2^255 + 2^102 - 1` is that of
//! `X^5 + X^2 - 1`. So `mulmod(a, b, N)` multiplies two polynomials and reduces them, in one
//! instruction, as long as the coefficients of the result are in lanes. Products of two
//! coefficients would be too long, so `a` is split into `a_0 + 2^16 a_1`, lane by lane.
//! Coefficients may be negative, too, because of `- X^2`: a multiple of `p` is added to each lane
//! (modulo `N`, for then the sum is the word it looks like).
//!
//! Lanes are made short again as Montgomery did, all at once. Since `p = 1 + 127 2^24`,
//! `t - p (t mod 2^16)` is a multiple of `2^16` that is congruent to `t`. So `a_0 b` is divided by
//! `2^16`, `a_1 b` is added, and the sum is divided by `2^24` in the same way:
//!
//! ```text
//! u = (a_0 b + bias - p (.. mod 2^16)) / 2^16
//! t = a_1 b + u + bias
//! result = (t - p (t mod 2^24)) / 2^24 + p,     congruent to a b / 2^40
//! ```
//!
//! # Bounds
//!
//! An [`Element`] is an expression with an upper bound of its lanes. Operators choose biases and
//! fold lanes ([`Element::folded`]) as the bounds ask for; they are known when code is generated,
//! so nothing is checked when it runs. What is in a variable or in memory is at most [`VALUE_MAX`].

mod functions;
#[cfg(test)]
mod tests;

use std::ops::{Add, Mul, Sub};

use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

pub use self::functions::define;
pub(crate) use self::functions::{fold_top, joined, shifted};
use crate::assembler::{Assembler, Expr, Name, Op, Word, call, load, var};

/// The order of the base field.
pub const P: u64 = 0x7f00_0001;

/// Bits of a lane.
pub const LANE_BITS: u32 = 51;

/// Number of lanes.
pub const LANES: usize = 5;

/// Bytes of an element in memory.
pub const ELEMENT_BYTES: u64 = 32;

/// Bytes of an element in calldata: five words of 4 bytes, as the transcript observes them.
pub const PACKED_BYTES: u64 = 20;

/// Bits by which lanes are shifted: they are congruent to `2^40 x`.
pub const SHIFT: u32 = 40;

/// Largest value of a lane.
const LANE_MAX: u64 = (1 << LANE_BITS) - 1;

/// Largest value of a lane of a product.
pub const PRODUCT_MAX: u64 = P + (LANE_MAX >> 24);

/// Largest value of a lane of a variable: what is left of a sum of 20 products that is folded once.
pub const VALUE_MAX: u64 = folded_max(21 << 31);

/// Largest value of a lane of the first factor: a sum of two variables.
pub const LEFT_MAX: u64 = 2 * VALUE_MAX;

/// Largest value of a lane of the second factor.
pub const RIGHT_MAX: u64 = 2_900_000_000;

/// The largest value of a lane that is folded and was at most `max`.
pub const fn folded_max(max: u64) -> u64 {
    (1 << 31) - 1 + (max >> 31) * ((1 << 24) - 1)
}

/// A word of five lanes that are all the same.
pub fn lanes(value: u64) -> Word {
    Word::from_lanes(LANE_BITS, &[value; LANES])
}

/// Lane 0 of an element of the base field, below `p`. Other lanes are zero.
pub fn encode_base(value: F) -> u64 {
    (value * F::TWO.exp_u64(SHIFT.into()))
        .as_canonical_u32()
        .into()
}

/// The word of an element, with lanes below `p`.
pub fn encode(value: EF) -> Word {
    let coefficients: &[F] = value.as_basis_coefficients_slice();
    let coefficients: Vec<u64> = coefficients.iter().copied().map(encode_base).collect();
    Word::from_lanes(LANE_BITS, &coefficients)
}

/// The element of a word.
pub fn decode(word: Word) -> EF {
    let lane = |index: usize| F::from_u64(word.lane(LANE_BITS, index as u32));
    EF::from_basis_coefficients_fn(|index| lane(index).div_2exp_u64(SHIFT.into()))
}

/// An expression whose value is an element, with the largest value that a lane can have.
#[derive(Clone, Debug)]
pub struct Element {
    /// The expression.
    pub expr: Expr,
    /// The bound.
    pub max: u64,
}

impl Element {
    /// The element of an expression, with lanes of at most `max`.
    pub fn new(expr: impl Into<Expr>, max: u64) -> Self {
        Self {
            expr: expr.into(),
            max,
        }
    }

    /// A constant.
    pub fn constant(value: EF) -> Self {
        Self::new(encode(value), P - 1)
    }

    /// Zero.
    pub fn zero() -> Self {
        Self::new(0, 0)
    }

    /// A variable.
    pub fn var(name: impl Into<Name>) -> Self {
        Self::new(var(name), VALUE_MAX)
    }

    /// An element in memory.
    pub fn load(address: impl Into<Expr>) -> Self {
        Self::new(load(address), VALUE_MAX)
    }

    /// An element that is read from calldata. Reverts if a coefficient is not below `p`.
    pub fn read(address: impl Into<Expr>) -> Self {
        Self::new(call("read_element", [address.into()]), P - 1)
    }

    /// The same element with lanes of at most `max`, which must not be below `2^31 + 2^24`.
    ///
    /// A fold replaces `2^31` by `2^24 - 1`, to which it is congruent.
    pub fn folded(self, max: u64) -> Self {
        let mut element = self;
        while element.max > max.max((1 << 31) + (1 << 24)) {
            element = Self::new(call("fold", [element.expr]), folded_max(element.max));
        }
        element
    }

    /// The element times a small number.
    pub fn times(self, factor: u64) -> Self {
        let element = self.folded(LANE_MAX / factor.max(1));
        let max = element.max * factor;
        match factor {
            1 => element,
            _ => Self::new(element.expr * factor, max),
        }
    }

    /// Not zero if and only if the element is not zero.
    pub fn is_nonzero(self) -> Expr {
        call("is_nonzero", [self.expr])
    }

    /// Not zero if and only if the element is zero.
    pub fn is_zero(self) -> Expr {
        Expr::Op(Op::IsZero, vec![self.is_nonzero()])
    }

    /// An expression for the element with lanes of at most [`VALUE_MAX`], to be stored or bound.
    pub fn value(self) -> Expr {
        self.folded(VALUE_MAX).expr
    }

    /// Two elements with lanes whose sum has no more bits than a lane.
    fn summands(self, other: Self) -> (Self, Self) {
        match self.max.saturating_add(other.max) {
            0..=LANE_MAX => (self, other),
            _ => (self.folded(LANE_MAX / 4), other.folded(LANE_MAX / 4)),
        }
    }
}

impl Add for Element {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (x, y) = self.summands(other);
        Self::new(x.expr + y.expr, x.max + y.max)
    }
}

impl Sub for Element {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let (x, y) = self.summands(other.folded(LANE_MAX / 4));
        let bias = y.max.div_ceil(P) * P;
        let x = x.folded(LANE_MAX - bias);
        Self::new(x.expr + lanes(bias) - y.expr, x.max + bias)
    }
}

impl Mul for Element {
    type Output = Self;

    /// The larger factor is the first.
    fn mul(self, other: Self) -> Self {
        let (left, right) = if self.max < other.max {
            (other, self)
        } else {
            (self, other)
        };
        let factors = [left.folded(LEFT_MAX).expr, right.folded(RIGHT_MAX).expr];
        Self::new(call("multiply", factors), PRODUCT_MAX)
    }
}

/// Words that [`keep_constants`] keeps.
pub const KEPT: usize = 5;

/// Keeps the constants of sums and folds at this place of the memory, for code that is to be short
/// rather than fast.
pub fn keep_constants(a: &mut Assembler, place: u64) {
    let biases = [1, 2, 3].map(|multiple| multiple * P);
    let constants = biases.into_iter().chain(functions::FOLD_MASKS);
    let places = (place..).step_by(ELEMENT_BYTES as usize);
    places
        .zip(constants)
        .for_each(|(place, lane)| a.keep(lanes(lane), place));
}

impl Assembler {
    /// A new variable for an element.
    pub fn bind_element(&mut self, name: impl Into<Name>, element: Element) -> Element {
        let name = name.into();
        self.bind(name.clone(), element.value());
        Element::var(name)
    }

    /// A new variable for a power of an element.
    pub fn bind_power(&mut self, name: &'static str, base: Element, exponent: usize) -> Element {
        let Some(top) = exponent.checked_ilog2() else {
            return self.bind_element(name, Element::constant(EF::ONE));
        };
        self.bind_element(name, base.clone());
        // The bits after the first one, from the top down.
        for bit in (0..top).rev() {
            let square = Element::var(name) * Element::var(name);
            let power = match (exponent >> bit) & 1 {
                0 => square,
                _ => square * base.clone(),
            };
            self.set(name, power.expr);
        }
        Element::var(name)
    }

    /// Reads the elements between two places of the calldata to memory.
    pub fn read_elements(&mut self, start: u64, end: u64, to: u64) {
        self.block(|a| {
            a.bind("place", start);
            a.bind("to", to);
            a.repeat_while(|a| {
                a.store(var("to"), Element::read(var("place")).expr);
                a.advance("to", ELEMENT_BYTES);
                a.advance("place", PACKED_BYTES);
                var("place").lt(end)
            });
        });
    }

    /// Adds so many bytes to a variable that is a place.
    pub fn advance(&mut self, name: &'static str, bytes: u64) {
        self.set(name, var(name) + bytes);
    }
}
