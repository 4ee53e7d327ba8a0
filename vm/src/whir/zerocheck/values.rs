//! What polynomials are evaluated on: cells of the base field in the first two rounds of a table,
//! elements of the extension field later, and single ones when rows do not fill a packed element
//! any more.

use std::iter::zip;

use droste_native::{EF, F};
use p3_field::{Algebra, BasedVectorSpace, PackedFieldExtension};

use crate::whir::hypercube::{LANES, Packed, PackedExt};

/// Number of base field elements in an extension field element.
pub(super) const DEGREE: usize = <EF as BasedVectorSpace<F>>::DIMENSION;

/// Coefficients of a linear combination.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    elements: Vec<EF>,
    packed: Vec<PackedExt>,
    /// Per coefficient of the extension field.
    coefficients: [Vec<F>; DEGREE],
}

impl Weights {
    pub(super) fn new(elements: Vec<EF>) -> Self {
        Self {
            packed: elements.iter().map(|&element| element.into()).collect(),
            coefficients: std::array::from_fn(|d| {
                let coefficients = |element: &EF| -> F {
                    let slice: &[F] = element.as_basis_coefficients_slice();
                    slice[d]
                };
                elements.iter().map(coefficients).collect()
            }),
            elements,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.elements.len()
    }

    /// The linear combination of as many packed cells.
    pub(super) fn combine(&self, values: &[Packed]) -> PackedExt {
        PackedExt::from_basis_coefficients_fn(|d| {
            Packed::batched_linear_combination(values, &self.coefficients[d])
        })
    }
}

/// What the values of columns are.
pub(super) trait Values: Send + Sync {
    /// A constant.
    type Constant: From<F>;
    /// A value of a column over the base field: a cell, or what cells have become.
    type Base: Algebra<Self::Constant> + Copy + Send + Sync;
    /// A value of a column over the extension field.
    type Extension: Algebra<Self::Base> + Copy + Send + Sync;

    /// The linear combination of the values at `index` of each list.
    fn combine<const N: usize>(
        values: &[[Self::Base; N]],
        index: usize,
        weights: &Weights,
        buffer: &mut Vec<Self::Base>,
    ) -> Self::Extension;

    /// The sum of all lanes.
    fn sum_lanes(sum: Self::Extension) -> EF;
}

/// Cells, before the first variable is fixed.
#[derive(Debug)]
pub(super) enum PackedCells {}

/// Rows that fill packed elements.
#[derive(Debug)]
pub(super) enum PackedRows {}

/// Rows one by one.
#[derive(Debug)]
pub(super) enum Scalars {}

impl Values for PackedCells {
    type Constant = F;
    type Base = Packed;
    type Extension = PackedExt;

    fn combine<const N: usize>(
        values: &[[Packed; N]],
        index: usize,
        weights: &Weights,
        buffer: &mut Vec<Packed>,
    ) -> PackedExt {
        buffer.clear();
        buffer.extend(values.iter().map(|values| values[index]));
        weights.combine(buffer)
    }

    fn sum_lanes(sum: PackedExt) -> EF {
        lanes(&sum).sum()
    }
}

impl Values for PackedRows {
    type Constant = Packed;
    type Base = PackedExt;
    type Extension = PackedExt;

    fn combine<const N: usize>(
        values: &[[PackedExt; N]],
        index: usize,
        weights: &Weights,
        _: &mut Vec<PackedExt>,
    ) -> PackedExt {
        let terms = zip(values, &weights.packed).map(|(values, &weight)| values[index] * weight);
        terms.sum()
    }

    fn sum_lanes(sum: PackedExt) -> EF {
        lanes(&sum).sum()
    }
}

impl Values for Scalars {
    type Constant = F;
    type Base = EF;
    type Extension = EF;

    fn combine<const N: usize>(
        values: &[[EF; N]],
        index: usize,
        weights: &Weights,
        _: &mut Vec<EF>,
    ) -> EF {
        let terms = zip(values, &weights.elements).map(|(values, &weight)| values[index] * weight);
        terms.sum()
    }

    fn sum_lanes(sum: EF) -> EF {
        sum
    }
}

/// The lanes of a packed element.
pub(super) fn lanes(packed: &PackedExt) -> impl Iterator<Item = EF> {
    (0..LANES).map(|lane| PackedFieldExtension::<F, EF>::extract(packed, lane))
}
