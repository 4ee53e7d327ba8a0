//! Proves batches of signatures.

use std::io;
use std::path::{Path, PathBuf};

use droste_native::codec::{self, EncodeError};
use droste_native::whir::WhirSettings;
use droste_native::{HashSuite, files};
use droste_vm::compiler::{CompileError, Compiled};
use droste_vm::executor::{RunError, execute};
use droste_vm::heights::Heights;
use droste_vm::key::KeyError;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::{Prove, ProveError};
use droste_vm::verifier::{VerifyError, VerifyOptions};
use droste_vm::whir::{self, Key, Proof, ProvingKey, Verifier};
use p3_field::PrimeField32;
use thiserror::Error;

use super::{
    SignatureBatch, SignatureBatchClaim, SignatureBatchError, SignatureBatchProgram, TooManyRows,
};
use crate::resources::estimated_bytes_over_whir;

/// Bound on the instructions of a signature, of a key's place in the tree, and of the rest.
const INSTRUCTIONS: u64 = 1 << 10;

/// Why a batch is not proved.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum SignatureBatchProofError {
    /// The program does not compile, which is an error of this crate.
    #[error("the program does not compile")]
    Compile(#[source] Box<CompileError>),
    /// Verifiers would not commit to the program.
    TooManyRows(#[from] TooManyRows),
    /// The settings make no key.
    Key(#[from] KeyError),
    /// A signature is not valid, or their number is not one that the program takes.
    Batch(#[from] SignatureBatchError),
    /// The program does not accept what was verified natively, which is an error of this crate.
    #[error("the program does not verify the batch")]
    Run(#[source] Box<RunError>),
    /// The run cannot be proved.
    Prove(#[from] ProveError),
    /// The tables of the proof are out of range.
    Tables(#[from] VerifyError),
    /// The proof cannot be encoded.
    Encode(#[from] EncodeError),
    /// The proof cannot be written.
    #[error("{}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

/// A program, compiled once, with the key that proves its runs.
#[derive(Debug)]
pub struct SignatureBatchProver<H: HashSuite> {
    program: SignatureBatchProgram,
    compiled: Compiled,
    key: ProvingKey<StandardTables, H>,
}

impl<H: HashSuite> SignatureBatchProver<H> {
    /// Compiles a program and commits to it.
    ///
    /// # Errors
    /// If the settings are out of range, or verifiers would not commit to the program.
    pub fn new(
        program: SignatureBatchProgram,
        settings: WhirSettings,
    ) -> Result<Self, SignatureBatchProofError> {
        TooManyRows::check(&settings)?;
        let compiled = program
            .compile()
            .map_err(SignatureBatchProofError::Compile)?;
        let key = ProvingKey::new(&compiled, settings, Heights::Minimal)?;
        Ok(Self {
            program,
            compiled,
            key,
        })
    }

    /// The program.
    pub const fn program(&self) -> &SignatureBatchProgram {
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
    pub fn prove(&self, batch: &SignatureBatch) -> Result<Proof<H>, SignatureBatchProofError> {
        Ok(self.key.prove_run(&self.execute(batch)?)?)
    }

    /// Estimates the bytes of memory that [`Self::prove`] needs. The signatures are verified, and
    /// the program is run.
    ///
    /// # Errors
    /// As for [`Self::prove`].
    pub fn memory(&self, batch: &SignatureBatch) -> Result<usize, SignatureBatchProofError> {
        let log_heights = self.key.log_heights(&self.execute(batch)?)?;
        let (scheme, shape) = self.verifier()?.shape(&log_heights)?;
        Ok(estimated_bytes_over_whir(&scheme, &shape))
    }

    /// Name of the file in which a run keeps the proof of a claim: the digest of the key, and the
    /// statement. `None` if the program does not take so many keys.
    pub fn file_name(&self, claim: &SignatureBatchClaim) -> Option<String> {
        let statement = claim.statement(self.program.log_keys())?;
        let statement = statement.map(|lane| format!("{:08x}", lane.as_canonical_u32()));
        Some(format!(
            "{}-{}.proof",
            self.key().digest(),
            statement.concat()
        ))
    }

    /// The bytes of the proof of a claim that a run before kept in a folder, if it is valid.
    pub fn kept(&self, claim: &SignatureBatchClaim, folder: &Path) -> Option<Vec<u8>> {
        let statement = claim.statement(self.program.log_keys())?;
        let path = folder.join(self.file_name(claim)?);
        // Reading a pipe or a device might never end.
        files::check_is_file(&path).ok()?;
        let bytes = codec::read_file(&path).ok()?;
        let proof = whir::decode::<H>(&bytes).ok()?;
        let verifier = self.verifier().ok()?;
        let verified = verifier.verify(&statement, VerifyOptions::min_bits(0), &proof);
        verified.ok()?;
        Some(bytes)
    }

    /// The bytes of a proof of a batch: the one that a run before kept in a folder, or a new one,
    /// which is kept there.
    ///
    /// # Errors
    /// As for [`Self::prove`], and if the file cannot be written.
    pub fn prove_kept(
        &self,
        batch: &SignatureBatch,
        folder: &Path,
    ) -> Result<Vec<u8>, SignatureBatchProofError> {
        let claim = batch.claim();
        if let Some(bytes) = self.kept(&claim, folder) {
            return Ok(bytes);
        }
        let bytes = whir::encode(&self.prove(batch)?)?;
        if let Some(name) = self.file_name(&claim) {
            let path = folder.join(name);
            let written = files::replace(&path, &bytes);
            written.map_err(|source| SignatureBatchProofError::Write { path, source })?;
        }
        Ok(bytes)
    }

    fn verifier(&self) -> Result<Verifier<StandardTables, H>, VerifyError> {
        Verifier::new(self.key().clone())
    }

    /// Verifies the signatures and runs the program.
    fn execute(&self, batch: &SignatureBatch) -> Result<Execution, SignatureBatchProofError> {
        let tape = self.program.tape(batch)?;
        let limit = INSTRUCTIONS << (self.program.log_keys() + 2);
        let execution = execute(&self.compiled, &[], &tape, limit);
        execution.map_err(|error| SignatureBatchProofError::Run(Box::new(error)))
    }
}
