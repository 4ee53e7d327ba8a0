//! Advice over GF(2^128): quotients, and messages of the sumchecks of
//! [`crate::verify::binary`], whose modules say what they are about.

use droste_native::precompile::{
    BINARY_BITS, BINARY_LANES, Binary as K, Block as Lanes, binary_from_block, binary_point,
    binary_to_block,
};
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use crate::prelude::run::{self, Hint};
use crate::prelude::{Block, Slice};
use crate::verify::binary::field::log_ceil;
use crate::verify::binary::opening::Queries;

/// A polynomial, constant term first.
type Polynomial = Vec<K>;

fn element(block: &Lanes) -> K {
    // A block that is none has no honest advice; the program fails at the first product of it.
    binary_from_block(block).unwrap_or_default()
}

fn elements(blocks: &[Block]) -> Vec<K> {
    let blocks = blocks.iter().map(|block| element(&block.native()));
    blocks.collect()
}

fn read(slice: Slice, n: usize) -> Vec<K> {
    slice.native(n).iter().map(element).collect()
}

fn advise(values: impl FnOnce() -> Vec<K>) {
    run::advise(|| {
        let blocks = values().into_iter().map(|x| binary_to_block(x).map(Some));
        Hint::Slice(blocks.collect())
    });
}

/// Advises the numerators, each divided by the sum of `summands` blocks of `denominators`, and zero
/// for zero.
pub fn advise_quotients(numerators: &[Block], denominators: Slice, summands: usize) {
    advise(|| {
        let sums = read(denominators, summands * numerators.len());
        let sums = (sums.chunks(summands)).map(|sum| sum.iter().copied().sum::<K>());
        let quotients = elements(numerators).into_iter().zip(sums);
        let quotients =
            quotients.map(|(numerator, sum)| numerator * sum.try_inverse().unwrap_or_default());
        quotients.collect()
    });
}

/// What an index of bits weighs at a point, for all indices.
fn equality(point: &[K]) -> Vec<K> {
    let mut table = vec![K::ONE];
    for &coordinate in point {
        let high: Vec<K> = table.iter().map(|&weight| weight * coordinate).collect();
        for (low, &high) in table.iter_mut().zip(&high) {
            *low += high;
        }
        table.extend(high);
    }
    table
}

fn dot(left: &[K], right: &[K]) -> K {
    left.iter().zip(right).map(|(&a, &b)| a * b).sum()
}

fn times(left: &[K], right: &[K]) -> Polynomial {
    let mut product = vec![K::ZERO; left.len() + right.len() - 1];
    for (i, &a) in left.iter().enumerate() {
        for (sum, &b) in product[i..].iter_mut().zip(right) {
            *sum += a * b;
        }
    }
    product
}

fn plus(left: &[K], right: &[K]) -> Polynomial {
    let at = |list: &[K], i: usize| list.get(i).copied().unwrap_or_default();
    let length = left.len().max(right.len());
    (0..length).map(|i| at(left, i) + at(right, i)).collect()
}

/// Binds the highest variables of a table to challenges, the last one first.
fn fold(table: &mut Vec<K>, challenges: &[K]) {
    for &challenge in challenges.iter().rev() {
        let high = table.split_off(table.len() / 2);
        for (low, high) in table.iter_mut().zip(high) {
            *low += challenge * (*low + high);
        }
    }
}

/// The message of a round of degree `degree`: for the sum `p` of `summand` of all tables, after
/// `challenges`, `p(0)` and the coefficients of the quotient of `p` by `X^2 + X`.
fn message(
    mut tables: Vec<Vec<K>>,
    challenges: &[K],
    degree: usize,
    summand: impl Fn(&[Polynomial]) -> Polynomial,
) -> Vec<K> {
    for table in &mut tables {
        fold(table, challenges);
    }
    let half = tables.first().map_or(0, Vec::len) / 2;
    let mut sum = vec![K::ZERO; degree + 1];
    for i in 0..half {
        let factors: Vec<Polynomial> = tables
            .iter()
            .map(|table| vec![table[i], table[i] + table[i + half]])
            .collect();
        sum = plus(&sum, &summand(&factors));
    }
    // Each coefficient of the quotient is the sum of those of `p` from two further on.
    let mut message = vec![K::ZERO; degree];
    let mut quotient = K::ZERO;
    for i in (1..degree).rev() {
        quotient += sum[i + 1];
        message[i] = quotient;
    }
    message[0] = sum[0];
    message
}

