//! One permutation at a time, with the state in two vectors.

use std::sync::LazyLock;

use p3_field::{Field, PrimeCharacteristicRing};

use super::super::constants::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, WIDTH, partial_constants,
};
use super::super::mds::mds_multiply;
use super::arithmetic::{
    Lanes, add, broadcast, canonical, cubes, lanes, load_eight, montgomery_reduce, multiply,
    multiply_add, multiply_add_high, rotate, shift_left, splat, store_eight, sub, zero,
};
use super::constants::{
    Multiplier, P, Scales, canonical as integer, middle_constants, round_constants,
};
use crate::field::F;

/// The state: elements 0 to 7 and 8 to 15.
type State = [Lanes; 2];

/// Sixteen constants, as two vectors.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Pair([[u64; 8]; 2]);

/// Sixteen constants to multiply by, prepared for Shoup's method.
struct PairMultiplier {
    value: Pair,
    quotient: Pair,
}

/// A matrix, by columns.
type Matrix = [Pair; WIDTH];

struct Constants {
    first: Pair,
    /// For full rounds 0 to 2, the constants that the matrix product adds to the residues modulo
    /// `x^8 - 1` and `x^8 + 1`.
    initial: [Pair; HALF_FULL_ROUNDS - 1],
    /// The matrix from the cubes of round 3 to all `X_k`, which contains the matrix of that round,
    /// times `2^52`.
    entry: Matrix,
    /// The constant added to the sum of all entries before each S-box.
    partial: [u64; PARTIAL_ROUNDS],
    minus_sixteenth: Multiplier,
    eigenvalues: PairMultiplier,
    squares: PairMultiplier,
    /// The matrix from all `X_k` to the state, times `2^52`.
    exit: Matrix,
    middle: Pair,
    terminal: [Pair; HALF_FULL_ROUNDS],
    /// The column of the convolution modulo `x^8 + 1`, once per rotation, with the signs that
    /// wrapping around introduces.
    negacyclic: [[u64; 8]; 8],
}

/// The Poseidon-16 permutation on one state.
#[inline]
pub(crate) fn permute(state: &mut [F; WIDTH]) {
    static CONSTANTS: LazyLock<Box<Constants>> = LazyLock::new(|| Box::new(Constants::new()));
    let constants = &**CONSTANTS;
    let ([low, high], _) = state.as_chunks_mut::<8>() else {
        unreachable!("sixteen is twice eight")
    };
    let mut x = add_pair([load_eight(low), load_eight(high)], &constants.first);
    for pair in &constants.initial {
        x = mds(cubes(&x), pair, constants);
    }
    x = dense(cubes(&x), &constants.entry);
    x = partial_rounds(x, constants);
    x = add_pair(dense(x, &constants.exit), &constants.middle);
    for pair in &constants.terminal {
        x = mds(cubes(&x), pair, constants);
    }
    store_eight(low, canonical(x[0]));
    store_eight(high, canonical(x[1]));
}

#[inline(always)]
fn add_pair(x: State, pair: &Pair) -> State {
    [add(x[0], lanes(&pair.0[0])), add(x[1], lanes(&pair.0[1]))]
}

#[inline(always)]
fn multiply_pair(x: State, multiplier: &PairMultiplier) -> State {
    std::array::from_fn(|half| {
        let value = lanes(&multiplier.value.0[half]);
        let quotient = multiply_add_high(zero(), x[half], lanes(&multiplier.quotient.0[half]));
        let low = multiply_add(zero(), x[half], value);
        sub(low, multiply_add(zero(), quotient, splat(P)))
    })
}

/// First column of the matrix, as residues modulo `x^8 - 1` and `x^8 + 1`.
const COLUMN: [[i64; 8]; 2] = {
    let mut column = [[0; 8]; 2];
    let mut i = 0;
    while i < 8 {
        column[0][i] = MDS_COLUMN[i] + MDS_COLUMN[i + 8];
        column[1][i] = MDS_COLUMN[i] - MDS_COLUMN[i + 8];
        i += 1;
    }
    column
};

/// Twice the product of `x` by the MDS matrix, plus constants.
#[inline(always)]
fn mds(x: State, pair: &Pair, constants: &Constants) -> State {
    let (sum, difference) = (add(x[0], x[1]), sub(x[0], x[1]));
    // Each convolution has two chains of sums, of even and of odd rotations.
    let mut cyclic = [lanes(&pair.0[0]), zero()];
    let mut negacyclic = [lanes(&pair.0[1]), zero()];
    macro_rules! rotation {
        ($by:literal) => {
            let chain = $by % 2;
            // Lane i receives lane i - by.
            cyclic[chain] = multiply_add(
                cyclic[chain],
                rotate::<{ (8 - $by) % 8 }>(sum),
                splat(COLUMN[0][$by].cast_unsigned()),
            );
            negacyclic[chain] = multiply_add(
                negacyclic[chain],
                rotate::<{ (8 - $by) % 8 }>(difference),
                lanes(&constants.negacyclic[$by]),
            );
        };
    }
    rotation!(0);
    rotation!(1);
    rotation!(2);
    rotation!(3);
    rotation!(4);
    rotation!(5);
    rotation!(6);
    rotation!(7);
    let cyclic = add(cyclic[0], cyclic[1]);
    let negacyclic = add(negacyclic[0], negacyclic[1]);
    [add(cyclic, negacyclic), sub(cyclic, negacyclic)]
}

