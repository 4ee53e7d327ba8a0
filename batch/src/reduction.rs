//! From a list of calls to one claim about the committed elements: what prover and verifier do between
//! the commitment and its opening.

use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};

use crate::columns::{self, ColumnValues, ColumnsError, ColumnsProof};
use crate::field::{K, eq, scaled_eq_table};
use crate::keccak::{LOG_ROWS, ROUNDS};
use crate::ring_switch::{self, PackedWeights, RingSwitchError};
use crate::trace::{Calls, LOG_ELEMENTS, Trace};
use crate::transcript::Transcript;
use crate::univariate::{COORDINATES, Subfield};
use crate::zerocheck::{self, ZerocheckError, ZerocheckProof};

/// What the prover sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReductionProof {
    /// Every round is a round of Keccak-f, up to values of lanes.
    pub zerocheck: ZerocheckProof,
    /// Values of lanes, up to values of the trace.
    pub columns: ColumnsProof,
    /// Values of the trace, up to a claim about elements: sums for each bit.
    pub bits: Vec<K>,
}

/// A part of the reduction that a verifier refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReductionError {
    /// Of the zerocheck.
    #[error(transparent)]
    Zerocheck(#[from] ZerocheckError),
    /// Of the sum over columns.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// Of the ring switch.
    #[error(transparent)]
    RingSwitch(#[from] RingSwitchError),
}

/// The claim `sum_y P(y) W(y)`, by its weights.
#[derive(Clone, Debug)]
pub struct ElementWeights {
    trace: PackedWeights,
    /// The point over calls.
    calls: Vec<K>,
    /// The point over elements of a row, for inputs and outputs.
    elements: Vec<K>,
    /// What inputs and outputs weigh.
    public: [K; 2],
}

/// Rows of a call that hold its input and its output.
const PUBLIC_ROWS: [usize; 2] = [0, ROUNDS];

impl ElementWeights {
    /// Adds the claims that the calls' inputs and outputs are in their rows of the trace, at the point
    /// over calls that the zerocheck drew after trace and list.
    fn new(
        trace: PackedWeights,
        claim: K,
        rows: &[K],
        calls: &Calls,
        transcript: &mut Transcript,
    ) -> (Self, K) {
        let elements: Vec<K> = (0..LOG_ELEMENTS).map(|_| transcript.sample()).collect();
        let input = transcript.sample();
        let public = [input, input.square()];
        let point = rows[LOG_ROWS..].to_vec();
        let [inputs, outputs] = calls.evaluate(&point, &elements);
        let claim = claim + public[0] * inputs + public[1] * outputs;
        let weights = Self {
            trace,
            calls: point,
            elements,
            public,
        };
        (weights, claim)
    }

    /// The weights of all elements, in the order of the trace.
    pub fn table(&self) -> Vec<K> {
        let mut table = self.trace.table();
        let column_length = table.len() >> LOG_ELEMENTS;
        let elements = scaled_eq_table(&self.elements, K::ONE);
        for (column, element) in table.chunks_mut(column_length).zip(elements) {
            let calls = scaled_eq_table(&self.calls, element);
            for (rows, call) in column.chunks_mut(1 << LOG_ROWS).zip(calls) {
                for (row, weight) in PUBLIC_ROWS.into_iter().zip(self.public) {
                    rows[row] += weight * call;
                }
            }
        }
        table
    }

    /// The multilinear extension of [`Self::table`].
    ///
    /// # Panics
    ///
    /// If the point has fewer coordinates than elements have variables.
    pub fn evaluate(&self, point: &[K]) -> K {
        let (rows, elements) = point.split_at(self.calls.len() + LOG_ROWS);
        let (round, call) = rows.split_at(LOG_ROWS);
        let at_rows: K = (PUBLIC_ROWS.into_iter().zip(self.public))
            .map(|(row, weight)| {
                let bits: Vec<K> = (0..LOG_ROWS)
                    .map(|i| K::from_bool(row >> i & 1 == 1))
                    .collect();
                weight * eq(&bits, round)
            })
            .sum();
        self.trace.evaluate(rows, elements)
            + at_rows * eq(&self.calls, call) * eq(&self.elements, elements)
    }
}

/// Proves, and returns the claim that is left: weights and sum.
pub fn prove(
    calls: &Calls,
    trace: &Trace,
    subfield: &Subfield,
    transcript: &mut Transcript,
) -> (ReductionProof, ElementWeights, K) {
    let (zerocheck, claims) = zerocheck::prove(trace, subfield, transcript);
    let rows = claims.rows.clone();
    let values = ColumnValues::new(trace, &rows);
    let (columns, claim) = columns::prove(claims, &values, transcript);
    let (bits, weights, claim) = ring_switch::prove(claim, &values, transcript);
    let (weights, claim) = ElementWeights::new(weights, claim, &rows, calls, transcript);
    let proof = ReductionProof {
        zerocheck,
        columns,
        bits,
    };
    (proof, weights, claim)
}

/// Verifies, up to the claim that it returns.
///
/// # Errors
///
/// If a part has another shape, or does not give the claim before it.
pub fn verify(
    proof: &ReductionProof,
    calls: &Calls,
    basis: &[K; COORDINATES],
    transcript: &mut Transcript,
) -> Result<(ElementWeights, K), ReductionError> {
    let claims = zerocheck::verify(&proof.zerocheck, calls.log_rows(), basis, transcript)?;
    let rows = claims.rows.clone();
    let claim = columns::verify(&proof.columns, claims, transcript)?;
    let (weights, claim) = ring_switch::verify(&proof.bits, claim, transcript)?;
    Ok(ElementWeights::new(
        weights, claim, &rows, calls, transcript,
    ))
}

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;

    use super::*;
    use crate::field::{dot, eq_table};
    use crate::trace::tests::calls;

    #[test]
    fn an_honest_reduction_ends_in_a_true_claim() {
        let calls = calls(11);
        let trace = Trace::new(&calls);
        let subfield = Subfield::new();
        let mut transcript = Transcript::new("test");
        let (proof, weights, claim) = prove(&calls, &trace, &subfield, &mut transcript.clone());
        assert_eq!(dot(&weights.table(), trace.elements()), claim);
        let (verified, same) = verify(&proof, &calls, &subfield.basis, &mut transcript).unwrap();
        assert_eq!(same, claim);
        let point: Vec<K> = (0..calls.log_rows() as u128 + 4)
            .map(|i| K::from_repr(0x1234_5678_9abc_def0_1234u128.wrapping_mul(i + 7) << 32))
            .collect();
        assert_eq!(
            verified.evaluate(&point),
            dot(&weights.table(), &eq_table(&point))
        );
    }
}
