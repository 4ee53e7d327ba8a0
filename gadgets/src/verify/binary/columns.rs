//! Values of forms.
//!
//! Takes the values of operands and rests, and leaves two values of the trace: at a point over
//! columns, of a row and of the next one. As `droste_binary::columns`. The weight of column `64 w +
//! z` is a sum over all terms of forms, so at a point it is, for each rotation, a sum over the
//! bits, times the sum over words and forms.

use crate::prelude::*;
use crate::verify::binary::field::{dot, equality, one, powers, product, total_at};
use crate::verify::binary::shape::{LOG_COLUMNS, Rotation, Shape, Term};
use crate::verify::binary::sumcheck;
use crate::verify::binary::transcript::Transcript;
use crate::verify::binary::zerocheck::FormClaims;

/// Variables of a bit's place in its word.
const LOG_BITS: usize = 6;

/// What is left to check: values of one column.
pub struct ColumnClaim {
    /// The point over columns.
    pub columns: Vec<Block>,
    /// The trace there, of rows and of next rows.
    pub values: Slice,
}

/// Reads and verifies the sum over columns.
pub fn verify(shape: &Shape, claims: &FormClaims, t: &mut Transcript) -> ColumnClaim {
    let circuit = &shape.circuit;
    let groups = circuit.groups.len();
    let delta = t.sample();
    let scales = powers(one(), delta, groups + circuit.operands);
    // What each form weighs, after the groups: the rest of a constraint the product of those of its
    // group and itself.
    let mut all = Vec::new();
    for i in 0..groups {
        all.push(scales[circuit.operands + i]);
    }
    for i in 0..circuit.operands {
        all.push(scales[i]);
    }
    for i in 0..groups {
        let group = &circuit.groups[i];
        for j in 0..group.constraints {
            let constraint = claims.constraints[group.first + j];
            all.push(product(scales[circuit.operands + i], constraint));
        }
    }
    let all = Slice::from_blocks(all);
    let forms = all.skip(groups);
    let mut claim = dot(claims.operands, forms, circuit.operands, Block::ZERO);
    claim = dot(claims.rests, all, groups, claim);
    let columns = sumcheck::rounds(t, LOG_COLUMNS, 2, &mut claim);
    let values = t.read(2);
    let weights = weights(shape, claims.bits, forms, &columns);
    let held = dot(Slice::from_blocks(weights), values, 2, Block::ZERO);
    assert_eq!(held, claim);
    ColumnClaim { columns, values }
}

/// Returns the weights of columns at a point, of rows and of next rows.
fn weights(shape: &Shape, bits: Slice, forms: Slice, point: &[Block]) -> [Block; 2] {
    let circuit = &shape.circuit;
    // Twice, so that a rotation is a part of it.
    let places = equality(&point[0..LOG_BITS]);
    let mut twice = Vec::new();
    for i in 0..2 * places.len() {
        twice.push(places[i % places.len()]);
    }
    let places = Slice::from_blocks(twice);
    let words = Slice::from_blocks(equality(&point[LOG_BITS..LOG_COLUMNS]));
    let ones = Slice::from_blocks([one(), one()]);
    let mut rotations = Vec::new();
    for rotation in &circuit.rotations {
        rotations.push(rotated(rotation, bits, places));
    }
    let rotations = Slice::from_blocks(rotations);
    let mut sets = Vec::new();
    for set in &circuit.word_sets {
        sets.push(total_at(words, set, ones));
    }
    let mut rows = Block::ZERO;
    let mut next = Block::ZERO;
    for common in &circuit.forms {
        let scale = total_at(forms, &common.forms, ones);
        let terms = joined(&common.terms, rotations, &sets);
        if common.next {
            next = binary_product(scale, terms, next);
        } else {
            rows = binary_product(scale, terms, rows);
        }
    }
    [rows, next]
}

/// Returns the sum of terms: of rotations times sets of words. No two have the same rotation, and
/// they are in the order of rotations.
fn joined(terms: &[Term], rotations: Slice, sets: &[Block]) -> Block {
    let n = terms.len();
    let mut all = Block::ZERO;
    for i in 0..n / 2 {
        let first = &terms[2 * i];
        let second = &terms[2 * i + 1];
        let distance = second.rotation - first.rotation;
        let words = Slice::from_blocks([sets[first.words], sets[second.words]]);
        all = binary_dot(rotations.skip(first.rotation), distance, words, all);
    }
    if n % 2 == 1 {
        let last = &terms[n - 1];
        all = binary_product(rotations.block(last.rotation), sets[last.words], all);
    }
    all
}

/// Returns the sum over the bits that are kept of their weights, each times that of the place from
/// which the bit was rotated.
fn rotated(rotation: &Rotation, bits: Slice, places: Slice) -> Block {
    let from = places.skip(64 - rotation.by);
    let mut all = Block::ZERO;
    let mut z = 0usize;
    while z < 64 {
        let kept = (rotation.mask >> z) % 2 == 1;
        if kept && z < 63 && (rotation.mask >> (z + 1)) % 2 == 1 {
            all = binary_dot(bits.skip(z), 1, from.skip(z), all);
            z += 2;
        } else {
            if kept {
                all = binary_product(bits.block(z), from.block(z), all);
            }
            z += 1;
        }
    }
    all
}
