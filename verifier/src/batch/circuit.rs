//! Circuits that verify proofs about Merkle paths.
//!
//! [`PathsCircuit`] verifies a proof natively, runs the program that verifies it in the machine, and
//! hands the run to [`crate::aggregate::Aggregator::wrap_run`]: the aggregate can be joined with any
//! other. Its leaf has a key that names protocol, hash, depth and number of paths, and as statement
//! the digest of the list of paths in Poseidon-16 ([`Statement::digest`]). Whoever has the list
//! computes both, by [`PathsShape::key`] and [`statement`].

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use droste_batch::paths::{MerklePaths, Path};
use droste_batch::proof::DOMAIN;
use droste_batch::statement::Statement;
use droste_batch::{Poseidon16, Proof, ProofError, verify_paths};
use droste_gadgets::NativeTape;
use droste_native::F;
use droste_vm::key::{KeyDigest, Message};
use thiserror::Error;

use super::{BatchTapeError, ShapeError, tape};
use crate::circuit::{CircuitError, PathsShape, RecursionCircuit, Run};
use crate::claim::{Claim, ClaimTree};
use crate::keys::power;
use crate::tags::PATHS_KEY_TAG;

type Result<T, E = PathsError> = std::result::Result<T, E>;

/// Why a proof about Merkle paths is no child.
#[derive(Debug, Error)]
pub enum PathsError {
    /// A list that has no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The list is of another shape than the circuit.
    #[error("the paths have the shape {found:?}, expected {expected:?}")]
    OtherShape {
        /// That of the circuit.
        expected: PathsShape,
        /// That of the list.
        found: PathsShape,
    },
    /// The proof is not valid.
    #[error("the proof about paths is not valid")]
    Rejected(#[source] Box<ProofError>),
    /// The hints cannot be written.
    #[error(transparent)]
    Tape(Box<BatchTapeError>),
    /// The circuit cannot be made, or its program rejects the proof.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
}

impl PathsShape {
    /// The shape of proofs about these paths.
    ///
    /// # Errors
    /// If there is none.
    pub fn of(paths: &MerklePaths) -> Result<Self> {
        let (count, depth) = (paths.paths().len(), paths.depth());
        let shape = Self {
            hash: paths.hash().number(),
            log_depth: depth.max(1).ilog2() as usize,
            log_paths: count.max(1).ilog2() as usize,
        };
        let powers = depth.is_power_of_two() && count.is_power_of_two();
        match powers && shape.check().is_ok() {
            true => Ok(shape),
            false => Err(ShapeError::Numbers {
                paths: count,
                depth,
            }
            .into()),
        }
    }

    /// Paths of this shape, of zeros.
    ///
    /// # Errors
    /// If there are none.
    pub(crate) fn any_paths(&self) -> Result<MerklePaths, ShapeError> {
        let hash = self.hash().filter(|_| self.check().is_ok());
        let (paths, depth) = (power(self.log_paths), power(self.log_depth));
        let any = Path {
            leaf: [0; 32],
            index: 0,
            root: [0; 32],
        };
        hash.and_then(|hash| MerklePaths::new(hash, depth, vec![any; paths]).ok())
            .ok_or(ShapeError::Numbers { paths, depth })
    }

    /// The key of proofs of this shape in claims: the hash under [`PATHS_KEY_TAG`] of the name of
    /// the protocol and the numbers of the shape.
    pub fn key(&self) -> KeyDigest {
        let mut message = Message::default();
        message.text(DOMAIN);
        message.numbers(&[self.hash.into(), self.log_depth, self.log_paths]);
        KeyDigest(message.digest(PATHS_KEY_TAG))
    }
}

/// The statement of these paths in claims.
pub fn statement(paths: &MerklePaths) -> [F; 8] {
    Statement::Paths(paths).digest::<Poseidon16>()
}

/// The circuit that verifies one proof about Merkle paths of one shape.
#[derive(Debug)]
pub struct PathsCircuit {
    shape: PathsShape,
    circuit: Arc<RecursionCircuit>,
}

impl Deref for PathsCircuit {
    type Target = RecursionCircuit;

    fn deref(&self) -> &RecursionCircuit {
        &self.circuit
    }
}

impl PathsCircuit {
    /// The circuit of proofs of this shape.
    ///
    /// # Errors
    /// If there are no such proofs.
    pub fn new(shape: PathsShape) -> Result<Self> {
        let circuit = Arc::new(RecursionCircuit::over_paths(shape)?);
        Ok(Self { shape, circuit })
    }

    /// The shape.
    pub const fn paths_shape(&self) -> PathsShape {
        self.shape
    }

    /// The leaf that a proof about these paths is in a claim tree.
    pub fn leaf(&self, paths: &MerklePaths) -> ClaimTree {
        ClaimTree {
            key: self.shape.key(),
            claim: Claim::Statement(statement(paths)),
        }
    }

    /// The hints with which the program accepts a proof about these paths.
    ///
    /// # Errors
    /// If they are of another shape, or the program rejects the proof.
    pub fn tape(&self, paths: &MerklePaths, proof: &Proof<Poseidon16>) -> Result<NativeTape> {
        let (expected, found) = (self.shape, PathsShape::of(paths)?);
        if found != expected {
            return Err(PathsError::OtherShape { expected, found });
        }
        let verifier = self.circuit.paths()?;
        tape(&verifier.shape, paths, proof).map_err(|error| PathsError::Tape(Box::new(error)))
    }

    /// Verifies a proof natively, then in the machine. Returns the machine's run, which
    /// [`crate::aggregate::Aggregator::wrap_run`] proves.
    ///
    /// # Errors
    /// If it is not valid, or the paths are of another shape.
    pub fn run(&self, paths: &MerklePaths, proof: &Proof<Poseidon16>) -> Result<Run> {
        let start = Instant::now();
        let verified = verify_paths(paths, proof);
        verified.map_err(|error| PathsError::Rejected(Box::new(error)))?;
        let execution = self.circuit.run_tape(&self.tape(paths, proof)?)?;
        let trees = vec![self.leaf(paths)];
        let (circuit, compile) = (Arc::clone(&self.circuit), self.compile_time());
        let run = Run::new(circuit, execution, trees, compile, start.elapsed())?;
        Ok(run)
    }
}
