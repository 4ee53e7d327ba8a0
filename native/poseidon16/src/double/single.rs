//! One permutation at a time, with the state in the lanes of a few vectors.
//!
//! The time is determined by the length of the chain of dependent steps. So the matrix products are
//! split over `x^8 - 1` and `x^8 + 1` only.

use super::super::WIDTH;
use super::super::constants::MDS_COLUMN;
use super::arithmetic::{DOWN, canonical, cubes, integer, reduce};
use super::constants::{SQUARE_COLUMN, doubles, single};
use super::lanes::Lanes;
use crate::field::F;

/// A circulant matrix, as the columns of its parts modulo `x^8 - 1` and `x^8 + 1`, one after the
/// other.
#[repr(align(64))]
struct Parts([[f64; WIDTH]; 8]);

/// The parts, multiplied by `scale`. A half of it makes up for the factor 2 of recombining without
/// halving.
const fn parts(column: &[i64; WIDTH], scale: f64) -> Parts {
    let mut parts = [[0.0; WIDTH]; 8];
    let mut j = 0;
    while j < 8 {
        let mut i = 0;
        while i < 8 {
            let k = (8 + i - j) % 8;
            let sign = if i < j { -scale } else { scale };
            parts[j][i] = (column[k] + column[k + 8]) as f64 * scale;
            parts[j][8 + i] = (column[k] - column[k + 8]) as f64 * sign;
            i += 1;
        }
        j += 1;
    }
    Parts(parts)
}

/// The MDS matrix, for what [`cubes`] returns.
static MDS: Parts = parts(&MDS_COLUMN, DOWN / 2.0);

/// The square of the MDS matrix.
static SQUARE: Parts = parts(&SQUARE_COLUMN, 0.5);

/// First column of the MDS matrix.
static COLUMN: [f64; WIDTH] = doubles(&MDS_COLUMN);

/// First row of the MDS matrix, without entry 0.
static ROW: [f64; WIDTH] = {
    let mut row = [0.0; WIDTH];
    let mut i = 1;
    while i < WIDTH {
        row[i] = MDS_COLUMN[WIDTH - i] as f64;
        i += 1;
    }
    row
};

/// The Poseidon-16 permutation on one state, which takes `VECTORS` vectors.
#[inline(always)]
pub(crate) fn permute<L: Lanes, const VECTORS: usize>(state: &mut [F; WIDTH]) {
    const { assert!(VECTORS * L::LANES == WIDTH) };
    let constants = single();
    let mut x = cubes::<L, VECTORS>(std::array::from_fn(|i| {
        let elements = L::load_elements(state, i);
        L::add_halves(elements, L::load_halves(&constants.first, i))
    }));
    x = full_rounds::<L, VECTORS>(x, &constants.initial);
    x = x.map(reduce::<L>);
    for pair in &constants.partial {
        x = two_partial_rounds::<L, VECTORS>(x, pair);
    }
    let middle = load::<L, VECTORS>(&constants.middle);
    x = cubes::<L, VECTORS>(std::array::from_fn(|i| integer::<L>(x[i] + middle[i])));
    x = full_rounds::<L, VECTORS>(x, &constants.terminal);
    for (i, value) in x.into_iter().enumerate() {
        let word = canonical::<L>(integer::<L>(reduce::<L>(value)));
        L::store_elements(word, state, i);
    }
}

#[inline(always)]
fn load<L: Lanes, const VECTORS: usize>(values: &[f64; WIDTH]) -> [L::Doubles; VECTORS] {
    std::array::from_fn(|i| L::load(values, i))
}

/// Four full rounds without the cubes of the first one.
#[inline(always)]
fn full_rounds<L: Lanes, const VECTORS: usize>(
    mut x: [L::Doubles; VECTORS],
    [first, rest @ ..]: &[[f64; WIDTH]; 4],
) -> [L::Doubles; VECTORS] {
    x = convolve::<L, VECTORS>(x, &MDS, load::<L, VECTORS>(first));
    for constants in rest {
        x = cubes::<L, VECTORS>(x.map(|x| integer::<L>(reduce::<L>(x))));
        x = convolve::<L, VECTORS>(x, &MDS, load::<L, VECTORS>(constants));
    }
    x
}

