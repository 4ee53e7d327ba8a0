//! Claims about bits become a claim about packed elements (ring switching: ePrint 2024/504, section
//! 3).
//!
//! A row's columns are packed in 128s: `P(y) = sum_u x^u T(y, u)`, where `y` is row and element.
//! The claims are `sum_y omega(y) sum_u eq(rho_u, u) T(y, u) = s`, for weights `omega` in
//! GF(2^128). The prover sends the 128 sums `t_u = sum_y omega(y) T(y, u)`, which must give `s`.
//! Their bits tell, for each map `phi` of elements that is linear over GF(2), the sum `sum_y
//! phi(omega(y)) P(y) = sum_u x^u phi(t_u)`. With `phi(a) = sum_i lambda_i a^(2^i)`, as every such
//! map is, random weights `lambda` make one claim of all, and the extension of `phi(omega)` at a
//! point is a sum of 128 products (ePrint 2024/504 has the other way, by a tensor algebra).

use std::array::from_fn;

use droste_native::stark::challenger::Sent;
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use crate::bits::{BLOCK, Sums, WordMap, Words};
use crate::circuit::BITS;
use crate::columns::{ColumnClaim, ColumnValues, LOG_COLUMNS, RowValues};
use crate::field::{K, dot, eq, eq_table};
use crate::opening::{COLUMNS, Products};
use crate::trace::{LOG_ELEMENTS, next_row};
use crate::tree_hash::Transcript;

/// Bits of an element.
pub const ELEMENT_BITS: usize = 128;

/// Variables of a bit's place in its element.
const LOG_BITS: usize = LOG_COLUMNS - LOG_ELEMENTS;

/// The weights of packed elements: `phi(omega)`.
#[derive(Clone, Debug)]
pub struct PackedWeights {
    /// Base-two logarithm of the rows of a call.
    log_rows_of_call: usize,
    /// The point over rows.
    rows: Vec<K>,
    /// The point over elements of a row.
    elements: Vec<K>,
    /// What a next row weighs, of its row.
    next: K,
    /// The `lambda_i`: `eq(sigma, i)`.
    frobenius: Vec<K>,
}

/// Proves: the sums for each bit, the weights of elements, and the claim of their sum.
pub fn prove(
    claim: ColumnClaim,
    log_rows_of_call: usize,
    values: &ColumnValues,
    transcript: &mut dyn Transcript,
) -> (Sent<Vec<K>>, PackedWeights, K) {
    let (_, elements) = claim.columns.split_at(LOG_BITS);
    let next = transcript.sample();
    let mut sums = K::zero_vec(ELEMENT_BITS);
    for (g, weight) in eq_table(elements).into_iter().enumerate() {
        for (u, sum) in sums.iter_mut().enumerate() {
            let column = ELEMENT_BITS * g + u;
            *sum += weight * (values.rows[column] + next * values.next[column]);
        }
    }
    let sent = Sent::send(sums.clone(), transcript);
    let (weights, packed) = PackedWeights::new(claim, log_rows_of_call, next, &sums, transcript);
    (sent, weights, packed)
}

/// What a verifier refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingSwitchError {
    /// Another number of sums.
    #[error("the ring switch has {0} sums of bits, expected {ELEMENT_BITS}")]
    Number(usize),
    /// The sums do not give the claim about columns.
    #[error("the ring switch fails: its sums of bits do not give the values of the trace")]
    Sums,
}

/// Verifies, up to the claim about packed elements that it returns with their weights.
///
/// # Errors
///
/// If there are not 128 sums, or they do not give the claim.
pub fn verify(
    sums: &Sent<Vec<K>>,
    claim: ColumnClaim,
    log_rows_of_call: usize,
    transcript: &mut dyn Transcript,
) -> Result<(PackedWeights, K), RingSwitchError> {
    if sums.count() != ELEMENT_BITS {
        return Err(RingSwitchError::Number(sums.count()));
    }
    let next = transcript.sample();
    let sums = sums.read(transcript);
    let (bits, _) = claim.columns.split_at(LOG_BITS);
    let [value, next_value] = claim.values;
    if dot(sums, &eq_table(bits)) != value + next * next_value {
        return Err(RingSwitchError::Sums);
    }
    Ok(PackedWeights::new(
        claim,
        log_rows_of_call,
        next,
        sums,
        transcript,
    ))
}

