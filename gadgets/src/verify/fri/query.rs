//! One FRI query.
//!
//! Claim: at a sampled index, the rows of the commitments are authentic, and the openings, combined
//! and divided by the distances to their points, fold to the final polynomial. Up to the folds this
//! file does what `p3_fri::verifier::open_inputs` does; `fold_query` corresponds to the folds.
//! Dividing by the distances binds the values at points outside the domain (DEEP-FRI, ePrint
//! 2019/336). That one challenge combines all openings is batched FRI (ePrint 2020/654).

use crate::bits::{INVERSE_GENERATORS, square_times};
use crate::constraints::combine;
use crate::fri::power;
use crate::packing::hint_row;
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::verify::fri::folding::{Folding, folding, folds};
use crate::verify::fri::index::{Index, Pieces};
use crate::verify::fri::shape::{Layer, Round, Shape, groups, windows};

/// The generator of the field, by which the domains of codewords are shifted.
const SHIFT: Felt = Felt::new(3);

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
                for window in windows::<H>(group.at, group.width) {
                    for opening in &group.openings {
                        let exponent = window.exponent() + opening.power + window.before;
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
            let generator = Felt::new(INVERSE_GENERATORS[table]).inverse();
            sums.push(Sum {
                point: zeta * generator,
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
        folding: folding(shape, betas, final_poly),
    }
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
    let index = Index {
        pieces: Pieces::new(shape),
        bits: C::bits(word),
        points: places.points.clone(),
    };
    let length = index.pieces.length;

    // The inverse of the first point of the row that is folded first, which is the point whose
    // index has zeros as that round's bits; and the point of the index on the whole domain.
    let mut first = 0usize;
    if !shape.log_arities.is_empty() {
        first = shape.log_arities[0];
    }
    let inverse_start = index.times_inverses(Felt::ONE, first, length);
    let point = index.times_inverses(inverse_start, 0, first).inverse();

    let mut heights = values.heights.clone();
    let rounds = shape.rounds();
    for i in 0..rounds.len() {
        let commitment = places.inputs[i];
        heights = open::<H>(shape, &index, values, &rounds[i], commitment, heights);
    }
    let mut reduced = Vec::new();
    for height in &heights {
        reduced.push(reduce(shape, point, height));
    }
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
        let mut height = heights.len();
        for j in 0..heights.len() {
            if heights[j].log_height == layer.log_height {
                height = j;
            }
        }
        heights[height] = subtract::<H>(values, layer, row, heights[height].clone());
    }
    H::assert_same(root, node);
    heights
}

/// Subtracts a layer's row from the sums of its openings, combined with the same powers as these.
fn subtract<H: Hash>(values: &Values, layer: &Layer, row: Slice, height: Height) -> Height {
    let mut height = height;
    for group in groups(layer) {
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
    height
}

/// Returns the value of one height that is folded: the sums of differences, each divided by the
/// distance to its point.
fn reduce(shape: &Shape, point: Felt, height: &Height) -> Ext {
    let squarings = shape.log_length() - height.log_height - shape.log_blowup;
    let x = square_times(point, squarings) * SHIFT;
    let here = &height.sums[0];
    let mut reduced = here.value * (here.point - x).inverse();
    if height.sums.len() == 2 {
        let next = &height.sums[1];
        reduced = next.value * (next.point - x).inverse() + reduced;
    }
    if height.log_height == 0 {
        // A matrix of one row is a constant polynomial, so its quotient must be zero.
        assert_eq!(reduced, Ext::ZERO);
    }
    reduced
}
