//! The low-degree test: the commitments to folded codewords, and the folds of one query.
//!
//! Claim: each codeword is the fold of the previous one by a challenge that was sampled after it,
//! plus the values of the height that is added in that round, and the last codeword is that of the
//! final polynomial. `p3_fri::verifier::verify_fri` and `fold_query` check the same. The protocol
//! is FRI (ECCC TR17-134), with folds of several levels at once.

use crate::fri::{Polynomial, fold, fold_scales, power};
use crate::packing::{assert_canonical, assert_entry_unchecked, hint_row, unpack_all};
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash, observe_constants, observe_ext};
use crate::verify::fri::index::Index;
use crate::verify::fri::point::{Point, square_times};
use crate::verify::fri::query::Places;
use crate::verify::fri::shape::Shape;

/// The values that the folds of every query use.
#[derive(Clone, Debug)]
pub struct Folding {
    /// For each round, the factors of differences that [`fold_scales`] returns.
    pub scales: Vec<Vec<Ext>>,
    /// For each of [`rolls`], the power of the round's challenge by which the height's value is
    /// multiplied.
    pub rolls: Vec<Ext>,
    /// The final polynomial.
    pub final_poly: Polynomial,
}

impl Folding {
    /// Returns the same values at fixed addresses.
    pub fn pin(&self) -> Self {
        let mut scales = Vec::new();
        for round in &self.scales {
            scales.push(pin_all(round));
        }
        let mut rolls = Vec::new();
        for roll in &self.rolls {
            rolls.push(roll.pin());
        }
        Self {
            scales,
            rolls,
            final_poly: self.final_poly.pin(),
        }
    }
}

fn pin_all(values: &[Ext]) -> Vec<Ext> {
    let mut pinned = Vec::new();
    for value in values {
        pinned.push(value.pin());
    }
    pinned
}

/// A height that is added after a folding round.
#[derive(Clone, Debug)]
pub struct Roll {
    /// The round.
    pub round: usize,
    /// Position of the height among all heights.
    pub height: usize,
}

/// Returns the heights that are added, with the rounds after which they are.
pub fn rolls(shape: &Shape) -> Vec<Roll> {
    let heights = shape.log_heights();
    let mut log_length = shape.log_length();
    let mut rolls = Vec::new();
    for round in 0..shape.log_arities.len() {
        log_length -= shape.log_arities[round];
        for height in 0..heights.len() {
            if heights[height] + shape.log_blowup == log_length {
                rolls.push(Roll { round, height });
            }
        }
    }
    rolls
}

/// Runs the commit phase of the transcript, and returns the folding challenges and the final
/// polynomial.
pub fn commit_phase<C: Challenger>(
    shape: &Shape,
    t: &mut C,
    commitments: &[Slice],
) -> (Vec<Ext>, Vec<Ext>) {
    observe_constants(t, &shape.fri_seed);
    let mut betas = Vec::new();
    let mut log_length = shape.log_length();
    for round in 0..shape.log_arities.len() {
        log_length -= shape.log_arities[round];
        t.observe_digests(commitments[round], 1usize << shape.cap_levels(log_length));
        t.grind(shape.commit_grinding_bits);
        betas.push(t.sample());
    }
    let mut final_poly = Vec::new();
    for _i in 0..(1usize << shape.log_final_poly_len) {
        let coefficient = hint_ext().checked();
        observe_ext(t, coefficient);
        final_poly.push(coefficient);
    }
    t.grind(shape.query_grinding_bits);
    (betas, final_poly)
}

/// Computes the values that queries use from the challenges and the final polynomial.
pub fn folding<P: Point>(shape: &Shape, betas: &[Ext], final_poly: Vec<Ext>) -> Folding {
    let mut scales = Vec::new();
    for round in 0..betas.len() {
        scales.push(fold_scales::<P>(betas[round], shape.log_arities[round]));
    }
    let mut powers = Vec::new();
    for roll in rolls(shape) {
        let arity = 1usize << shape.log_arities[roll.round];
        powers.push(power(betas[roll.round], arity));
    }
    Folding {
        scales,
        rolls: powers,
        final_poly: Polynomial::new(final_poly),
    }
}

