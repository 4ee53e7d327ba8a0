//! From a list of calls to one claim about the committed elements: what prover and verifier do between
//! the commitment and its opening.

use p3_field::PrimeCharacteristicRing;
use serde::{Deserialize, Serialize};

use crate::calls::HashCalls;
use crate::circuit::Circuit;
use crate::columns::{self, ColumnValues, ColumnsError, ColumnsProof};
use crate::field::{K, dot, eq, eq_table};
use crate::ring_switch::{self, PackedWeights, RingSwitchError};
use crate::trace::{ELEMENTS, LOG_ELEMENTS, Trace, evaluate_public, log_calls};
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
pub struct ElementWeights<'a> {
    circuit: &'a Circuit,
    trace: PackedWeights,
    /// The point over calls.
    calls: Vec<K>,
    /// What elements of a public row weigh, those that are public and the others.
    elements: Vec<K>,
    /// What public rows weigh.
    public: Vec<K>,
}

impl<'a> ElementWeights<'a> {
    /// Adds the claims that the calls' inputs and outputs are in their rows of the trace, at the point
    /// over calls that the zerocheck drew after trace and list.
    fn new(
        circuit: &'a Circuit,
        trace: PackedWeights,
        claim: K,
        rows: &[K],
        calls: &HashCalls,
        transcript: &mut Transcript,
    ) -> (Self, K) {
        let elements: Vec<K> = (0..LOG_ELEMENTS).map(|_| transcript.sample()).collect();
        let eta = transcript.sample();
        let public: Vec<K> = eta.shifted_powers(eta).take(circuit.public.len()).collect();
        let point = rows[circuit.log_rows..].to_vec();
        let values = evaluate_public(calls, circuit, &point, &elements);
        let claim = claim + dot(&public, &values);
        let weights = Self {
            circuit,
            trace,
            calls: point,
            elements: eq_table(&elements),
            public,
        };
        (weights, claim)
    }

    /// Public rows with what they and their elements weigh.
    fn public_rows(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = (usize, K)>)> {
        (self.circuit.public.iter().zip(&self.public)).map(move |(public, &weight)| {
            let elements = (0..ELEMENTS).filter(|g| public.elements >> g & 1 == 1);
            (
                public.row,
                elements.map(move |g| (g, weight * self.elements[g])),
            )
        })
    }

    /// The weights of all elements, in the order of the trace.
    pub fn table(&self) -> Vec<K> {
        let mut table = self.trace.table();
        let log_rows = self.calls.len() + self.circuit.log_rows;
        let calls = eq_table(&self.calls);
        for (row, elements) in self.public_rows() {
            for (g, weight) in elements {
                for (call, &scale) in calls.iter().enumerate() {
                    table[(g << log_rows) + (call << self.circuit.log_rows) + row] +=
                        weight * scale;
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
        let (rows, elements) = point.split_at(self.calls.len() + self.circuit.log_rows);
        let (row, call) = rows.split_at(self.circuit.log_rows);
        let (at_rows, at_elements) = (eq_table(row), eq_table(elements));
        let public: K = self
            .public_rows()
            .map(|(row, elements)| {
                at_rows[row]
                    * elements
                        .map(|(g, weight)| weight * at_elements[g])
                        .sum::<K>()
            })
            .sum();
        self.trace.evaluate(rows, elements) + public * eq(&self.calls, call)
    }
}

/// Proves, and returns the claim that is left: weights and sum.
pub fn prove<'a>(
    calls: &HashCalls,
    circuit: &'a Circuit,
    trace: &Trace,
    subfield: &Subfield,
    transcript: &mut Transcript,
) -> (ReductionProof, ElementWeights<'a>, K) {
    let (zerocheck, claims) = zerocheck::prove(circuit, trace, subfield, transcript);
    let rows = claims.rows.clone();
    let values = ColumnValues::new(trace, &rows);
    let (columns, claim) = columns::prove(claims, circuit, &values, transcript);
    let (bits, weights, claim) = ring_switch::prove(claim, circuit.log_rows, &values, transcript);
    let (weights, claim) = ElementWeights::new(circuit, weights, claim, &rows, calls, transcript);
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
pub fn verify<'a>(
    proof: &ReductionProof,
    calls: &HashCalls,
    circuit: &'a Circuit,
    basis: &[K; COORDINATES],
    transcript: &mut Transcript,
) -> Result<(ElementWeights<'a>, K), ReductionError> {
    let log_rows = log_calls(calls) + circuit.log_rows;
    let claims = zerocheck::verify(&proof.zerocheck, circuit, log_rows, basis, transcript)?;
    let rows = claims.rows.clone();
    let claim = columns::verify(&proof.columns, claims, circuit, transcript)?;
    let (weights, claim) = ring_switch::verify(&proof.bits, claim, circuit.log_rows, transcript)?;
    Ok(ElementWeights::new(
        circuit, weights, claim, &rows, calls, transcript,
    ))
}

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;

    use super::*;
    use crate::calls::Hash;
    use crate::trace::circuit;
    use crate::trace::tests::calls;

    #[test]
    fn an_honest_reduction_ends_in_a_true_claim() {
        for hash in Hash::ALL {
            let calls = calls(hash, 11);
            let circuit = circuit(hash);
            let trace = Trace::new(&calls, &circuit);
            let subfield = Subfield::new();
            let mut transcript = Transcript::new("test");
            let (proof, weights, claim) =
                prove(&calls, &circuit, &trace, &subfield, &mut transcript.clone());
            assert_eq!(dot(&weights.table(), trace.elements()), claim, "{hash}");
            let basis = &subfield.basis;
            let (verified, same) =
                verify(&proof, &calls, &circuit, basis, &mut transcript).unwrap();
            assert_eq!(same, claim);
            let point: Vec<K> = (0..trace.log_rows() as u128 + 4)
                .map(|i| K::from_repr(0x1234_5678_9abc_def0_1234u128.wrapping_mul(i + 7) << 32))
                .collect();
            assert_eq!(
                verified.evaluate(&point),
                dot(&weights.table(), &eq_table(&point))
            );
        }
    }
}