/// The weights of queries by their numbers: the powers of the challenges, then the factors.
fn query_tables(rounds: &[Queries], coordinates: &[K]) -> Vec<Vec<K>> {
    let room = |queries: &Queries| 1 << log_ceil(queries.words.len());
    let numbers: usize = rounds.iter().map(room).sum();
    let length = 1 << log_ceil(numbers);
    let mut tables = vec![Vec::with_capacity(length); 1 + coordinates.len()];
    for queries in rounds {
        let batching = element(&queries.batching.native());
        let mut power = K::ONE;
        for number in 0..room(queries) {
            power *= batching;
            tables[0].push(power);
            let word = queries.words.get(number);
            let position = word.map(|word| word.0.as_canonical_u32() % (1 << queries.log_rows));
            for (j, &r) in coordinates.iter().enumerate() {
                tables[1 + j].push(match position {
                    None => K::ZERO,
                    Some(_) if j >= queries.variables => K::ONE,
                    // The subspace polynomial `W_j` at the query's point.
                    Some(position) => K::ONE + r + r * binary_point(position >> j),
                });
            }
        }
    }
    for table in &mut tables {
        table.resize(length, K::ZERO);
    }
    tables
}

/// Advises the sum of the weights of all queries at a point.
pub fn advise_queries(rounds: &[Queries], point: &[Block]) {
    advise(|| {
        let tables = query_tables(rounds, &elements(point));
        let numbers = 0..tables[0].len();
        let weight = |i: usize| tables.iter().map(|table| table[i]).product::<K>();
        vec![numbers.map(weight).sum()]
    });
}

/// Advises the message of a round over the numbers of queries, given the challenges before, the
/// last one first.
pub fn advise_query_round(rounds: &[Queries], point: &[Block], challenges: &[Block]) {
    advise(|| {
        let tables = query_tables(rounds, &elements(point));
        message(tables, &elements(challenges), point.len() + 1, |factors| {
            let one = vec![K::ONE];
            factors.iter().fold(one, |all, factor| times(&all, factor))
        })
    });
}

/// Advises the factors of the weights of queries at a point over their numbers.
pub fn advise_query_factors(rounds: &[Queries], point: &[Block], at: &[Block]) {
    advise(|| {
        let weights = equality(&elements(at));
        let tables = query_tables(rounds, &elements(point));
        tables[1..]
            .iter()
            .map(|table| dot(table, &weights))
            .collect()
    });
}

/// Advises the sum over all entries of a list, at a point over them, of their elements times their
/// weights. Entries are whole blocks, in which each element has five lanes.
pub fn advise_entries(entries: Slice, point: &[Block], weights: &[Block]) {
    advise(|| {
        let weights = elements(weights);
        let blocks = (BINARY_LANES * weights.len()).div_ceil(8);
        let value = |entry: usize, number: usize| {
            let mut lanes = Lanes::default();
            for (i, lane) in lanes.iter_mut().take(BINARY_LANES).enumerate() {
                let at = BINARY_LANES * number + i;
                *lane = entries.block(blocks * entry + at / 8).lane(at % 8).0;
            }
            element(&lanes)
        };
        let sum = |entry: usize| -> K {
            let terms = weights.iter().enumerate();
            terms.map(|(i, &weight)| value(entry, i) * weight).sum()
        };
        let all = equality(&elements(point)).into_iter().enumerate();
        vec![all.map(|(entry, weight)| weight * sum(entry)).sum()]
    });
}

