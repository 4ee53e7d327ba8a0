//! The weights of the queries.
//!
//! Takes the point at which an opening ends, and returns the sum of the weights of all queries there:
//! for query `q` of a round, at position `p`,
//!
//! ```text
//! batching^(q + 1) prod_j f_j(q)      with f_j(q) = 1 + r_j + r_j W_j(p),
//! ```
//!
//! over the first coordinates `r_j` of the point, as many as the round's folded polynomial has
//! variables. To multiply all factors would take a product for each variable of each query, and as
//! many to compute the `W_j`. Instead the prover hints the sum and proves it by a sumcheck over the
//! number of the query: queries are numbered so that each round begins at a multiple of a power of
//! two that has room for it. Factors of variables that a round does not have are one, and those of
//! numbers that are none of a query are zero. The polynomial has the degree of the most variables,
//! and one more of the powers of `batching`. Its messages follow in the same transcript, which has
//! bound all of point and positions.
//!
//! What is left is the value of each `f_j` at a point `u`. The prover hints them, and a challenge
//! makes one claim of them: with the powers `m_j` of the challenge, `sum_j m_j f_j(u) = sum_q eq(u,
//! q) sum_j m_j f_j(q)`. The inner sum is one of constants and, for each bit `b` of the position,
//! of `sum_j m_j r_j W_j(2^b)`, since the `W_j` are linear over GF(2); so it is a sum of entries of
//! tables, each of which has the sums for some bits. `W_j` is element `b - j` of the Cantor basis
//! at `2^b`.
//!
//! With `v` variables and `2^l` numbers, a false sum is found but for `(l (v + 1) + v - 1) / 2^128`.

use crate::advice::{advise_queries, advise_query_factors, advise_query_round};
use crate::bits::Bits;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;
use crate::verify::batch::binary::{
    complements, constants, dot, log_ceil, one, powers, product, scaled, subset_sums, sum,
    sums_from, tensor, total,
};
use crate::verify::batch::opening::{Opened, Queries};
use crate::verify::batch::shape::Shape;
use crate::verify::batch::sumcheck;
use crate::verify::batch::transcript::Transcript;

/// Bits of a position that select one entry of a table.
const PIECE: usize = 5;

/// Logarithm of the queries that are summed before they are multiplied by a common factor.
const INNER: usize = 4;

/// What is prepared for the rounds.
struct Prepared {
    /// The powers of the challenge.
    powers: Vec<Block>,
    /// For each variable, the power times the coordinate.
    slopes: Slice,
    /// The Cantor basis, from its end.
    basis: Slice,
}

/// Reads and verifies the sum of the weights.
pub fn weights(shape: &Shape, opened: &Opened, t: &mut Transcript) -> Block {
    let variables = shape.rounds[0].variables;
    let mut numbers = 0usize;
    for round in &shape.rounds {
        numbers += 1usize << log_ceil(round.queries);
    }
    let log = log_ceil(numbers);
    let rounds = &opened.queries;
    let coordinates = &opened.point[0..variables];
    advise_queries(rounds, coordinates);
    let hinted = t.read(1).block(0);
    let mut claim = hinted;
    let mut point = vec![Block::ZERO; log];
    for i in 0..log {
        advise_query_round(rounds, coordinates, &point[log - i..log]);
        point[log - 1 - i] = sumcheck::round(t, variables + 1, &mut claim);
    }
    advise_query_factors(rounds, coordinates, &point);
    let factors = t.read(variables);
    let places = places(shape, &point);
    let mut all = scale(shape, rounds, &places, &point);
    for i in 0..variables {
        all = product(all, factors.block(i));
    }
    assert_eq!(all, claim);

    let powers = powers(one(), t.sample(), variables);
    let mut slopes = Vec::new();
    for i in 0..variables {
        slopes.push(product(powers[i], coordinates[i]));
    }
    let mut basis = Vec::new();
    let known = shape.constants.basis.len();
    for i in 0..known {
        basis.push(shape.constants.basis[known - 1 - i].clone());
    }
    let prepared = Prepared {
        slopes: Slice::from_blocks(slopes),
        basis: constants(&basis),
        powers,
    };
    let mut values = Block::ZERO;
    for i in 0..rounds.len() {
        let log_room = log_ceil(shape.rounds[i].queries);
        let own = values_of(&rounds[i], &prepared, coordinates, &point[0..log_room]);
        values = binary_product(places[i], own, values);
    }
    let together = Slice::from_blocks(&prepared.powers);
    assert_eq!(dot(factors, together, variables, Block::ZERO), values);
    hinted
}

