//! The queries to one commitment.
//!
//! Claim: at each sampled index the opened leaf is authentic, and the value of the folded polynomial
//! at the index's point is that of the leaf, folded by the challenges that were sampled after the
//! commitment. In the last round this value is compared with the final polynomial, otherwise it
//! becomes a claim about the next commitment. `WhirVerifier::verify_stir_challenges` of p3-whir does
//! the same.
//!
//! A codeword is in natural order: the point of index `i` is the `i`-th power of the domain's
//! generator. A leaf has the values there of the `2^k` polynomials that arise when the first `k`
//! variables are bound to bits, in the order of these bits. The coefficients of such a polynomial are
//! the values of the multilinear polynomial on the hypercube of the other variables, so its value at
//! `x` is a sum over the hypercube with weights `prod_i (1 - b_i + b_i x^(2^(n-1-i)))`.

use crate::advice::tell_word;
use crate::bits::{Bits, INVERSE_GENERATORS};
use crate::fri::Polynomial;
use crate::hash::{Challenger, Hash};
use crate::packing::{hint_row, unpack_all};
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::whir::claims::Coordinates;
use crate::verify::whir::shape::{Queries, Shape};
use crate::verify::whir::sumcheck::equality;

/// Number of index bits that select one entry of the table of points.
const PIECE: usize = 4;

/// What all queries to one commitment read.
#[derive(Clone, Debug)]
pub struct Places {
    /// The commitment.
    pub commitment: Slice,
    /// Number of levels that its cap replaces.
    pub cap: usize,
    /// The table of [`points`].
    pub points: Slice,
    /// For each element of a leaf, its weight in the folded value.
    pub weights: Vec<Ext>,
    /// The point at which leaves are compared with their combination, if they are: see
    /// [`crate::verify::whir::rows`].
    pub compared_at: Vec<Ext>,
}

/// What a query learned.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The point of the index.
    pub point: Felt,
    /// The value of the folded polynomial there; or the value of the leaf at the point of
    /// [`Places::compared_at`].
    pub value: Ext,
}

impl Places {
    /// Returns what the queries to commitment `number` read, whose leaves are folded by the
    /// challenges `fold`.
    pub fn new(
        shape: &Shape,
        number: usize,
        commitment: Slice,
        points: Slice,
        fold: &[Ext],
    ) -> Self {
        let mut weights = Vec::new();
        for weight in equality(fold) {
            weights.push(weight.pin());
        }
        Self {
            commitment,
            cap: shape.cap_levels(&shape.queries(number)),
            points,
            weights,
            compared_at: Vec::new(),
        }
    }
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

/// Tells the prover the sampled words, on which its answers depend.
pub fn tell(words: &[[Felt; 2]]) {
    for word in words {
        tell_word(*word);
    }
}

/// Answers one query.
#[inline(never)]
pub fn query<H: Hash, C: Challenger>(
    queries: &Queries,
    places: &Places,
    word: [Felt; 2],
) -> Answer {
    // Plonky3 samples again if the element is the largest one, so that all indices are equally
    // likely (`sample_uniform_bits`). This happens with probability 2^-31; then there is no proof.
    assert_ne!(word[0], -Felt::ONE);
    let bits = C::bits(word);
    let length = queries.log_leaves;
    // In bounds: a cap has one digest for each integer of the index's top bits. It is read before
    // the path is computed, so that the path's root is written to the cap's own block.
    let depth = length - places.cap;
    let root = H::digest_unchecked(places.commitment, bits.part(depth, length));
    // Row and path are bound by the comparison with the root below.
    let elements = 1usize << queries.log_arity;
    let lanes = if queries.base { elements } else { 5 * elements };
    let row = hint_row::<H>(lanes).any();
    let mut node = H::leaf(row, lanes);
    if depth > 0 {
        let path = hint_slice(depth * H::DIGEST_BLOCKS).any();
        node = H::path(node, bits.part(0, depth), path, depth);
    }
    H::assert_same(root, node);
    Answer {
        point: point(places.points, &bits, length),
        value: if places.compared_at.is_empty() {
            folded::<H>(queries, places, row)
        } else {
            horner(row, 0, lanes, places.compared_at[0])
        },
    }
}

/// Returns the power of the generator of the subgroup of order `2^length` whose exponent is the
/// integer of the low `length` bits.
fn point(table: Slice, bits: &Bits, length: usize) -> Felt {
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

/// Returns the leaf's value, folded.
fn folded<H: Hash>(queries: &Queries, places: &Places, row: Slice) -> Ext {
    let elements = places.weights.len();
    let mut sum = Ext::ZERO;
    if queries.base {
        for i in 0..elements {
            let block = row.block(i / H::RUN * H::RUN_BLOCKS + i % H::RUN / 8);
            sum = places.weights[i] * block.lane(i % H::RUN % 8) + sum;
        }
    } else {
        let values = unpack_all::<H>(row, 0, elements);
        for i in 0..elements {
            sum = places.weights[i] * values[i] + sum;
        }
    }
    sum
}

/// Returns the weight of the coordinates from `from` on in the value at `x` of the polynomial whose
/// coefficients are the values on the hypercube (`p3_multilinear_util::Point::eval_select`).
#[inline(never)]
pub fn weight(all: &Coordinates, from: usize, x: Felt) -> Ext {
    let n = all.values.len();
    let mut product = Ext::ONE;
    let mut power = x;
    for i in 0..(n - from) {
        let at = n - 1 - i;
        product = product * (all.values[at] * power + all.complements[at]);
        if i + 1 < n - from {
            power = power * power;
        }
    }
    product
}

/// Fails unless the polynomial whose coefficients are `values`, constant term first, has the answers'
/// values at their points.
pub fn check_final(values: &[Ext], answers: &[Answer]) {
    let mut coefficients = Vec::new();
    for value in values {
        coefficients.push(*value);
    }
    let polynomial = Polynomial::new(coefficients).pin();
    for answer in answers {
        assert_eq!(polynomial.evaluate(answer.point), answer.value);
    }
}
