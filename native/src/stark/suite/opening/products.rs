//! Sums of products of the cells of matrices and extension field elements, over rows and over
//! columns.

use std::iter::zip;

use p3_field::{
    Algebra, BasedVectorSpace, PackedFieldExtension, PackedValue, PrimeCharacteristicRing,
    chunked_linear_combination,
};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrixView;
use p3_maybe_rayon::prelude::*;

use super::{LANES, Packed, PackedExt};
use crate::field::{EF, EXTENSION_DEGREE, F};

/// In matrices of more columns Plonky3's products, which pack the cells of a row, take less time:
/// nothing is transposed.
pub(super) const FEW_COLUMNS: usize = 128;

/// Columns that are packed at once.
pub(super) const STRIP: usize = 64;

/// Products that are added before they are reduced.
const PRODUCTS: usize = 8;

/// Rows that one task sums up.
const TASK: usize = 32 * PRODUCTS * LANES;

/// Packs these columns of [`LANES`] rows from `first` on. Lanes beyond `rows` are zero.
fn pack(
    matrix: &RowMajorMatrixView<'_, F>,
    first: usize,
    rows: usize,
    columns: std::ops::Range<usize>,
    packed: &mut [Packed],
) {
    for lane in 0..LANES {
        let row = first + lane;
        if row < rows {
            let cells = &matrix.values[row * matrix.width..][columns.clone()];
            for (packed, &cell) in zip(&mut *packed, cells) {
                packed.as_slice_mut()[lane] = cell;
            }
        } else {
            for packed in &mut packed[..columns.len()] {
                packed.as_slice_mut()[lane] = F::ZERO;
            }
        }
    }
}

/// The sums of the cells of each row, times powers of the challenge.
pub(super) enum Combination<'a> {
    /// The matrix, and the coefficients of the powers.
    FewColumns(RowMajorMatrixView<'a, F>, Vec<Vec<F>>),
    /// The sums themselves.
    ManyColumns(Vec<EF>),
}

impl<'a> Combination<'a> {
    /// `powers` are the powers of `alpha`, from any on.
    pub(super) fn new(matrix: &RowMajorMatrixView<'a, F>, powers: Vec<EF>, alpha: EF) -> Self {
        if matrix.width() > FEW_COLUMNS {
            let first = powers[0];
            let powers = PackedExt::packed_ext_powers_capped(alpha, matrix.width());
            let powers: Vec<PackedExt> = powers.map(|power| power * first).collect();
            let sums = matrix.rowwise_packed_dot_product::<EF>(&powers);
            return Self::ManyColumns(sums.collect());
        }
        let coefficients = (0..EXTENSION_DEGREE).map(|d| {
            let of_power = |power: &EF| -> F {
                let coefficients: &[F] = power.as_basis_coefficients_slice();
                coefficients[d]
            };
            powers.iter().map(of_power).collect()
        });
        Self::FewColumns(*matrix, coefficients.collect())
    }

    /// Returns the sums of a block of rows.
    pub(super) fn at(&self, block: usize, strip: &mut [Packed]) -> PackedExt {
        let first = block * LANES;
        match self {
            Self::FewColumns(matrix, coefficients) => combine(matrix, first, coefficients, strip),
            Self::ManyColumns(sums) => {
                PackedExt::from_ext_fn(|lane| sums[(first + lane) % sums.len()])
            }
        }
    }
}

/// Returns the first `length` elements.
pub(super) fn unpacked(packed: &[PackedExt], length: usize) -> Vec<EF> {
    let mut elements = EF::zero_vec(length);
    let lanes = elements.par_chunks_mut(LANES).zip(packed);
    lanes.for_each(|(elements, packed)| {
        for (lane, element) in elements.iter_mut().enumerate() {
            *element = PackedFieldExtension::<F, EF>::extract(packed, lane);
        }
    });
    elements
}

/// Returns the sum of the cells of each row, times extension field elements with these
/// coefficients.
fn combine(
    matrix: &RowMajorMatrixView<'_, F>,
    first: usize,
    coefficients: &[Vec<F>],
    strip: &mut [Packed],
) -> PackedExt {
    let mut sum = PackedExt::ZERO;
    for start in (0..matrix.width()).step_by(STRIP) {
        let columns = start..matrix.width().min(start + STRIP);
        let strip = &mut strip[..columns.len()];
        pack(matrix, first, matrix.height(), columns.clone(), strip);
        sum += PackedExt::from_basis_coefficients_fn(|d| {
            let coefficients = &coefficients[d][columns.clone()];
            let whole = strip.len() / PRODUCTS * PRODUCTS;
            let (strip, rest) = strip.split_at(whole);
            let (coefficients, of_rest) = coefficients.split_at(whole);
            chunked_linear_combination::<PRODUCTS, _, _>(strip, coefficients)
                + Packed::batched_linear_combination(rest, of_rest)
        });
    }
    sum
}

/// Returns, for each list of weights, the sums of the cells of each column times the weights of
/// their rows.
pub(super) fn weighted_sums(
    matrix: &RowMajorMatrixView<'_, F>,
    rows: usize,
    weights: &[&[PackedExt]],
) -> Vec<Vec<EF>> {
    let width = matrix.width();
    let zeros = || vec![vec![EF::ZERO; width]; weights.len()];
    (0..rows.div_ceil(TASK))
        .into_par_iter()
        .map(|task| {
            let mut sums = zeros();
            let end = rows.min((task + 1) * TASK);
            for start in (0..width).step_by(STRIP) {
                let columns = start..width.min(start + STRIP);
                let packed = sum_strip(matrix, task * TASK..end, columns.clone(), weights);
                for (sums, packed) in zip(&mut sums, packed) {
                    for (sum, packed) in zip(&mut sums[columns.clone()], packed) {
                        let lanes = 0..LANES;
                        *sum = lanes
                            .map(|lane| PackedFieldExtension::<F, EF>::extract(&packed, lane))
                            .sum();
                    }
                }
            }
            sums
        })
        .reduce(zeros, |mut left, right| {
            for (left, right) in zip(&mut left, right) {
                for (left, right) in zip(left, right) {
                    *left += right;
                }
            }
            left
        })
}

fn sum_strip(
    matrix: &RowMajorMatrixView<'_, F>,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
    weights: &[&[PackedExt]],
) -> Vec<Vec<PackedExt>> {
    let mut sums = vec![vec![PackedExt::ZERO; columns.len()]; weights.len()];
    let mut strip = [Packed::ZERO; STRIP];
    let mut cells = vec![[Packed::ZERO; PRODUCTS]; columns.len()];
    for first in rows.clone().step_by(PRODUCTS * LANES) {
        for product in 0..PRODUCTS {
            let first = first + product * LANES;
            pack(matrix, first, rows.end, columns.clone(), &mut strip);
            for (cells, &packed) in zip(&mut cells, &strip) {
                cells[product] = packed;
            }
        }
        for (sums, weights) in zip(&mut sums, weights) {
            let block = first / LANES;
            // Cells beyond the last row are zero, whatever their weight is.
            let weights: [[Packed; PRODUCTS]; EXTENSION_DEGREE] = std::array::from_fn(|d| {
                std::array::from_fn(|product| {
                    weights.get(block + product).map_or(Packed::ZERO, |weight| {
                        let coefficients: &[Packed] = weight.as_basis_coefficients_slice();
                        coefficients[d]
                    })
                })
            });
            for (sum, cells) in zip(sums, &cells) {
                *sum += PackedExt::from_basis_coefficients_fn(|d| {
                    Packed::dot_product::<PRODUCTS>(cells, &weights[d])
                });
            }
        }
    }
    sums
}
