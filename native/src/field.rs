//! The fields over which everything in Droste is written.

use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_field::{
    BasedVectorSpace, ExtensionField, PrimeCharacteristicRing, PrimeField32, TwoAdicField,
};
use p3_koala_bear::KoalaBear;

use crate::precompile::word_limbs;

pub use p3_baby_bear::BabyBear;

pub use droste_poseidon16::field::{DIGEST, F, MODULUS};
pub(crate) use droste_poseidon16::for_packed_field;

/// The challenge field, of degree 5 over [`F`] and about 155 bits: `F[X] / (X^5 + X^2 - 1)`.
///
/// All that Droste itself proves has its challenges here. With [`EF4`], 100 proven bits need more
/// grinding.
pub type EF = QuinticTrinomialExtensionField<KoalaBear>;

/// Number of base field elements in an [`EF`].
pub const EXTENSION_DEGREE: usize = 5;

/// The challenge field of most other users of Plonky3, of degree 4 over [`F`] and about 124 bits:
/// `F[X] / (X^4 - 3)`.
///
/// At the sizes of real proofs, the error terms of FRI's batching and commit phase are above
/// `2^-100` in the list-decoding regime, unless 16 to 24 bits of grinding precede these challenges.
/// In the unique-decoding regime small tables have 100 bits without it, by more queries.
pub type EF4 = BinomialExtensionField<KoalaBear, 4>;

/// The challenge field of proofs over [`BabyBear`], of degree 4 and about 124 bits:
/// `BabyBear[X] / (X^4 - 11)`.
pub type BabyBear4 = BinomialExtensionField<BabyBear, 4>;

/// A prime field of 31 bits over which proofs may be: [`F`] or [`BabyBear`].
///
/// Its order is at most that of [`F`], so that the canonical integer of an element is the canonical
/// integer of a unique cell of the machine.
pub trait BaseField: PrimeField32 + TwoAdicField + sealed::Sealed {
    /// The field's name in keys and reports.
    const NAME: &'static str;

    /// Logarithm of the largest domain: the two-adicity of the field.
    const MAX_LOG_HEIGHT: usize;

    /// The cells that hold a message's element in the machine, and how many they are.
    ///
    /// An element of [`F`] is one cell. For [`BabyBear`] they are the two limbs of the Montgomery
    /// word, which is what Plonky3 hashes and observes.
    fn lanes(self) -> ([F; 2], usize);
}

impl BaseField for F {
    const NAME: &'static str = "KoalaBear";
    const MAX_LOG_HEIGHT: usize = 24;

    fn lanes(self) -> ([F; 2], usize) {
        ([self, F::ZERO], 1)
    }
}

impl BaseField for BabyBear {
    const NAME: &'static str = "BabyBear";
    const MAX_LOG_HEIGHT: usize = 27;

    fn lanes(self) -> ([F; 2], usize) {
        (word_limbs(self), 2)
    }
}

/// The name of a field of challenges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChallengeField {
    /// [`EF`].
    #[default]
    Quintic,
    /// [`EF4`].
    Quartic,
    /// [`BabyBear4`].
    BabyBear,
}

impl ChallengeField {
    /// Number of coefficients of an element.
    pub const fn degree(self) -> usize {
        match self {
            Self::Quintic => EXTENSION_DEGREE,
            Self::Quartic | Self::BabyBear => 4,
        }
    }

    /// Logarithm of the number of elements, rounded down.
    pub const fn bits(self) -> usize {
        match self {
            Self::Quintic => 154,
            Self::Quartic | Self::BabyBear => 123,
        }
    }

    /// Order of the field of the coefficients.
    pub const fn modulus(self) -> u32 {
        match self {
            Self::Quintic | Self::Quartic => MODULUS,
            Self::BabyBear => BabyBear::ORDER_U32,
        }
    }
}

/// A field of challenges over any base field: [`EF`], [`EF4`] or [`BabyBear4`].
pub trait AnyChallenge: ExtensionField<Self::Base> + TwoAdicField + sealed::Sealed {
    /// The field of the coefficients, over which the proof is.
    type Base: BaseField;

    /// The field over which AIRs are asked for their constraints.
    type Asked: ExtensionField<Self::Base>;

    /// The field's name.
    const FIELD: ChallengeField;

    /// The canonical integers of the coefficients, constant term first, followed by zeros.
    fn cells(self) -> [F; EXTENSION_DEGREE] {
        let mut cells = [F::ZERO; EXTENSION_DEGREE];
        let coefficients =
            <Self as BasedVectorSpace<Self::Base>>::as_basis_coefficients_slice(&self);
        for (cell, coefficient) in cells.iter_mut().zip(coefficients) {
            *cell = F::from_u32(coefficient.as_canonical_u32());
        }
        cells
    }

    /// The element whose coefficients have these canonical integers, or none if one of them is not
    /// below the order of the base field, or not zero after the last coefficient.
    fn of_cells(cells: &[F; EXTENSION_DEGREE]) -> Option<Self> {
        let degree = <Self as BasedVectorSpace<Self::Base>>::DIMENSION;
        let integers = cells.map(|cell| cell.as_canonical_u32());
        let mut indexed = integers.iter().enumerate();
        let canonical = indexed.all(|(i, &integer)| {
            let bound = if i < degree {
                <Self::Base as PrimeField32>::ORDER_U32
            } else {
                1
            };
            integer < bound
        });
        canonical.then(|| {
            let coefficients = integers.map(Self::Base::from_u32);
            <Self as BasedVectorSpace<Self::Base>>::from_basis_coefficients_fn(|i| {
                coefficients.get(i).copied().unwrap_or_default()
            })
        })
    }
}

