//! From bits to packed elements.
//!
//! Takes the claim about two values of the trace at a column, and leaves a claim about the sum of
//! its packed elements with weights, then the weights at the point where the opening ends. As
//! `droste_batch::ring_switch`, but for how the two are computed. With `lambda_i = eq(sigma, i)`
//! they are
//!
//! ```text
//! v = sum_i lambda_i S_i              with S_i = sum_u x^u t_u^(2^i),
//! E = sum_i lambda_i E(w^(2^i)),
//! ```
//!
//! where `E(w)` is a product of some twenty factors of the coordinates `w` at which rows and
//! elements were claimed (and of the challenge that joins next rows). To compute either would take
//! thousands of products. Instead the prover hints both; `v` is observed with the claim of the
//! opening, and `E` after its end. Then, in the same transcript:
//!
//! - With a challenge `xi`, `v + xi E` is the sum of `lambda_i (S_i + xi E(w^(2^i)))`, proved by a
//!   sumcheck over the seven variables of `i`. Coordinates are multilinear polynomials of `i`, so
//!   the degree is one more than that of `E`.
//! - What is left is `phi(w_j)` for each coordinate and `sum_u x^u phi(t_u)`, with `phi(a) = sum_i
//!   eq(u, i) a^(2^i)` at a point `u`. The prover hints them. With the powers of a challenge `mu`
//!   they are one claim: about the sum of `eq(u, i) R_i`, with `R_i = S_i + sum_j mu^(j + 1)
//!   w_j^(2^i)`.
//! - The prover hints the `R_i`. With `bit_v(a)` the bits of elements, `s_v = sum_u x^u bit_v(t_u) +
//!   sum_j mu^(j + 1) bit_v(w_j)` and `y_i = x^(2^i)`, the polynomial `s(Y) = sum_v s_v Y^v` has the
//!   values `s(y_i) = R_i`. Its degree is below 128, and the `y_i` are the roots of the polynomial
//!   `M = Y^128 + Y^7 + Y^2 + Y + 1`, whose derivative `M'` is `Y^6 + 1`. So at a challenge `theta`
//!   it is `M(theta)` times the sum of `R_i / ((theta + y_i) M'(y_i))`. The prover hints the `R_i /
//!   (theta + y_i)`, and the program computes `s(theta)` from bits: a table has the sums of the first
//!   eight powers of `theta`. False `R_i` make another polynomial of degree below 128, which agrees
//!   at `theta` for at most 127 values. (If `theta` is a root, what is accepted is that `R_i` and
//!   `s(theta)` are both zero.)
//!
//! With `d` the degree of the sumcheck and `k` coordinates, false hints are found but for `(1 + 7 d +
//! k + 127) / 2^128`.

use crate::advice::{
    advise_conjugate_sums, advise_quotients, advise_trace_claim, advise_trace_coordinates,
    advise_trace_round, advise_trace_weight,
};
use crate::bits::Bits;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::batch::binary::{
    constant, constants, dot, equality_of, multilinear, one, product, sum,
};
use crate::verify::batch::columns::ColumnClaim;
use crate::verify::batch::shape::{Constants, LOG_COLUMNS, LOG_ELEMENTS, Shape};
use crate::verify::batch::sumcheck;
use crate::verify::batch::transcript::Transcript;

/// Bits of an element.
const BITS: usize = 128;

/// Variables of a bit's place in its element.
const LOG_BITS: usize = LOG_COLUMNS - LOG_ELEMENTS;

/// The first bits of the pieces of a full lane that select entries of the table.
const PIECES: [usize; 4] = [0, 8, 16, 23];

/// The sums of bits, and what of the weights of packed elements is known.
pub struct Packed {
    /// The sums.
    sums: Slice,
    /// The point over rows of a call, over calls and over elements, then the challenge that joins
    /// next rows.
    coordinates: Vec<Block>,
    /// The point over the powers `2^i`.
    sigma: Vec<Block>,
    /// The claim that the sums make.
    pub claim: Block,
}

