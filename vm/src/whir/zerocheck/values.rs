//! What polynomials are evaluated on: cells of the base field in the first two rounds of a table,
//! elements of the extension field later, and single ones when rows do not fill a packed element
//! any more.

use std::iter::zip;
use std::marker::PhantomData;

use droste_native::lanes::{PackedExt, lanes};
use droste_native::{EF, F};
use p3_field::{Algebra, BasedVectorSpace, PackedField};

/// Number of base field elements in an extension field element.
pub(super) const DEGREE: usize = <EF as BasedVectorSpace<F>>::DIMENSION;

/// Coefficients of a linear combination.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    elements: Vec<EF>,
    /// Per coefficient of the extension field.
    coefficients: [Vec<F>; DEGREE],
}

impl Weights {
    pub(super) fn new(elements: Vec<EF>) -> Self {
        Self {
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
    pub(super) fn combine<P: PackedField<Scalar = F>>(&self, values: &[P]) -> PackedExt<P> {
        PackedExt::from_basis_coefficients_fn(|d| {
            P::batched_linear_combination(values, &self.coefficients[d])
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
pub(super) struct PackedCells<P>(PhantomData<P>);

/// Rows that fill packed elements.
#[derive(Debug)]
pub(super) struct PackedRows<P>(PhantomData<P>);

/// Rows one by one.
#[derive(Debug)]
pub(super) enum Scalars {}

impl<P: PackedField<Scalar = F>> Values for PackedCells<P> {
    type Constant = F;
    type Base = P;
    type Extension = PackedExt<P>;

    fn combine<const N: usize>(
        values: &[[P; N]],
        index: usize,
        weights: &Weights,
        buffer: &mut Vec<P>,
    ) -> PackedExt<P> {
        buffer.clear();
        buffer.extend(values.iter().map(|values| values[index]));
        weights.combine(buffer)
    }

    fn sum_lanes(sum: PackedExt<P>) -> EF {
        lanes(&sum).sum()
    }
}

impl<P: PackedField<Scalar = F>> Values for PackedRows<P> {
    type Constant = P;
    type Base = PackedExt<P>;
    type Extension = PackedExt<P>;

    fn combine<const N: usize>(
        values: &[[PackedExt<P>; N]],
        index: usize,
        weights: &Weights,
        _: &mut Vec<PackedExt<P>>,
    ) -> PackedExt<P> {
        let terms = zip(values, &weights.elements).map(|(values, &weight)| values[index] * weight);
        terms.sum()
    }

    fn sum_lanes(sum: PackedExt<P>) -> EF {
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