impl AnyChallenge for EF {
    type Base = F;
    type Asked = EF;

    const FIELD: ChallengeField = ChallengeField::Quintic;
}

impl AnyChallenge for EF4 {
    type Base = F;
    type Asked = EF;

    const FIELD: ChallengeField = ChallengeField::Quartic;
}

impl AnyChallenge for BabyBear4 {
    type Base = BabyBear;
    type Asked = BabyBear4;

    const FIELD: ChallengeField = ChallengeField::BabyBear;
}

/// A field of challenges over [`F`]: [`EF`] or [`EF4`].
pub trait Challenge: AnyChallenge<Base = F> + ExtensionField<F> {
    /// Logarithm of the number of elements, rounded down.
    const BITS: usize;
}

impl Challenge for EF {
    const BITS: usize = ChallengeField::Quintic.bits();
}

impl Challenge for EF4 {
    const BITS: usize = ChallengeField::Quartic.bits();
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::F {}
    impl Sealed for super::EF {}
    impl Sealed for super::EF4 {}
    impl Sealed for super::BabyBear {}
    impl Sealed for super::BabyBear4 {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits<E: AnyChallenge>() -> usize {
        let degree = <E as BasedVectorSpace<E::Base>>::DIMENSION;
        (degree as f64 * f64::from(E::Base::ORDER_U32).log2()).floor() as usize
    }

    fn name_says_what_the_field_is<E: AnyChallenge>() {
        assert_eq!(E::FIELD.bits(), bits::<E>());
        assert_eq!(E::FIELD.modulus(), E::Base::ORDER_U32);
        let degree = <E as BasedVectorSpace<E::Base>>::DIMENSION;
        assert_eq!(E::FIELD.degree(), degree);
    }

    #[test]
    fn names_say_what_the_fields_are() {
        name_says_what_the_field_is::<EF>();
        name_says_what_the_field_is::<EF4>();
        name_says_what_the_field_is::<BabyBear4>();
        assert_eq!(EF::BITS, bits::<EF>());
        assert_eq!(EF4::BITS, bits::<EF4>());
        assert_eq!(<EF as BasedVectorSpace<F>>::DIMENSION, EXTENSION_DEGREE);
    }

    #[test]
    fn the_generators_are_roots_of_the_moduli() {
        let x = EF::from_basis_coefficients_fn(|i| F::from_bool(i == 1));
        assert_eq!(x.exp_u64(5) + x.square(), EF::ONE);
        let x = EF4::from_basis_coefficients_fn(|i| F::from_bool(i == 1));
        assert_eq!(x.exp_u64(4), EF4::from(F::from_u32(3)));
        let x = BabyBear4::from_basis_coefficients_fn(|i| BabyBear::from_bool(i == 1));
        assert_eq!(x.exp_u64(4), BabyBear4::from(BabyBear::from_u32(11)));
    }

    #[test]
    fn base_fields_have_the_domains_that_they_name() {
        assert_eq!(F::MAX_LOG_HEIGHT, <F as TwoAdicField>::TWO_ADICITY);
        let adicity = <BabyBear as TwoAdicField>::TWO_ADICITY;
        assert_eq!(BabyBear::MAX_LOG_HEIGHT, adicity);
        const { assert!(BabyBear::ORDER_U32 <= F::ORDER_U32) };
    }

    #[test]
    fn lanes_are_what_is_hashed() {
        let x = F::from_u32(5);
        assert_eq!(x.lanes(), ([x, F::ZERO], 1));
        // The Montgomery word of one is 2^32 - 2 * 0x78000001 = 0x0ffffffe.
        let limbs = [0xfffe, 0x0fff].map(F::from_u32);
        assert_eq!(BabyBear::ONE.lanes(), (limbs, 2));
    }

    /// Cells of consecutive integers are those of an element, which gives them back.
    fn cells_are_integers<E: AnyChallenge>() {
        let largest = E::FIELD.modulus() - 1;
        let mut cells = [F::ZERO; EXTENSION_DEGREE];
        for (cell, i) in cells.iter_mut().zip(0..E::FIELD.degree() as u32) {
            *cell = F::from_u32(largest - i);
        }
        let Some(x) = E::of_cells(&cells) else {
            panic!("canonical integers are refused");
        };
        // -1 - 2 X - 3 X^2 - ..: the integers are those of the coefficients themselves.
        let coefficients = <E as BasedVectorSpace<E::Base>>::as_basis_coefficients_slice(&x);
        for (i, &coefficient) in coefficients.iter().enumerate() {
            assert_eq!(coefficient, -E::Base::from_usize(i + 1));
        }
        assert_eq!(x.cells(), cells);
    }

    #[test]
    fn cells_are_canonical_integers() {
        cells_are_integers::<EF>();
        cells_are_integers::<EF4>();
        cells_are_integers::<BabyBear4>();
    }

    #[test]
    fn other_cells_are_refused() {
        let mut cells = [F::ZERO; EXTENSION_DEGREE];
        for integer in [BabyBear::ORDER_U32, MODULUS - 1] {
            for i in 0..4 {
                cells[i] = F::from_u32(integer);
                assert_eq!(BabyBear4::of_cells(&cells), None);
                assert!(EF4::of_cells(&cells).is_some());
                cells[i] = F::ZERO;
            }
        }
        cells[4] = F::ONE;
        assert_eq!(BabyBear4::of_cells(&cells), None);
        assert_eq!(EF4::of_cells(&cells), None);
        assert!(EF::of_cells(&cells).is_some());
    }
}
