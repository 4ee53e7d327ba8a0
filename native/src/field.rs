//! The fields over which everything in Droste is written.

use p3_field::extension::{BinomialExtensionField, QuinticTrinomialExtensionField};
use p3_field::{ExtensionField, TwoAdicField};
use p3_koala_bear::KoalaBear;

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

/// A field of challenges: [`EF`] or [`EF4`].
pub trait Challenge: ExtensionField<F> + TwoAdicField + sealed::Sealed {
    /// Logarithm of the number of elements, rounded down.
    const BITS: usize;
}

impl Challenge for EF {
    const BITS: usize = 154;
}

impl Challenge for EF4 {
    const BITS: usize = 123;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::EF {}
    impl Sealed for super::EF4 {}
}

#[cfg(test)]
mod tests {
    use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

    use super::*;

    fn bits<E: Challenge>() -> usize {
        let degree = <E as BasedVectorSpace<F>>::DIMENSION;
        (degree as f64 * f64::from(MODULUS).log2()).floor() as usize
    }

    #[test]
    fn bits_are_those_of_the_fields() {
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
    }
}
