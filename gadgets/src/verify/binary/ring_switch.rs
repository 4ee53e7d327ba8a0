//! From bits to packed elements.
//!
//! Takes the claim about two values of the trace at a column, and leaves a claim about the sum of
//! its packed elements with weights, then the weights at the point where the opening ends. As
//! `droste_binary::ring_switch`, but for how the two are computed. With `lambda_i = eq(sigma, i)`
//! they are
//!
//! ```text
//! v = sum_i lambda_i S_i              with S_i = sum_u x^u t_u^(2^i),
//! E = sum_i lambda_i E(w^(2^i)),
//! ```
//!
//! where `E(w)` is a product of some twenty factors of the coordinates `w` at which rows and
//! elements were claimed (and of the challenge that joins next rows). To compute either by its
//! definition would take thousands of products.
//!
//! With `y_i = x^(2^i)` and the polynomial `t(Y) = sum_u t_u Y^u`, `S_i` is `t(y_-i)^(2^i)`. So the
//! prover hints the 128 values of `t` at the `y_i`, and `v` is computed from them
//! (`conjugate_sum`). It hints `E`, too, after the end of the opening. Then, in the same
//! transcript:
//!
//! - `E` is proved by a sumcheck over the seven variables of `i`. Coordinates are multilinear
//!   polynomials of `i`, so the degree is one more than that of `E`.
//! - What is left is `phi(w_j)` for each coordinate, with `phi(a) = sum_i eq(u, i) a^(2^i)` at a
//!   point `u`. The prover hints them. With the powers of a challenge `mu` they are one claim:
//!   about the sum of `eq(u, i) R_i`, with `R_i = sum_j mu^j w_j^(2^i)`.
//! - The prover hints the `R_i`. With `bit_v(a)` the bits of elements and `s_v = sum_j mu^j
//!   bit_v(w_j)`, the polynomial `s(Y) = sum_v s_v Y^v` has the values `s(y_i) = R_i`. The program
//!   computes it at any point from bits: a table has the sums of six powers.
//! - `t` and `s` have degrees below 128, and the `y_i` are the roots of the polynomial `M = Y^128 +
//!   Y^7 + Y^2 + Y + 1`, whose derivative `M'` is `Y^6 + 1`. So at a challenge `theta` either one
//!   is `M(theta)` times the sum of its values at the `y_i`, each times `1 / ((theta + y_i)
//!   M'(y_i))`, which the prover hints: their products with `theta + y_i` are constants. (If
//!   `theta` is a root, no hint fits.) The transcript has observed all values before. False ones
//!   make another polynomial of degree below 128, which agrees at `theta` for at most 127 values.
//!
//! With `d` the degree of the sumcheck and `k` coordinates, false hints are found but for `(7 d + k
//! - 1 + 127) / 2^128` and, if values of `t` are false, 127 of the same.

use crate::advice::{
    advise_conjugate_sums, advise_quotients, advise_trace_coordinates, advise_trace_round,
    advise_trace_weight, advise_values_at_conjugates,
};
use crate::bits::Bits;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::columns::ColumnClaim;
use crate::verify::binary::field::{
    constant, dot, equality_of, multilinear, one, powers, product, subset_sums, sum,
};
use crate::verify::binary::shape::{Constants, LOG_COLUMNS, LOG_ELEMENTS, Shape};
use crate::verify::binary::sumcheck;
use crate::verify::binary::transcript::Transcript;

/// Bits of an element.
const BITS: usize = 128;

/// Variables of a bit's place in its element.
const LOG_BITS: usize = LOG_COLUMNS - LOG_ELEMENTS;

/// Bits of an element that select an entry of a table: a fifth of a full lane, so that those of all
/// lanes follow each other.
const PIECE: usize = 6;

/// Pairs of such pieces of an element.
const PAIRS: usize = 11;

/// The sums of bits, and what of the weights of packed elements is known.
pub struct Packed {
    /// The sums.
    sums: Slice,
    /// Values of the polynomial with these coefficients at the conjugates of `x`, to be checked.
    values: Slice,
    /// The point over rows of a call, over calls and over elements, then the challenge that joins
    /// next rows.
    coordinates: Vec<Block>,
    /// The point over the powers `2^i`.
    pub sigma: Vec<Block>,
    /// The claim that the sums make.
    pub claim: Block,
}

