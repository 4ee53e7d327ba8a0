//! From a list of calls to one claim about the committed elements: what prover and verifier do
//! between the commitment and its opening.

use droste_native::stark::challenger::Sent;
use serde::{Deserialize, Serialize};

use crate::circuit::Circuit;
use crate::columns::{self, ColumnsError, ColumnsProof, RowValues};
use crate::field::K;
use crate::opening::{COLUMNS, Products, Weight};
use crate::ring_switch::{self, PackedTable, PackedWeights, RingSwitchError};
use crate::statement::{PublicClaims, Statement};
use crate::trace::{LOG_ELEMENTS, Trace};
use crate::tree_hash::Transcript;
use crate::univariate::{COORDINATES, Subfield};
use crate::zerocheck::{self, ZerocheckError, ZerocheckProof};

/// What the prover sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReductionProof {
    /// Every row fulfils its constraints, up to values of forms.
    pub zerocheck: ZerocheckProof,
    /// Values of forms, up to values of the trace.
    pub columns: ColumnsProof,
    /// Values of the trace, up to a claim about elements: sums for each bit.
    pub bits: Sent<Vec<K>>,
}

impl ReductionProof {
    /// Number of elements.
    pub fn num_elements(&self) -> usize {
        let zerocheck = &self.zerocheck;
        zerocheck.bits.count()
            + 3 * zerocheck.rounds.len()
            + zerocheck.operands.count()
            + zerocheck.rests.count()
            + 2 * self.columns.rounds.len()
            + 2
            + self.bits.count()
    }
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
    log_rows_of_call: usize,
    trace: PackedWeights,
    public: PublicClaims,
}

impl ElementWeights {
    /// Adds the claims that the statement makes about elements, at the point over calls that the
    /// zerocheck drew after trace and statement.
    fn new(
        statement: &Statement<'_>,
        circuit: &Circuit,
        trace: PackedWeights,
        claim: K,
        rows: &[K],
        transcript: &mut dyn Transcript,
    ) -> (Self, K) {
        let elements: Vec<K> = (0..LOG_ELEMENTS).map(|_| transcript.sample()).collect();
        let eta = transcript.sample();
        let calls = &rows[circuit.log_rows..];
        let public = PublicClaims::new(statement, circuit, calls, &elements, eta);
        let claim = claim + public.value;
        let weights = Self {
            log_rows_of_call: circuit.log_rows,
            trace,
            public,
        };
        (weights, claim)
    }

    /// The weights of all elements, in the order of the trace, of which these are the values at
    /// the point over calls.
    pub fn table<'a>(&'a self, values: &'a RowValues) -> ElementTable<'a> {
        ElementTable {
            trace: self.trace.table(),
            public: &self.public,
            values,
        }
    }

    /// The multilinear extension of [`Self::table`].
    ///
    /// # Panics
    ///
    /// If the point has fewer coordinates than elements have variables.
    pub fn evaluate(&self, point: &[K]) -> K {
        let (rest, row) = point.split_at(point.len() - self.log_rows_of_call);
        let (call, elements) = rest.split_at(rest.len() - LOG_ELEMENTS);
        self.trace.evaluate(row, call, elements) + self.public.evaluate(row, call, elements)
    }
}

/// The values of [`ElementWeights`].
pub struct ElementTable<'a> {
    trace: PackedTable,
    public: &'a PublicClaims,
    values: &'a RowValues,
}

impl Weight for ElementTable<'_> {
    fn products(&self, polynomial: &[K]) -> Products {
        let mut products = self.trace.products(self.values);
        self.public.add_products(polynomial, &mut products);
        products
    }

    fn folded(&self, scales: &[K; COLUMNS]) -> Vec<K> {
        let mut folded = self.trace.folded(scales);
        self.public.add_folded(scales, &mut folded);
        folded
    }
}

