//! Elements of the challenge field.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use droste_native::precompile::{ext_from_block, ext_to_block};
use droste_native::{Challenge, EF, EF4, F};
use p3_field::{BasedVectorSpace, Field};

use super::block::Block;
use super::felt::{Felt, folds, operators};
use super::run;

/// An element of `F[X] / (X^5 + X^2 - 1)` or, in a program that begins with
/// [`quartic`](super::quartic), of `F[X] / (X^4 - 3)`: a block whose lanes are zero from lane
/// [`Ext::degree`] on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ext([F; 5]);

/// Evaluates an expression in the field of the run's challenges.
macro_rules! in_field {
    (|$field:ident| $result:expr) => {
        if $crate::prelude::run::degree() == 4 {
            type $field = droste_native::EF4;
            $result
        } else {
            type $field = droste_native::EF;
            $result
        }
    };
}
pub(super) use in_field;

impl Ext {
    /// Zero.
    pub const ZERO: Self = Self([F::new(0); 5]);
    /// One.
    pub const ONE: Self = Self::new([1, 0, 0, 0, 0]);

    /// The constant with these coefficients, constant term first. The fifth must be zero if the
    /// degree is four.
    pub const fn new(coefficients: [u32; 5]) -> Self {
        Self(F::new_array(coefficients))
    }

    /// Returns the degree of the extension, known at compile time: four in a program that begins
    /// with [`quartic`](super::quartic), and five in others.
    pub fn degree() -> usize {
        run::degree()
    }

    /// Returns the base field element as an extension element.
    pub fn from_felt(x: Felt) -> Self {
        let zero = F::new(0);
        Self([x.0, zero, zero, zero, zero])
    }

    /// Returns the element with these coefficients, constant term first. The fifth must be zero if
    /// the degree is four.
    pub fn from_coeffs(coefficients: [Felt; 5]) -> Self {
        Self(coefficients.map(|x| x.0)).checked()
    }

    /// Returns coefficient `i`, which must be below the degree.
    pub fn coeff(self, i: usize) -> Felt {
        let degree = Self::degree();
        assert!(
            i < degree,
            "an Ext has no coefficient {i}, only 0 to {}",
            degree - 1
        );
        Felt(self.0[i])
    }

    /// Returns the block that contains this element.
    pub fn as_block(self) -> Block {
        Block::from_native(in_field!(|E| ext_to_block(self.to::<E>())))
    }

    /// Returns the same element. In `main`, the machine copies it to a fixed address, so functions
    /// and loops can use it without the cost of passing it. The result of an `#[inline(never)]`
    /// function, for example, is not at a fixed address otherwise.
    pub fn pin(self) -> Self {
        self
    }

    /// Returns the inverse. Fails for zero.
    pub fn inverse(self) -> Self {
        in_field!(|E| {
            let inverse = self.to::<E>().try_inverse();
            Self::of(inverse.expect("zero has no inverse"))
        })
    }

    /// Returns the element. Fails unless its coefficients from the degree on are zero.
    pub(crate) fn checked(self) -> Self {
        in_field!(|E| Self::of(self.to::<E>()))
    }

    /// Returns the element with the cells of a hint, of which nothing is checked.
    pub(crate) fn hinted(cells: EF) -> Self {
        Self::of(cells)
    }

    pub(crate) fn to<E: Challenge>(self) -> E {
        let degree = <E as BasedVectorSpace<F>>::DIMENSION;
        let mut above = self.0.iter().skip(degree);
        assert!(
            above.all(|&x| x == F::new(0)),
            "an Ext of degree {degree} has another coefficient that is not zero"
        );
        <E as BasedVectorSpace<F>>::from_basis_coefficients_fn(|i| self.0[i])
    }

    pub(crate) fn of<E: Challenge>(x: E) -> Self {
        let coefficients = <E as BasedVectorSpace<F>>::as_basis_coefficients_slice(&x);
        let zero = F::new(0);
        Self(std::array::from_fn(|i| {
            coefficients.get(i).copied().unwrap_or(zero)
        }))
    }

    pub(crate) fn from_block(block: Block) -> Self {
        in_field!(|E| match ext_from_block::<E>(&block.native()) {
            Ok(x) => Self::of(x),
            Err(error) => panic!("{error}"),
        })
    }
}

/// Implements the conversions from and to a field of challenges, which must be that of the run.
macro_rules! conversions {
    ($($field:ident)*) => {$(
        impl From<$field> for Ext {
            fn from(x: $field) -> Self {
                assert_in_field::<$field>();
                Self::of(x)
            }
        }

        impl From<Ext> for $field {
            fn from(x: Ext) -> Self {
                assert_in_field::<Self>();
                x.to()
            }
        }
    )*};
}

conversions! { EF EF4 }

fn assert_in_field<E: Challenge>() {
    let (degree, expected) = (<E as BasedVectorSpace<F>>::DIMENSION, run::degree());
    assert_eq!(degree, expected, "degree of an element of another field");
}

operators! {
    Add AddAssign<Self> for Ext: add add_assign(a, b) =
        Self(std::array::from_fn(|i| a.0[i] + b.0[i]));
    Sub SubAssign<Self> for Ext: sub sub_assign(a, b) =
        Self(std::array::from_fn(|i| a.0[i] - b.0[i]));
    Mul MulAssign<Self> for Ext: mul mul_assign(a, b) =
        in_field!(|E| Self::of(a.to::<E>() * b.to::<E>()));
    Add AddAssign<Felt> for Ext: add add_assign(a, b) = a + Self::from_felt(b);
    Sub SubAssign<Felt> for Ext: sub sub_assign(a, b) = a - Self::from_felt(b);
    Mul MulAssign<Felt> for Ext: mul mul_assign(a, b) = Self(a.0.map(|x| x * b.0));
}

folds! {
    Sum for Ext: sum(Self::ZERO, Add::add);
    Product for Ext: product(Self::ONE, Mul::mul);
}

impl Neg for Ext {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}