/// Reads the sums of bits, checks that they give the claim, and reads values from which it computes
/// the claim that they make.
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
    advise_values_at_conjugates(sums);
    // Observed after the protocol's messages, and checked at a challenge after that. The protocol's
    // transcript has the claim that is computed from them.
    let values = hint_slice(BITS).any();
    let claim = conjugate_sum(values, &sigma);
    Packed {
        sums,
        values,
        coordinates,
        sigma,
        claim,
    }
}

/// Returns the sum over all `i` of `eq(at, i)` times the conjugate `2^i` of the value at `y_-i`.
///
/// The highest variable splits it. With `q = 2^k`, the numbers with bit `k` have the same sum as
/// those without it, to the power `2^q`, if the lower variables are taken to the power `2^-q`: what
/// `eq` weighs are polynomials over GF(2). So the last `k` variables are those of `2^(7 - k)` sums,
/// each at another conjugate of the point, and all conjugates of a variable are squares of squares.
fn conjugate_sum(values: Slice, at: &[Block]) -> Block {
    let mut sums = Vec::new();
    for i in 0..BITS {
        sums.push(values.block((BITS - i) % BITS));
    }
    for k in 0..LOG_BITS {
        let n = sums.len() / 2;
        // Sum `j` is at the power `2^(-2^(k + 1) j)`.
        let mut roots = vec![at[k]; n];
        for j in 1..n {
            let power = roots[(n + 1 - j) % n];
            roots[n - j] = squared(power, 2usize << k);
        }
        let mut joined = Vec::new();
        for j in 0..n {
            let low = sums[2 * j];
            let high = squared(sums[2 * j + 1], 1usize << k);
            let pair = Slice::from_blocks([low, high]);
            // Of a sum that is in the pair alone there is no copy.
            joined.push(binary_scale(roots[j], pair, pair.block(0)));
        }
        sums = joined;
    }
    sums[0]
}

/// Returns an element squared `n` times.
fn squared(element: Block, n: usize) -> Block {
    let mut power = element;
    for _i in 0..n {
        power = product(power, power);
    }
    power
}

/// Returns the weight of packed elements at a point, and checks it together with the values from
/// which the claim was computed.
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
    let mut claim = hinted;
    let mut u = vec![Block::ZERO; LOG_BITS];
    for i in 0..LOG_BITS {
        advise_trace_round(own, sigma, &at, log_rows, &u[LOG_BITS - i..LOG_BITS]);
        u[LOG_BITS - 1 - i] = sumcheck::long_round(t, n + 2, &mut claim);
    }
    advise_trace_coordinates(own, &u);
    let values = t.read(n + 1);
    let mut images = Vec::new();
    for i in 0..n + 1 {
        images.push(values.block(i));
    }
    assert_eq!(
        equality_of(sigma, &u, weight_at(&images, &at, log_rows)),
        claim
    );

    let mu = t.sample();
    let mut joined = images[n];
    for i in 0..n {
        joined = binary_product(joined, mu, images[n - 1 - i]);
    }
    advise_conjugate_sums(own, mu);
    let conjugate_sums = t.read(BITS);
    assert_eq!(multilinear(conjugate_sums, &u), joined);

    t.observe(packed.values, BITS);
    let theta = t.sample();
    let sums_of_powers = Powers::new(theta);
    let weights = interpolation(&shape.constants, theta);
    // Both comparisons are at a challenge that depends on all values.
    let all = dot(packed.values, weights, BITS, Block::ZERO);
    let scale = sums_of_powers.vanishing;
    assert_eq!(
        product(scale, all),
        sums_of_powers.polynomial(packed.sums, theta)
    );
    let bits = sums_of_powers.of_bits(mu);
    let mut all = Block::ZERO;
    for i in 0..n + 1 {
        all = bits.add(own[n - i], all);
    }
    let sums = dot(conjugate_sums, weights, BITS, Block::ZERO);
    assert_eq!(product(scale, sums), all);
    hinted
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
    /// For each integer of a piece's bits the sum of their powers.
    table: Slice,
    /// The power by which a piece's bits follow those of the one before.
    step: Block,
    /// The powers of the first bits of all pairs of pieces.
    pairs: Vec<Block>,
    /// The power 128, and 7, 2 and 1, and one.
    vanishing: Block,
}