/// Reads the sums of bits, checks that they give the claim, and reads the claim that they make.
pub fn read(shape: &Shape, rows: &[Block], claim: &ColumnClaim, t: &mut Transcript) -> Packed {
    let next = t.sample();
    let sums = t.read(BITS);
    let values = binary_product(next, claim.values.block(1), claim.values.block(0));
    assert_eq!(multilinear(sums, &claim.columns[0..LOG_BITS]), values);
    let sigma = t.sample_point(LOG_BITS);
    let mut coordinates = Vec::new();
    for row in rows {
        coordinates.push(*row);
    }
    for i in LOG_BITS..LOG_COLUMNS {
        coordinates.push(claim.columns[i]);
    }
    coordinates.push(next);
    assert_eq!(coordinates.len(), shape.variables() + 1);
    advise_trace_claim(sums, &sigma);
    // Observed with the claim of the opening, and checked at the end.
    let claim = hint_slice(1).any().block(0);
    Packed {
        sums,
        coordinates,
        sigma,
        claim,
    }
}

/// Returns the weight of packed elements at a point, and checks it together with the claim.
pub fn weight(shape: &Shape, packed: &Packed, point: &[Block], t: &mut Transcript) -> Block {
    let log_rows = shape.circuit.log_rows;
    let sigma = &packed.sigma;
    let own = &packed.coordinates;
    // In the order of the coordinates.
    let n = point.len();
    let first = n - log_rows;
    let mut at = Vec::new();
    for i in first..n {
        at.push(point[i]);
    }
    for i in 0..first {
        at.push(point[i]);
    }
    advise_trace_weight(own, sigma, &at, log_rows);
    let hinted = t.read(1).block(0);
    let xi = t.sample();
    let mut claim = binary_product(xi, hinted, packed.claim);
    let mut u = vec![Block::ZERO; LOG_BITS];
    for i in 0..LOG_BITS {
        let known = &u[LOG_BITS - i..LOG_BITS];
        advise_trace_round(packed.sums, own, sigma, &at, log_rows, xi, known);
        u[LOG_BITS - 1 - i] = sumcheck::round(t, n + 2, &mut claim);
    }
    advise_trace_coordinates(packed.sums, own, &u);
    let values = t.read(n + 2);
    let mut images = Vec::new();
    for i in 0..n + 1 {
        images.push(values.block(i));
    }
    let of_sums = values.block(n + 1);
    let inner = binary_product(xi, weight_at(&images, &at, log_rows), of_sums);
    assert_eq!(equality_of(sigma, &u, inner), claim);

    let mu = t.sample();
    let mut joined = Block::ZERO;
    for i in 0..n + 1 {
        let added = if i == n { of_sums } else { Block::ZERO };
        let last = sum_or_first(images[n - i], joined, i);
        joined = binary_product(last, mu, added);
    }
    advise_conjugate_sums(packed.sums, own, mu);
    let conjugate_sums = t.read(BITS);
    assert_eq!(multilinear(conjugate_sums, &u), joined);
    let theta = t.sample();
    let powers = Powers::new(theta);
    let x = powers.steps(constant(&[2]));
    let by_mu = powers.steps(mu);
    let mut all = Block::ZERO;
    for i in 0..n + 1 {
        all = powers.add_bits(by_mu, own[n - i], all);
    }
    all = product(all, mu);
    let mut sums = Block::ZERO;
    for i in 0..BITS {
        sums = powers.add_bits(x, packed.sums.block(BITS - 1 - i), sums);
    }
    let expected = interpolated(&shape.constants, conjugate_sums, theta, &powers);
    assert_eq!(sum(all, sums), expected);
    hinted
}

/// Returns the sum, or the first one if there is no other yet.
fn sum_or_first(value: Block, before: Block, number: usize) -> Block {
    if number == 0 {
        value
    } else {
        sum(value, before)
    }
}

/// Returns the weight at a point for these coordinates: equality of rows, and of next rows with
/// the factor of the last coordinate, times equality of calls and elements.
fn weight_at(own: &[Block], point: &[Block], log_rows: usize) -> Block {
    let n = point.len();
    let rows = equality_of(&own[0..log_rows], &point[0..log_rows], one());
    let next = shift(&own[0..log_rows], &point[0..log_rows]);
    let both = binary_product(own[n], next, rows);
    equality_of(&own[log_rows..n], &point[log_rows..n], both)
}