/// Two partial rounds, as the module `double` describes.
#[inline(always)]
fn two_partial_rounds<L: Lanes, const VECTORS: usize>(
    mut x: [L::Doubles; VECTORS],
    &[first, second]: &[f64; 2],
) -> [L::Doubles; VECTORS] {
    let row = load::<L, VECTORS>(&ROW);
    let mut rest = x[0] * row[0];
    for i in 1..VECTORS {
        rest = L::multiply_add(x[i], row[i], rest);
    }
    let rest = L::horizontal_sum(rest) + L::splat(second);
    // Only lane 0 of the next vectors means anything.
    let [output] = cubes::<L, 1>([integer::<L>(x[0] + L::splat(first))]);
    let output = output * L::splat(DOWN);
    let total = L::multiply_add(output, L::splat(COLUMN[0]), rest);
    x[0] = L::replace_first(x[0], output);
    let [output] = cubes::<L, 1>([integer::<L>(reduce::<L>(total))]);
    let change = output * L::splat(DOWN) - (total - L::splat(second));
    end_two_rounds::<L, VECTORS>(x, L::broadcast_first(change))
}

/// Ends two partial rounds, given the state after the first S-box and what the second one changes.
#[inline(always)]
pub(super) fn end_two_rounds<L: Lanes, const VECTORS: usize>(
    x: [L::Doubles; VECTORS],
    change: L::Doubles,
) -> [L::Doubles; VECTORS] {
    let x = convolve::<L, VECTORS>(x, &SQUARE, [L::splat(0.0); VECTORS]);
    let column = load::<L, VECTORS>(&COLUMN);
    std::array::from_fn(|i| reduce::<L>(L::multiply_add(change, column[i], x[i])))
}

/// The product of `x` by a matrix, plus constants in the form that [`split`] returns.
#[inline(always)]
fn convolve<L: Lanes, const VECTORS: usize>(
    x: [L::Doubles; VECTORS],
    matrix: &Parts,
    constants: [L::Doubles; VECTORS],
) -> [L::Doubles; VECTORS] {
    let mut elements = [0.0; WIDTH];
    for (i, part) in butterfly::<L, VECTORS>(x).into_iter().enumerate() {
        L::store(part, &mut elements, i);
    }
    // Two sums, so that fewer steps depend on each other.
    let mut sums = [constants, [L::splat(0.0); VECTORS]];
    for (j, columns) in matrix.0.iter().enumerate() {
        let columns = load::<L, VECTORS>(columns);
        for (i, sum) in sums[j % 2].iter_mut().enumerate() {
            let element = elements[if i < VECTORS / 2 { j } else { 8 + j }];
            *sum = L::multiply_add(L::splat(element), columns[i], *sum);
        }
    }
    let [even, odd] = sums;
    butterfly::<L, VECTORS>(std::array::from_fn(|i| even[i] + odd[i]))
}

/// The sums and the differences of elements `i` and `i + 8`.
#[inline(always)]
fn butterfly<L: Lanes, const VECTORS: usize>(x: [L::Doubles; VECTORS]) -> [L::Doubles; VECTORS] {
    let half = VECTORS / 2;
    std::array::from_fn(|i| {
        if i < half {
            x[i] + x[i + half]
        } else {
            x[i - half] - x[i]
        }
    })
}

/// Returns values that, added to the parts modulo `x^8 - 1` and `x^8 + 1`, add `constants` to the
/// result. They are multiples of 1/2.
pub(super) fn split(constants: [f64; WIDTH]) -> [f64; WIDTH] {
    std::array::from_fn(|i| match i.checked_sub(8) {
        None => (constants[i] + constants[i + 8]) / 2.0,
        Some(i) => (constants[i] - constants[i + 8]) / 2.0,
    })
}