impl PackedWeights {
    /// Draws the weights of bits, and makes one claim of the sums, which are sent.
    fn new(
        claim: ColumnClaim,
        log_rows_of_call: usize,
        next: K,
        sums: &[K],
        transcript: &mut dyn Transcript,
    ) -> (Self, K) {
        let sigma: Vec<K> = (0..LOG_BITS).map(|_| transcript.sample()).collect();
        let weights = Self {
            log_rows_of_call,
            rows: claim.rows,
            elements: claim.columns[LOG_BITS..].to_vec(),
            next,
            frobenius: eq_table(&sigma),
        };
        let bits = bit_weights(&weights.frobenius);
        let terms = sums.iter().enumerate();
        let claim = terms.map(|(u, &sum)| K::from_repr(1 << u) * phi(&bits, sum));
        (weights, claim.sum())
    }

    /// The weights of all elements.
    pub fn table(&self) -> PackedTable {
        let (row, call) = self.rows.split_at(self.log_rows_of_call);
        let equal = eq_table(row);
        let mut rows = equal.clone();
        for (row, &weight) in equal.iter().enumerate() {
            rows[next_row(row, self.log_rows_of_call)] += self.next * weight;
        }
        let elements = eq_table(&self.elements);
        let factors = rows.iter();
        let factors = factors.flat_map(|&row| elements.iter().map(move |&element| row * element));
        let bits = bit_weights(&self.frobenius);
        PackedTable {
            elements: factors.collect(),
            calls: eq_table(call),
            halves: from_fn(|half| WordMap::new(&from_fn(|v| bits[BITS * half + v]))),
        }
    }

    /// The multilinear extension of [`Self::table`] at a point over rows of a call, calls and
    /// elements: `sum_i lambda_i eq(rho_g^(2^i), .) eq(r_call^(2^i), .) (eq + next^(2^i)
    /// shift)(r_round^(2^i), .)`.
    pub fn evaluate(&self, round: &[K], call: &[K], elements: &[K]) -> K {
        let mut own = [self.rows.clone(), self.elements.clone(), vec![self.next]];
        let mut value = K::ZERO;
        for &lambda in &self.frobenius {
            let (own_round, own_call) = own[0].split_at(self.log_rows_of_call);
            let rounds = eq(own_round, round) + own[2][0] * shift(own_round, round);
            value += lambda * eq(&own[1], elements) * eq(own_call, call) * rounds;
            for coordinate in own.iter_mut().flatten() {
                *coordinate = coordinate.square();
            }
        }
        value
    }
}

/// The values of [`PackedWeights`], for which `omega` is a product of two factors.
pub struct PackedTable {
    /// The factor of each element of each row of a call.
    elements: Vec<K>,
    /// The factor of each call.
    calls: Vec<K>,
    /// Weights of the low and of the high bits.
    halves: [WordMap; 2],
}

impl PackedTable {
    /// The sums of products with the trace, given its values at the point over calls: `sum_call
    /// P(i, call) phi(a_j omega(call)) = sum_u x^u phi(a_j sum_call T(i, call, u) omega(call))`,
    /// since `phi` is linear over GF(2).
    pub fn products(&self, values: &RowValues) -> Products {
        let values: Vec<&[K]> = (values.0.iter())
            .flat_map(|row| row.chunks(ELEMENT_BITS))
            .collect();
        let size = self.elements.len() / COLUMNS;
        let products = values.par_chunks(size).map(|values| {
            from_fn(|j| {
                let factors = &self.elements[j * size..][..size];
                let sums = (0..ELEMENT_BITS).map(|u| {
                    let values = values.iter().zip(factors);
                    values.map(|(values, &factor)| values[u] * factor).sum()
                });
                let sums: Vec<K> = sums.collect();
                let blocks = sums.as_chunks().0.iter().flat_map(|block| self.map(block));
                let terms = blocks.enumerate();
                terms.map(|(u, value)| K::from_repr(1 << u) * value).sum()
            })
        });
        let products: Vec<[K; COLUMNS]> = products.collect();
        from_fn(|i| products[i])
    }

