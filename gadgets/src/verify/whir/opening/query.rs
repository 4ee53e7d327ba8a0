//! The queries to one commitment.
//!
//! Claim: at each sampled index the opened leaf is authentic, and the value of the folded
//! polynomial at the index's point is that of the leaf, folded by the challenges that were sampled
//! after the commitment. In the last round this value is compared with the final polynomial,
//! otherwise it becomes a claim about the next commitment. What a query computes is not this value,
//! but the leaf's value at a point: all leaves are folded together ([`crate::verify::whir::opening::rows`]).
//!
//! A codeword is in natural order: the point of index `i` is the `i`-th power of the domain's
//! generator. A leaf has the values there of the polynomials of the rows: those that arise when the
//! first variables are bound to the bits of a row's number. The coefficients of such a polynomial
//! are the values of the multilinear polynomial on the hypercube of the other variables, so its
//! value at `x` is a sum over the hypercube with weights `prod_i (1 - b_i + b_i x^(2^(n-1-i)))`.

use crate::advice::tell_word;
use crate::bits::{Bits, INVERSE_GENERATORS};
use crate::fri::Polynomial;
use crate::packing::hint_row;
use crate::prelude::*;
use crate::suites::hash::{Challenger, Hash};
use crate::unchecked::UncheckedSlice;
use crate::verify::whir::opening::rows::Combined;
use crate::verify::whir::opening::shape::{Queries, Shape};
use crate::verify::whir::opening::sumcheck::equality;

/// Number of index bits that select one entry of the table of points.
const PIECE: usize = 4;

/// A commitment that is queried, and how its leaves are folded.
#[derive(Clone, Debug)]
pub struct Places {
    /// The commitment to each tree.
    pub commitments: Vec<Slice>,
    /// Number of levels that a cap replaces.
    pub cap: usize,
    /// For each element of the leaves of all trees, its weight in the folded value.
    pub weights: Vec<Ext>,
}

/// What all queries to one commitment read.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The commitment to each tree.
    pub commitments: Vec<Slice>,
    /// Number of levels that a cap replaces.
    pub cap: usize,
    /// The point at which leaves are compared with their combination.
    pub point: Ext,
    /// For each piece of the leaves after the first, the power of the point by which the values of
    /// the pieces before are multiplied.
    pub steps: Vec<Ext>,
}

/// What a query learned.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The index: an integer of as many bits as the leaves need.
    pub index: Felt,
    /// The value of the leaf at the point of [`Comparison`].
    pub value: Ext,
}

impl Places {
    /// Returns commitment `number`, whose rows are folded by the challenges `fold`.
    pub fn new(shape: &Shape, number: usize, commitments: &[Slice], fold: &[Ext]) -> Self {
        let queries = shape.queries(number);
        assert_eq!(commitments.len(), queries.trees.len());
        assert!(queries.count > 0);
        assert!(queries.log_leaves <= 24);
        let mut own = Vec::new();
        for commitment in commitments {
            own.push(*commitment);
        }
        let all = equality(fold);
        let mut weights = Vec::new();
        for row in queries.rows() {
            weights.push(all[row]);
        }
        Self {
            commitments: own,
            cap: shape.cap_levels(&queries),
            weights,
        }
    }
}

/// Tells the prover the sampled words, on which its answers depend.
pub fn tell(words: &[[Felt; 2]]) {
    for word in words {
        tell_word(*word);
    }
}

/// Answers one query.
pub fn query<H: Hash, C: Challenger>(
    queries: &Queries,
    comparison: &Comparison,
    word: [Felt; 2],
) -> Answer {
    let bits = C::bits(word);
    let length = queries.log_leaves;
    let depth = length - comparison.cap;
    let mut rows = Vec::new();
    for tree in 0..queries.trees.len() {
        // In bounds: a cap has one digest for each integer of the index's top bits. It is read
        // before the path is computed, so that the path's root is written to the cap's own block.
        let top = bits.part(depth, length);
        let root = H::digest_unchecked(comparison.commitments[tree], top);
        // Row and path are bound by the comparison with the root below. Hashing gives a short
        // leaf's other lanes the value zero in an honest tree. What else a tree may have there is
        // not read.
        let mut lanes = lanes(queries, tree);
        if H::FILLS_BLOCKS {
            lanes = lanes.max(8);
        }
        let row = hint_row::<H>(lanes).any();
        let mut node = H::leaf(row, lanes);
        if depth > 0 {
            let path = hint_slice(depth * H::DIGEST_BLOCKS).any();
            node = H::path(node, bits.part(0, depth), path, depth);
        }
        H::assert_same(root, node);
        rows.push(row);
    }
    Answer {
        index: bits.part(0, length),
        value: at_point::<H>(queries, comparison, &rows),
    }
}

