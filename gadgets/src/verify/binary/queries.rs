//! The queries: their rows, and their weights.
//!
//! Takes the point at which an opening ends, adds the rows of all queries to what is left of the
//! claim, and returns it with the sum of the weights of all queries there: for query `q` of a
//! round, at position `p`,
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
//! at `2^b`, and zero for `j` above `b`, so that rounds have the same tables for the bits below the
//! number of their variables.
//!
//! Rows and their paths are read here, since a query's position selects entries of the tables, too.
//! The transcript does not have them: they are bound by roots that it observed before it gave the
//! positions.
//!
//! With `v` variables and `2^l` numbers, a false sum is found but for `(l (v + 1) + v - 1) /
//! 2^128`.

use crate::advice::{advise_queries, advise_query_factors, advise_query_round};
use crate::bits::Bits;
use crate::packing::hint_row;
use crate::prelude::*;
use crate::suites::hash::Hash;
use crate::suites::poseidon16::Poseidon16;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::field::{
    added_up, complements, constants, dot, log_ceil, one, powers, product, scaled, subset_sums,
    sum, sums_from, tensor, total,
};
use crate::verify::binary::opening::{Opened, Queries};
use crate::verify::binary::shape::Shape;
use crate::verify::binary::sumcheck;
use crate::verify::binary::transcript::Transcript;

/// Bits of a position that select one entry of a table.
const PIECE: usize = 7;

/// Logarithm of the queries that are summed before they are multiplied by a common factor.
const INNER: usize = 4;

/// Rows that are combined without multiplying those before.
const GROUP: usize = 3;

/// What is left to check.
pub struct Answered {
    /// What is left of the claim, with all rows.
    pub claim: Block,
    /// The sum of the weights of all queries.
    pub weights: Block,
}

/// What is prepared for the rounds.
struct Prepared {
    /// The powers of the challenge.
    powers: Slice,
    /// For each variable, the power times the coordinate.
    slopes: Slice,
    /// The Cantor basis, from its end.
    basis: Slice,
    /// For each number of variables that a round has, the sum of what the factors are at position
    /// zero, times their powers.
    constants: Vec<Block>,
    /// The tables for the first bits of a position.
    tables: Vec<Slice>,
}

/// What of a position selects an entry of a table.
struct Lookup {
    /// The table.
    table: Slice,
    /// The first bit.
    from: usize,
    /// The bit after the last one.
    to: usize,
}

/// What the queries of a round read that have the same number in a group.
struct Places {
    /// Logarithm of the number of positions.
    log_rows: usize,
    /// Elements of a row.
    length: usize,
    /// The root.
    root: Slice,
    /// What the elements of a row weigh, then the factor of the rows before.
    columns: Slice,
    /// Whether they have one. Otherwise it is one.
    scales: bool,
    /// Where entries for a position are.
    lookups: Vec<Lookup>,
}

/// Sums over queries.
struct Answer {
    /// Of rows, by powers of the challenge.
    rows: Block,
    /// Of what tables have for positions, times weights.
    values: Block,
}

/// Reads the rows, reads and verifies the sum of the weights, and adds the rows to the claim.
pub fn answer(shape: &Shape, opened: &Opened, t: &mut Transcript) -> Answered {
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
        point[log - 1 - i] = sumcheck::long_round(t, variables + 1, &mut claim);
    }
    advise_query_factors(rounds, coordinates, &point);
    let factors = t.read(variables);
    let places = places(shape, &point);
    let mut all = scale(shape, rounds, &places, &point);
    for i in 0..variables {
        all = product(all, factors.block(i));
    }
    assert_eq!(all, claim);

    let prepared = Prepared::new(shape, rounds, coordinates, t.sample());
    let scales = opened.scales();
    let mut left = opened.claim;
    let mut values = Block::ZERO;
    for i in 0..rounds.len() {
        let log_room = log_ceil(shape.rounds[i].queries);
        let own = answers(&rounds[i], &prepared, &point[0..log_room]);
        values = binary_product(places[i], own.values, values);
        left = binary_product(scales[i], own.rows, left);
    }
    assert_eq!(
        dot(factors, prepared.powers, variables, Block::ZERO),
        values
    );
    Answered {
        claim: left,
        weights: hinted,
    }
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

/// Returns the first bit for which a round has tables of its own: at most the number of its
/// variables, and where another table would begin if that does not take one more.
fn own_from(queries: &Queries) -> usize {
    let whole = queries.variables / PIECE * PIECE;
    if queries.log_rows - whole <= PIECE {
        whole
    } else {
        queries.variables
    }
}

impl Prepared {
    fn new(shape: &Shape, rounds: &[Queries], coordinates: &[Block], challenge: Block) -> Self {
        let n = coordinates.len();
        let powers = powers(one(), challenge, n);
        let mut slopes = Vec::new();
        for i in 0..n {
            slopes.push(product(powers[i], coordinates[i]));
        }
        let mut basis = Vec::new();
        let known = shape.constants.basis.len();
        for i in 0..known {
            basis.push(shape.constants.basis[known - 1 - i].clone());
        }
        let powers = Slice::from_blocks(powers);
        let slopes = Slice::from_blocks(slopes);
        // Factors are one, or `1 + r` where the round has the variable.
        let mut constant = added_up(powers, n, Block::ZERO);
        let mut added = 0usize;
        let mut all = vec![constant; n + 1];
        for i in 0..rounds.len() {
            let variables = rounds[rounds.len() - 1 - i].variables;
            constant = added_up(slopes.skip(added), variables - added, constant);
            all[variables] = constant;
            added = variables;
        }
        let mut prepared = Self {
            powers,
            slopes,
            basis: constants(&basis),
            constants: all,
            tables: Vec::new(),
        };
        let mut common = 0usize;
        for queries in rounds {
            common = common.max(own_from(queries));
        }
        let mut from = 0usize;
        while from < common {
            let to = (from + PIECE).min(common);
            let table = subset_sums(&prepared.bits(n, from, to));
            prepared.tables.push(table);
            from = to;
        }
        prepared
    }

