//! The quotient of a table: the random combination of its constraints, divided by the polynomial
//! that vanishes on the trace domain.
//!
//! Rows of committed matrices are in bit-reversed order, and the quotient is evaluated in the order
//! in which they are stored. Blocks of consecutive points of that order are cosets of the trace
//! domain's group: they are the chunks in which the quotient is committed.

use std::iter::zip;

use droste_native::{EF, F};
use p3_air::symbolic::ConstraintLayout;
use p3_air::{Air, BaseAir, RowWindow};
use p3_commit::PeriodicLdeTable;
use p3_field::{
    BasedVectorSpace, Field, PackedValue, PrimeCharacteristicRing, TwoAdicField,
    batch_multiplicative_inverse, batch_multiplicative_inverse_general,
};
use p3_matrix::Matrix;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView};
use p3_matrix::util::reverse_matrix_index_bits;
use p3_maybe_rayon::prelude::*;
use p3_util::reverse_bits_len;

use super::extension::Transforms;
use super::folder::{Folder, Rows, Selectors};
use super::messages::{DEGREE, Fractions, LANES, Leaf, Packed, PackedExt, Row, Scratch};

/// Points whose selectors are inverted together.
const POINTS: usize = 32 * LANES;

/// Columns that are packed at once, so that they stay in the fastest cache.
const STRIP: usize = 64;

/// Constraints of the accumulator of the lookup argument: on the first row, between rows, and on
/// the last row.
const ACCUMULATOR_CONSTRAINTS: usize = 3;

/// What a table's quotient is computed from. Rows of the matrices are in bit-reversed order, and as
/// many as the quotient has points.
pub(super) struct Quotient<'a, A> {
    pub(super) table: &'a A,
    pub(super) log_height: usize,
    pub(super) log_chunks: usize,
    pub(super) main: RowMajorMatrixView<'a, F>,
    /// Whether the table declares that its constraints read the next row.
    pub(super) reads_next: bool,
    pub(super) preprocessed: Option<RowMajorMatrixView<'a, F>>,
    pub(super) periodic: PeriodicLdeTable<F>,
    pub(super) public_values: &'a [F],
    pub(super) lookups: Option<LookupArgument<'a>>,
    pub(super) alphas: Alphas,
}

/// The lookup argument of a table that has lookups.
pub(super) struct LookupArgument<'a> {
    pub(super) fractions: Fractions<'a>,
    pub(super) columns: RowMajorMatrixView<'a, F>,
    pub(super) terminal: EF,
}

/// Powers of the challenge by which constraints are multiplied.
pub(super) struct Alphas {
    /// Per coefficient of the extension field, those of the base field's constraints.
    base: Vec<Vec<F>>,
    /// Those of the extension field's constraints.
    extension: Vec<PackedExt>,
}

impl Alphas {
    /// Powers for the table's own constraints, which have this layout, and those of `lookups`
    /// lookup columns.
    pub(super) fn new(mut layout: ConstraintLayout, lookups: usize, alpha: EF) -> Self {
        if lookups > 0 {
            let own = layout.total_constraints();
            let all = own + lookups + ACCUMULATOR_CONSTRAINTS;
            layout.ext_indices.extend(own..all);
        }
        let (base, extension) = layout.decompose_alpha::<F, EF>(alpha);
        Self {
            base,
            extension: extension.into_iter().map(Into::into).collect(),
        }
    }
}

/// The points at which a quotient is evaluated, by their position in bit-reversed order.
struct Points {
    log_size: usize,
    log_chunks: usize,
    /// Powers of the generator of the points' group, and of a power of it: each of its elements is
    /// the product of one of either.
    low: Vec<F>,
    high: Vec<F>,
    /// The vanishing polynomial's values, and their inverses.
    vanishing: Vec<F>,
    inverse_vanishing: Vec<F>,
    /// The inverse of the trace group's generator, which is its last element.
    last: F,
}

impl Points {
    fn new(log_height: usize, log_chunks: usize) -> Self {
        let log_size = log_height + log_chunks;
        let generator = F::two_adic_generator(log_size);
        let log_low = log_size / 2;
        let step = generator.exp_power_of_2(log_low);
        let shift = F::GENERATOR.exp_power_of_2(log_height);
        let vanishing: Vec<F> = F::two_adic_generator(log_chunks)
            .shifted_powers(shift)
            .take(1 << log_chunks)
            .map(|power| power - F::ONE)
            .collect();
        Self {
            log_size,
            log_chunks,
            low: generator.powers().take(1 << log_low).collect(),
            high: step
                .shifted_powers(F::GENERATOR)
                .take(1 << (log_size - log_low))
                .collect(),
            inverse_vanishing: batch_multiplicative_inverse(&vanishing),
            vanishing,
            last: F::two_adic_generator(log_height).inverse(),
        }
    }