/// Returns the number of base field elements of a leaf of a tree.
pub fn lanes(queries: &Queries, tree: usize) -> usize {
    let elements = queries.trees[tree].len();
    if queries.base { elements } else { 5 * elements }
}

/// A piece of a leaf: lanes that follow each other without a gap, from the start of a block on.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The tree.
    pub tree: usize,
    /// The leaf's block with the first lane.
    pub block: usize,
    /// Number of lanes.
    pub lanes: usize,
}

/// Returns the pieces of the leaves of all trees: a leaf is one, or has one for each run in which
/// it is laid out to be hashed.
pub fn pieces<H: Hash>(queries: &Queries) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for tree in 0..queries.trees.len() {
        let all = lanes(queries, tree);
        if H::RUN == 8 * H::RUN_BLOCKS {
            pieces.push(Piece {
                tree,
                block: 0,
                lanes: all,
            });
        } else {
            for run in 0..all.div_ceil(H::RUN) {
                pieces.push(Piece {
                    tree,
                    block: run * H::RUN_BLOCKS,
                    lanes: H::RUN.min(all - run * H::RUN),
                });
            }
        }
    }
    pieces
}

/// Returns the value at the point of the comparison of the polynomial with the leaves' lanes as
/// coefficients. Those of a piece take the powers of whole blocks.
fn at_point<H: Hash>(queries: &Queries, comparison: &Comparison, rows: &[Slice]) -> Ext {
    let point = comparison.point;
    let mut sum = Ext::ZERO;
    let mut number = 0usize;
    for piece in pieces::<H>(queries) {
        let value = horner(rows[piece.tree].skip(piece.block), 0, piece.lanes, point);
        if number == 0 {
            sum = value;
        } else {
            sum = sum * comparison.steps[number - 1] + value;
        }
        number += 1;
    }
    sum
}

/// Returns the table of points, which depends on nothing. Lane `j` of entry `digit` is the
/// generator of the subgroup of order `2^(4 j + 4)`, to the power `digit`.
pub fn points() -> Slice {
    let mut entries = Vec::new();
    for digit in 0..(1usize << PIECE) {
        let mut lanes = [Felt::ZERO; 8];
        for lane in 0..INVERSE_GENERATORS.len() / PIECE {
            let mut inverse = Felt::ONE;
            for _i in 0..digit {
                inverse = inverse * Felt::new(INVERSE_GENERATORS[PIECE * (lane + 1)]);
            }
            lanes[lane] = inverse.inverse();
        }
        entries.push(Block::new(lanes));
    }
    Slice::from_blocks(entries)
}

/// Returns the power of the generator of the subgroup of order `2^length` whose exponent is
/// `index`, an integer of `length` bits.
fn point(table: Slice, index: Felt, length: usize) -> Felt {
    let bits = Bits::new(index, length.div_ceil(8));
    let mut product = Felt::ONE;
    for piece in 0..length.div_ceil(PIECE) {
        // The pieces are cut from the top, so that the subgroups are those of the table. The lowest
        // one may have fewer bits, and its digit is multiplied accordingly.
        let to = length - PIECE * piece;
        let digit = if to >= PIECE {
            bits.part(to - PIECE, to)
        } else {
            bits.part(0, to) * felt(1usize << (PIECE - to))
        };
        // In bounds: the table has 2^4 entries, and a digit is an integer of four bits.
        product = product * table.at_unchecked(digit).lane(piece);
    }
    product
}

/// Fails unless the values, at the points of the answers' indices of `length` bits, of the
/// polynomial whose coefficients are `values`, constant term first, have the answers' combination
/// by the challenge.
pub fn check_final(values: &[Ext], length: usize, challenge: Ext, answers: &Combined) {
    let mut coefficients = Vec::new();
    for value in values {
        coefficients.push(*value);
    }
    let polynomial = Polynomial::new(coefficients).pin();
    let table = points();
    let n = answers.indices.len();
    let mut sum = Ext::ZERO;
    for i in 0..n {
        let x = point(table, answers.indices[n - 1 - i], length);
        sum = sum * challenge + polynomial.evaluate(x);
    }
    assert_eq!(sum, answers.value);
}
