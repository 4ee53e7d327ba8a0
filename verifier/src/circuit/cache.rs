//! Keeps circuits between steps.

use std::sync::Arc;

use droste_vm::machine::StandardTables;
use droste_vm::whir::Verifier;
use educe::Educe;

use super::machine::{OwnMachine, circuit_on};
use super::recent::Recent;
use super::{ChildShape, Children, CircuitError, RecursionCircuit, Result};

/// Number of circuits that are kept: as many as a chain of proofs in all four hashes needs,
/// intermediate steps included: one for Poseidon-16, two or three for each other hash, and a join.
const CIRCUITS: usize = 11;

/// The most recently used circuits, by the proofs that they verify.
///
/// These determine the program, so a kept circuit equals the one that would be compiled.
#[derive(Educe)]
#[educe(Debug)]
pub struct CircuitCache(#[educe(Debug(ignore))] Recent<Children, RecursionCircuit>);

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
        let shape = ChildShape::new(verifier.key(), log_heights);
        let children = Children::Programs { shape, count: 1 };
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
        self.circuit_of(&Children::Programs { shape, count }, &[])
    }

    /// Returns the circuit that verifies these proofs of programs, on the standard machine or on
    /// one of `machines`.
    ///
    /// # Errors
    /// If no such circuit can be generated.
    pub(crate) fn circuit_of(
        &self,
        children: &Children,
        machines: &[OwnMachine],
    ) -> Result<Arc<RecursionCircuit>> {
        self.0.get_or_make(children, || match children {
            Children::Programs { shape, count } => RecursionCircuit::of_shape(shape, *count),
            Children::Opened { shape } => RecursionCircuit::of_shape_opened(shape),
            Children::OwnMachine { shape, identity } => circuit_on(machines, shape, *identity),
            // They are no proofs of programs.
            _ => Err(CircuitError::OtherShape { child: 0 }),
        })
    }
}
