//! Circuits that verify proofs of recursion programs over WHIR.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use droste_native::whir::WhirSettings;
use droste_vm::record::Execution;
use droste_vm::whir::Proof;

use super::{ChildShape, Children, CircuitError, Parts, RecursionCircuit, Verifies};
use crate::multilinear::RecursionProgram;

/// A circuit that verifies proofs over WHIR of one shape, which may be of any programs of the
/// recursion machine.
#[derive(Debug)]
pub struct MultilinearCircuit(Arc<RecursionCircuit>);

impl Deref for MultilinearCircuit {
    type Target = RecursionCircuit;

    fn deref(&self) -> &RecursionCircuit {
        &self.0
    }
}

impl MultilinearCircuit {
    /// Wraps a circuit whose children are proofs over WHIR.
    pub(crate) fn of(circuit: Arc<RecursionCircuit>) -> Result<Self, CircuitError> {
        circuit.whir()?;
        Ok(Self(circuit))
    }

    /// Runs the program on these children.
    ///
    /// # Errors
    /// If a child is of another shape, or the program rejects it.
    pub fn execute(&self, children: &[&Proof]) -> Result<Execution, CircuitError> {
        let program = self.whir()?;
        self.check_count(children.len())?;
        let Children::Programs { shape, .. } = self.children() else {
            return Err(CircuitError::OtherShape { child: 0 });
        };
        let other = |proof: &&Proof| {
            ChildShape::new(&proof.key, &proof.log_heights) != *shape
                || !program.verifies_key(&proof.key)
        };
        if let Some(child) = children.iter().position(other) {
            return Err(CircuitError::OtherShape { child });
        }
        self.0.execute(&program.record(children)?)
    }
}

/// Generates and compiles the circuit for `count` proofs with these settings, of which `shape` says
/// the rest.
pub(super) fn compile(
    shape: &ChildShape,
    settings: WhirSettings,
    count: usize,
) -> Result<RecursionCircuit, CircuitError> {
    let start = Instant::now();
    let verifier = shape.verifier_over_whir(settings)?;
    let program = RecursionProgram::new(&verifier, &shape.log_heights, count)?;
    RecursionCircuit::new(Parts {
        children: Children::Programs {
            shape: shape.clone(),
            count,
        },
        verifies: Verifies::Whir(Box::new(program)),
        start,
    })
}
