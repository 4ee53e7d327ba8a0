//! One FRI query.
//!
//! Claim: at a sampled index, the rows of the commitments are authentic, and the openings, combined
//! and divided by the distances to their points, fold to the final polynomial. Up to the folds this
//! file does what `p3_fri::verifier::open_inputs` does; `fold_query` corresponds to the folds.
//! Dividing by the distances binds the values at points outside the domain (DEEP-FRI, ePrint
//! 2019/336). That one challenge combines all openings is batched FRI (ePrint 2020/654).

use crate::constraints::combine;
use crate::fri::power;
use crate::packing::hint_row;
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::verify::fri::folding::{Folding, folding, folds};
use crate::verify::fri::index::{Index, Pieces};
use crate::verify::fri::point::{Point, square_times};
use crate::verify::fri::shape::{Group, Layer, Round, Shape, groups, windows};
use crate::verify::fri::weighted::{Weighted, combined, weighted};

/// Slices that every query reads: the commitments, and tables that do not depend on the proof.
#[derive(Clone, Debug)]
pub struct Places {
    /// The commitments but those of folds, in the order in which they are opened.
    pub inputs: Vec<Slice>,
    /// The commitments of the folding rounds.
    pub folds: Vec<Slice>,
    /// The tables of points that [`Pieces::points`] returns.
    pub points: Vec<Slice>,
}

/// The openings of one height at one point, combined into one value.
#[derive(Clone, Debug)]
pub struct Sum {
    /// The point.
    pub point: Ext,
    /// The sum of the opened values times powers of the combiner.
    pub value: Ext,
}

/// The openings of one height.
#[derive(Clone, Debug)]
pub struct Height {
    /// Logarithm of the height.
    pub log_height: usize,
    /// The sums at the out-of-domain point, and at the next point if any matrix of this height is
    /// opened there.
    pub sums: Vec<Sum>,
}

/// A negated power of the combiner.
#[derive(Clone, Debug)]
pub struct Power {
    /// The exponent.
    pub exponent: usize,
    /// The negated power.
    pub value: Ext,
}

/// The values that every query uses and that depend on the proof.
#[derive(Clone, Debug)]
pub struct Values {
    /// Inverse of the combiner, the challenge that combines openings.
    pub inverse_combiner: Ext,
    /// The openings of each height, tallest first.
    pub heights: Vec<Height>,
    /// Powers of the combiner, negated.
    pub minus_powers: Vec<Power>,
    /// The weights with which rows over BabyBear are combined; empty in other proofs.
    pub weighted: Vec<Weighted>,
    /// The values that the folds use.
    pub folding: Folding,
}

impl Values {
    /// Returns the negated power with this exponent.
    fn minus_power(&self, exponent: usize) -> Ext {
        let mut place = self.minus_powers.len();
        for i in 0..self.minus_powers.len() {
            if self.minus_powers[i].exponent == exponent {
                place = i;
            }
        }
        self.minus_powers[place].value
    }

    /// Returns the weights of a group's columns.
    fn weights(&self, group: &Group) -> Weighted {
        let mut place = self.weighted.len();
        for i in 0..self.weighted.len() {
            if self.weighted[i].number == group.openings[0].number {
                place = i;
            }
        }
        self.weighted[place].clone()
    }

    /// Returns the same values at fixed addresses, which queries can read at no cost.
    pub fn pin(&self) -> Self {
        let inverse_combiner = self.inverse_combiner.pin();
        let mut heights = Vec::new();
        for height in &self.heights {
            let mut sums = Vec::new();
            for sum in &height.sums {
                sums.push(Sum {
                    point: sum.point.pin(),
                    value: sum.value.pin(),
                });
            }
            heights.push(Height {
                log_height: height.log_height,
                sums,
            });
        }
        let mut minus_powers = Vec::new();
        for power in &self.minus_powers {
            minus_powers.push(Power {
                exponent: power.exponent,
                value: power.value.pin(),
            });
        }
        Self {
            inverse_combiner,
            heights,
            minus_powers,
            weighted: self.weighted.clone(),
            folding: self.folding.pin(),
        }
    }
}

/// Returns the exponents of the combiner's powers that queries use, in ascending order.
pub fn exponents<H: Hash>(shape: &Shape) -> Vec<usize> {
    let mut used = Vec::new();
    for round in shape.rounds() {
        for layer in round.layers() {
            for group in groups(&layer) {
                for own in own_exponents::<H>(&group) {
                    for opening in &group.openings {
                        let exponent = own + opening.power;
                        while used.len() <= exponent {
                            used.push(false);
                        }
                        used[exponent] = true;
                    }
                }
            }
        }
    }
    let mut exponents = Vec::new();
    for exponent in 0..used.len() {
        if used[exponent] {
            exponents.push(exponent);
        }
    }
    exponents
}