/// Returns what the numbers of each round weigh together: the product over the variables above
/// those of numbers within the round.
fn places(shape: &Shape, point: &[Block]) -> Vec<Block> {
    let zeros = complements(point);
    let mut all = Vec::new();
    let mut first = 0usize;
    for round in &shape.rounds {
        let log_room = log_ceil(round.queries);
        let mut own = one();
        for i in log_room..point.len() {
            let factor = if (first >> i) % 2 == 1 {
                point[i]
            } else {
                zeros[i]
            };
            own = if i == log_room {
                factor
            } else {
                product(own, factor)
            };
        }
        all.push(own);
        first += 1usize << log_room;
    }
    all
}

/// Returns the value at the point of the powers of the rounds' challenges, as a polynomial over the
/// numbers of queries.
fn scale(shape: &Shape, rounds: &[Queries], places: &[Block], point: &[Block]) -> Block {
    let mut all = Vec::new();
    for i in 0..rounds.len() {
        let mut own = product(places[i], rounds[i].batching);
        let mut power = rounds[i].batching;
        for j in 0..log_ceil(shape.rounds[i].queries) {
            if j > 0 {
                power = product(power, power);
            }
            // `1 + u + u power`.
            let scaled = product(own, point[j]);
            own = binary_product(scaled, power, sum(own, scaled));
        }
        all.push(own);
    }
    total(&all)
}

/// Returns the sum over the queries of a round of what they weigh at the point, each times the sum
/// of its factors by the powers.
fn values_of(queries: &Queries, prepared: &Prepared, coordinates: &[Block], at: &[Block]) -> Block {
    let variables = queries.variables;
    let all = coordinates.len();
    // Those factors that are one, and the constants `1 + r` of the others.
    let mut parts = Vec::new();
    for i in 0..all {
        parts.push(prepared.powers[i]);
        if i < variables {
            parts.push(prepared.slopes.block(i));
        }
    }
    let constant = total(&parts);
    let mut tables = Vec::new();
    let mut from = 0usize;
    while from < queries.log_rows {
        let to = (from + PIECE).min(queries.log_rows);
        let mut bits = Vec::new();
        for bit in from..to {
            // The basis from element `bit` down, for the variables from the first on.
            let basis = prepared.basis.skip(23 - bit);
            let n = variables.min(bit + 1);
            bits.push(dot(prepared.slopes, basis, n, Block::ZERO));
        }
        tables.push(if from == 0 {
            sums_from(constant, &bits)
        } else {
            subset_sums(&bits)
        });
        from = to;
    }
    let places = complements(at);
    let low = INNER.min(at.len());
    let inner = tensor(&places[0..low], &at[0..low]);
    let outer = tensor(&places[low..at.len()], &at[low..at.len()]);
    let mut result = Block::ZERO;
    let count = queries.positions.len();
    for i in 0..count.div_ceil(1usize << low) {
        let mut part = Block::ZERO;
        for j in 0..1usize << low {
            let number = (i << low) + j;
            if number < count {
                let position = queries.positions[number];
                part = entries(&tables, queries.log_rows, position, inner[j], part);
            }
        }
        result = binary_product(outer[i], part, result);
    }
    result
}

/// Adds to `before` what the tables have for a position, times a weight.
#[inline(never)]
fn entries(tables: &[Slice], length: usize, position: Bits, weight: Block, before: Block) -> Block {
    let mut own = Vec::new();
    for k in 0..tables.len() {
        let to = (PIECE * (k + 1)).min(length);
        // In bounds: a table has an entry for each integer of so many bits.
        own.push(tables[k].at_unchecked(position.part(PIECE * k, to)));
    }
    scaled(weight, &own, before)
}
