//! Claims about lanes of one row become claims about one column.
//!
//! The zerocheck leaves sums over the columns of a row, at a point `r` over rows: of lanes after theta,
//! rho and pi, which are sums of columns `T(r, j)`, and of the columns of the next row, `T'(r, j)`. With
//! weights `m` and `m'` that the verifier knows, a sum check over the eleven variables of `j` reduces
//! `sum_j m_j T(r, j) + m'_j T'(r, j)` to `T` and `T'` at `(r, rho)`.

use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::field::{K, dot, eq_table};
use crate::keccak::{BITS, LANES, LOG_ROWS, transposed_linear};
use crate::trace::{Trace, next_row};
use crate::transcript::Transcript;
use crate::zerocheck::{LaneClaims, add_bits, fold_top, subset_sums};

/// Variables of a row's columns: six of the bit, five of the lane.
pub const LOG_COLUMNS: usize = 11;

/// What the prover sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnsProof {
    /// Coefficients of 1 and `X^2` of the round polynomials, most significant variable first. The sum
    /// of those of `X` and `X^2` is the claim.
    pub rounds: Vec<[K; 2]>,
    /// The trace at `(r, rho)`: rows, and next rows.
    pub values: [K; 2],
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

/// The values of all columns, of rows and of next rows, at a point over rows.
pub struct ColumnValues {
    /// By column.
    pub rows: Vec<K>,
    /// By column, of the next row of each.
    pub next: Vec<K>,
}

impl ColumnValues {
    /// Sums over the trace's rows.
    pub fn new(trace: &Trace, point: &[K]) -> Self {
        let weights = eq_table(point);
        let (round, call) = point.split_at(LOG_ROWS);
        debug_assert_eq!(round.len() + call.len(), trace.log_rows());
        // A row is the next one of the row before it.
        let mut next = K::zero_vec(weights.len());
        for (row, &weight) in weights.iter().enumerate() {
            next[next_row(row)] = weight;
        }
        let size = 1 << LOG_COLUMNS;
        let [rows, next] = (0..weights.len() >> 3)
            .into_par_iter()
            .fold_chunks(
                1 << 7,
                || [K::zero_vec(size), K::zero_vec(size)],
                |mut sums, block| {
                    let rows = 8 * block..8 * block + 8;
                    let table = |weights: &[K]| {
                        subset_sums(&std::array::from_fn(|i| weights[rows.start + i]))
                    };
                    let tables = [table(&weights), table(&next)];
                    let states: [_; 8] = std::array::from_fn(|i| trace.state(rows.start + i));
                    for lane in 0..LANES {
                        let words = states.map(|state| state[lane]);
                        for (sums, table) in sums.iter_mut().zip(&tables) {
                            if let Some(sums) = sums.as_chunks_mut().0.get_mut(lane) {
                                add_bits(&words, table, sums);
                            }
                        }
                    }
                    sums
                },
            )
            .reduce(
                || [K::zero_vec(size), K::zero_vec(size)],
                |mut left, right| {
                    for (left, right) in left.iter_mut().zip(&right) {
                        for (left, &right) in left.iter_mut().zip(right) {
                            *left += right;
                        }
                    }
                    left
                },
            );
        Self { rows, next }
    }
}

/// Weights of columns, and the claim of their sum.
fn batch(claims: &LaneClaims, transcript: &mut Transcript) -> ([Vec<K>; 2], K) {
    let delta = transcript.sample();
    let mut power = K::ONE;
    let mut claim = claims.next;
    let mixed: [[K; BITS]; LANES] = std::array::from_fn(|lane| {
        power *= delta;
        claim += power * claims.mixed[lane];
        claims.bits.map(|bit| power * bit)
    });
    let pad = |lanes: &[[K; BITS]; LANES]| {
        let mut weights = lanes.as_flattened().to_vec();
        weights.resize(1 << LOG_COLUMNS, K::ZERO);
        weights
    };
    let next = claims.lanes.map(|lane| claims.bits.map(|bit| lane * bit));
    ([pad(&transposed_linear(&mixed)), pad(&next)], claim)
}

/// Proves.
pub fn prove(
    claims: LaneClaims,
    values: &ColumnValues,
    transcript: &mut Transcript,
) -> (ColumnsProof, ColumnClaim) {
    let ([mut weights, mut next_weights], _) = batch(&claims, transcript);
    let (mut rows, mut next) = (values.rows.clone(), values.next.clone());
    let mut point = vec![K::ZERO; LOG_COLUMNS];
    let mut rounds = Vec::with_capacity(LOG_COLUMNS);
    for coordinate in point.iter_mut().rev() {
        let mut message = [K::ZERO; 2];
        for (weights, values) in [(&weights, &rows), (&next_weights, &next)] {
            let half = weights.len() / 2;
            for i in 0..half {
                message[0] += weights[i] * values[i];
                message[1] += (weights[i] + weights[i + half]) * (values[i] + values[i + half]);
            }
        }
        transcript.observe(&message);
        *coordinate = transcript.sample();
        for table in [&mut weights, &mut next_weights, &mut rows, &mut next] {
            fold_top(table, *coordinate);
        }
        rounds.push(message);
    }
    let values = [rows[0], next[0]];
    transcript.observe(&values);
    let claim = ColumnClaim {
        rows: claims.rows,
        columns: point,
        values,
    };
    (ColumnsProof { rounds, values }, claim)
}

/// What a verifier refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnsError {
    /// Another number of rounds.
    #[error("the sum over columns has {0} rounds, not {LOG_COLUMNS}")]
    Rounds(usize),
    /// The values do not give the last claim.
    #[error("the values of the trace are not the last claim of the sum over columns")]
    Values,
}

/// Verifies, up to the claim that it returns.
///
/// # Errors
///
/// If there is another number of rounds, or the values do not give the last claim.
pub fn verify(
    proof: &ColumnsProof,
    claims: LaneClaims,
    transcript: &mut Transcript,
) -> Result<ColumnClaim, ColumnsError> {
    if proof.rounds.len() != LOG_COLUMNS {
        return Err(ColumnsError::Rounds(proof.rounds.len()));
    }
    let ([weights, next_weights], mut claim) = batch(&claims, transcript);
    let mut point = vec![K::ZERO; LOG_COLUMNS];
    for (coordinate, message) in point.iter_mut().rev().zip(&proof.rounds) {
        transcript.observe(message);
        *coordinate = transcript.sample();
        let [c0, c2] = *message;
        claim = (c2 * *coordinate + claim + c2) * *coordinate + c0;
    }
    transcript.observe(&proof.values);
    let table = eq_table(&point);
    let [value, next] = proof.values;
    if dot(&weights, &table) * value + dot(&next_weights, &table) * next != claim {
        return Err(ColumnsError::Values);
    }
    Ok(ColumnClaim {
        rows: claims.rows,
        columns: point,
        values: proof.values,
    })
}