    fn size(&self) -> usize {
        1 << self.log_size
    }

    /// The exponent of the point at a position.
    fn exponent(&self, position: usize) -> usize {
        reverse_bits_len(position, self.log_size)
    }

    /// The point at a position.
    fn point(&self, position: usize) -> F {
        let exponent = self.exponent(position);
        let low = exponent & (self.low.len() - 1);
        self.low[low] * self.high[exponent / self.low.len()]
    }

    /// The position of the next row.
    fn next(&self, position: usize) -> usize {
        let next = self.exponent(position) + (1 << self.log_chunks);
        reverse_bits_len(next & (self.size() - 1), self.log_size)
    }

    /// Which value of the vanishing polynomial belongs to a position.
    fn coset(&self, position: usize) -> usize {
        self.exponent(position) & ((1 << self.log_chunks) - 1)
    }
}

/// Buffers of one thread.
#[derive(Default)]
struct Buffers {
    points: Vec<Packed>,
    inverses: Vec<Packed>,
    main: [Vec<Packed>; 2],
    preprocessed: [Vec<Packed>; 2],
    periodic: Vec<Packed>,
    lookups: Vec<Packed>,
    next_lookups: Vec<Packed>,
    base: Vec<Packed>,
    extension: Vec<PackedExt>,
    scratch: Scratch,
}

