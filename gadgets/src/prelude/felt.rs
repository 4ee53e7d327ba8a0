//! Base field elements.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing};

/// An element of KoalaBear, one word of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Felt(pub(crate) F);

impl Felt {
    /// Zero.
    pub const ZERO: Self = Self(F::new(0));
    /// One.
    pub const ONE: Self = Self(F::new(1));

    /// The constant `value mod p`.
    pub const fn new(value: u32) -> Self {
        Self(F::new(value))
    }

    /// Returns the inverse. Fails for zero.
    pub fn inverse(self) -> Self {
        Self(self.0.try_inverse().expect("zero has no inverse"))
    }
}

impl From<F> for Felt {
    fn from(x: F) -> Self {
        Self(x)
    }
}

impl From<Felt> for F {
    fn from(x: Felt) -> Self {
        x.0
    }
}

/// Returns the element `value mod p` of an integer known at compile time.
pub fn felt(value: usize) -> Felt {
    Felt(F::from_usize(value))
}

/// Implements operators and those that assign, each by an expression in both operands.
macro_rules! operators {
    ($($trait:ident $assigns:ident<$other:ty> for $type:ty:
        $method:ident $assign:ident($a:ident, $b:ident) = $result:expr;)*) => {$(
        impl $trait<$other> for $type {
            type Output = Self;
            fn $method(self, other: $other) -> Self {
                let ($a, $b) = (self, other);
                $result
            }
        }

        impl $assigns<$other> for $type {
            fn $assign(&mut self, other: $other) {
                *self = $trait::$method(*self, other);
            }
        }
    )*};
}
pub(super) use operators;

/// Implements sums and products of iterators over elements and over references to them.
macro_rules! folds {
    ($($trait:ident for $type:ty: $method:ident($start:expr, $operator:path);)*) => {$(
        impl $trait for $type {
            fn $method<I: Iterator<Item = Self>>(elements: I) -> Self {
                elements.fold($start, $operator)
            }
        }

        impl<'a> $trait<&'a Self> for $type {
            fn $method<I: Iterator<Item = &'a Self>>(elements: I) -> Self {
                elements.copied().fold($start, $operator)
            }
        }
    )*};
}
pub(super) use folds;

operators! {
    Add AddAssign<Self> for Felt: add add_assign(a, b) = Self(a.0 + b.0);
    Sub SubAssign<Self> for Felt: sub sub_assign(a, b) = Self(a.0 - b.0);
    Mul MulAssign<Self> for Felt: mul mul_assign(a, b) = Self(a.0 * b.0);
}

folds! {
    Sum for Felt: sum(Self::ZERO, Add::add);
    Product for Felt: product(Self::ONE, Mul::mul);
}

impl Neg for Felt {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