/// How bits of elements are added up.
struct OfBits {
    /// For each integer of a piece's bits the sum of their powers.
    table: Slice,
    /// The power by which a piece's bits follow those of the one before.
    step: Block,
    /// The powers of the first bits of all pairs of pieces, then the factor of the sum before.
    pairs: Slice,
}

impl Powers {
    fn new(theta: Block) -> Self {
        let own = powers(one(), theta, PIECE);
        let step = product(own[PIECE - 1], theta);
        let twelve = product(step, step);
        let pairs = powers(one(), twelve, PAIRS);
        let eight = product(step, own[2]);
        let table = subset_sums(&own);
        let low = binary_product(step, theta, table.block(0b111));
        let vanishing = binary_product(pairs[PAIRS - 1], eight, low);
        Self {
            table,
            step,
            pairs,
            vanishing,
        }
    }

    /// Returns the polynomial with these 128 coefficients at `theta`.
    fn polynomial(&self, coefficients: Slice, theta: Block) -> Block {
        let run = 8usize;
        let low = Slice::from_blocks(powers(one(), theta, run));
        let step = product(low.block(run - 1), theta);
        let mut all = Block::ZERO;
        for i in 0..BITS / run {
            let own = coefficients.skip(BITS - run * (i + 1));
            let before = if i == 0 { all } else { product(all, step) };
            all = dot(own, low, run, before);
        }
        all
    }

    /// Returns how bits are added up, with a factor from each element to the next.
    fn of_bits(&self, factor: Block) -> OfBits {
        let mut all = Vec::new();
        for power in &self.pairs {
            all.push(*power);
        }
        all.push(factor);
        OfBits {
            table: self.table,
            step: self.step,
            pairs: Slice::from_blocks(all),
        }
    }
}

impl OfBits {
    /// Returns the sum of the powers of an element's bits and, times the factor, the sum before.
    ///
    /// This is inlined: a call takes as many blocks as words, and has three times as many of these.
    fn add(&self, element: Block, before: Block) -> Block {
        // The element is one: it is a sample, or was multiplied. So lanes have 30 bits and 8, and
        // an index has the bits of a piece, or two.
        let mut entries = Vec::new();
        for lane in 0..5 {
            let length = if lane < 4 { 30 } else { 8 };
            let bits = Bits::new(element.lane(lane), if lane < 4 { 4 } else { 1 });
            let mut from = 0usize;
            while from < length {
                let index = if from + PIECE < length {
                    bits.part(from, from + PIECE)
                } else {
                    bits.above(from)
                };
                entries.push(self.table.at_unchecked(index));
                from += PIECE;
            }
        }
        let mut all = Vec::new();
        for i in 0..PAIRS {
            all.push(binary_product(
                entries[2 * i + 1],
                self.step,
                entries[2 * i],
            ));
        }
        all.push(before);
        dot(Slice::from_blocks(all), self.pairs, PAIRS + 1, Block::ZERO)
    }
}

/// Returns what values at the conjugates of `x` weigh in the value at `theta` of the polynomial of
/// degree below 128 that has them, but for the factor `M(theta)`.
fn interpolation(known: &Constants, theta: Block) -> Slice {
    let mut pairs = Vec::new();
    let mut numerators = Vec::new();
    for i in 0..BITS {
        pairs.push(theta);
        pairs.push(constant(&known.conjugates[i]));
        numerators.push(constant(&known.inverse_derivatives[i]));
    }
    let pairs = Slice::from_blocks(pairs);
    advise_quotients(&numerators, pairs, 2);
    // The comparisons bind them.
    let weights = hint_slice(BITS).any();
    for i in 0..BITS {
        let numerator = binary_scale(weights.block(i), pairs.skip(2 * i), Block::ZERO);
        assert_eq!(numerator, numerators[i]);
    }
    weights
}
