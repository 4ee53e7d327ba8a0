//! The columns of a table's polynomial: computing them from cells, evaluating the polynomial on
//! them, and fixing variables.

use std::array;
use std::borrow::Cow;
use std::iter::zip;

use droste_native::lanes::{PackedExt, from_lanes, lanes};
use droste_native::{EF, F};
use p3_field::{Algebra, BasedVectorSpace, PackedField, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::polynomial::{Form, Part, Polynomial, Sum};
use super::values::{DEGREE, PackedCells, PackedRows, Scalars, Values, Weights};
use crate::whir::cells::{Column, Rows};

/// Elements of a column that a thread takes at once.
const TASK: usize = 32;

/// Packed cells that a program takes at once. Packed extension field elements are large enough to
/// be taken one by one.
const CELLS: usize = 4;

/// Columns of which some variables are fixed.
#[derive(Debug)]
pub(super) struct Columns<'a, V: Values> {
    /// Columns over the base field before a variable was fixed. Those that are committed columns
    /// are not copied.
    base: Vec<Cow<'a, [V::Base]>>,
    /// Columns over the extension field.
    extension: Vec<Vec<V::Extension>>,
}

/// The columns of a table at some time.
#[derive(Debug)]
pub(super) enum State<'a, P: PackedField<Scalar = F>> {
    /// No variable is fixed, and the rows fill four packed elements. The first two variables are
    /// fixed together: it costs less to evaluate the polynomial on cells, at all points of both
    /// rounds, than in the second round on elements of the extension field.
    Cells(Columns<'a, PackedCells<P>>),
    /// Some are.
    Packed(Columns<'a, PackedRows<P>>),
    /// The rows that are left do not fill two packed elements.
    Scalar(Columns<'a, Scalars>),
}

/// `eq(z, x)` at all points `x` of the hypercube, where `z` are the coordinates of the variables
/// after the round's.
#[derive(Debug)]
pub(super) enum Eq<P: PackedField<Scalar = F>> {
    /// As many as fill packed elements, like those of a table's rows that the round needs.
    Packed(Vec<PackedExt<P>>),
    /// Fewer: a half, a quarter of the lanes, and so on.
    Scalar(Vec<EF>),
}

impl<'a, P: PackedField<Scalar = F>> State<'a, P> {
    /// Computes the columns of a polynomial.
    pub(super) fn new(polynomial: &Polynomial, rows: &Rows<'a>) -> Self {
        let base = polynomial.base.iter().map(|form| base_column(form, rows));
        let extension = polynomial.extension.iter();
        let columns = Columns {
            base: base.collect(),
            extension: extension.map(|form| extension_column(form, rows)).collect(),
        };
        if rows.num_packed::<P>() >= 4 {
            return Self::Cells(columns);
        }
        // The rows of so short a table are taken as if some variable was fixed.
        let lift = |column: &Cow<'_, [P]>| column.iter().map(|&cells| cells.into()).collect();
        Self::of_packed(Columns {
            base: columns.base.iter().map(lift).collect(),
            extension: columns.extension,
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

    /// Fixes the first two variables that are left.
    pub(super) fn fold_both(self, both: [EF; 2]) -> Self {
        match self {
            Self::Cells(columns) => Self::of_packed(columns.fold_both(both)),
            state => both.into_iter().fold(state, Self::fold),
        }
    }

    fn of_packed(columns: Columns<'a, PackedRows<P>>) -> Self {
        let is_short = |column: &Vec<PackedExt<P>>| column.len() < 2;
        if !columns.extension.iter().all(is_short) {
            return Self::Packed(columns);
        }
        Self::Scalar(Columns {
            base: columns
                .base
                .iter()
                .map(|column| unpack(column).into())
                .collect(),
            extension: columns
                .extension
                .iter()
                .map(|column| unpack(column))
                .collect(),
        })
    }

    /// The sum of the linear form, weighted by `eq`, where the round's variable is 0, and where it
    /// is 1.
    pub(super) fn linear_sums(&self, eq: &Eq<P>) -> [EF; 2] {
        match (self, eq) {
            (Self::Packed(columns), Eq::Packed(eq)) => columns.linear_sums(eq),
            (Self::Scalar(columns), Eq::Scalar(eq)) => columns.linear_sums(eq),
            // A table and its weights become scalars at the same number of variables.
            _ => [EF::ZERO; 2],
        }
    }

    /// The sums of a part, weighted by `eq`, where the round's variable is `0..=degree`; without 1
    /// if `skip_one`.
    pub(super) fn sums(&self, part: &Part, eq: &Eq<P>, skip_one: bool) -> Vec<EF> {
        match (self, eq) {
            (Self::Packed(columns), Eq::Packed(eq)) => columns.sums(part, eq, skip_one),
            (Self::Scalar(columns), Eq::Scalar(eq)) => columns.sums(part, eq, skip_one),
            _ => Vec::new(),
        }
    }
}

impl<P: PackedField<Scalar = F>> Eq<P> {
    /// The weights in every round, from the last one to the first: those of a round are the sums of
    /// the next variable's two halves.
    pub(super) fn of_rounds(first: Vec<EF>) -> Vec<Self> {
        let packed = first.chunks_exact(P::WIDTH);
        let packed = packed.map(|weights| from_lanes(|lane| weights[lane]));
        let mut weights = if first.len() < P::WIDTH {
            Self::Scalar(first)
        } else {
            Self::Packed(packed.collect())
        };
        let mut rounds = Vec::new();
        loop {
            let next = match &weights {
                Self::Packed(eq) if eq.len() > 1 => Self::Packed(add_halves(eq)),
                // A single lane is a single weight.
                Self::Packed(_) if P::WIDTH == 1 => break,
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

fn unpack<P: PackedField<Scalar = F>>(column: &[PackedExt<P>]) -> Vec<EF> {
    column.iter().flat_map(lanes).collect()
}

fn base_column<'a, P: PackedField<Scalar = F>>(form: &Form<F>, rows: &Rows<'a>) -> Cow<'a, [P]> {
    let (columns, weights): (Vec<_>, Vec<F>) = form
        .terms
        .iter()
        .map(|&(leaf, weight)| (rows.column(leaf), weight))
        .unzip();
    let indices = (0..rows.num_packed::<P>())
        .into_par_iter()
        .with_min_len(TASK);
    if let ([column], [weight]) = (columns.as_slice(), weights.as_slice())
        && *weight == F::ONE
    {
        return match *column {
            Column::Current(cells) if form.constant == F::ZERO => {
                Cow::Borrowed(P::pack_slice(cells))
            }
            _ => indices
                .map(|index| column.packed::<P>(index) + form.constant)
                .collect::<Vec<_>>()
                .into(),
        };
    }
    let values = indices.map_init(Vec::new, |values, index| {
        values.clear();
        values.extend(columns.iter().map(|column| column.packed::<P>(index)));
        P::batched_linear_combination(values, &weights) + form.constant
    });
    values.collect::<Vec<_>>().into()
}

fn extension_column<P: PackedField<Scalar = F>>(
    form: &Form<EF>,
    rows: &Rows<'_>,
) -> Vec<PackedExt<P>> {
    let (columns, weights): (Vec<_>, Vec<EF>) = form
        .terms
        .iter()
        .map(|&(leaf, weight)| (rows.column(leaf), weight))
        .unzip();
    let weights = Weights::new(weights);
    let constant = PackedExt::from(form.constant);
    let indices = (0..rows.num_packed::<P>())
        .into_par_iter()
        .with_min_len(TASK);
    let values = indices.map_init(Vec::new, |values, index| {
        values.clear();
        values.extend(columns.iter().map(|column| column.packed::<P>(index)));
        weights.combine(values) + constant
    });
    values.collect()
}

/// Buffers of one thread: values of inputs at a point of a round's variable, and their differences
/// between consecutive points.
struct Buffers<V: Values, const N: usize> {
    /// Inputs and registers of the program.
    values: Vec<[V::Base; N]>,
    steps: Vec<[V::Base; N]>,
    lines: Vec<Line<V::Base, N>>,
    extension: Vec<[V::Extension; N]>,
    extension_steps: Vec<[V::Extension; N]>,
    extension_lines: Vec<Line<V::Extension, N>>,
    outputs: Vec<[V::Base; N]>,
    terms: Vec<V::Base>,
}

/// The values of a column at points of the variable of the first round, for one value of the
/// variable of the second.
struct Line<T, const N: usize> {
    /// The value at 0.
    start: [T; N],
    /// The difference between values at consecutive points.
    step: [T; N],
    /// What these two are more for the next value of the second variable.
    next: ([T; N], [T; N]),
}

impl<T: PrimeCharacteristicRing + Copy, const N: usize> Line<T, N> {
    /// The line where the second variable is 0, for the `N` rows that begin with `at` of each
    /// quarter of a column.
    fn new(column: &[T], at: usize) -> Self {
        let quarter = column.len() / 4;
        let [start, up, right, corner] =
            array::from_fn(|i| -> [T; N] { array::from_fn(|j| column[i * quarter + at + j]) });
        let step = array::from_fn(|j| right[j] - start[j]);
        let next = array::from_fn(|j| corner[j] - up[j] - step[j]);
        Self {
            start,
            step,
            next: (array::from_fn(|j| up[j] - start[j]), next),
        }
    }

    /// Writes the first value, and the step to the next one; and goes on to the next line.
    fn begin(&mut self, value: &mut [T; N], step: &mut [T; N]) {
        (*value, *step) = (self.start, self.step);
        for j in 0..N {
            self.start[j] += self.next.0[j];
            self.step[j] += self.next.1[j];
        }
    }
}

impl<'a, V: Values> Columns<'a, V> {
    /// The sums of the `N` parts of the linear form, weighted by `eq`.
    fn linear_sums<const N: usize>(&self, eq: &[V::Extension]) -> [EF; N] {
        let column = self.extension.first().map_or(&[][..], Vec::as_slice);
        let mut parts = column.chunks_exact((column.len() / N).max(1));
        array::from_fn(|_| {
            let part = parts.next().unwrap_or_default();
            let products = part.par_iter().zip(eq).with_min_len(TASK);
            let zero = || V::Extension::ZERO;
            let sum = products
                .map(|(&value, &eq)| value * eq)
                .reduce(zero, |x, y| x + y);
            V::sum_lanes(sum)
        })
    }

    /// Adds up, over all rows that are left after the round's variables, what `evaluate` adds to
    /// `points` sums for `N` packed rows, given the first one and their weights.
    fn weighted_sums<const N: usize>(
        part: &Part,
        eq: &[V::Extension],
        points: usize,
        evaluate: impl Fn(&mut Buffers<V, N>, usize, &[V::Extension], &mut [V::Extension]) + Sync + Send,
    ) -> Vec<EF> {
        let tasks = eq.par_chunks(TASK).enumerate();
        let sums: Vec<Vec<V::Extension>> = tasks
            .map_init(
                || Buffers::new(part),
                |buffers, (task, eq)| {
                    let mut sums = vec![V::Extension::ZERO; points];
                    for (chunk, eq) in eq.chunks_exact(N).enumerate() {
                        evaluate(buffers, task * TASK + chunk * N, eq, &mut sums);
                    }
                    sums
                },
            )
            .collect();
        let point = |point: usize| sums.iter().map(|sums| sums[point]).sum();
        (0..points)
            .map(|index| V::sum_lanes(point(index)))
            .collect()
    }

    fn sums(&self, part: &Part, eq: &[V::Extension], skip_one: bool) -> Vec<EF> {
        let points: Vec<usize> = (0..=part.degree)
            .filter(|&point| point != 1 || !skip_one)
            .collect();
        Self::weighted_sums::<1>(part, eq, points.len(), |buffers, start, eq, sums| {
            let [values, steps] = [&mut buffers.values, &mut buffers.steps];
            for ((value, step), &column) in zip(values, steps).zip(part.program.inputs()) {
                (*value, *step) = halves(&self.base[column], start);
            }
            let [values, steps] = [&mut buffers.extension, &mut buffers.extension_steps];
            for ((value, step), &column) in zip(values, steps).zip(&part.extension) {
                (*value, *step) = halves(&self.extension[column], start);
            }
            let mut position = 0;
            for (sum, &point) in zip(sums, &points) {
                while position < point {
                    buffers.step();
                    position += 1;
                }
                buffers.add(part, eq, sum);
            }
        })
    }

    fn fold<W>(self, r: V::Extension) -> Columns<'a, W>
    where
        W: Values<Base = V::Extension, Extension = V::Extension>,
    {
        let base = self.base.into_par_iter();
        let extension = self.extension.into_par_iter();
        Columns {
            base: base.map(|column| fold(&column, r).into()).collect(),
            extension: extension.map(|column| fold(&column, r)).collect(),
        }
    }
}

impl<'a, P: PackedField<Scalar = F>> Columns<'a, PackedCells<P>> {
    /// The sums of the linear form, weighted by `eq`, where the variables of the first two rounds
    /// are 0 and 0, 0 and 1, 1 and 0, 1 and 1.
    pub(super) fn linear_sums_of_both(&self, eq: &Eq<P>) -> [EF; 4] {
        match eq {
            Eq::Packed(eq) => self.linear_sums(eq),
            Eq::Scalar(_) => [EF::ZERO; 4],
        }
    }

    /// The sums of a part, weighted by `eq`: for each value `0..=degree` of the second round's
    /// variable those where the variable of the first round is `0..=degree`.
    pub(super) fn sums_of_both(&self, part: &Part, eq: &Eq<P>) -> Vec<Vec<EF>> {
        let sums = match eq {
            Eq::Packed(eq) if eq.len() >= CELLS => self.all_sums::<CELLS>(part, eq),
            Eq::Packed(eq) => self.all_sums::<1>(part, eq),
            Eq::Scalar(_) => Vec::new(),
        };
        sums.chunks(part.degree + 1).map(<[EF]>::to_vec).collect()
    }

    fn all_sums<const N: usize>(&self, part: &Part, eq: &[PackedExt<P>]) -> Vec<EF> {
        let points = part.degree + 1;
        Self::weighted_sums::<N>(part, eq, points * points, |buffers, start, eq, sums| {
            let inputs = part.program.inputs().iter();
            let lines = inputs.map(|&column| Line::new(&self.base[column], start));
            buffers.lines.clear();
            buffers.lines.extend(lines);
            let columns = part.extension.iter();
            let lines = columns.map(|&column| Line::new(&self.extension[column], start));
            buffers.extension_lines.clear();
            buffers.extension_lines.extend(lines);
            for sums in sums.chunks_exact_mut(points) {
                buffers.begin_line();
                for (point, sum) in sums.iter_mut().enumerate() {
                    if point > 0 {
                        buffers.step();
                    }
                    buffers.add(part, eq, sum);
                }
            }
        })
    }

    fn fold_both(self, [first, second]: [EF; 2]) -> Columns<'a, PackedRows<P>> {
        let at = |bit: usize, r: EF| if bit == 0 { EF::ONE - r } else { r };
        let weights: [EF; 4] = array::from_fn(|i| at(i >> 1, first) * at(i & 1, second));
        let weights: [[P; 4]; DEGREE] = array::from_fn(|d| {
            weights.map(|weight| {
                let coefficients: &[F] = weight.as_basis_coefficients_slice();
                coefficients[d].into()
            })
        });
        let base = self.base.into_par_iter().map(|column| {
            let quarter = column.len() / 4;
            let combine = |i: usize| {
                let cells = array::from_fn(|corner| column[corner * quarter + i]);
                PackedExt::from_basis_coefficients_fn(|d| P::dot_product(&cells, &weights[d]))
            };
            (0..quarter).map(combine).collect::<Vec<_>>().into()
        });
        let extension = self.extension.into_par_iter();
        let extension = extension.map(|column| {
            let [first, second] = [first, second].map(PackedExt::from);
            fold(&fold(&column, first), second)
        });
        Columns {
            base: base.collect(),
            extension: extension.collect(),
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
    fn new(part: &Part) -> Self {
        let (inputs, extension) = (part.program.inputs().len(), part.extension.len());
        Self {
            values: vec![[V::Base::ZERO; N]; part.program.num_values()],
            steps: vec![[V::Base::ZERO; N]; inputs],
            lines: Vec::new(),
            extension: vec![[V::Extension::ZERO; N]; extension],
            extension_steps: vec![[V::Extension::ZERO; N]; extension],
            extension_lines: Vec::new(),
            outputs: Vec::new(),
            terms: Vec::new(),
        }
    }

    /// Goes to the beginning of the next line.
    fn begin_line(&mut self) {
        let values = zip(&mut self.values, &mut self.steps);
        for (line, (value, step)) in zip(&mut self.lines, values) {
            line.begin(value, step);
        }
        let values = zip(&mut self.extension, &mut self.extension_steps);
        for (line, (value, step)) in zip(&mut self.extension_lines, values) {
            line.begin(value, step);
        }
    }

    /// Adds the part's values at the point, times their weights.
    fn add(&mut self, part: &Part, eq: &[V::Extension], sum: &mut V::Extension) {
        for (value, &eq) in zip(self.evaluate(part), eq) {
            *sum += value * eq;
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
        let mut values = self.sum(&part.sum);
        for &[left, right] in &part.pairs {
            let factors = zip(&self.extension[left], &self.extension[right]);
            for (value, (&left, &right)) in zip(&mut values, factors) {
                *value += left * right;
            }
        }
        values
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