/// Checks the folds of one query, from the value at the tallest height to the value of the final
/// polynomial. `reduced` are the values of all heights, `point` is the point of the index, and
/// `inverse_start` the inverse of the first point of the row that is folded first.
pub fn folds<H: Hash>(
    shape: &Shape,
    index: &Index,
    places: &Places,
    folding: &Folding,
    reduced: &[Ext],
    point: H::Point,
    inverse_start: H::Point,
) {
    let length = index.pieces.length;
    let rounds = shape.log_arities.len();
    let mut value = reduced[0];
    let mut start = inverse_start;
    let mut from = 0usize;
    for round in 0..rounds {
        let to = from + shape.log_arities[round];
        // In bounds: a cap has one digest for each integer of the index's top bits.
        let cap = shape.cap_levels(length - to);
        let top = index.integer(length - cap, length);
        let root = H::digest_unchecked(places.folds[round], top);
        // Row and path are bound by the comparison with the root below.
        let lanes = row_width(shape, round);
        let row = hint_row::<H>(lanes).any();
        let mut node = H::leaf(row, lanes);
        let elements = row_elements::<H>(shape, index, round, from, row, value);
        let depth = length - to - cap;
        if depth > 0 {
            let at = index.integer(to, length - cap);
            let path = hint_slice(depth * H::DIGEST_BLOCKS).any();
            node = H::path(node, at, path, depth);
        }
        H::assert_same(root, node);
        (value, start) = fold_row(shape, index, folding, reduced, round, &elements, start);
        from = to;
    }
    check_last(shape, folding, reduced, value, point, start);
}

/// Returns the number of elements of a row of a folding round, salts included.
pub fn row_width(shape: &Shape, round: usize) -> usize {
    shape.degree * (1usize << shape.log_arities[round]) + shape.salts
}

/// Returns the values of the codeword that are in a row of a folding round, whose bits of the index
/// begin with bit `from`. Fails unless the one at the index is `value`.
pub fn row_elements<H: Hash>(
    shape: &Shape,
    index: &Index,
    round: usize,
    from: usize,
    row: Slice,
    value: Ext,
) -> Vec<Ext> {
    let log_arity = shape.log_arities[round];
    let arity = 1usize << log_arity;
    let elements = unpack_all::<H>(row, 0, arity);
    assert_canonical::<H>(row, shape.degree * arity, row_width(shape, round));
    // In bounds: a row has one element for each integer of the round's bits.
    let place = index.integer(from, from + log_arity);
    assert_entry_unchecked::<H>(row, &elements, place, value);
    elements
}

/// Folds a row, whose first point has the inverse `start`. Returns the value of the next codeword at
/// the index, and the inverse of the first point of the next row, if there is one.
pub fn fold_row<P: Point>(
    shape: &Shape,
    index: &Index,
    folding: &Folding,
    reduced: &[Ext],
    round: usize,
    elements: &[Ext],
    start: P,
) -> (Ext, P) {
    let log_arity = shape.log_arities[round];
    let mut value = fold(elements, log_arity, &folding.scales[round], start);
    let mut next_start = start;
    if round + 1 < shape.log_arities.len() {
        next_start = index.times_points(square_times(start, log_arity), round + 1);
    }
    let rolls = rolls(shape);
    for i in 0..rolls.len() {
        if rolls[i].round == round {
            value = reduced[rolls[i].height] * folding.rolls[i] + value;
        }
    }
    (value, next_start)
}

/// Fails unless the final polynomial has this value. `point` is the point of the index, and `start`
/// the inverse of the first point of the row that is folded last.
pub fn check_last<P: Point>(
    shape: &Shape,
    folding: &Folding,
    reduced: &[Ext],
    value: Ext,
    point: P,
    start: P,
) {
    // All heights but the tallest are added in some round.
    assert_eq!(rolls(shape).len() + 1, reduced.len());
    let x = final_point(shape, point, start);
    assert_eq!(folding.final_poly.evaluate(x), value);
}

/// Returns the point at which the final polynomial is evaluated. `point` is the point of the index,
/// and `start` the inverse of the first point of the row that is folded last.
fn final_point<P: Point>(shape: &Shape, point: P, start: P) -> P {
    let rounds = shape.log_arities.len();
    if shape.log_final_poly_len == 0 {
        P::constant(0)
    } else if rounds > 0 {
        square_times(start, shape.log_arities[rounds - 1]).reciprocal()
    } else {
        point
    }
}
