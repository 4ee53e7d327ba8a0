//! Circuits that verify proofs about Merkle paths or calls.
//!
//! [`BinaryCircuit`] verifies a proof natively, runs the program that verifies it in the machine,
//! and hands the run to [`crate::aggregate::Aggregator::wrap_run`]: the aggregate can be joined
//! with any other. Its leaf has a key that names protocol, hash, and depth and number of paths or
//! number of calls, and as statement the digest of the list in Poseidon-16 ([`Statement::digest`]).
//! Whoever has the list computes both, by [`BinaryShape::key`] and [`statement`].

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use droste_binary::{BinaryError, Poseidon16, Proof, Statement, verify};
use droste_gadgets::NativeTape;
use droste_native::F;
use thiserror::Error;

use super::{BinaryTapeError, ShapeError, tape};
use crate::circuit::{BinaryShape, CircuitError, RecursionCircuit, Run};
use crate::claim::{Claim, ClaimTree};

type Result<T, E = BinaryCircuitError> = std::result::Result<T, E>;

/// Why a proof about Merkle paths or calls cannot be verified by a circuit.
#[derive(Debug, Error)]
pub enum BinaryCircuitError {
    /// A list that has no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The list does not have the shape that the circuit was made for.
    #[error("the list has the shape {found:?}, expected {expected:?}")]
    OtherShape {
        /// That of the circuit.
        expected: BinaryShape,
        /// That of the list.
        found: BinaryShape,
    },
    /// The proof is not valid.
    #[error("the proof about the list is not valid")]
    Rejected(#[source] Box<BinaryError>),
    /// The hints cannot be written.
    #[error(transparent)]
    Tape(Box<BinaryTapeError>),
    /// The circuit cannot be made, or its program rejects the proof.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
}

/// The statement of this list in claims.
pub fn statement<'a>(list: impl Into<Statement<'a>>) -> [F; 8] {
    list.into().digest::<Poseidon16>()
}

/// The circuit that verifies one proof about Merkle paths or calls of one shape.
#[derive(Debug)]
pub struct BinaryCircuit {
    shape: BinaryShape,
    circuit: Arc<RecursionCircuit>,
}

impl Deref for BinaryCircuit {
    type Target = RecursionCircuit;

    fn deref(&self) -> &RecursionCircuit {
        &self.circuit
    }
}

impl BinaryCircuit {
    /// The circuit of proofs of this shape.
    ///
    /// # Errors
    /// If there are no such proofs.
    pub fn new(shape: impl Into<BinaryShape>) -> Result<Self> {
        let shape = shape.into();
        let circuit = Arc::new(RecursionCircuit::over_binary(shape)?);
        Ok(Self { shape, circuit })
    }

    /// The shape.
    pub const fn binary_shape(&self) -> BinaryShape {
        self.shape
    }

    /// The leaf that a proof about this list is in a claim tree.
    ///
    /// # Errors
    /// If the list is of another shape.
    pub fn leaf<'a>(&self, list: impl Into<Statement<'a>>) -> Result<ClaimTree> {
        let list = list.into();
        self.check(list)?;
        Ok(ClaimTree {
            key: self.shape.key(),
            claim: Claim::Statement(statement(list)),
        })
    }

    fn check(&self, list: Statement<'_>) -> Result<()> {
        let (expected, found) = (self.shape, BinaryShape::of(list.shape())?);
        if found == expected {
            Ok(())
        } else {
            Err(BinaryCircuitError::OtherShape { expected, found })
        }
    }

    /// The hints with which the program accepts a proof about this list.
    ///
    /// # Errors
    /// If it is of another shape, or the program rejects the proof.
    pub fn tape<'a>(
        &self,
        list: impl Into<Statement<'a>>,
        proof: &Proof<Poseidon16>,
    ) -> Result<NativeTape> {
        let list = list.into();
        self.check(list)?;
        let verifier = self.circuit.binary()?;
        tape(&verifier.program, list, proof)
            .map_err(|error| BinaryCircuitError::Tape(Box::new(error)))
    }

    /// Verifies a proof natively, then in the machine. Returns the machine's run, which
    /// [`crate::aggregate::Aggregator::wrap_run`] proves.
    ///
    /// # Errors
    /// If it is not valid, or the list is of another shape.
    pub fn run<'a>(
        &self,
        list: impl Into<Statement<'a>>,
        proof: &Proof<Poseidon16>,
    ) -> Result<Run> {
        let (list, start) = (list.into(), Instant::now());
        BinaryShape::of(list.shape())?;
        verify(list, proof).map_err(|error| BinaryCircuitError::Rejected(Box::new(error)))?;
        let execution = self.circuit.run_tape(&self.tape(list, proof)?)?;
        let trees = vec![self.leaf(list)?];
        let (circuit, compile) = (Arc::clone(&self.circuit), self.compile_time());
        let run = Run::new(circuit, execution, trees, compile, start.elapsed())?;
        Ok(run)
    }
}
