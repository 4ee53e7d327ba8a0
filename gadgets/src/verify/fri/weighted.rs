//! Rows of proofs over BabyBear, combined by weights.
//!
//! The row of a leaf is already laid out as the limbs that are hashed, four words in a block. Each
//! word has a weight, which is made once for a proof: the power of the combiner that belongs to its
//! column, or zero if the word belongs to none of the columns that are combined.

use crate::packing::word_place;
use crate::prelude::*;
use crate::suites::hash::Hash;
use crate::verify::fri::shape::{Group, Layer, Shape, groups};

/// Consecutive blocks of a row.
#[derive(Clone, Debug)]
pub struct Part {
    /// The first block.
    pub block: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// The weights of their words, four for each block.
    pub weights: Slice,
}

/// The weights of the columns of one group.
#[derive(Clone, Debug)]
pub struct Weighted {
    /// The number of the group's first opening.
    pub number: usize,
    /// The parts of the row in which the group's columns and the salts after them are.
    pub parts: Vec<Part>,
}

/// Returns the weights of every group of a proof's columns; none if elements of rows have one lane.
pub fn weighted<H: Hash>(shape: &Shape, combiner: Ext) -> Vec<Weighted> {
    let mut all = Vec::new();
    if H::LANES == 2 {
        let powers = powers(shape, combiner);
        for round in shape.rounds() {
            for layer in round.layers() {
                for group in groups(&layer) {
                    all.push(Weighted {
                        number: group.openings[0].number,
                        parts: parts::<H>(&layer, &group, &powers),
                    });
                }
            }
        }
    }
    all
}

/// Returns the combiner's powers that weights are, in order.
fn powers(shape: &Shape, combiner: Ext) -> Vec<Ext> {
    let mut length = 0usize;
    for round in shape.rounds() {
        for layer in round.layers() {
            for group in groups(&layer) {
                length = length.max(group.width);
            }
        }
    }
    let mut powers = vec![Ext::ONE];
    for i in 1..length {
        powers.push(powers[i - 1] * combiner);
    }
    powers
}

/// Returns the parts of a row in which a group's columns and the salts after them are: one for each
/// run of the row, or one if runs follow each other without a gap. Salts are there since the words
/// of every block that is combined are canonical.
fn parts<H: Hash>(layer: &Layer, group: &Group, powers: &[Ext]) -> Vec<Part> {
    let end = group.at + group.width + layer.salts;
    let mut parts = Vec::new();
    let mut place = group.at;
    while place < end {
        let run = place / H::RUN;
        let last = if H::RUN == 8 {
            end - 1
        } else {
            end.min(H::RUN * (run + 1)) - 1
        };
        let (block, lane) = word_place::<H>(place);
        let (last_block, _last_lane) = word_place::<H>(last);
        let blocks = last_block - block + 1;
        let mut weights = vec![Block::ZERO; 4 * blocks];
        for word in place..(last + 1).min(group.at + group.width) {
            weights[lane / 2 + word - place] = powers[word - group.at].as_block();
        }
        parts.push(Part {
            block,
            blocks,
            weights: Slice::from_blocks(weights),
        });
        place = last + 1;
    }
    parts
}

/// Returns the sum of a row's words in a group's columns, times their weights. Fails unless all words
/// of the group's blocks are canonical.
pub fn combined(row: Slice, weighted: &Weighted) -> Ext {
    let mut sum = Ext::ZERO;
    for part in &weighted.parts {
        sum = baby_bear_dot(row.skip(part.block), part.weights, part.blocks, sum);
    }
    sum
}
