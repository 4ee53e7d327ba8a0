//! Sixteen permutations at a time, as two groups of eight lanes.

use p3_koala_bear::PackedKoalaBearAVX512;

use super::super::constants::{MDS_COLUMN, PARTIAL_ROUNDS, WIDTH};
use super::arithmetic::{
    Lanes, Product, add, and, canonical, cubes, in_order, load, montgomery_end, montgomery_middle,
    montgomery_start, multiply, multiply_add, or, shift_left, shift_right, splat, store, sub, zero,
};
use super::constants::{Constants, Multiplier, P, constants};

/// The states of eight permutations.
type Group = [Lanes; WIDTH];

/// The Poseidon-16 permutation on 16 states.
#[inline(never)]
pub(crate) fn permute(state: &mut [PackedKoalaBearAVX512; WIDTH]) {
    let constants = constants();
    let mut groups = [[zero(); WIDTH]; 2];
    for i in 0..WIDTH {
        let words = load(&state[i]);
        let first = splat(constants.first[i]);
        groups[0][i] = add(and(words, splat(0xffff_ffff)), first);
        groups[1][i] = add(shift_right::<32>(words), first);
    }
    // The second group is half a round behind the first throughout: the matrix product of one group
    // and the cubes of the other are computed together.
    let [even, odd] = &mut groups;
    cube_all(even);
    for round_constants in &constants.initial {
        mds(even, round_constants, odd);
        mds(odd, round_constants, even);
    }
    enter(even, constants);
    cube_all(odd);
    enter(odd, constants);
    partial_rounds(even, odd, constants);
    leave(even, constants);
    cube_all(even);
    leave(odd, constants);
    let [terminal @ .., last] = &constants.terminal;
    for round_constants in terminal {
        mds(even, round_constants, odd);
        mds(odd, round_constants, even);
    }
    mds(even, last, odd);
    mds_alone(odd, last);
    for i in 0..WIDTH {
        let even = canonical(groups[0][i]);
        let odd = canonical(groups[1][i]);
        store(&mut state[i], or(even, shift_left::<32>(odd)));
    }
}

/// Cubes every element, four at a time, since a cube is one chain of dependent multiplications.
#[inline(never)]
fn cube_all(group: &mut Group) {
    for four in group.as_chunks_mut::<4>().0 {
        cube_four(four);
    }
}

/// First column of the negacyclic convolution of length `N` that is one part of the cyclic
/// convolution, multiplied by the factor that recombination leaves out.
const fn part<const N: usize>() -> [i64; N] {
    // Reduce the column modulo x^2N - 1 by summing, then modulo x^N + 1.
    let mut column = [0; N];
    let mut i = 0;
    while i < WIDTH {
        if i % (2 * N) < N {
            column[i % N] += MDS_COLUMN[i];
        } else {
            column[i % N] -= MDS_COLUMN[i];
        }
        i += 1;
    }
    let mut i = 0;
    while i < N {
        column[i] *= N as i64;
        i += 1;
    }
    column
}

/// Sum of the column, which is the eigenvalue of the all-ones vector.
const COLUMN_SUM: u64 = {
    let mut sum = 0;
    let mut i = 0;
    while i < WIDTH {
        sum += MDS_COLUMN[i];
        i += 1;
    }
    sum as u64
};

/// Computes 16 times the product of `x` by the MDS matrix, plus constants in the form that
/// `constants::split` returns, and in between cubes the elements of `other`.
#[inline(never)]
fn mds(x: &mut Group, constants: &[u64; WIDTH], other: &mut Group) {
    let ([first, second, third, fourth], _) = other.as_chunks_mut::<4>() else {
        unreachable!("a group is four times four elements")
    };
    let sums = split_and_convolve(x, constants);
    cube_four(first);
    let sums = convolve_columns::<8>(x, sums, 0, 4);
    cube_four(second);
    let sums = convolve_columns::<8>(x, sums, 4, 8);
    cube_four(third);
    recombine(x, sums);
    cube_four(fourth);
}

/// Like [`mds`], without cubes.
#[inline(never)]
fn mds_alone(x: &mut Group, constants: &[u64; WIDTH]) {
    let sums = split_and_convolve(x, constants);
    let sums = convolve_columns::<8>(x, sums, 0, 8);
    recombine(x, sums);
}

#[inline(always)]
fn cube_four(four: &mut [Lanes; 4]) {
    *four = cubes(four).map(in_order);
}