    /// Returns what these bits of a position add to the value of a query, for a round of so many
    /// variables.
    fn bits(&self, variables: usize, from: usize, to: usize) -> Vec<Block> {
        let mut bits = Vec::new();
        for bit in from..to {
            // The basis from element `bit` down, for the variables from the first on.
            let basis = self.basis.skip(23 - bit);
            let n = variables.min(bit + 1);
            bits.push(dot(self.slopes, basis, n, Block::ZERO));
        }
        bits
    }

    /// Returns where the value of a query is found, for each position.
    fn lookups(&self, queries: &Queries) -> Vec<Lookup> {
        let own = own_from(queries);
        let mut lookups = Vec::new();
        let mut from = 0usize;
        for table in &self.tables {
            // Of a table for more bits than the round shares, the first entries.
            let to = (from + PIECE).min(own);
            if from < to {
                lookups.push(Lookup {
                    table: *table,
                    from,
                    to,
                });
                from = to;
            }
        }
        let constant = self.constants[queries.variables];
        while from < queries.log_rows {
            let to = (from + PIECE).min(queries.log_rows);
            let bits = self.bits(queries.variables, from, to);
            let table = if from == own {
                sums_from(constant, &bits)
            } else {
                subset_sums(&bits)
            };
            lookups.push(Lookup { table, from, to });
            from = to;
        }
        lookups
    }

    /// Returns what the queries of a round read, by their numbers in a group: those of a group
    /// weigh as much as the challenge's powers say, and the first to come, which is the last one,
    /// multiplies those before.
    fn places(&self, queries: &Queries) -> Vec<Places> {
        let n = queries.columns;
        let powers = powers(queries.batching, queries.batching, GROUP);
        let lookups = self.lookups(queries);
        let mut all = Vec::new();
        for i in 0..GROUP {
            let mut weights = Vec::new();
            for j in 0..n {
                weights.push(if i == 0 {
                    queries.weights[j]
                } else {
                    product(queries.weights[j], powers[i - 1])
                });
            }
            weights.push(powers[GROUP - 1]);
            let mut own = Vec::new();
            for lookup in &lookups {
                own.push(Lookup {
                    table: lookup.table,
                    from: lookup.from,
                    to: lookup.to,
                });
            }
            all.push(Places {
                log_rows: queries.log_rows,
                length: n,
                root: queries.root,
                columns: Slice::from_blocks(weights),
                scales: i + 1 == GROUP,
                lookups: own,
            });
        }
        all
    }
}

/// Reads the rows of a round. Returns their sum by the powers of the round's challenge from one on,
/// and the sum over the queries of what they weigh at the point over their numbers, each times the
/// sum of its factors by the powers.
fn answers(queries: &Queries, prepared: &Prepared, at: &[Block]) -> Answer {
    let kinds = prepared.places(queries);
    let zeros = complements(at);
    let low = INNER.min(at.len());
    let inner = tensor(&zeros[0..low], &at[0..low]);
    let outer = tensor(&zeros[low..at.len()], &at[low..at.len()]);
    let mut rows = Block::ZERO;
    let mut values = Block::ZERO;
    let count = queries.words.len();
    let groups = count.div_ceil(1usize << low);
    // By Horner's rule, so that the last query comes first.
    for i in 0..groups {
        let first = (groups - 1 - i) << low;
        let mut part = Block::ZERO;
        for j in 0..(1usize << low).min(count - first) {
            let place = (1usize << low).min(count - first) - 1 - j;
            let number = first + place;
            let kind = &kinds[number % kinds.len()];
            let word = queries.words[number];
            let answer = query(kind, word, inner[place], rows, part);
            rows = answer.rows;
            part = answer.values;
        }
        values = binary_product(outer[groups - 1 - i], part, values);
    }
    Answer { rows, values }
}

/// Answers one query: adds its folded row to the combination of those before, and what the tables
/// have for its position, times a weight, to a sum.
#[inline(never)]
fn query(places: &Places, word: Felt, weight: Block, rows: Block, values: Block) -> Answer {
    let n = places.length;
    let bits = Bits::new(word, 4);
    // Row and path are bound by the comparison with the root.
    let data = hint_row::<Poseidon16>(5 * n).any();
    let leaf = Poseidon16::leaf(data, 5 * n);
    let path = hint_slice(places.log_rows).any();
    let index = bits.part(0, places.log_rows);
    let root = poseidon16_merkle(leaf, index, path, places.log_rows);
    assert_eq!(places.root.block(0), root);
    // Five lanes each. That they are elements is seen when they are multiplied.
    let row = unpack_binary(data, 0, n);
    let start = if places.scales {
        product(rows, places.columns.block(n))
    } else {
        rows
    };
    let folded = dot(row, places.columns, n, start);
    let mut entries = Vec::new();
    for lookup in &places.lookups {
        // In bounds: the table has an entry for each integer of so many bits.
        let entry = bits.part(lookup.from, lookup.to);
        entries.push(lookup.table.at_unchecked(entry));
    }
    // The entries of a pair would be copied next to each other, and their sum is not.
    let mut sums = Vec::new();
    for i in 0..entries.len() / 2 {
        sums.push(sum(entries[2 * i], entries[2 * i + 1]));
    }
    if entries.len() % 2 == 1 {
        sums.push(entries[entries.len() - 1]);
    }
    Answer {
        rows: folded,
        values: scaled(weight, &sums, values),
    }
}
