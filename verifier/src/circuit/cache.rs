//! Keeps circuits between steps.

use std::sync::Arc;

use droste_vm::machine::StandardTables;
use droste_vm::whir::Verifier;
use educe::Educe;

use super::recent::Recent;
use super::{ChildShape, RecursionCircuit, Result};

/// Number of circuits that are kept: as many as a chain of proofs in all four hashes needs,
/// intermediate steps included: one for Poseidon-16, two or three for each other hash, and a join.
const CIRCUITS: usize = 11;

/// The most recently used circuits, by shape and number of the proofs that they verify.
///
/// Shape and number of the children determine the program, so a kept circuit equals the one that
/// would be compiled.
#[derive(Educe)]
#[educe(Debug)]
pub struct CircuitCache(#[educe(Debug(ignore))] Recent<(ChildShape, usize), RecursionCircuit>);

impl Default for CircuitCache {
    fn default() -> Self {
        Self(Recent::new(CIRCUITS))
    }
}

impl CircuitCache {
    /// Number of circuits compiled so far.
    pub fn compiled(&self) -> usize {
        self.0.made()
    }

    /// Returns the circuit that verifies one proof with these heights under the key of `verifier`,
    /// as [`Self::circuit`] does for its shape, but without evaluating the machine's tables again.
    ///
    /// # Errors
    /// If no such circuit can be generated.
    pub(crate) fn circuit_over_whir(
        &self,
        verifier: &Verifier<StandardTables>,
        log_heights: &[usize],
    ) -> Result<Arc<RecursionCircuit>> {
        let children = (ChildShape::new(verifier.key(), log_heights), 1);
        self.0.get_or_make(&children, || {
            RecursionCircuit::over_whir(verifier, log_heights, 1)
        })
    }

    /// Returns the circuit that verifies `count` proofs of this shape; compiles it if it is not
    /// kept.
    ///
    /// # Errors
    /// If no such circuit can be generated.
    pub fn circuit(&self, shape: ChildShape, count: usize) -> Result<Arc<RecursionCircuit>> {
        let children = (shape, count);
        self.0
            .get_or_make(&children, || RecursionCircuit::of_shape(&children.0, count))
    }
}
