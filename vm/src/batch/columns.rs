//! The columns of the lookup argument (LogUp: ePrint 2022/1530).

use std::cell::Cell;

use droste_air::End;
use droste_native::{EF, F};
use p3_field::{
    BasedVectorSpace, PackedFieldExtension, PackedValue, PrimeCharacteristicRing,
    batch_multiplicative_inverse_general, invert_packed_extension,
};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::messages::{DEGREE, Fractions, LANES, Leaf, Packed, PackedExt, Row, Scratch};

/// Rows whose denominators are inverted together.
const ROWS: usize = 32 * LANES;

/// A denominator of the lookup argument is zero: a message equals the challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a message of a lookup equals the challenge, which happens with negligible probability")]
pub struct ZeroDenominator;

/// The columns of a trace that messages read.
pub(super) struct ReadColumns {
    height: usize,
    /// Of every column of the trace, its place among those that are read.
    places: Vec<usize>,
    width: usize,
    values: Vec<F>,
}

impl ReadColumns {
    /// Copies these columns.
    pub(super) fn new(trace: &RowMajorMatrix<F>, columns: &[usize]) -> Self {
        let mut places = vec![0; trace.width()];
        for (place, &column) in columns.iter().enumerate() {
            places[column] = place;
        }
        let width = columns.len();
        let mut values = F::zero_vec(trace.height() * width);
        values
            .par_chunks_mut(ROWS * width.max(1))
            .zip(trace.values.par_chunks(ROWS * trace.width().max(1)))
            .for_each(|(values, rows)| {
                let rows = rows.chunks_exact(trace.width());
                for (values, row) in values.chunks_exact_mut(width).zip(rows) {
                    for (value, &column) in values.iter_mut().zip(columns) {
                        *value = row[column];
                    }
                }
            });
        Self {
            height: trace.height(),
            places,
            width,
            values,
        }
    }
}

/// What the columns of a table are computed from.
pub(super) struct Source<'a> {
    pub(super) trace: &'a ReadColumns,
    pub(super) preprocessed: Option<&'a RowMajorMatrix<F>>,
    pub(super) periodic: &'a [Vec<F>],
    pub(super) public_values: &'a [F],
    /// What follows the last row.
    pub(super) end: End,
}

impl Source<'_> {
    /// Reads a leaf of the rows that begin with `first`, one per lane.
    fn read(&self, leaf: Leaf, first: usize) -> Packed {
        let mask = self.trace.height - 1;
        let cell = |values: &[F], width: usize, row, column| {
            let at = |lane: usize| {
                let index = (first + lane) & mask;
                let index = match row {
                    Row::Current => index,
                    Row::Next => self.end.next(index, self.trace.height),
                };
                index * width + column
            };
            Packed::from_fn(|lane| values[at(lane)])
        };
        let flag = |is: &dyn Fn(usize) -> bool| {
            Packed::from_fn(|lane| F::from_bool(is((first + lane) & mask)))
        };
        match leaf {
            Leaf::Main(row, column) => {
                let ReadColumns { values, width, .. } = self.trace;
                cell(values, *width, row, self.trace.places[column])
            }
            Leaf::Preprocessed(row, column) => self.preprocessed.map_or(Packed::ZERO, |matrix| {
                cell(&matrix.values, matrix.width, row, column)
            }),
            Leaf::Periodic(column) => {
                let values = &self.periodic[column];
                Packed::from_fn(|lane| values[((first + lane) & mask) % values.len()])
            }
            Leaf::Public(index) => self.public_values[index].into(),
            Leaf::FirstRow => flag(&|row| row == 0),
            Leaf::LastRow => flag(&|row| row == mask),
            Leaf::Transition => flag(&|row| row < mask),
        }
    }
}

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    scratch: Scratch,
    numerators: Vec<PackedExt>,
    denominators: Vec<PackedExt>,
    inverses: Vec<PackedExt>,
}

impl Buffers {
    /// Numerators and inverted denominators of the fractions of each row.
    fn fractions(&self, columns: usize) -> impl Iterator<Item = (&[PackedExt], &[PackedExt])> {
        let numerators = self.numerators.chunks_exact(columns);
        numerators.zip(self.inverses.chunks_exact(columns))
    }
}

/// Returns the lookup columns of a table, in coefficients over the base field, and the sum of all
/// their fractions.
///
/// The first column of extension field elements has the sum of the fractions of all rows above, the
/// others have one fraction each.
///
/// # Errors
/// If a denominator is zero.
pub(super) fn lookup_columns(
    source: &Source<'_>,
    fractions: &Fractions<'_>,
    columns: usize,
) -> Result<(RowMajorMatrix<F>, EF), ZeroDenominator> {
    let width = (1 + columns) * DEGREE;
    let mut values = F::zero_vec(source.trace.height * width);
    let chunks = values.par_chunks_mut(ROWS * width).enumerate();
    let totals: Vec<Result<EF, ZeroDenominator>> = chunks
        .map_init(Buffers::default, |buffers, (chunk, rows)| {
            fill(source, fractions, columns, buffers, chunk * ROWS, rows)
        })
        .collect();
    let mut sum = EF::ZERO;
    let mut offsets = Vec::with_capacity(totals.len());
    for total in totals {
        offsets.push(sum);
        sum += total?;
    }
    values
        .par_chunks_mut(ROWS * width)
        .zip(offsets)
        .for_each(|(rows, offset)| {
            let offset: &[F] = offset.as_basis_coefficients_slice();
            for row in rows.chunks_exact_mut(width) {
                for (cell, &offset) in row.iter_mut().zip(offset) {
                    *cell += offset;
                }
            }
        });
    Ok((RowMajorMatrix::new(values, width), sum))
}

