//! Elements of the challenge field.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use droste_native::precompile::{ext_from_block, ext_to_block};
use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, Field};

use super::block::Block;
use super::felt::{Felt, folds, operators};

/// An element of `F[X] / (X^5 + X^2 - 1)`: a block whose lanes 5 to 7 are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ext([F; 5]);

impl Ext {
    /// Zero.
    pub const ZERO: Self = Self([F::new(0); 5]);
    /// One.
    pub const ONE: Self = Self::new([1, 0, 0, 0, 0]);

    /// The constant with these five coefficients, constant term first.
    pub const fn new(coefficients: [u32; 5]) -> Self {
        Self(F::new_array(coefficients))
    }

    /// Returns the base field element as an extension element.
    pub fn from_felt(x: Felt) -> Self {
        Self::from_native(EF::from(x.0))
    }

    /// Returns the element with these coefficients, constant term first.
    pub fn from_coeffs(coefficients: [Felt; 5]) -> Self {
        Self(coefficients.map(|x| x.0))
    }

    /// Returns coefficient `i`, which must be below 5.
    pub fn coeff(self, i: usize) -> Felt {
        Felt(self.0[i])
    }

    /// Returns the block that contains this element.
    pub fn as_block(self) -> Block {
        Block::from_native(ext_to_block(self.native()))
    }

    /// Returns the same element. In `main`, the machine copies it to a fixed address, so functions
    /// and loops can use it without the cost of passing it. The result of an `#[inline(never)]`
    /// function, for example, is not at a fixed address otherwise.
    pub fn pin(self) -> Self {
        self
    }

    /// Returns the inverse. Fails for zero.
    pub fn inverse(self) -> Self {
        Self::from_native(self.native().try_inverse().expect("zero has no inverse"))
    }

    pub(crate) fn native(self) -> EF {
        EF::from_basis_coefficients_fn(|i| self.0[i])
    }

    pub(crate) fn from_native(x: EF) -> Self {
        let coefficients = x.as_basis_coefficients_slice();
        Self(std::array::from_fn(|i| coefficients[i]))
    }

    pub(crate) fn from_block(block: Block) -> Self {
        match ext_from_block(&block.native()) {
            Ok(x) => Self::from_native(x),
            Err(error) => panic!("{error}"),
        }
    }
}

impl From<EF> for Ext {
    fn from(x: EF) -> Self {
        Self::from_native(x)
    }
}

impl From<Ext> for EF {
    fn from(x: Ext) -> Self {
        x.native()
    }
}

operators! {
    Add AddAssign<Self> for Ext: add add_assign(a, b) = Self::from_native(a.native() + b.native());
    Sub SubAssign<Self> for Ext: sub sub_assign(a, b) = Self::from_native(a.native() - b.native());
    Mul MulAssign<Self> for Ext: mul mul_assign(a, b) = Self::from_native(a.native() * b.native());
    Add AddAssign<Felt> for Ext: add add_assign(a, b) = Self::from_native(a.native() + b.0);
    Sub SubAssign<Felt> for Ext: sub sub_assign(a, b) = Self::from_native(a.native() - b.0);
    Mul MulAssign<Felt> for Ext: mul mul_assign(a, b) = Self::from_native(a.native() * b.0);
}

folds! {
    Sum for Ext: sum(Self::ZERO, Add::add);
    Product for Ext: product(Self::ONE, Mul::mul);
}

impl Neg for Ext {
    type Output = Self;
    fn neg(self) -> Self {
        Self::from_native(-self.native())
    }
}