/// Returns the multilinear extension of "`right` is `left + 1`", modulo the number of rows of a
/// call.
fn shift(left: &[Block], right: &[Block]) -> Block {
    let mut carried = one();
    let mut done = Block::ZERO;
    for i in 0..left.len() {
        let a = left[i];
        let b = right[i];
        let both = product(a, b);
        // Equal bits, and 0 to 1, which ends the carry; 1 to 0, which passes it on.
        let ends = binary_product(carried, sum(b, both), done);
        let pair = Slice::from_blocks([a, b]);
        done = binary_scale(done, pair, ends);
        carried = product(carried, sum(a, both));
    }
    sum(done, carried)
}

/// Sums of powers of `theta`.
struct Powers {
    /// For each byte the sum of the powers of its bits.
    table: Slice,
    /// The powers of the first bits of all pieces.
    pieces: Vec<Block>,
    /// The power 128.
    power: Block,
}

impl Powers {
    fn new(theta: Block) -> Self {
        let mut table = vec![Block::ZERO, one()];
        for i in 1..128 {
            let half = table[i];
            let even = product(half, theta);
            table.push(even);
            table.push(binary_product(half, theta, one()));
        }
        let seven = table[128];
        let eight = product(seven, theta);
        let mut pieces = vec![one()];
        for i in 1..17 {
            let step = if i % 4 == 1 || i % 4 == 2 {
                eight
            } else {
                seven
            };
            pieces.push(product(pieces[i - 1], step));
        }
        let power = product(pieces[16], eight);
        Self {
            table: Slice::from_blocks(table),
            pieces,
            power,
        }
    }

    /// Returns the powers of the first bits of all pieces, then the factor of the sum before.
    fn steps(&self, factor: Block) -> Slice {
        let mut all = Vec::new();
        for piece in &self.pieces {
            all.push(*piece);
        }
        all.push(factor);
        Slice::from_blocks(all)
    }

    /// Returns the sum of the powers of an element's bits and, times the factor, the sum before.
    #[inline(never)]
    fn add_bits(&self, steps: Slice, element: Block, before: Block) -> Block {
        // The element is one: it is a sample, or was multiplied. So lanes have 30 bits and 8, and an
        // index is below 2^8.
        let mut entries = Vec::new();
        for lane in 0..4 {
            let bits = Bits::new(element.lane(lane), 4);
            for i in 0..4 {
                let index = if i < 3 {
                    bits.part(PIECES[i], PIECES[i + 1])
                } else {
                    bits.above(PIECES[i])
                };
                entries.push(self.table.at_unchecked(index));
            }
        }
        entries.push(self.table.at_unchecked(element.lane(4)));
        entries.push(before);
        dot(Slice::from_blocks(entries), steps, 18, Block::ZERO)
    }
}

/// Returns the value at `theta` of the polynomial of degree below 128 with these values at the
/// conjugates of `x`.
fn interpolated(known: &Constants, values: Slice, theta: Block, powers: &Powers) -> Block {
    let mut pairs = Vec::new();
    let mut numerators = Vec::new();
    for i in 0..BITS {
        pairs.push(theta);
        pairs.push(constant(&known.conjugates[i]));
        numerators.push(values.block(i));
    }
    let pairs = Slice::from_blocks(pairs);
    advise_quotients(&numerators, pairs);
    // The comparisons bind them.
    let quotients = hint_slice(BITS).any();
    for i in 0..BITS {
        let numerator = binary_scale(quotients.block(i), pairs.skip(2 * i), Block::ZERO);
        assert_eq!(numerator, numerators[i]);
    }
    let weights = constants(&known.inverse_derivatives);
    let all = dot(quotients, weights, BITS, Block::ZERO);
    // `M(theta)`: the powers 7, 2 and 1, and one.
    let low = powers.table.block(0b1000_0111);
    product(sum(powers.power, low), all)
}
