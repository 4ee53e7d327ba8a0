//! Claims about forms become claims about one column.
//!
//! The zerocheck leaves values of forms at a point `r` over rows: sums over the columns `T(r, j)`
//! of a row and `T'(r, j)` of the next one. With weights `m` and `m'` that the verifier knows, a
//! sumcheck over the eleven variables of `j` reduces `sum_j m_j T(r, j) + m'_j T'(r, j)` to `T` and
//! `T'` at `(r, rho)`.

use droste_native::stark::challenger::Sent;
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::bits::{BLOCK, Sums, WordMap, Words};
use crate::circuit::{Circuit, WORDS};
use crate::field::{K, dot, eq_table, fold_top};
use crate::opening::Message;
use crate::trace::{RowBlock, Trace, next_row};
use crate::tree_hash::Transcript;
use crate::zerocheck::FormClaims;

/// Variables of a row's columns: six of the bit, five of the word.
pub const LOG_COLUMNS: usize = 11;

/// What the prover sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnsProof {
    /// Messages of the variables, most significant one first.
    pub rounds: Vec<Sent<Message>>,
    /// The trace at `(r, rho)`: rows, and next rows.
    pub values: Sent<[K; 2]>,
}

/// What is left to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnClaim {
    /// The point over rows.
    pub rows: Vec<K>,
    /// The point over columns.
    pub columns: Vec<K>,
    /// The trace there: rows, and next rows.
    pub values: [K; 2],
}

/// The values of all columns of each row of a call, at a point over calls.
pub struct RowValues(pub Vec<Vec<K>>);

/// The values of all columns, of rows and of next rows, at a point over rows.
pub struct ColumnValues {
    /// By column.
    pub rows: Vec<K>,
    /// By column, of the next row of each.
    pub next: Vec<K>,
}

impl RowValues {
    /// Sums over the trace's calls.
    pub fn new(trace: &Trace<'_>, used_rows: usize, point: &[K]) -> Self {
        let weights = eq_table(point);
        let values = (0..trace.rows_of_call()).into_par_iter().map(|row| {
            let mut sums = vec![Sums::default(); WORDS];
            let mut words = RowBlock::default();
            let blocks = if row < used_rows {
                weights.chunks(BLOCK)
            } else {
                [].chunks(BLOCK)
            };
            for (block, weights) in blocks.enumerate() {
                let weight = |i| weights.get(i).copied().unwrap_or_default();
                let map = WordMap::new(&std::array::from_fn(weight));
                trace.read(row, BLOCK * block, &mut words);
                for (word, sums) in sums.iter_mut().enumerate() {
                    map.add(&Words::transposed(&words.word(word)), sums);
                }
            }
            sums.iter().flat_map(Sums::elements).collect()
        });
        Self(values.collect())
    }

    /// The values at a point over the rows of a call.
    pub fn at(&self, point: &[K]) -> ColumnValues {
        let weights = eq_table(point);
        let size = 1 << LOG_COLUMNS;
        let [mut rows, mut next] = [(); 2].map(|()| K::zero_vec(size));
        for (row, &weight) in weights.iter().enumerate() {
            let following = &self.0[next_row(row, point.len())];
            for (sums, values) in [(&mut rows, &self.0[row]), (&mut next, following)] {
                for (sum, &value) in sums.iter_mut().zip(values) {
                    *sum += weight * value;
                }
            }
        }
        ColumnValues { rows, next }
    }
}

/// Weights of columns, and the claim of their sum.
fn batch(
    claims: &FormClaims,
    circuit: &Circuit,
    transcript: &mut dyn Transcript,
) -> ([Vec<K>; 2], K) {
    let delta = transcript.sample();
    let values = [claims.operands.as_slice(), &claims.rests].concat();
    let powers: Vec<K> = delta.powers().take(values.len()).collect();
    let (operands, rests) = powers.split_at(claims.operands.len());
    let weights = circuit.transpose(&claims.bits, operands, &claims.constraints, rests);
    (weights, dot(&values, &powers))
}

/// Proves.
pub fn prove(
    claims: FormClaims,
    circuit: &Circuit,
    values: &ColumnValues,
    transcript: &mut dyn Transcript,
) -> (ColumnsProof, ColumnClaim) {
    let ([mut weights, mut next_weights], mut claim) = batch(&claims, circuit, transcript);
    let (mut rows, mut next) = (values.rows.clone(), values.next.clone());
    let mut point = vec![K::ZERO; LOG_COLUMNS];
    let mut rounds = Vec::with_capacity(LOG_COLUMNS);
    for coordinate in point.iter_mut().rev() {
        let mut message = Message {
            constant: K::ZERO,
            leading: K::ZERO,
        };
        for (weights, values) in [(&weights, &rows), (&next_weights, &next)] {
            let half = weights.len() / 2;
            for i in 0..half {
                message.constant += weights[i] * values[i];
                let step = values[i] + values[i + half];
                message.leading += (weights[i] + weights[i + half]) * step;
            }
        }
        rounds.push(Sent::send(message, transcript));
        *coordinate = message.reduce(&mut claim, transcript);
        for table in [&mut weights, &mut next_weights, &mut rows, &mut next] {
            fold_top(table, *coordinate);
        }
    }
    let values = [rows[0], next[0]];
    let claim = ColumnClaim {
        rows: claims.rows,
        columns: point,
        values,
    };
    let values = Sent::send(values, transcript);
    (ColumnsProof { rounds, values }, claim)
}

/// What a verifier refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnsError {
    /// Another number of rounds.
    #[error("the sum over columns has {0} rounds, expected {LOG_COLUMNS}")]
    Rounds(usize),
    /// The values do not give the last claim.
    #[error("the sum over columns fails: the values of the trace do not give its last claim")]
    Values,
}

/// Verifies, up to the claim that it returns.
///
/// # Errors
///
/// If there is another number of rounds, or the values do not give the last claim.
pub fn verify(
    proof: &ColumnsProof,
    claims: FormClaims,
    circuit: &Circuit,
    transcript: &mut dyn Transcript,
) -> Result<ColumnClaim, ColumnsError> {
    if proof.rounds.len() != LOG_COLUMNS {
        return Err(ColumnsError::Rounds(proof.rounds.len()));
    }
    let ([weights, next_weights], mut claim) = batch(&claims, circuit, transcript);
    let mut point = vec![K::ZERO; LOG_COLUMNS];
    for (coordinate, message) in point.iter_mut().rev().zip(&proof.rounds) {
        let message = message.read(transcript);
        *coordinate = message.reduce(&mut claim, transcript);
    }
    let &values @ [value, next] = proof.values.read(transcript);
    let table = eq_table(&point);
    if dot(&weights, &table) * value + dot(&next_weights, &table) * next != claim {
        return Err(ColumnsError::Values);
    }
    Ok(ColumnClaim {
        rows: claims.rows,
        columns: point,
        values,
    })
}