/// Splits the state into the parts of the convolution. Convolves all parts but the largest one,
/// modulo `x^8 + 1`, whose residue it leaves in entries `8..16`.
#[inline(always)]
fn split_and_convolve(x: &mut Group, constants: &[u64; WIDTH]) -> [Lanes; 8] {
    // The residues modulo x^8 + 1 go to entries 8..16, those modulo x^4 + 1 to 4..8, x^2 + 1 to
    // 2..4, x + 1 to 1 and x - 1 to 0.
    butterfly::<8>(x);
    butterfly::<4>(x);
    butterfly::<2>(x);
    butterfly::<1>(x);
    x[0] = multiply_add(splat(constants[0]), x[0], splat(COLUMN_SUM));
    negacyclic::<1>(x, constants);
    negacyclic::<2>(x, constants);
    negacyclic::<4>(x, constants);
    std::array::from_fn(|i| splat(constants[8 + i]))
}

#[inline(always)]
fn recombine(x: &mut Group, sums: [Lanes; 8]) {
    x[8..].copy_from_slice(&sums);
    butterfly::<1>(x);
    butterfly::<2>(x);
    butterfly::<4>(x);
    butterfly::<8>(x);
}

/// Replaces entries `i` and `i + N` by their sum and difference, for `i < N`.
#[inline(always)]
fn butterfly<const N: usize>(x: &mut Group) {
    for i in 0..N {
        let (low, high) = (x[i], x[i + N]);
        x[i] = add(low, high);
        x[i + N] = sub(low, high);
    }
}

/// Multiplies the residue modulo `x^N + 1` in entries `N..2N` by that of the matrix's column.
#[inline(always)]
fn negacyclic<const N: usize>(x: &mut Group, constants: &[u64; WIDTH]) {
    let sums = std::array::from_fn(|i| splat(constants[N + i]));
    let sums = convolve_columns::<N>(x, sums, 0, N);
    x[N..2 * N].copy_from_slice(&sums);
}

/// Adds the contributions of entries `N + from..N + to` to that product.
#[inline(always)]
fn convolve_columns<const N: usize>(
    x: &Group,
    mut sums: [Lanes; N],
    from: usize,
    to: usize,
) -> [Lanes; N] {
    let column = const { part::<N>() };
    for j in from..to {
        for (i, sum) in sums.iter_mut().enumerate() {
            let entry = if j <= i {
                column[i - j]
            } else {
                -column[N + i - j]
            };
            *sum = multiply_add(*sum, x[N + j], splat(entry.cast_unsigned()));
        }
    }
    sums.map(in_order)
}

/// Transforms the state into the basis of the partial rounds, and multiplies by the matrix of the
/// full round before them.
///
/// A decimation-in-frequency transform: natural order in, bit-reversed order out. Inputs must be
/// below `2 p`.
#[inline(never)]
fn enter(x: &mut Group, constants: &Constants) {
    // The bound doubles from stage to stage, because the first half of every block contains sums
    // only.
    forward_stage::<8>(x, 2 * P, &constants.twiddles);
    forward_stage::<4>(x, 4 * P, &constants.twiddles);
    forward_stage::<2>(x, 8 * P, &constants.twiddles);
    forward_stage::<1>(x, 16 * P, &constants.twiddles);
    for (value, multiplier) in x.iter_mut().zip(&constants.entry) {
        *value = multiply(*value, multiplier);
    }
}

/// One stage of the transform; `bound` is a multiple of `p` above every entry.
#[inline(always)]
fn forward_stage<const HALF: usize>(x: &mut Group, bound: u64, twiddles: &[Multiplier; 8]) {
    for block in (0..WIDTH).step_by(2 * HALF) {
        for i in 0..HALF {
            let (low, high) = (x[block + i], x[block + i + HALF]);
            let difference = sub(add(low, splat(bound)), high);
            x[block + i] = add(low, high);
            x[block + i + HALF] = if i == 0 {
                difference
            } else {
                multiply(difference, &twiddles[i * (8 / HALF)])
            };
        }
    }
}

/// Transforms the state back from the basis of the partial rounds, and adds the constants of the
/// next full round.
///
/// A decimation-in-time transform: bit-reversed order in, natural order out.
#[inline(never)]
fn leave(x: &mut Group, constants: &Constants) {
    inverse_stage::<1>(x, 2 * P, &constants.inverse_twiddles);
    inverse_stage::<2>(x, 4 * P, &constants.inverse_twiddles);
    inverse_stage::<4>(x, 8 * P, &constants.inverse_twiddles);
    inverse_stage::<8>(x, 16 * P, &constants.inverse_twiddles);
    for (value, &constant) in x.iter_mut().zip(&constants.middle) {
        *value = add(*value, splat(constant));
    }
}

