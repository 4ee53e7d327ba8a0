//! As many permutations at a time as a vector has halves, as two groups of one state a lane.

use p3_field::PackedValue;

use super::super::WIDTH;
use super::super::constants::MDS_COLUMN;
use super::arithmetic::{
    DOWN, MAGIC, canonical, cubes, integer, montgomery_end, montgomery_product,
    montgomery_quotient, reduce,
};
use super::constants::{SQUARE_COLUMN, doubles, packed};
use super::lanes::Lanes;
use crate::field::F;

/// The states of one group.
type Group<L> = [<L as Lanes>::Doubles; WIDTH];

/// The Poseidon-16 permutation on packed states, one in each half of a vector.
///
/// # Panics
///
/// If a packed element has fewer than `2 LANES` lanes.
#[inline(always)]
pub(crate) fn permute<L: Lanes, P: PackedValue<Value = F>>(state: &mut [P; WIDTH]) {
    let constants = packed();
    let mut groups = [[L::splat(0.0); WIDTH]; 2];
    for i in 0..WIDTH {
        let words = L::load_packed(state[i].as_slice());
        let words = L::add_halves(words, L::splat_halves(constants.first[i]));
        [groups[0][i], groups[1][i]] = cubes::<L, 2>([words, L::high_halves(words)]);
    }
    // The second group is half a round behind the first throughout: the matrix product of one group
    // and the cubes of the other are computed together.
    let [even, odd] = &mut groups;
    let [first, rest @ ..] = &constants.initial;
    full_rounds::<L>(even, odd, first, rest);
    reduce_all::<L>(even);
    reduce_all::<L>(odd);
    partial_rounds::<L>(even, odd, &constants.partial);
    for group in [&mut *even, &mut *odd] {
        for (value, &constant) in group.iter_mut().zip(&constants.middle) {
            [*value] = cubes::<L, 1>([integer::<L>(*value + L::splat(constant))]);
        }
    }
    let [first, rest @ ..] = &constants.terminal;
    full_rounds::<L>(even, odd, first, rest);
    for i in 0..WIDTH {
        let [even, odd] = [groups[0][i], groups[1][i]]
            .map(|value| canonical::<L>(integer::<L>(reduce::<L>(value))));
        L::store_packed(even, odd, state[i].as_slice_mut());
    }
}

/// Four full rounds of both groups, without the cubes of the first one: the matrix products, which
/// add `first` and `rest`, and the cubes in between.
#[inline(always)]
fn full_rounds<L: Lanes>(
    even: &mut Group<L>,
    odd: &mut Group<L>,
    first: &[f64; WIDTH],
    rest: &[[f64; WIDTH]; 3],
) {
    mds_alone::<L>(even, first);
    let mut previous = first;
    for constants in rest {
        mds::<L>(odd, previous, even);
        mds::<L>(even, constants, odd);
        previous = constants;
    }
    mds_alone::<L>(odd, previous);
}

#[inline(always)]
fn reduce_all<L: Lanes>(group: &mut Group<L>) {
    for value in group {
        *value = reduce::<L>(*value);
    }
}

/// First column of the negacyclic convolution of length `N` that is one part of the cyclic
/// convolution by `column`, multiplied by `scale` and by the factor that recombination leaves out.
const fn part<const N: usize>(column: &[i64; WIDTH], scale: f64) -> [f64; N] {
    // Reduce the column modulo x^2N - 1 by summing, then modulo x^N + 1.
    let mut residue = [0; N];
    let mut i = 0;
    while i < WIDTH {
        if i % (2 * N) < N {
            residue[i % N] += column[i];
        } else {
            residue[i % N] -= column[i];
        }
        i += 1;
    }
    let mut result = doubles(&residue);
    let mut i = 0;
    while i < N {
        result[i] *= N as f64 * scale;
        i += 1;
    }
    result
}

/// A circulant matrix.
trait Matrix {
    /// Its first column.
    const COLUMN: [i64; WIDTH];
    /// What the product is multiplied by, a sixteenth of which makes up for the factor 16 of
    /// recombining without halving.
    const SCALE: f64;
    /// The sum of the column, scaled: the part of the convolution modulo `x - 1`.
    const SUM: f64 = {
        let mut sum = 0;
        let mut i = 0;
        while i < WIDTH {
            sum += Self::COLUMN[i];
            i += 1;
        }
        sum as f64 * Self::SCALE
    };
}

/// The MDS matrix, for what [`cubes`] returns.
struct Mds;

impl Matrix for Mds {
    const COLUMN: [i64; WIDTH] = MDS_COLUMN;
    const SCALE: f64 = DOWN / 16.0;
}

/// The square of the MDS matrix.
struct Square;

impl Matrix for Square {
    const COLUMN: [i64; WIDTH] = SQUARE_COLUMN;
    const SCALE: f64 = 1.0 / 16.0;
}