/// The product of `x` by a matrix of arbitrary constants, reduced below `2 p`, for entries of `x`
/// below `2^34`.
#[inline(always)]
fn dense(x: State, matrix: &Matrix) -> State {
    let mut low = [[zero(); 2]; 2];
    let mut high = [[zero(); 2]; 2];
    for (j, column) in matrix.iter().enumerate() {
        let entry = broadcast(x[j / 8], (j % 8) as u64);
        for half in 0..2 {
            let constants = lanes(&column.0[half]);
            let chain = j % 2;
            low[half][chain] = multiply_add(low[half][chain], entry, constants);
            high[half][chain] = multiply_add_high(high[half][chain], entry, constants);
        }
    }
    std::array::from_fn(|half| {
        montgomery_reduce(
            add(low[half][0], low[half][1]),
            add(high[half][0], high[half][1]),
        )
    })
}

/// Runs all partial rounds, from the `X_k` before the first to those after the last.
#[inline(always)]
fn partial_rounds(x: State, constants: &Constants) -> State {
    // The sum of all X_k, below 128 p throughout.
    let mut total = horizontal_sum(x);
    let mut products = multiply_pair(x, &constants.eigenvalues);
    let mut products_total = horizontal_sum(products);
    for round in 0..PARTIAL_ROUNDS {
        let [cube] = cubes(&[add(total, splat(constants.partial[round]))]);
        let minus = multiply(total, &constants.minus_sixteenth);
        // The next total without the contribution of the cube.
        let rest = add(products_total, shift_left::<4>(minus));
        total = add(rest, shift_left::<4>(cube));

        let change = add(cube, minus);
        let change = [change, change];
        if round + 1 == PARTIAL_ROUNDS {
            let last = multiply_pair(change, &constants.eigenvalues);
            return [add(products[0], last[0]), add(products[1], last[1])];
        }
        let kept = multiply_pair(products, &constants.eigenvalues);
        let added = multiply_pair(change, &constants.squares);
        products = [add(kept[0], added[0]), add(kept[1], added[1])];
        products_total = horizontal_sum(products);
    }
    products
}

/// The sum of all sixteen lanes, copied to every lane.
#[inline(always)]
fn horizontal_sum(x: State) -> Lanes {
    let x = add(x[0], x[1]);
    let x = add(x, rotate::<4>(x));
    let x = add(x, rotate::<2>(x));
    add(x, rotate::<1>(x))
}

impl Constants {
    fn new() -> Self {
        let scales = Scales::new(F::TWO);
        let radix = F::TWO.exp_u64(52);
        let (scalars, residual) = partial_constants();
        let eigenvalues = eigenvalues();
        let root = F::from_u32(ROOT);
        let sixteenth = F::from_u8(16).inverse();
        let split = |constants: [F; WIDTH]| Pair(split(&constants));
        Self {
            first: pair(round_constants(0, &scales)),
            initial: std::array::from_fn(|round| split(round_constants(round + 1, &scales))),
            entry: std::array::from_fn(|j| {
                pair(std::array::from_fn(|k| {
                    let power = root.exp_u64((j * k) as u64);
                    power * eigenvalues[k] * sixteenth * scales.entry * radix
                }))
            }),
            partial: scalars.map(|scalar| integer(scalar * scales.partial)),
            minus_sixteenth: Multiplier::new(-sixteenth),
            eigenvalues: PairMultiplier::new(eigenvalues),
            squares: PairMultiplier::new(eigenvalues.map(|eigenvalue| eigenvalue.square())),
            exit: std::array::from_fn(|k| {
                pair(std::array::from_fn(|j| {
                    root.exp_u64(((16 - j) * k) as u64) * scales.exit * radix
                }))
            }),
            middle: pair(middle_constants(&residual, &scales)),
            terminal: std::array::from_fn(|round| {
                split(round_constants(
                    HALF_FULL_ROUNDS + PARTIAL_ROUNDS + round + 1,
                    &scales,
                ))
            }),
            negacyclic: std::array::from_fn(|by| {
                std::array::from_fn(|i| {
                    let entry = COLUMN[1][by];
                    (if i < by { -entry } else { entry }).cast_unsigned()
                })
            }),
        }
    }
}

impl PairMultiplier {
    fn new(constants: [F; WIDTH]) -> Self {
        let multipliers = constants.map(Multiplier::new);
        let halves = |f: fn(&Multiplier) -> u64| {
            Pair(std::array::from_fn(|half| {
                std::array::from_fn(|i| f(&multipliers[8 * half + i]))
            }))
        };
        Self {
            value: halves(|multiplier| multiplier.value),
            quotient: halves(|multiplier| multiplier.quotient),
        }
    }
}

/// A primitive 16th root of unity.
const ROOT: u32 = 148_625_052;

/// The matrix's eigenvalues: entry `k` belongs to the vector of all `ROOT^(-j k)`.
fn eigenvalues() -> [F; WIDTH] {
    let root = F::from_u32(ROOT);
    std::array::from_fn(|k| {
        // The first entry of that vector is 1.
        let mut vector = std::array::from_fn(|j| root.exp_u64(((16 - j) * k) as u64));
        mds_multiply(&mut vector);
        vector[0]
    })
}

fn pair(constants: [F; WIDTH]) -> Pair {
    Pair(std::array::from_fn(|half| {
        std::array::from_fn(|i| integer(constants[8 * half + i]))
    }))
}

/// Returns values that, added to the residues modulo `x^8 - 1` and `x^8 + 1`, add `constants` to
/// the result.
fn split(constants: &[F; WIDTH]) -> [[u64; 8]; 2] {
    // Even representatives make the divisions by two exact.
    let even = constants.map(|constant| {
        let value = integer(constant) as i64;
        value + (value & 1) * P as i64
    });
    let part =
        |sign: i64| std::array::from_fn(|i| ((even[i] + sign * even[i + 8]) / 2).cast_unsigned());
    [part(1), part(-1)]
}
