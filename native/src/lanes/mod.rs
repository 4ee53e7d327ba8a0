//! Elements of both fields in lanes, one per row, leaf or cell.
//!
//! A packed field has as many lanes as the build's target has: 16 with AVX-512, 8 with AVX2, 4 with
//! NEON, and 1, the field itself, on any other. Provers are generic in it, and proofs do not depend
//! on it: tests run them with every number of lanes, on any machine.

#[cfg(any(test, feature = "test-utils"))]
pub mod arrays;
#[cfg(test)]
mod tests;

use p3_field::extension::PackedQuinticTrinomialExtensionField;
use p3_field::{BasedVectorSpace, Field, PackedField};

use crate::field::{EF, EXTENSION_DEGREE, F};

/// Elements of [`F`] in as many lanes as the target has.
pub type Packed = <F as Field>::Packing;

/// Elements of [`EF`], one per lane of `P`.
pub type PackedExt<P = Packed> = PackedQuinticTrinomialExtensionField<F, P>;

/// The packed element with these lanes.
#[inline]
pub fn from_lanes<P: PackedField<Scalar = F>>(lane: impl Fn(usize) -> EF) -> PackedExt<P> {
    let coefficients = P::pack_columns_fn::<EXTENSION_DEGREE>(|index| {
        let element = lane(index);
        let coefficients: &[F] = element.as_basis_coefficients_slice();
        std::array::from_fn(|d| coefficients.get(d).copied().unwrap_or_default())
    });
    let mut coefficients = coefficients.into_iter();
    PackedExt::from_basis_coefficients_fn(|_| coefficients.next().unwrap_or_default())
}

/// The lanes of a packed element.
#[inline]
pub fn lanes<P: PackedField<Scalar = F>>(packed: &PackedExt<P>) -> impl Iterator<Item = EF> {
    (0..P::WIDTH).map(|lane| extract(packed, lane))
}

/// A lane of a packed element.
#[inline]
pub fn extract<P: PackedField<Scalar = F>>(packed: &PackedExt<P>, lane: usize) -> EF {
    let coefficients: &[P] = packed.as_basis_coefficients_slice();
    let mut coefficients = coefficients
        .iter()
        .map(|coefficient| coefficient.extract(lane));
    EF::from_basis_coefficients_fn(|_| coefficients.next().unwrap_or_default())
}
