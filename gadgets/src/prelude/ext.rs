//! Elements of the challenge field.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use droste_native::precompile::{
    baby_bear_from_block, baby_bear_to_block, ext_from_block, ext_to_block,
};
use droste_native::{AnyChallenge, BabyBear4, ChallengeField, EF, EF4, F};
use p3_field::Field;

use super::block::Block;
use super::felt::{Felt, folds, operators};
use super::run;

/// An element of `F[X] / (X^5 + X^2 - 1)` or, in a program that begins with
/// [`quartic`](super::quartic), of `F[X] / (X^4 - 3)`: a block whose lanes are zero from lane
/// [`Ext::degree`] on.
///
/// In a program that begins with [`baby_bear`](super::baby_bear), it is an element of
/// `BabyBear[X] / (X^4 - 11)`, and its block has the 16-bit limbs, low first, of the Montgomery
/// words of its four coefficients, as Plonky3 hashes them. Here the cells are the canonical integers
/// of the coefficients. [`Felt`]s in such an expression stand for their integers; in the machine they
/// must be known while compiling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ext([F; 5]);

/// Evaluates an expression in the field of the run's challenges.
macro_rules! in_field {
    (|$field:ident| $result:expr) => {
        match $crate::prelude::run::field() {
            droste_native::ChallengeField::Quintic => {
                type $field = droste_native::EF;
                $result
            }
            droste_native::ChallengeField::Quartic => {
                type $field = droste_native::EF4;
                $result
            }
            droste_native::ChallengeField::BabyBear => {
                type $field = droste_native::BabyBear4;
                $result
            }
        }
    };
}

/// Evaluates an expression in the field of the run's challenges, which must be an extension of the
/// machine's.
macro_rules! in_extension {
    (|$field:ident| $result:expr) => {
        match $crate::prelude::run::field() {
            droste_native::ChallengeField::Quintic => {
                type $field = droste_native::EF;
                $result
            }
            droste_native::ChallengeField::Quartic => {
                type $field = droste_native::EF4;
                $result
            }
            droste_native::ChallengeField::BabyBear => {
                panic!("this function is not one of an Ext of BabyBear")
            }
        }
    };
}
pub(super) use in_extension;

impl Ext {
    /// Zero.
    pub const ZERO: Self = Self([F::new(0); 5]);
    /// One.
    pub const ONE: Self = Self::new([1, 0, 0, 0, 0]);

    /// The constant with these coefficients, constant term first. The fifth must be zero if the
    /// degree is four, and all must be below [`Ext::modulus`].
    pub const fn new(coefficients: [u32; 5]) -> Self {
        Self(F::new_array(coefficients))
    }

    /// Returns the degree of the extension, known at compile time: four in a program that begins
    /// with [`quartic`](super::quartic) or [`baby_bear`](super::baby_bear), and five in others.
    pub fn degree() -> usize {
        run::field().degree()
    }

    /// Returns the order of the field of the coefficients, known at compile time: that of BabyBear
    /// in a program that begins with [`baby_bear`](super::baby_bear), and of KoalaBear in others.
    pub fn modulus() -> usize {
        run::field().modulus() as usize
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
        Block::from_native(match run::field() {
            ChallengeField::BabyBear => baby_bear_to_block(self.to()),
            _ => in_extension!(|E| ext_to_block(self.to::<E>())),
        })
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

    /// Returns the element. Fails unless its cells are those of one: its coefficients from the
    /// degree on are zero, and all are below [`Ext::modulus`].
    pub(crate) fn checked(self) -> Self {
        in_field!(|E| Self::of(self.to::<E>()))
    }

    /// Returns the element with the cells of a hint, of which nothing is checked.
    pub(crate) fn hinted(cells: EF) -> Self {
        Self::of(cells)
    }

    /// Returns the element of BabyBear's extension in a hinted block, of which nothing is checked:
    /// [`Ext::checked`] refuses what another block gives.
    pub(crate) fn hinted_block(block: [Option<F>; 8]) -> Self {
        let lanes = block.map(Option::unwrap_or_default);
        let is_whole = block.iter().all(Option::is_some);
        match baby_bear_from_block(&lanes, true) {
            Ok(x) if is_whole => Self::of(x),
            // The element has no fifth coefficient.
            _ => Self::new([0, 0, 0, 0, 1]),
        }
    }

    /// Returns the integers of the coefficients, constant term first.
    pub(crate) fn coefficients(self) -> Vec<F> {
        self.0.into_iter().take(Self::degree()).collect()
    }

    pub(crate) fn to<E: AnyChallenge>(self) -> E {
        E::of_cells(&self.0).unwrap_or_else(|| match E::FIELD {
            ChallengeField::BabyBear => {
                panic!("an Ext of BabyBear is not one of four integers below its modulus")
            }
            field => panic!(
                "an Ext of degree {} has another coefficient that is not zero",
                field.degree()
            ),
        })
    }

    pub(crate) fn of<E: AnyChallenge>(x: E) -> Self {
        Self(x.cells())
    }

    pub(crate) fn from_block(block: Block) -> Self {
        let block = block.native();
        let element = match run::field() {
            ChallengeField::BabyBear => baby_bear_from_block(&block, true).map(Self::of),
            _ => in_extension!(|E| ext_from_block::<E>(&block).map(Self::of)),
        };
        match element {
            Ok(x) => x,
            Err(error) => panic!("{error}"),
        }
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

conversions! { EF EF4 BabyBear4 }

fn assert_in_field<E: AnyChallenge>() {
    assert_eq!(E::FIELD, run::field(), "an element of another field");
}

operators! {
    Add AddAssign<Self> for Ext: add add_assign(a, b) = match run::field() {
        ChallengeField::BabyBear => Self::of(a.to::<BabyBear4>() + b.to::<BabyBear4>()),
        _ => Self(std::array::from_fn(|i| a.0[i] + b.0[i])),
    };
    Sub SubAssign<Self> for Ext: sub sub_assign(a, b) = match run::field() {
        ChallengeField::BabyBear => Self::of(a.to::<BabyBear4>() - b.to::<BabyBear4>()),
        _ => Self(std::array::from_fn(|i| a.0[i] - b.0[i])),
    };
    Mul MulAssign<Self> for Ext: mul mul_assign(a, b) =
        in_field!(|E| Self::of(a.to::<E>() * b.to::<E>()));
    Add AddAssign<Felt> for Ext: add add_assign(a, b) = a + Self::from_felt(b);
    Sub SubAssign<Felt> for Ext: sub sub_assign(a, b) = a - Self::from_felt(b);
    Mul MulAssign<Felt> for Ext: mul mul_assign(a, b) = match run::field() {
        ChallengeField::BabyBear => a * Self::from_felt(b),
        _ => Self(a.0.map(|x| x * b.0)),
    };
}

folds! {
    Sum for Ext: sum(Self::ZERO, Add::add);
    Product for Ext: product(Self::ONE, Mul::mul);
}

impl Neg for Ext {
    type Output = Self;
    fn neg(self) -> Self {
        match run::field() {
            ChallengeField::BabyBear => Self::of(-self.to::<BabyBear4>()),
            _ => Self(self.0.map(|x| -x)),
        }
    }
}