/// Fills the rows that begin with `first`, with sums that begin with zero. Returns the sum of their
/// fractions.
fn fill(
    source: &Source<'_>,
    fractions: &Fractions<'_>,
    columns: usize,
    buffers: &mut Buffers,
    first: usize,
    rows: &mut [F],
) -> Result<EF, ZeroDenominator> {
    let width = (1 + columns) * DEGREE;
    evaluate(source, fractions, buffers, first, rows.len() / width)?;
    let mut sum = EF::ZERO;
    let packed = buffers.fractions(columns);
    for (rows, (numerators, inverses)) in rows.chunks_mut(LANES * width).zip(packed) {
        let mut of_row = PackedExt::ZERO;
        for (column, (&numerator, &inverse)) in numerators.iter().zip(inverses).enumerate() {
            let fraction = numerator * inverse;
            of_row += fraction;
            let coefficients: &[Packed] = fraction.as_basis_coefficients_slice();
            for (d, coefficient) in coefficients.iter().enumerate() {
                let cells = rows.iter_mut().skip((1 + column) * DEGREE + d);
                for (cell, &value) in cells.step_by(width).zip(coefficient.as_slice()) {
                    *cell = value;
                }
            }
        }
        for (lane, row) in rows.chunks_exact_mut(width).enumerate() {
            row[..DEGREE].copy_from_slice(sum.as_basis_coefficients_slice());
            sum += lane_of(&of_row, lane);
        }
    }
    Ok(sum)
}

/// Evaluates numerators and inverted denominators of `count` rows that begin with `first`.
fn evaluate(
    source: &Source<'_>,
    fractions: &Fractions<'_>,
    buffers: &mut Buffers,
    first: usize,
    count: usize,
) -> Result<(), ZeroDenominator> {
    let Buffers {
        scratch,
        numerators,
        denominators,
        inverses,
    } = buffers;
    numerators.clear();
    denominators.clear();
    for start in (0..count).step_by(LANES) {
        let read = |leaf| source.read(leaf, first + start);
        fractions.evaluate(scratch, read, |numerator, denominator| {
            numerators.push(numerator);
            denominators.push(denominator);
        });
    }
    let zero = Cell::new(false);
    inverses.resize(denominators.len(), PackedExt::ZERO);
    batch_multiplicative_inverse_general(denominators, inverses, |product| {
        if (0..LANES).any(|lane| lane_of(&product, lane) == EF::ZERO) {
            zero.set(true);
            return PackedExt::ONE;
        }
        invert_packed_extension::<F, EF>(product)
    });
    if zero.get() {
        return Err(ZeroDenominator);
    }
    Ok(())
}

/// Returns the sum of the fractions of each column over all rows.
///
/// # Errors
/// If a denominator is zero.
pub(super) fn sums(
    source: &Source<'_>,
    fractions: &Fractions<'_>,
    columns: usize,
) -> Result<Vec<EF>, ZeroDenominator> {
    let height = source.trace.height;
    let chunks = (0..height.div_ceil(ROWS)).into_par_iter();
    let sums: Vec<Result<Vec<EF>, ZeroDenominator>> = chunks
        .map_init(Buffers::default, |buffers, chunk| {
            let first = chunk * ROWS;
            evaluate(source, fractions, buffers, first, ROWS.min(height - first))?;
            let mut sums = vec![PackedExt::ZERO; columns];
            for (numerators, inverses) in buffers.fractions(columns) {
                for (sum, (&numerator, &inverse)) in
                    sums.iter_mut().zip(numerators.iter().zip(inverses))
                {
                    *sum += numerator * inverse;
                }
            }
            // The lanes past the end of a table of fewer rows than lanes repeat its rows.
            let lanes = LANES.min(height);
            let of_column = |sum| (0..lanes).map(|lane| lane_of(&sum, lane)).sum();
            Ok(sums.into_iter().map(of_column).collect())
        })
        .collect();
    let mut totals = vec![EF::ZERO; columns];
    for sums in sums {
        for (total, sum) in totals.iter_mut().zip(sums?) {
            *total += sum;
        }
    }
    Ok(totals)
}

/// Returns one lane of a packed element.
fn lane_of(packed: &PackedExt, lane: usize) -> EF {
    PackedFieldExtension::<F, EF>::extract(packed, lane)
}
