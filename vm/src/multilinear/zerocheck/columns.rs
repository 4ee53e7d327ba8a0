//! The columns of a table's polynomial: computing them from cells, evaluating the polynomial on them,
//! and fixing variables.

use std::array;
use std::iter::zip;

use droste_native::{EF, F};
use p3_field::{Algebra, PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::polynomial::{Form, Part, Polynomial, Sum};
use super::values::{PackedCells, PackedRows, Scalars, Values, Weights, lanes};
use crate::multilinear::cells::Rows;
use crate::multilinear::{LANES, Packed, PackedExt};

/// Elements of a column that a thread takes at once.
const TASK: usize = 32;

/// Packed cells that a program takes at once. Packed extension field elements are large enough to be
/// taken one by one.
const CELLS: usize = 4;

/// Columns of which some variables are fixed.
#[derive(Debug)]
pub(super) struct Columns<V: Values> {
    /// Columns over the base field before a variable was fixed.
    base: Vec<Vec<V::Base>>,
    /// Columns over the extension field.
    extension: Vec<Vec<V::Extension>>,
}

/// The columns of a table at some time.
#[derive(Debug)]
pub(super) enum State {
    /// No variable is fixed.
    Cells(Columns<PackedCells>),
    /// Some are.
    Packed(Columns<PackedRows>),
    /// The rows that are left do not fill two packed elements.
    Scalar(Columns<Scalars>),
}

/// `eq(z, x)` at all points `x` of the hypercube, where `z` are the coordinates of the variables
/// after the round's.
#[derive(Debug)]
pub(super) enum Eq {
    Packed(Vec<PackedExt>),
    Scalar(Vec<EF>),
}

impl State {
    /// Computes the columns of a polynomial.
    pub(super) fn new(polynomial: &Polynomial, rows: &Rows<'_>) -> Self {
        let base = polynomial.base.iter().map(|form| base_column(form, rows));
        let extension = polynomial.extension.iter();
        let columns = Columns {
            base: base.collect(),
            extension: extension.map(|form| extension_column(form, rows)).collect(),
        };
        if rows.num_packed() > 1 {
            return Self::Cells(columns);
        }
        let lift = |column: &Vec<Packed>| {
            let cells = Packed::unpack_slice(column).iter();
            cells.map(|&cell| cell.into()).collect()
        };
        Self::Scalar(Columns {
            base: columns.base.iter().map(lift).collect(),
            extension: columns.extension.iter().map(unpack).collect(),
        })
    }

    /// Fixes the first variable that is left.
    pub(super) fn fold(self, r: EF) -> Self {
        match self {
            Self::Cells(columns) => Self::of_packed(columns.fold(r.into())),
            Self::Packed(columns) => Self::of_packed(columns.fold(r.into())),
            Self::Scalar(columns) => Self::Scalar(columns.fold(r)),
        }
    }

    fn of_packed(columns: Columns<PackedRows>) -> Self {
        let is_short = |column: &Vec<PackedExt>| column.len() < 2;
        if !columns.extension.iter().all(is_short) {
            return Self::Packed(columns);
        }
        Self::Scalar(Columns {
            base: columns.base.iter().map(unpack).collect(),
            extension: columns.extension.iter().map(unpack).collect(),
        })
    }

    /// The sum of the linear form, weighted by `eq`, where the round's variable is 0, and where it is
    /// 1.
    pub(super) fn linear_sums(&self, eq: &Eq) -> [EF; 2] {
        match (self, eq) {
            (Self::Cells(columns), Eq::Packed(eq)) => columns.linear_sums(eq),
            (Self::Packed(columns), Eq::Packed(eq)) => columns.linear_sums(eq),
            (Self::Scalar(columns), Eq::Scalar(eq)) => columns.linear_sums(eq),
            // A table and its weights become scalars at the same number of variables.
            _ => [EF::ZERO; 2],
        }
    }

    /// The sums of a part, weighted by `eq`, where the round's variable is `0..=degree`; without 1 if
    /// `skip_one`.
    pub(super) fn sums(&self, part: &Part, eq: &Eq, skip_one: bool) -> Vec<EF> {
        match (self, eq) {
            (Self::Cells(columns), Eq::Packed(eq)) if eq.len() >= CELLS => {
                columns.sums::<CELLS>(part, eq, skip_one)
            }
            (Self::Cells(columns), Eq::Packed(eq)) => columns.sums::<1>(part, eq, skip_one),
            (Self::Packed(columns), Eq::Packed(eq)) => columns.sums::<1>(part, eq, skip_one),
            (Self::Scalar(columns), Eq::Scalar(eq)) => columns.sums::<1>(part, eq, skip_one),
            _ => Vec::new(),
        }
    }
}

impl Eq {
    /// The weights in every round, from the last one to the first: those of a round are the sums of
    /// the next variable's two halves.
    pub(super) fn of_rounds(first: Vec<EF>) -> Vec<Self> {
        let packed = first.chunks_exact(LANES).map(PackedExt::from_ext_slice);
        let mut weights = if first.len() < LANES {
            Self::Scalar(first)
        } else {
            Self::Packed(packed.collect())
        };
        let mut rounds = Vec::new();
        loop {
            let next = match &weights {
                Self::Packed(eq) if eq.len() > 1 => Self::Packed(add_halves(eq)),
                Self::Packed(eq) => Self::Scalar(add_halves(&unpack(eq))),
                Self::Scalar(eq) if eq.len() > 1 => Self::Scalar(add_halves(eq)),
                Self::Scalar(_) => break,
            };
            rounds.push(std::mem::replace(&mut weights, next));
        }
        rounds.push(weights);
        rounds.reverse();
        rounds
    }
}

fn add_halves<V: PrimeCharacteristicRing + Copy + Send + Sync>(values: &[V]) -> Vec<V> {
    let (low, high) = values.split_at(values.len() / 2);
    let sums = low.par_iter().zip(high).with_min_len(1 << 8);
    sums.map(|(&low, &high)| low + high).collect()
}

#[allow(clippy::ptr_arg, reason = "it is mapped over lists of columns")]
fn unpack(column: &Vec<PackedExt>) -> Vec<EF> {
    column.iter().flat_map(lanes).collect()
}

fn base_column(form: &Form<F>, rows: &Rows<'_>) -> Vec<Packed> {
    let (columns, weights): (Vec<_>, Vec<F>) = form
        .terms
        .iter()
        .map(|&(leaf, weight)| (rows.column(leaf), weight))
        .unzip();
    let indices = (0..rows.num_packed()).into_par_iter().with_min_len(TASK);
    if let ([column], [weight]) = (columns.as_slice(), weights.as_slice())
        && *weight == F::ONE
    {
        return indices
            .map(|index| column.packed(index) + form.constant)
            .collect();
    }
    let values = indices.map_init(Vec::new, |values, index| {
        values.clear();
        values.extend(columns.iter().map(|column| column.packed(index)));
        Packed::batched_linear_combination(values, &weights) + form.constant
    });
    values.collect()
}

fn extension_column(form: &Form<EF>, rows: &Rows<'_>) -> Vec<PackedExt> {
    let (columns, weights): (Vec<_>, Vec<EF>) = form
        .terms
        .iter()
        .map(|&(leaf, weight)| (rows.column(leaf), weight))
        .unzip();
    let weights = Weights::new(weights);
    let constant = PackedExt::from(form.constant);
    let indices = (0..rows.num_packed()).into_par_iter().with_min_len(TASK);
    let values = indices.map_init(Vec::new, |values, index| {
        values.clear();
        values.extend(columns.iter().map(|column| column.packed(index)));
        weights.combine(values) + constant
    });
    values.collect()
}

/// Buffers of one thread: values of inputs at a point of the round's variable, and their differences
/// between consecutive points.
struct Buffers<V: Values, const N: usize> {
    /// Inputs and registers of the program.
    values: Vec<[V::Base; N]>,
    steps: Vec<[V::Base; N]>,
    extension: Vec<[V::Extension; N]>,
    extension_steps: Vec<[V::Extension; N]>,
    outputs: Vec<[V::Base; N]>,
    terms: Vec<V::Base>,
}

impl<V: Values> Columns<V> {
    fn linear_sums(&self, eq: &[V::Extension]) -> [EF; 2] {
        let column = self.extension.first().map_or(&[][..], Vec::as_slice);
        let (low, high) = column.split_at(column.len() / 2);
        [low, high].map(|half| {
            let products = half.par_iter().zip(eq).with_min_len(TASK);
            let zero = || V::Extension::ZERO;
            let sum = products
                .map(|(&value, &eq)| value * eq)
                .reduce(zero, |x, y| x + y);
            V::sum_lanes(sum)
        })
    }

    fn sums<const N: usize>(&self, part: &Part, eq: &[V::Extension], skip_one: bool) -> Vec<EF> {
        let program = &part.program;
        let buffers = || Buffers::<V, N> {
            values: vec![[V::Base::ZERO; N]; program.num_values()],
            steps: vec![[V::Base::ZERO; N]; program.inputs().len()],
            extension: vec![[V::Extension::ZERO; N]; part.extension.len()],
            extension_steps: vec![[V::Extension::ZERO; N]; part.extension.len()],
            outputs: Vec::new(),
            terms: Vec::new(),
        };
        let points: Vec<usize> = (0..=part.degree)
            .filter(|&point| point != 1 || !skip_one)
            .collect();
        let tasks = eq.par_chunks(TASK).enumerate();
        let sums: Vec<Vec<V::Extension>> = tasks
            .map_init(buffers, |buffers, (task, eq)| {
                let mut sums = vec![V::Extension::ZERO; points.len()];
                for (chunk, eq) in eq.chunks_exact(N).enumerate() {
                    buffers.load(self, part, task * TASK + chunk * N);
                    let mut position = 0;
                    for (sum, &point) in zip(&mut sums, &points) {
                        while position < point {
                            buffers.step();
                            position += 1;
                        }
                        let values = buffers.evaluate(part);
                        for (&value, &eq) in zip(&values, eq) {
                            *sum += value * eq;
                        }
                    }
                }
                sums
            })
            .collect();
        let point = |point: usize| sums.iter().map(|sums| sums[point]).sum();
        (0..points.len())
            .map(|index| V::sum_lanes(point(index)))
            .collect()
    }

    fn fold<W>(self, r: V::Extension) -> Columns<W>
    where
        W: Values<Base = V::Extension, Extension = V::Extension>,
    {
        let base = self.base.into_par_iter();
        let extension = self.extension.into_par_iter();
        Columns {
            base: base.map(|column| fold(&column, r)).collect(),
            extension: extension.map(|column| fold(&column, r)).collect(),
        }
    }
}

/// Fixes the first variable of a column.
fn fold<B, X>(column: &[B], r: X) -> Vec<X>
where
    B: PrimeCharacteristicRing + Copy,
    X: Algebra<B> + Copy,
{
    let (low, high) = column.split_at(column.len() / 2);
    zip(low, high)
        .map(|(&low, &high)| r * (high - low) + low)
        .collect()
}

impl<V: Values, const N: usize> Buffers<V, N> {
    /// Loads the rows that begin with `start` of either half: the values at 0, and the steps to those
    /// at 1.
    fn load(&mut self, columns: &Columns<V>, part: &Part, start: usize) {
        let inputs = part.program.inputs();
        for ((value, step), &column) in zip(&mut self.values, &mut self.steps).zip(inputs) {
            (*value, *step) = halves(&columns.base[column], start);
        }
        let extension = zip(&mut self.extension, &mut self.extension_steps);
        for ((value, step), &column) in extension.zip(&part.extension) {
            (*value, *step) = halves(&columns.extension[column], start);
        }
    }

    fn step(&mut self) {
        for (values, steps) in zip(&mut self.values, &self.steps) {
            zip(values, steps).for_each(|(value, &step)| *value += step);
        }
        for (values, steps) in zip(&mut self.extension, &self.extension_steps) {
            zip(values, steps).for_each(|(value, &step)| *value += step);
        }
    }

    fn evaluate(&mut self, part: &Part) -> [V::Extension; N] {
        self.outputs.clear();
        let emit = |output: &[V::Base; N]| self.outputs.push(*output);
        part.program
            .run::<V::Constant, _, N>(&mut self.values, emit);
        self.sum(&part.sum)
    }

    fn sum(&mut self, sum: &Sum) -> [V::Extension; N] {
        let mut values = sum
            .form
            .map_or([V::Extension::ZERO; N], |form| self.extension[form]);
        if sum.weights.len() > 0 {
            let outputs = &self.outputs[sum.first..sum.first + sum.weights.len()];
            for (index, value) in values.iter_mut().enumerate() {
                *value += V::combine(outputs, index, &sum.weights, &mut self.terms);
            }
        }
        for (multiplier, factor) in &sum.products {
            let factor = self.sum(factor);
            let multiplier = &self.outputs[*multiplier];
            for ((value, &factor), &multiplier) in zip(&mut values, &factor).zip(multiplier) {
                *value += factor * multiplier;
            }
        }
        values
    }
}

/// `N` values of the lower half of a column, and what is added to get those of the upper half.
fn halves<V: PrimeCharacteristicRing + Copy, const N: usize>(
    column: &[V],
    start: usize,
) -> ([V; N], [V; N]) {
    let half = column.len() / 2;
    let (low, high) = (&column[start..start + N], &column[half + start..][..N]);
    (
        array::from_fn(|i| low[i]),
        array::from_fn(|i| high[i] - low[i]),
    )
}