/// One stage of the inverse transform; `bound` is a multiple of `p` above every entry.
#[inline(always)]
fn inverse_stage<const HALF: usize>(x: &mut Group, bound: u64, twiddles: &[Multiplier; 8]) {
    for block in (0..WIDTH).step_by(2 * HALF) {
        for i in 0..HALF {
            let (low, mut high) = (x[block + i], x[block + i + HALF]);
            if i > 0 {
                high = multiply(high, &twiddles[i * (8 / HALF)]);
            }
            x[block + i] = add(low, high);
            x[block + i + HALF] = sub(add(low, splat(bound)), high);
        }
    }
}

/// Runs all partial rounds of both groups, the second group half a round behind the first.
///
/// A round is one long chain of dependent steps, the cube, followed by 16 products that need its
/// result. So the cube of one group is computed among the products of the other.
#[inline(always)]
fn partial_rounds(even: &mut Group, odd: &mut Group, constants: &Constants) {
    let [mut even_total, mut odd_total] = [sum(even), sum(odd)];
    let mut even_change = change(even_total, constants.partial[0]);
    let mut odd_change;
    for round in 0..PARTIAL_ROUNDS - 1 {
        let multipliers = &constants.eigenvalues;
        (even_total, odd_change) = half_round(
            even,
            even_change,
            multipliers,
            odd_total,
            constants.partial[round],
        );
        (odd_total, even_change) = half_round(
            odd,
            odd_change,
            multipliers,
            even_total,
            constants.partial[round + 1],
        );
    }
    let multipliers = &constants.exit;
    let last = constants.partial[PARTIAL_ROUNDS - 1];
    (_, odd_change) = half_round(even, even_change, multipliers, odd_total, last);
    for (value, multiplier) in odd.iter_mut().zip(multipliers) {
        *value = multiply(add(*value, odd_change), multiplier);
    }
}

/// The term that a partial round adds to every entry: `(S-box output - element 0) / 16`.
#[inline(always)]
fn change(total: Lanes, constant: u64) -> Lanes {
    let [cube] = cubes(&[add(total, splat(constant))]);
    add(cube, minus_sixteenth(total))
}

/// Adds the change to one group and multiplies its entries, and computes the next change of the
/// other group in between.
///
/// Returns the sum of the new entries of the first group, and the change of the other one.
#[inline(always)]
fn half_round(
    group: &mut Group,
    group_change: Lanes,
    multipliers: &[Multiplier; WIDTH],
    other_total: Lanes,
    other_constant: u64,
) -> (Lanes, Lanes) {
    let step = |product: Product| Product {
        low: in_order(product.low),
        ..product
    };
    let mut total = zero();
    let mut products = |from: usize, to: usize| {
        for k in from..to {
            group[k] = in_order(multiply(add(group[k], group_change), &multipliers[k]));
            total = add(total, group[k]);
        }
    };
    let x = add(other_total, splat(other_constant));
    let square = step(montgomery_start(x, x));
    products(0, 3);
    let square = step(montgomery_middle(square));
    products(3, 6);
    let square = in_order(montgomery_end(square));
    let cube = step(montgomery_start(square, x));
    products(6, 9);
    let cube = step(montgomery_middle(cube));
    products(9, 12);
    let cube = in_order(montgomery_end(cube));
    products(12, WIDTH);
    (total, add(cube, minus_sixteenth(other_total)))
}

#[inline(always)]
fn sum(group: &Group) -> Lanes {
    let mut sum = group[0];
    for &value in &group[1..] {
        sum = add(sum, value);
    }
    sum
}

/// `-x / 16` modulo `p`, between 0 and `3 p`, for `x` below `17 p`.
///
/// With `x = 16 h + l` and `p = 1 mod 16`, `x / 16 = h - l (p - 1) / 16` modulo `p`.
#[inline(always)]
fn minus_sixteenth(x: Lanes) -> Lanes {
    let low = and(x, splat(15));
    let high = shift_right::<16>(shift_left::<12>(x));
    let sum = multiply_add(splat(2 * P), low, splat((P - 1) / 16));
    sub(sum, high)
}