/// Proves, and returns the claim that is left, weights and sum, and values of the trace for
/// [`ElementWeights::table`].
pub fn prove(
    statement: &Statement<'_>,
    circuit: &Circuit,
    trace: &Trace<'_>,
    subfield: &Subfield,
    transcript: &mut dyn Transcript,
) -> (ReductionProof, ElementWeights, RowValues, K) {
    let (zerocheck, claims, row_values) = zerocheck::prove(circuit, trace, subfield, transcript);
    let rows = claims.rows.clone();
    let values = row_values.at(&rows[..circuit.log_rows]);
    let (columns, claim) = columns::prove(claims, circuit, &values, transcript);
    let (bits, weights, claim) = ring_switch::prove(claim, circuit.log_rows, &values, transcript);
    let (weights, claim) =
        ElementWeights::new(statement, circuit, weights, claim, &rows, transcript);
    let proof = ReductionProof {
        zerocheck,
        columns,
        bits,
    };
    (proof, weights, row_values, claim)
}

/// Verifies, up to the claim that it returns.
///
/// # Errors
///
/// If a part has another shape, or does not give the claim before it.
pub fn verify(
    proof: &ReductionProof,
    statement: &Statement<'_>,
    circuit: &Circuit,
    basis: &[K; COORDINATES],
    transcript: &mut dyn Transcript,
) -> Result<(ElementWeights, K), ReductionError> {
    let log_rows = statement.shape().log_calls() + circuit.log_rows;
    let claims = zerocheck::verify(&proof.zerocheck, circuit, log_rows, basis, transcript)?;
    let rows = claims.rows.clone();
    let claim = columns::verify(&proof.columns, claims, circuit, transcript)?;
    let (weights, claim) = ring_switch::verify(&proof.bits, claim, circuit.log_rows, transcript)?;
    Ok(ElementWeights::new(
        statement, circuit, weights, claim, &rows, transcript,
    ))
}

#[cfg(test)]
mod tests {
    use p3_binary_field::TowerLevel;

    use super::*;
    use crate::calls::Hash;
    use crate::field::{dot, eq_table};
    use crate::opening::values_of;
    use crate::proof::elements_of;
    use crate::statement::tests::{calls, paths};
    use crate::trace::circuit;
    use crate::tree_hash::{Blake3, TreeHash};

    fn check(statement: &Statement<'_>, inputs: Vec<&[u8]>) {
        let hash = statement.hash();
        let circuit = circuit(hash);
        let elements = elements_of(&statement.shape(), &circuit, inputs);
        let trace = Trace::new(&elements, &circuit);
        let subfield = Subfield::new();
        let mut transcript = Blake3::transcript("test");
        let (proof, weights, values, claim) = prove(
            statement,
            &circuit,
            &trace,
            &subfield,
            &mut transcript.clone(),
        );
        let weight = weights.table(&values);
        let table = values_of(|scales| weight.folded(scales));
        assert_eq!(weight.products(&elements), table.products(&elements));
        assert_eq!(dot(&table, &elements), claim, "{hash}");
        let basis = &subfield.basis;
        let (verified, same) = verify(&proof, statement, &circuit, basis, &mut transcript).unwrap();
        assert_eq!(same, claim);
        let point: Vec<K> = (0..u128::from(elements.len().ilog2()))
            .map(|i| K::from_repr(0x1234_5678_9abc_def0_1234u128.wrapping_mul(i + 7) << 32))
            .collect();
        assert_eq!(verified.evaluate(&point), dot(&table, &eq_table(&point)));
    }

    #[test]
    fn an_honest_reduction_ends_in_a_true_claim() {
        for hash in Hash::ALL {
            let calls = calls(hash, 11);
            let inputs = calls.calls().map(|(input, _)| input).collect();
            check(&Statement::Calls(&calls), inputs);
            let (paths, siblings) = paths(hash, 3, 4);
            let inputs = paths.inputs(&siblings).unwrap();
            let inputs = inputs.chunks(hash.input_bytes()).collect();
            check(&Statement::Paths(&paths), inputs);
        }
    }
}