/// Computes the product of `x`, which [`cubes`] has returned, by the MDS matrix, plus constants in
/// the form that [`split`] returns, and in between cubes the elements of `other`.
#[inline(never)]
fn mds<L: Lanes>(x: &mut Group<L>, constants: &[f64; WIDTH], other: &mut Group<L>) {
    let ([first, second, third, fourth], _) = other.as_chunks_mut::<4>() else {
        unreachable!("a group is four times four elements")
    };
    convolve_short_parts::<L, Mds>(x, constants);
    cube_four::<L>(first);
    let sums = std::array::from_fn(|i| L::splat(constants[8 + i]));
    let sums = convolve_columns::<L, Mds, 8>(x, sums, 0, 4);
    cube_four::<L>(second);
    let sums = convolve_columns::<L, Mds, 8>(x, sums, 4, 8);
    cube_four::<L>(third);
    x[8..].copy_from_slice(&sums);
    recombine::<L>(x);
    cube_four::<L>(fourth);
}

/// Like [`mds`], without cubes.
#[inline(never)]
fn mds_alone<L: Lanes>(x: &mut Group<L>, constants: &[f64; WIDTH]) {
    convolve_short_parts::<L, Mds>(x, constants);
    negacyclic::<L, Mds, 8>(x, constants);
    recombine::<L>(x);
}

#[inline(always)]
fn cube_four<L: Lanes>(four: &mut [L::Doubles; 4]) {
    *four = cubes::<L, 4>(four.map(|x| integer::<L>(reduce::<L>(x)))).map(L::in_order);
}

/// Splits the state into the parts of the convolution, and convolves all of them but the longest,
/// modulo `x^8 + 1`, whose residue is in entries `8..16`.
#[inline(always)]
fn convolve_short_parts<L: Lanes, M: Matrix>(x: &mut Group<L>, constants: &[f64; WIDTH]) {
    // The residues modulo x^8 + 1 go to entries 8..16, those modulo x^4 + 1 to 4..8, x^2 + 1 to
    // 2..4, x + 1 to 1 and x - 1 to 0.
    butterfly::<L, 8>(x);
    butterfly::<L, 4>(x);
    butterfly::<L, 2>(x);
    butterfly::<L, 1>(x);
    x[0] = L::multiply_add(x[0], L::splat(M::SUM), L::splat(constants[0]));
    negacyclic::<L, M, 1>(x, constants);
    negacyclic::<L, M, 2>(x, constants);
    negacyclic::<L, M, 4>(x, constants);
}

/// Reconstructs the product from the parts, times 16.
#[inline(always)]
fn recombine<L: Lanes>(x: &mut Group<L>) {
    butterfly::<L, 1>(x);
    butterfly::<L, 2>(x);
    butterfly::<L, 4>(x);
    butterfly::<L, 8>(x);
}

/// Replaces entries `i` and `i + N` by their sum and difference, for `i < N`.
#[inline(always)]
fn butterfly<L: Lanes, const N: usize>(x: &mut Group<L>) {
    for i in 0..N {
        let (low, high) = (x[i], x[i + N]);
        x[i] = low + high;
        x[i + N] = low - high;
    }
}

/// Multiplies the residue modulo `x^N + 1` in entries `N..2N` by that of the matrix's column, and
/// adds constants.
#[inline(always)]
fn negacyclic<L: Lanes, M: Matrix, const N: usize>(x: &mut Group<L>, constants: &[f64; WIDTH]) {
    let sums = std::array::from_fn(|i| L::splat(constants[N + i]));
    let sums = convolve_columns::<L, M, N>(x, sums, 0, N);
    x[N..2 * N].copy_from_slice(&sums);
}

/// Adds the contributions of entries `N + from..N + to` to that product.
#[inline(always)]
fn convolve_columns<L: Lanes, M: Matrix, const N: usize>(
    x: &Group<L>,
    mut sums: [L::Doubles; N],
    from: usize,
    to: usize,
) -> [L::Doubles; N] {
    let column = const { part::<N>(&M::COLUMN, M::SCALE) };
    for j in from..to {
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = if j <= i {
                L::multiply_add(x[N + j], L::splat(column[i - j]), *sum)
            } else {
                L::subtract_product(x[N + j], L::splat(column[N + i - j]), *sum)
            };
        }
    }
    sums.map(L::in_order)
}

/// Runs all partial rounds of both groups, the second group one round behind the first.
///
/// Two rounds are one long chain of dependent steps, the S-boxes, followed by a matrix product that
/// needs their results late. So the S-boxes of one group are computed among the product of the
/// other.
#[inline(never)]
fn partial_rounds<L: Lanes>(even: &mut Group<L>, odd: &mut Group<L>, constants: &[[f64; 2]; 10]) {
    let [first, rest @ ..] = constants;
    let mut even_change = s_boxes::<L>(even, first);
    let mut current = first;
    for next in rest {
        let odd_change = two_rounds::<L>(even, even_change, odd, current);
        even_change = two_rounds::<L>(odd, odd_change, even, next);
        current = next;
    }
    let odd_change = two_rounds::<L>(even, even_change, odd, current);
    // Nothing is left to be done beside the last matrix product.
    let mut idle = [L::splat(0.0); WIDTH];
    two_rounds::<L>(odd, odd_change, &mut idle, current);
}