impl<A> Quotient<'_, A>
where
    A: BaseAir<F> + for<'b> Air<Folder<'b>> + Sync,
{
    /// Returns the low-degree extensions of the quotient's chunks, in the order in which they are
    /// committed.
    pub(super) fn extended_chunks(
        &self,
        transforms: &Transforms,
        log_blowup: usize,
    ) -> Vec<RowMajorMatrix<F>> {
        let points = Points::new(self.log_height, self.log_chunks);
        let generator = F::two_adic_generator(points.log_size);
        (0..1 << self.log_chunks)
            .map(|chunk| {
                let block = reverse_bits_len(chunk, self.log_chunks);
                let mut values = self.evaluate(&points, block << self.log_height);
                reverse_matrix_index_bits(&mut values);
                let shift = generator.exp_u64(chunk as u64).inverse();
                transforms.extend(values, log_blowup, shift)
            })
            .collect()
    }

    /// Evaluates the quotient at as many points as the table has rows, from a position on.
    fn evaluate(&self, points: &Points, begin: usize) -> RowMajorMatrix<F> {
        let mut values = F::zero_vec(DEGREE << self.log_height);
        values
            .par_chunks_mut(POINTS * DEGREE)
            .enumerate()
            .for_each_init(Buffers::default, |buffers, (chunk, values)| {
                self.fill(points, buffers, begin + chunk * POINTS, values);
            });
        RowMajorMatrix::new(values, DEGREE)
    }

    /// Evaluates the quotient at the points from `first` on.
    fn fill(&self, points: &Points, buffers: &mut Buffers, first: usize, values: &mut [F]) {
        let mask = points.size() - 1;
        let starts = (0..values.len() / DEGREE).step_by(LANES);
        // Two differences a block are inverted: to the first and to the last row.
        buffers.points.clear();
        for start in starts.clone() {
            let point = Packed::from_fn(|lane| points.point((first + start + lane) & mask));
            let differences = [point - Packed::ONE, point - Packed::from(points.last)];
            buffers.points.extend(differences);
        }
        buffers.inverses.resize(buffers.points.len(), Packed::ZERO);
        batch_multiplicative_inverse_general(&buffers.points, &mut buffers.inverses, |product| {
            *Packed::from_slice(&batch_multiplicative_inverse(product.as_slice()))
        });
        let blocks = zip(starts, values.chunks_mut(LANES * DEGREE));
        for (index, (start, values)) in blocks.enumerate() {
            let rows: [usize; LANES] = std::array::from_fn(|lane| (first + start + lane) & mask);
            let of_coset = |values: &[F]| Packed::from_fn(|lane| values[points.coset(rows[lane])]);
            let vanishing = of_coset(&points.vanishing);
            let selectors = Selectors {
                first: vanishing * buffers.inverses[2 * index],
                last: vanishing * buffers.inverses[2 * index + 1],
                transition: buffers.points[2 * index + 1],
            };
            let combined = self.combine(points, &rows, selectors, buffers);
            let quotient = combined * of_coset(&points.inverse_vanishing);
            let coefficients: &[Packed] = quotient.as_basis_coefficients_slice();
            for (d, coefficient) in coefficients.iter().enumerate() {
                let cells = values.iter_mut().skip(d).step_by(DEGREE);
                for (cell, &value) in zip(cells, coefficient.as_slice()) {
                    *cell = value;
                }
            }
        }
    }

    /// Evaluates the random combination of all constraints on these rows.
    fn combine(
        &self,
        points: &Points,
        rows: &[usize; LANES],
        selectors: Selectors,
        buffers: &mut Buffers,
    ) -> PackedExt {
        let next = rows.map(|row| points.next(row));
        let [main, main_next] = &mut buffers.main;
        pack(&self.main, rows, main);
        if self.reads_next {
            pack(&self.main, &next, main_next);
        } else {
            // As verifiers do, who are not told the next row.
            main_next.resize(main.len(), Packed::ZERO);
        }
        let [preprocessed, preprocessed_next] = &mut buffers.preprocessed;
        if let Some(matrix) = &self.preprocessed {
            pack(matrix, rows, preprocessed);
            pack(matrix, &next, preprocessed_next);
        }
        buffers.periodic.clear();
        buffers
            .periodic
            .extend((0..self.periodic.width()).map(|column| {
                Packed::from_fn(|lane| *self.periodic.get(points.exponent(rows[lane]), column))
            }));
        let rows_of_table = Rows {
            main: RowWindow::from_two_rows(main, main_next),
            preprocessed: RowWindow::from_two_rows(preprocessed, preprocessed_next),
            periodic: &buffers.periodic,
            public_values: self.public_values,
            selectors,
        };
        let (base, extension) = (
            std::mem::take(&mut buffers.base),
            std::mem::take(&mut buffers.extension),
        );
        let mut folder = Folder::new(rows_of_table, &self.alphas.base, base, extension);
        self.table.eval(&mut folder);
        let (mut combined, base, mut extension) = folder.finish();

        if let Some(lookups) = &self.lookups {
            pack(&lookups.columns, rows, &mut buffers.lookups);
            pack_first(&lookups.columns, &next, &mut buffers.next_lookups);
            let read = |leaf| match leaf {
                Leaf::Main(Row::Current, column) => main[column],
                Leaf::Main(Row::Next, column) => main_next[column],
                Leaf::Preprocessed(Row::Current, column) => preprocessed[column],
                Leaf::Preprocessed(Row::Next, column) => preprocessed_next[column],
                Leaf::Periodic(column) => buffers.periodic[column],
                Leaf::Public(index) => self.public_values[index].into(),
                Leaf::FirstRow => selectors.first,
                Leaf::LastRow => selectors.last,
                Leaf::Transition => selectors.transition,
            };
            let cell = |column: usize| {
                let coefficients = &buffers.lookups[column * DEGREE..][..DEGREE];
                PackedExt::from_basis_coefficients_fn(|d| coefficients[d])
            };
            let accumulator = cell(0);
            let mut sum = accumulator;
            let mut column = 0;
            lookups
                .fractions
                .evaluate(&mut buffers.scratch, read, |numerator, denominator| {
                    column += 1;
                    let fraction = cell(column);
                    sum += fraction;
                    extension.push(denominator * fraction - numerator);
                });
            let next = PackedExt::from_basis_coefficients_fn(|d| buffers.next_lookups[d]);
            extension.push(accumulator * selectors.first);
            extension.push((next - sum) * selectors.transition);
            extension.push((PackedExt::from(lookups.terminal) - sum) * selectors.last);
        }

        for (&value, &alpha) in zip(&extension, &self.alphas.extension) {
            combined += value * alpha;
        }
        buffers.base = base;
        buffers.extension = extension;
        combined
    }
}

/// Packs these rows of a matrix, one per lane.
fn pack(matrix: &RowMajorMatrixView<'_, F>, rows: &[usize; LANES], packed: &mut Vec<Packed>) {
    pack_columns(matrix, rows, matrix.width(), packed);
}

/// Packs the first extension field element of these rows of a matrix.
fn pack_first(matrix: &RowMajorMatrixView<'_, F>, rows: &[usize; LANES], packed: &mut Vec<Packed>) {
    pack_columns(matrix, rows, DEGREE, packed);
}

fn pack_columns(
    matrix: &RowMajorMatrixView<'_, F>,
    rows: &[usize; LANES],
    columns: usize,
    packed: &mut Vec<Packed>,
) {
    packed.resize(columns, Packed::ZERO);
    for (strip, packed) in packed.chunks_mut(STRIP).enumerate() {
        for (lane, row) in rows.iter().enumerate() {
            let cells = &matrix.values[row * matrix.width + strip * STRIP..][..packed.len()];
            for (packed, &cell) in zip(&mut *packed, cells) {
                packed.as_slice_mut()[lane] = cell;
            }
        }
    }
}
