//! Every row fulfils its constraints.
//!
//! Takes the claim that the weighted sum of all constraints is zero at each bit of a word, and
//! leaves the values of operands and rests at a point over bits and rows. As
//! `droste_binary::zerocheck`, but for the weights of bits: those are `W(x) / (x + d_i)` at a
//! sampled `x`, and the prover hints them. At an `x` that is one of the 128 points `d_i`, with a
//! probability of `2^-121`, it could choose one.

use crate::advice::advise_quotients;
use crate::prelude::*;
use crate::verify::binary::field::{
    constant, constants, dot, equality, equality_of, one, product, scaled, sums_from, total_at,
};
use crate::verify::binary::shape::{Constants, Group, Shape};
use crate::verify::binary::sumcheck;
use crate::verify::binary::transcript::Transcript;

/// Number of bits of a word, and of values of the first message.
const BITS: usize = 1 << LOG_BITS;

/// Its logarithm.
const LOG_BITS: usize = 6;

/// What is left to check: values of forms.
pub struct FormClaims {
    /// What each bit of a word weighs.
    pub bits: Slice,
    /// What each constraint weighs.
    pub constraints: Vec<Block>,
    /// The point over rows.
    pub rows: Vec<Block>,
    /// Values of operands.
    pub operands: Slice,
    /// Values of the groups' rests.
    pub rests: Slice,
}

/// Reads and verifies the zerocheck.
pub fn verify(shape: &Shape, t: &mut Transcript) -> FormClaims {
    let circuit = &shape.circuit;
    let mut log_constraints = 0usize;
    while (1usize << log_constraints) < circuit.num_constraints() {
        log_constraints += 1;
    }
    let constraint_point = t.sample_point(log_constraints);
    let high = equality(&t.sample_point(circuit.log_rows - 3));
    let calls = t.sample_point(shape.log_calls);
    let message = t.read(BITS);
    let zeta = t.sample();
    let weights = lagrange(&shape.constants, zeta);
    let mut claim = dot(message, weights.skip(BITS), BITS, Block::ZERO);
    let log_rows = circuit.log_rows + shape.log_calls;
    let rows = sumcheck::rounds(t, log_rows, 3, &mut claim);
    let operands = t.read(circuit.operands);
    let rests = t.read(circuit.groups.len());

    let constraints = equality(&constraint_point);
    let own = equality(&rows[0..circuit.log_rows]);
    let call = equality_of(&calls, &rows[circuit.log_rows..log_rows], one());
    let subfield = constants(&shape.constants.subfield);
    let ones = Slice::from_blocks([one(), one()]);
    let mut all = Block::ZERO;
    for i in 0..circuit.groups.len() {
        let group = &circuit.groups[i];
        let weight = row_weight(group, subfield, &high, &own);
        let mut inner = rests.block(i);
        for j in 0..group.products.len() {
            let factors = &group.products[j];
            let right = operands.block(factors.right);
            let scale = product(constraints[group.first + j], right);
            let mut left = vec![operands.block(factors.left)];
            if factors.inverted {
                left.push(one());
            }
            inner = scaled(scale, &left, inner);
        }
        for value in &group.constants {
            let mut set = Vec::new();
            for z in 0..BITS {
                if (value.word >> z) % 2 == 1 {
                    set.push(z);
                }
            }
            let bits = product(total_at(weights, &set, ones), own[value.row]);
            inner = binary_product(bits, constraints[value.constraint], inner);
        }
        all = binary_product(product(weight, call), inner, all);
    }
    assert_eq!(all, claim);
    FormClaims {
        bits: weights,
        constraints,
        rows,
        operands,
        rests,
    }
}

/// Returns what the bits of a word weigh in the value of its polynomial at `x`, and what the values
/// at the other 64 points weigh in that of the polynomial of degree 127 that is zero at the first
/// ones.
fn lagrange(known: &Constants, x: Block) -> Slice {
    // The subspace polynomials: each is `W^2 + W` of the one before.
    let mut vanishing = x;
    for _i in 0..LOG_BITS {
        vanishing = binary_product(vanishing, vanishing, vanishing);
    }
    let extended = binary_product(vanishing, vanishing, vanishing);
    // The points are the sums of a basis.
    let mut basis = Vec::new();
    for i in 0..1 + LOG_BITS {
        basis.push(constant(&known.basis[i]));
    }
    let distances = sums_from(x, &basis);
    let mut numerators = Vec::new();
    for i in 0..2 * BITS {
        numerators.push(if i < BITS { vanishing } else { extended });
    }
    advise_quotients(&numerators, distances, 1);
    // The comparisons bind them.
    let weights = hint_slice(2 * BITS).any();
    for i in 0..2 * BITS {
        let numerator = product(weights.block(i), distances.block(i));
        assert_eq!(numerator, numerators[i]);
    }
    weights
}

/// Returns the sum over the rows of a group of their weights, less those of calls, at the point
/// whose weights of rows are `own`. `subfield` is the basis of GF(2^8).
fn row_weight(group: &Group, subfield: Slice, high: &[Block], own: &[Block]) -> Block {
    let mut weights = Block::ZERO;
    for i in 0..high.len() {
        let mut inner = Block::ZERO;
        let mut any = false;
        for j in 0..8 {
            if (group.rows >> (8 * i + j)) % 2 == 1 {
                any = true;
                inner = if j == 0 {
                    own[8 * i]
                } else {
                    binary_product(subfield.block(j), own[8 * i + j], inner)
                };
            }
        }
        if any {
            weights = binary_product(high[i], inner, weights);
        }
    }
    weights
}