/// Element 0 after the first of two rounds, without the contribution of the S-box's output, plus
/// the constant of the second round.
#[inline(always)]
fn without_first<L: Lanes>(x: &Group<L>, constant: f64) -> L::Doubles {
    // Two sums, so that fewer steps depend on each other.
    let entry = |j: usize| L::splat(MDS_COLUMN[WIDTH - j] as f64);
    let mut sums = [L::splat(constant), x[1] * entry(1)];
    for j in 2..WIDTH {
        sums[j % 2] = L::multiply_add(x[j], entry(j), sums[j % 2]);
    }
    sums[0] + sums[1]
}

/// Both S-boxes of two partial rounds: replaces element 0 by the output of the first one, and
/// returns what the second one changes.
#[inline(always)]
fn s_boxes<L: Lanes>(x: &mut Group<L>, constants: &[f64; 2]) -> L::Doubles {
    let [output] = cubes::<L, 1>([integer::<L>(x[0] + L::splat(constants[0]))]);
    x[0] = output * L::splat(DOWN);
    let total = without_first::<L>(x, constants[1]) + x[0] * L::splat(MDS_COLUMN[0] as f64);
    let [output] = cubes::<L, 1>([integer::<L>(reduce::<L>(total))]);
    output * L::splat(DOWN) - (total - L::splat(constants[1]))
}

/// Ends two partial rounds of `x`, whose S-boxes [`s_boxes`] has computed, and in between does what
/// [`s_boxes`] does to `other`.
#[inline(always)]
pub(super) fn two_rounds<L: Lanes>(
    x: &mut Group<L>,
    change: L::Doubles,
    other: &mut Group<L>,
    constants: &[f64; 2],
) -> L::Doubles {
    let input = L::bits(L::in_order(other[0] + L::splat(MAGIC + constants[0])));
    butterfly::<L, 8>(x);
    let product = montgomery_product::<L>(input, input);
    butterfly::<L, 4>(x);
    butterfly::<L, 2>(x);
    let quotient = montgomery_quotient::<L>(product);
    butterfly::<L, 1>(x);
    x[0] = x[0] * L::splat(Square::SUM);
    negacyclic::<L, Square, 1>(x, &[0.0; WIDTH]);
    negacyclic::<L, Square, 2>(x, &[0.0; WIDTH]);
    let square = L::high_halves(montgomery_end::<L>(product, quotient));
    negacyclic::<L, Square, 4>(x, &[0.0; WIDTH]);
    let product = montgomery_product::<L>(square, input);
    let rest = without_first::<L>(other, constants[1]);
    let quotient = montgomery_quotient::<L>(product);
    let sums = convolve_columns::<L, Square, 8>(x, [L::splat(0.0); 8], 0, 2);
    let output = L::to_doubles(montgomery_end::<L>(product, quotient));
    other[0] = L::in_order(output * L::splat(DOWN));
    let sums = convolve_columns::<L, Square, 8>(x, sums, 2, 4);
    let entry = L::splat(MDS_COLUMN[0] as f64);
    let total = L::in_order(L::multiply_add(other[0], entry, rest));
    let sums = convolve_columns::<L, Square, 8>(x, sums, 4, 6);
    let input = L::bits(L::in_order(reduce::<L>(total) + L::splat(MAGIC)));
    let sums = convolve_columns::<L, Square, 8>(x, sums, 6, 8);
    let product = montgomery_product::<L>(input, input);
    x[8..].copy_from_slice(&sums);
    butterfly::<L, 1>(x);
    butterfly::<L, 2>(x);
    let quotient = montgomery_quotient::<L>(product);
    butterfly::<L, 4>(x);
    let square = L::high_halves(montgomery_end::<L>(product, quotient));
    butterfly::<L, 8>(x);
    for (value, &entry) in x.iter_mut().zip(&MDS_COLUMN) {
        *value = L::multiply_add(change, L::splat(entry as f64), *value);
    }
    let product = montgomery_product::<L>(square, input);
    let ([first, second, third], rest) = x.as_chunks_mut::<5>() else {
        unreachable!("sixteen is three times five and one")
    };
    let reduce_in_order = |value: &mut L::Doubles| *value = L::in_order(reduce::<L>(*value));
    first.iter_mut().for_each(reduce_in_order);
    let quotient = montgomery_quotient::<L>(product);
    second.iter_mut().for_each(reduce_in_order);
    let output = L::to_doubles(montgomery_end::<L>(product, quotient));
    third.iter_mut().chain(rest).for_each(reduce_in_order);
    output * L::splat(DOWN) - (total - L::splat(constants[1]))
}

/// Returns values that, added to the five parts of the convolution, add `constants` to its 16
/// results. They are multiples of 1/16.
pub(super) fn split(constants: [f64; WIDTH]) -> [f64; WIDTH] {
    let mut parts = constants;
    let mut length = WIDTH;
    while length > 1 {
        let half = length / 2;
        for i in 0..half {
            let (low, high) = (parts[i], parts[i + half]);
            parts[i] = (low + high) / 2.0;
            parts[i + half] = (low - high) / 2.0;
        }
        length = half;
    }
    parts
}