/// An element to the powers `2^0 .. 2^127`.
fn conjugates(x: K) -> Vec<K> {
    let powers = std::iter::successors(Some(x), |x| Some(x.square()));
    powers.take(BINARY_BITS).collect()
}

/// The generator `x`.
fn generator() -> K {
    let mut lanes = Lanes::default();
    lanes[0] = droste_native::F::TWO;
    element(&lanes)
}

/// Advises the values at the conjugates of `x` of the polynomial with these coefficients.
pub fn advise_values_at_conjugates(sums: Slice) {
    advise(|| {
        let sums = read(sums, BINARY_BITS);
        let value = |y: K| sums.iter().rev().fold(K::ZERO, |all, &sum| all * y + sum);
        conjugates(generator()).into_iter().map(value).collect()
    });
}

/// The weight of packed elements for coordinates that are polynomials.
fn trace_weight(own: &[Polynomial], at: &[K], log_rows: usize) -> Polynomial {
    let equal = |own: &[Polynomial], at: &[K]| {
        own.iter().zip(at).fold(vec![K::ONE], |all, (a, &b)| {
            times(&all, &plus(a, &[K::ONE + b]))
        })
    };
    let (mut carried, mut done) = (vec![K::ONE], vec![K::ZERO]);
    for (a, &b) in own.iter().zip(&at[..log_rows]) {
        let both = times(a, &[b]);
        let ends = times(&carried, &plus(&both, &[b]));
        done = plus(&times(&done, &plus(a, &[K::ONE + b])), &ends);
        carried = times(&carried, &plus(a, &both));
    }
    let next = times(&plus(&done, &carried), &own[at.len()]);
    let rows = plus(&equal(&own[..log_rows], at), &next);
    times(&rows, &equal(&own[log_rows..at.len()], &at[log_rows..]))
}

/// The weights `lambda`, and the conjugates of all coordinates.
fn trace_tables(own: &[Block], sigma: &[Block]) -> Vec<Vec<K>> {
    let mut tables = vec![equality(&elements(sigma))];
    tables.extend(elements(own).into_iter().map(conjugates));
    tables
}

/// Advises the weight of packed elements at a point.
pub fn advise_trace_weight(own: &[Block], sigma: &[Block], at: &[Block], log_rows: usize) {
    advise(|| {
        let tables = trace_tables(own, sigma);
        let at = elements(at);
        let weight = |i: usize| {
            let own: Vec<Polynomial> = tables[1..].iter().map(|table| vec![table[i]]).collect();
            tables[0][i] * trace_weight(&own, &at, log_rows)[0]
        };
        vec![(0..BINARY_BITS).map(weight).sum()]
    });
}

/// Advises the message of a round over the powers `2^i`, given the challenges before, the last one
/// first.
pub fn advise_trace_round(
    own: &[Block],
    sigma: &[Block],
    at: &[Block],
    log_rows: usize,
    challenges: &[Block],
) {
    advise(|| {
        let tables = trace_tables(own, sigma);
        let at = elements(at);
        message(tables, &elements(challenges), at.len() + 2, |factors| {
            times(&factors[0], &trace_weight(&factors[1..], &at, log_rows))
        })
    });
}

/// Advises what coordinates become at a point over the powers.
pub fn advise_trace_coordinates(own: &[Block], at: &[Block]) {
    advise(|| {
        let weights = equality(&elements(at));
        let own = elements(own).into_iter();
        own.map(|x| dot(&conjugates(x), &weights)).collect()
    });
}

/// Advises the sums of conjugates of coordinates by the powers of a challenge.
pub fn advise_conjugate_sums(own: &[Block], challenge: Block) {
    advise(|| {
        let mut all = vec![K::ZERO; BINARY_BITS];
        let powers = element(&challenge.native()).powers();
        for (value, power) in elements(own).into_iter().zip(powers) {
            for (sum, conjugate) in all.iter_mut().zip(conjugates(value)) {
                *sum += power * conjugate;
            }
        }
        all
    });
}
