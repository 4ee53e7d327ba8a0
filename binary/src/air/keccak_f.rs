//! Permutations Keccak-f of 1600 bits, one a row: the input and the state after each round.

use std::array::from_fn;

use droste_native::hash::keccak::{ROTATIONS, ROUND_CONSTANTS};
use p3_air::{AirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

const STATE: usize = 1600;
const ROUNDS: usize = 24;
/// Number of columns. Bit `z` of lane `x + 5 y` is column `64 (x + 5 y) + z` of its state.
pub(crate) const WIDTH: usize = STATE * (ROUNDS + 1);
/// Number of constraints: one for each bit after each round.
pub(crate) const CONSTRAINTS: usize = STATE * ROUNDS;

/// A sheet of bits `64 x + z`, of one row `y` or of column parities.
type Plane<T> = [T; 320];

/// Where rho and pi take bit `64 x + z` of row `y` from: `64 x + z` and row before.
const fn source(x: usize, y: usize, z: usize) -> (usize, usize) {
    let (from_x, from_y) = ((x + 3 * y) % 5, x);
    let rotation = ROTATIONS[from_x + 5 * from_y] as usize;
    (64 * from_x + (z + 64 - rotation) % 64, from_y)
}

/// One round: `next` gets bits of the state after it in order, each as the three terms
/// `b[x]`, `b[x + 1]`, `b[x + 2]` of chi (FIPS 202, section 3.2), its index, and whether iota
/// changes it.
#[inline]
fn round<T: Clone>(
    round: usize,
    state: impl Fn(usize) -> T,
    add: impl Fn(T, T) -> T + Copy,
    mut next: impl FnMut(usize, [&T; 3], bool),
) {
    let parities: Plane<T> =
        from_fn(|i| (1..5).fold(state(i), |sum, y| add(sum, state(320 * y + i))));
    let theta: Plane<T> = from_fn(|i| {
        let (x, z) = (i / 64, i % 64);
        let left = parities[64 * ((x + 4) % 5) + z].clone();
        add(left, parities[64 * ((x + 1) % 5) + (z + 63) % 64].clone())
    });
    for y in 0..5 {
        let row: Plane<T> = from_fn(|i| {
            let (from, from_y) = source(i / 64, y, i % 64);
            add(theta[from].clone(), state(320 * from_y + from))
        });
        for i in 0..320 {
            let terms = [&row[i], &row[(i + 64) % 320], &row[(i + 128) % 320]];
            let iota = y == 0 && i < 64 && ROUND_CONSTANTS[round] >> i & 1 == 1;
            next(320 * y + i, terms, iota);
        }
    }
}

/// Constrains a row to be a permutation.
///
/// # Soundness
/// Cells must be bits, which the commitment sees to.
pub(crate) fn eval<AB: AirBuilder>(builder: &mut AB) {
    let main = builder.main();
    let row = main.current_slice();
    for index in 0..ROUNDS {
        let (before, after) = (&row[STATE * index..], &row[STATE * (index + 1)..]);
        let state = |i: usize| -> AB::Expr { before[i].into() };
        round(
            index,
            state,
            |x, y| x + y,
            |i, [b0, b1, b2], iota| {
                let chi = b0.clone() + (b1.clone() + AB::Expr::ONE) * b2.clone() + after[i];
                builder.assert_zero(if iota { chi + AB::Expr::ONE } else { chi });
            },
        );
    }
}

/// Fills 64 rows, whose inputs are in the first columns. A word has one column, a bit one row.
pub(crate) fn fill(columns: &mut [u64]) {
    for index in 0..ROUNDS {
        let (before, after) = columns[STATE * index..].split_at_mut(STATE);
        round(
            index,
            |i| before[i],
            |x, y| x ^ y,
            |i, [b0, b1, b2], iota| {
                after[i] = b0 ^ (!b1 & b2) ^ if iota { u64::MAX } else { 0 };
            },
        );
    }
}

/// The output's bits, which are columns.
pub(crate) fn output<T: Copy + Into<S>, S>(row: &[T]) -> Vec<S> {
    row[STATE * ROUNDS..WIDTH]
        .iter()
        .map(|&bit| bit.into())
        .collect()
}
