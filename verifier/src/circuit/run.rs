//! Runs of circuits that are ready to be proved.

use std::sync::Arc;
use std::time::Duration;

use droste_vm::record::Execution;

use super::{RecursionCircuit, Result};
use crate::claim::ClaimTree;

/// The run of a circuit on proofs that were verified natively before. It is made by `run` of the
/// circuits of [`crate::airs`] and by the steps of an aggregator only.
#[derive(Debug)]
pub struct Run {
    circuit: Arc<RecursionCircuit>,
    execution: Execution,
    /// What [`Self::needed_rows`] returns.
    rows: Vec<(String, usize)>,
    trees: Vec<ClaimTree>,
    compile: Duration,
    execute: Duration,
}

impl Run {
    /// The run of a circuit on proofs with these claim trees. Compiling the circuit took `compile`;
    /// writing the hints and running the program took `execute`.
    pub(crate) fn new(
        circuit: Arc<RecursionCircuit>,
        execution: Execution,
        trees: Vec<ClaimTree>,
        compile: Duration,
        execute: Duration,
    ) -> Result<Self> {
        Ok(Self {
            rows: circuit.needed_rows(&execution)?,
            circuit,
            execution,
            trees,
            compile,
            execute,
        })
    }

    /// The circuit that was run.
    pub fn circuit(&self) -> &RecursionCircuit {
        &self.circuit
    }

    /// The execution of the circuit's program.
    pub const fn execution(&self) -> &Execution {
        &self.execution
    }

    /// Names of the tables of the machine that proves the run, in order, and the number of rows
    /// that it needs of each ([`RecursionCircuit::needed_rows`]).
    pub fn needed_rows(&self) -> &[(String, usize)] {
        &self.rows
    }

    /// Claim trees of the proofs that it verified.
    pub fn trees(&self) -> &[ClaimTree] {
        &self.trees
    }

    /// Proven bits of every proof that the circuit accepts.
    pub fn bits(&self) -> usize {
        self.circuit.bits()
    }

    /// Time that compiling the circuit took.
    pub(crate) const fn compile_time(&self) -> Duration {
        self.compile
    }

    /// Time that writing the hints and running the program took.
    pub(crate) const fn execute_time(&self) -> Duration {
        self.execute
    }

    /// Returns the claim trees.
    pub(crate) fn into_trees(self) -> Vec<ClaimTree> {
        self.trees
    }
}