/// Returns the exponents of the powers by which the combined values of a group's parts are multiplied
/// besides that of its opening: those of its windows, or, with weights, zero.
fn own_exponents<H: Hash>(group: &Group) -> Vec<usize> {
    let mut exponents = Vec::new();
    if H::LANES == 2 {
        exponents.push(0usize);
    } else {
        for window in windows::<H>(group.at, group.width) {
            exponents.push(window.exponent() + window.before);
        }
    }
    exponents
}

/// Computes the values that queries use from the challenges and the opened rows.
pub fn values<H: Hash>(
    shape: &Shape,
    zeta: Ext,
    combiner: Ext,
    opened: &[Vec<Ext>],
    betas: &[Ext],
    final_poly: Vec<Ext>,
) -> Values {
    let mut heights = Vec::new();
    for log_height in shape.log_heights() {
        let mut sums = vec![Sum {
            point: zeta,
            value: sum(shape, log_height, 0, combiner, opened),
        }];
        if shape.has_next(log_height) {
            // The next row is the table's.
            let table = log_height - shape.log_extension();
            sums.push(Sum {
                point: next_point::<H::Point>(zeta, table),
                value: sum(shape, log_height, 1, combiner, opened),
            });
        }
        heights.push(Height { log_height, sums });
    }
    let minus_powers = minus_powers::<H>(shape, combiner);
    Values {
        inverse_combiner: combiner.inverse(),
        heights,
        minus_powers,
        weighted: weighted::<H>(shape, combiner),
        folding: folding::<H::Point>(shape, betas, final_poly),
    }
}

/// Returns the next point after `zeta` on the domain of a table.
fn next_point<P: Point>(zeta: Ext, log_height: usize) -> Ext {
    P::inverse_generator(log_height).reciprocal().scale(zeta)
}

/// Combines the openings of one height at one point. Each row takes consecutive powers of the
/// combiner, starting with its own first power.
fn sum(shape: &Shape, log_height: usize, point: usize, combiner: Ext, opened: &[Vec<Ext>]) -> Ext {
    let mut sum = Ext::ZERO;
    for round in shape.rounds() {
        for matrix in &round.matrices {
            if matrix.log_height == log_height && point < matrix.openings.len() {
                let opening = &matrix.openings[point];
                let row = combine(&opened[opening.number], combiner);
                sum += row * power(combiner, opening.power);
            }
        }
    }
    sum
}

/// Returns the powers of [`exponents`], negated.
fn minus_powers<H: Hash>(shape: &Shape, combiner: Ext) -> Vec<Power> {
    let mut powers: Vec<Power> = Vec::new();
    for exponent in exponents::<H>(shape) {
        let value = if powers.is_empty() {
            -power(combiner, exponent)
        } else {
            let last = &powers[powers.len() - 1];
            last.value * power(combiner, exponent - last.exponent)
        };
        powers.push(Power { exponent, value });
    }
    powers
}

/// Checks one query: opens the commitments at a sampled index, and folds down to the final
/// polynomial.
#[inline(never)]
pub fn query<H: Hash, C: Challenger>(
    shape: &Shape,
    places: &Places,
    values: &Values,
    word: [Felt; 2],
) {
    let index = index::<C>(shape, places, word);
    let (point, inverse_start) = first_points::<H::Point>(shape, &index);
    let mut heights = values.heights.clone();
    let rounds = shape.rounds();
    for i in 0..rounds.len() {
        let commitment = places.inputs[i];
        heights = open::<H>(shape, &index, values, &rounds[i], commitment, heights);
    }
    let reduced = reduced(shape, point, &heights);
    folds::<H>(
        shape,
        &index,
        places,
        &values.folding,
        &reduced,
        point,
        inverse_start,
    );
}

/// Returns the index that a sampled word stands for.
pub fn index<C: Challenger>(shape: &Shape, places: &Places, word: [Felt; 2]) -> Index {
    Index {
        pieces: Pieces::new(shape),
        bits: C::bits(word),
        points: places.points.clone(),
    }
}

