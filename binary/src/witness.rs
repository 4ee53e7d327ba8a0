//! What provers know.

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use crate::calls::HashCalls;
use crate::graph::{HashGraph, WitnessError};
use crate::paths::{Digest, MerklePaths, SiblingsError};
use crate::statement::Statement;

/// A statement, and what its prover knows beside it: the inputs of its calls.
#[derive(Clone, Debug)]
pub struct Witness<'a> {
    statement: Statement<'a>,
    /// All inputs, one after the other. A list of calls has them itself.
    inputs: Vec<u8>,
}

impl<'a> From<&'a HashCalls> for Witness<'a> {
    fn from(calls: &'a HashCalls) -> Self {
        Self {
            statement: calls.into(),
            inputs: Vec::new(),
        }
    }
}

impl<'a> Witness<'a> {
    /// Paths, and the siblings of each from its leaf to its root.
    ///
    /// # Errors
    /// If the siblings do not lead to the roots.
    pub fn of_paths(
        paths: &'a MerklePaths,
        siblings: &[impl AsRef<[Digest]>],
    ) -> Result<Self, SiblingsError> {
        Ok(Self {
            inputs: paths.inputs(siblings)?,
            statement: paths.into(),
        })
    }

    /// A graph, and the values of its witness elements in order.
    ///
    /// # Errors
    /// If they do not lead to the outputs that are expected.
    pub fn of_graph(graph: &'a HashGraph, witness: &[[u8; 16]]) -> Result<Self, WitnessError> {
        Ok(Self {
            inputs: graph.inputs(witness)?,
            statement: graph.into(),
        })
    }

    /// What is to be proved.
    pub const fn statement(&self) -> Statement<'a> {
        self.statement
    }

    /// The input of each call.
    pub fn inputs(&self) -> Vec<&[u8]> {
        match self.statement {
            Statement::Calls(calls) => calls.calls().map(|(input, _)| input).collect(),
            _ => {
                let length = self.statement.hash().input_bytes();
                self.inputs.chunks(length).collect()
            }
        }
    }
}