    /// The sum of the columns, each with its scale: for each element of a row that a column has, a
    /// map of the calls' factors that is linear over GF(2).
    pub fn folded(&self, scales: &[K; COLUMNS]) -> Vec<K> {
        let size = self.elements.len() / COLUMNS;
        let mut folded = K::zero_vec(size * self.calls.len());
        (folded.par_chunks_mut(self.calls.len()).enumerate()).for_each(|(element, folded)| {
            let halves = from_fn(|half| {
                let powers = from_fn(|v| K::from_repr(1 << (BITS * half + v)));
                let mut weights = [K::ZERO; BITS];
                for (j, &scale) in scales.iter().enumerate() {
                    let factor = self.elements[j * size + element];
                    let values = self.map(&powers.map(|power: K| factor * power));
                    for (weight, value) in weights.iter_mut().zip(values) {
                        *weight += scale * value;
                    }
                }
                WordMap::new(&weights)
            });
            for (folded, calls) in folded.chunks_mut(BLOCK).zip(self.calls.chunks(BLOCK)) {
                let mut block = [K::ZERO; BLOCK];
                block[..calls.len()].copy_from_slice(calls);
                folded.copy_from_slice(&map(&halves, &block)[..calls.len()]);
            }
        });
        folded
    }

    /// `phi` of elements.
    fn map(&self, elements: &[K; BLOCK]) -> [K; BLOCK] {
        map(&self.halves, elements)
    }
}

/// The values of elements under a map that is linear over GF(2), by its parts of low and of high
/// bits.
fn map(halves: &[WordMap; 2], elements: &[K; BLOCK]) -> [K; BLOCK] {
    let (eights, _) = elements.as_chunks::<8>();
    let mut sums = Sums::default();
    for (half, map) in halves.iter().enumerate() {
        let bits = |element: K| (element.to_repr() >> (BITS * half)) as u64;
        map.add(&Words::new(&from_fn(|i| eights[i].map(bits))), &mut sums);
    }
    sums.elements()
}

/// The multilinear extension of "`right` is `left + 1`", modulo the number of rows of a call.
fn shift(left: &[K], right: &[K]) -> K {
    let (mut carried, mut done) = (K::ONE, K::ZERO);
    for (&a, &b) in left.iter().zip(right) {
        let product = a * b;
        // Equal bits, and 0 to 1, which ends the carry; 1 to 0, which passes it on.
        done = done * (K::ONE + a + b) + carried * (b + product);
        carried *= a + product;
    }
    done + carried
}

/// What each bit of an element weighs in `phi`: `phi(x^v)`.
fn bit_weights(frobenius: &[K]) -> Vec<K> {
    let mut weights = K::zero_vec(ELEMENT_BITS);
    // x^(2^i).
    let mut power = K::from_repr(2);
    for &lambda in frobenius {
        for (weight, power) in weights.iter_mut().zip(power.powers()) {
            *weight += lambda * power;
        }
        power = power.square();
    }
    weights
}

/// The sum of the weights of an element's bits.
fn phi(weights: &[K], element: K) -> K {
    let (bits, weights) = (element.to_repr(), weights.iter().enumerate());
    let set = weights.filter(|(v, _)| bits >> v & 1 == 1);
    set.map(|(_, &weight)| weight).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::opening::values_of;

    fn element() -> impl Strategy<Value = K> {
        any::<u128>().prop_map(K::from_repr)
    }

    fn point(length: usize) -> impl Strategy<Value = Vec<K>> {
        prop::collection::vec(element(), length)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn bits_are_sums_of_powers(bits in point(7), a in element()) {
            let frobenius = eq_table(&bits);
            let mut power = a;
            let mut sum = K::ZERO;
            for &lambda in &frobenius {
                sum += lambda * power;
                power = power.square();
            }
            prop_assert_eq!(power, a);
            prop_assert_eq!(phi(&bit_weights(&frobenius), a), sum);
        }

        #[test]
        fn the_extension_is_that_of_the_table(
            rows in point(7),
            elements in point(4),
            next in element(),
            sigma in point(7),
            at in point(11),
            log_rows_of_call in 3usize..6,
        ) {
            let weights = PackedWeights { log_rows_of_call, rows, elements, next, frobenius: eq_table(&sigma) };
            let table = weights.table();
            let values = values_of(|scales| table.folded(scales));
            prop_assert_eq!(
                weights.evaluate(&at[11 - log_rows_of_call..], &at[..7 - log_rows_of_call], &at[7 - log_rows_of_call..11 - log_rows_of_call]),
                dot(&values, &eq_table(&at))
            );
        }
    }
}