/// Returns the point of the index on the whole domain, and the inverse of the first point of the row
/// that is folded first, which is the point whose index has zeros as that round's bits.
pub fn first_points<P: Point>(shape: &Shape, index: &Index) -> (P, P) {
    let mut first = 0usize;
    if !shape.log_arities.is_empty() {
        first = shape.log_arities[0];
    }
    let inverse_start = inverse_point::<P>(index, first, index.pieces.length);
    let point = index.times_inverses(inverse_start, 0, first).reciprocal();
    (point, inverse_start)
}

/// Returns the inverse of the point on the whole domain that bits `from..to` of an index stand for.
fn inverse_point<P: Point>(index: &Index, from: usize, to: usize) -> P {
    index.times_inverses(P::constant(1), from, to)
}

/// Opens one commitment, and subtracts its rows, combined, from the sums of their heights.
fn open<H: Hash>(
    shape: &Shape,
    index: &Index,
    values: &Values,
    round: &Round,
    commitment: Slice,
    heights: Vec<Height>,
) -> Vec<Height> {
    let mut heights = heights;
    let length = index.pieces.length;
    let layers = round.layers();
    // In bounds: a cap has one digest for each integer of the index's top bits. It is read before
    // the path is computed, so that the path's root is written to the cap's own block.
    let cap = shape.cap_levels(round.tallest() + shape.log_blowup);
    let top = index.integer(length - cap, length);
    let root = H::digest_unchecked(commitment, top);
    let mut node = root;
    for i in 0..layers.len() {
        let layer = &layers[i];
        // Rows and paths are bound by the comparison with the root below.
        let row = hint_row::<H>(layer.width).any();
        let leaf = H::leaf(row, layer.width);
        node = if i == 0 { leaf } else { H::parent(node, leaf) };
        let here = layer.log_height + shape.log_blowup;
        let above = if i + 1 < layers.len() {
            layers[i + 1].log_height + shape.log_blowup
        } else {
            cap
        };
        if here > above {
            let at = index.integer(length - here, length - above);
            let path = hint_slice((here - above) * H::DIGEST_BLOCKS).any();
            node = H::path(node, at, path, here - above);
        }
        heights = subtract_row::<H>(values, layer, row, heights);
    }
    H::assert_same(root, node);
    heights
}

/// Subtracts a layer's row, combined, from the sums of its height.
pub fn subtract_row<H: Hash>(
    values: &Values,
    layer: &Layer,
    row: Slice,
    heights: Vec<Height>,
) -> Vec<Height> {
    let mut heights = heights;
    let mut height = heights.len();
    for j in 0..heights.len() {
        if heights[j].log_height == layer.log_height {
            height = j;
        }
    }
    heights[height] = subtract::<H>(values, layer, row, heights[height].clone());
    heights
}

/// Subtracts a layer's row from the sums of its openings, combined with the same powers as these.
fn subtract<H: Hash>(values: &Values, layer: &Layer, row: Slice, height: Height) -> Height {
    let mut height = height;
    for group in groups(layer) {
        if H::LANES == 2 {
            let value = combined(row, &values.weights(&group));
            for point in 0..group.openings.len() {
                let minus_power = values.minus_power(group.openings[point].power);
                let sum = height.sums[point].value;
                height.sums[point].value = value * minus_power + sum;
            }
        } else {
            for window in windows::<H>(group.at, group.width) {
                let data = row.skip(window.block);
                let value = horner(data, window.skip, window.length, values.inverse_combiner);
                for point in 0..group.openings.len() {
                    let exponent = window.exponent() + group.openings[point].power + window.before;
                    let sum = height.sums[point].value;
                    height.sums[point].value = value * values.minus_power(exponent) + sum;
                }
            }
        }
    }
    height
}

/// Returns the values of all heights that are folded.
pub fn reduced<P: Point>(shape: &Shape, point: P, heights: &[Height]) -> Vec<Ext> {
    let mut reduced = Vec::new();
    for height in heights {
        reduced.push(reduce(shape, point, height));
    }
    reduced
}

/// Returns the value of one height that is folded: the sums of differences, each divided by the
/// distance to its point.
fn reduce<P: Point>(shape: &Shape, point: P, height: &Height) -> Ext {
    let squarings = shape.log_length() - height.log_height - shape.log_blowup;
    let x = square_times(point, squarings).times(P::generator());
    let here = &height.sums[0];
    let mut reduced = here.value * x.below(here.point).inverse();
    if height.sums.len() == 2 {
        let next = &height.sums[1];
        reduced = next.value * x.below(next.point).inverse() + reduced;
    }
    if height.log_height == 0 {
        // A matrix of one row is a constant polynomial, so its quotient must be zero.
        assert_eq!(reduced, Ext::ZERO);
    }
    reduced
}
