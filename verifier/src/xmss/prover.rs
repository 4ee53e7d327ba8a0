//! Proves batches of signatures.

use droste_native::{FriSettings, HashSuite};
use droste_vm::compiler::{CompileError, Compiled};
use droste_vm::executor::{RunError, execute};
use droste_vm::heights::Heights;
use droste_vm::key::{Key, KeyError, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveError, prove_with_key};
use thiserror::Error;

use super::{Batch, BatchError, BatchProgram};

/// Bound on the instructions of a signature, of a key's place in the tree, and of the rest.
const INSTRUCTIONS: u64 = 1 << 10;

/// Why a batch is not proved.
#[derive(Debug, Error)]
pub enum BatchProofError {
    /// The program does not compile, which is an error of this crate.
    #[error("the program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// The settings make no key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A signature is not valid, or their number is not one that the program takes.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The program does not accept what was verified natively, which is an error of this crate.
    #[error("the program does not verify the batch")]
    Run(#[source] Box<RunError>),
    /// The run cannot be proved.
    #[error(transparent)]
    Prove(#[from] ProveError),
}

/// A program, compiled once, with the key that proves its runs.
#[derive(Debug)]
pub struct BatchProver<H: HashSuite> {
    program: BatchProgram,
    compiled: Compiled,
    key: ProvingKey<H, StandardTables>,
}

impl<H: HashSuite> BatchProver<H>
where
    StandardTables: Provable<H>,
{
    /// Compiles a program and commits to it.
    ///
    /// # Errors
    /// If the settings are out of range.
    pub fn new(program: BatchProgram, settings: FriSettings) -> Result<Self, BatchProofError> {
        let compiled = program.compile().map_err(BatchProofError::Compile)?;
        let key = ProvingKey::new(&compiled.program, settings, Heights::Minimal)?;
        Ok(Self {
            program,
            compiled,
            key,
        })
    }

    /// The program.
    pub const fn program(&self) -> &BatchProgram {
        &self.program
    }

    /// The compiled program.
    pub const fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The key of the proofs: it is the same for all batches.
    pub fn key(&self) -> &Key<H> {
        self.key.key()
    }

    /// Proves that all signatures of a batch are valid.
    ///
    /// # Errors
    /// Names the first signature that is not; also if there are none or too many.
    pub fn prove(&self, batch: &Batch) -> Result<Proof<H>, BatchProofError> {
        let tape = self.program.tape(batch)?;
        let limit = INSTRUCTIONS << (self.program.log_keys() + 2);
        let execution = execute(&self.compiled, &[], &tape, limit);
        let execution = execution.map_err(|error| BatchProofError::Run(Box::new(error)))?;
        Ok(prove_with_key(&self.key, &execution)?)
    }
}
