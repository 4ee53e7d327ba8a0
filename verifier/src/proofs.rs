//! Proofs of programs as bytes, in whichever hash they are committed.
//!
//! The hash is chosen here, not by a type parameter, so that provers and verifiers are compiled in
//! this crate, once for each hash, and not in every user of it.

use std::time::{Duration, Instant};

use droste_native::{F, FriSettings, HashId, with_suite};
use droste_vm::codec::{self, DecodeError, EncodeError};
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::{KeyDigest, KeyError, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{self, Proof, ProveError, ProveOptions};
use droste_vm::record::Execution;
use droste_vm::verifier::{self, VerifyError, VerifyOptions};
use thiserror::Error;

use crate::aggregate::{Aggregate, AggregateError, Aggregator, VerifiedProof};
use crate::keys::Recipe;
use crate::summary::{ProofSummary, milliseconds};
use crate::tape::TapeSuite;

/// Why a proof is not made, not accepted, or not wrapped.
#[derive(Debug, Error)]
pub enum ProofError {
    /// The run cannot be proved.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// The proof cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The bytes are no proof.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The proof is not valid, or not a proof of the program, or says something else.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// It cannot be wrapped.
    #[error(transparent)]
    Aggregate(#[from] AggregateError),
}

/// What the caller knows of the program that a proof must be of.
#[derive(Clone, Copy, Debug)]
pub enum Known<'a> {
    /// The program; parameters are taken from the proof.
    Program(&'a Program),
    /// The digest of the key, which binds program and parameters.
    Key(KeyDigest),
    /// Nothing: that the proof is valid under the key that it carries does not show which program
    /// it is a proof of.
    Nothing,
}

/// The proof of a run that was just made and verified.
#[derive(Debug)]
pub struct Proved {
    /// The bytes of its file.
    pub bytes: Vec<u8>,
    /// What it says.
    pub says: ProofSummary,
    /// Time to make it, with its key.
    pub prove: Duration,
}

/// The digest of a program's key, and the tables of its machine.
///
/// # Errors
/// If the program has no key with these settings.
pub fn key(
    hash: HashId,
    program: impl AsRef<Program>,
    settings: FriSettings,
) -> Result<(KeyDigest, Vec<String>), KeyError> {
    with_suite!(hash, H => {
        let key = ProvingKey::<H, StandardTables>::new(program, settings, Heights::Minimal)?;
        Ok((key.key().digest(), key.key().tables.clone()))
    })
}

/// Proves a run and verifies the proof: its statement must begin with `expected`.
///
/// # Errors
/// If the run cannot be proved, or is another.
pub fn prove(
    hash: HashId,
    program: impl AsRef<Program>,
    execution: &Execution,
    expected: &[F],
    options: &ProveOptions,
) -> Result<Proved, ProofError> {
    let program = program.as_ref();
    with_suite!(hash, H => prove_in::<H>(program, execution, expected, options))
}

fn prove_in<H: TapeSuite>(
    program: &Program,
    execution: &Execution,
    expected: &[F],
    options: &ProveOptions,
) -> Result<Proved, ProofError>
where
    StandardTables: Provable<H>,
{
    let start = Instant::now();
    let proof = prover::prove::<H>(program, execution, options)?;
    let prove = start.elapsed();
    let bytes = codec::encode(&proof)?;
    let (known, length) = (Known::Nothing, bytes.len());
    let says = verify_in::<H>(&proof, length, known, expected, VerifyOptions::min_bits(0))?;
    Ok(Proved { bytes, says, prove })
}

/// Decodes a proof and verifies that it is of what the caller knows, that its statement begins with
/// `expected`, and what `options` ask for.
///
/// # Errors
/// Why it is rejected.
pub fn verify(
    bytes: &[u8],
    known: Known<'_>,
    expected: &[F],
    options: VerifyOptions,
) -> Result<ProofSummary, ProofError> {
    with_suite!(codec::hash_of(bytes)?, H => {
        let proof = codec::decode::<H>(bytes)?;
        Ok(verify_in::<H>(&proof, bytes.len(), known, expected, options)?)
    })
}

fn verify_in<H: TapeSuite>(
    proof: &Proof<H>,
    length: usize,
    known: Known<'_>,
    expected: &[F],
    options: VerifyOptions,
) -> Result<ProofSummary, VerifyError>
where
    StandardTables: Provable<H>,
{
    let start = Instant::now();
    if let Known::Key(expected) = known {
        let found = proof.key.digest();
        if expected != found {
            return Err(VerifyError::Key { expected, found });
        }
    }
    let report = match known {
        Known::Program(program) => {
            verifier::verify_program::<H, StandardTables>(program, expected, options, proof)
        }
        Known::Key(_) | Known::Nothing => {
            verifier::verify::<H, StandardTables>(&proof.key, expected, options, proof)
        }
    }?;
    let verify_ms = milliseconds(start.elapsed());
    Ok(ProofSummary::new(proof, &report, length, verify_ms))
}

impl Aggregator {
    /// Decodes the proof of a program, verifies it ([`VerifiedProof::of_program`]) and wraps it
    /// ([`Self::wrap`]).
    ///
    /// # Errors
    /// Why it is rejected, or not wrapped.
    pub fn wrap_bytes(
        &self,
        bytes: &[u8],
        program: impl AsRef<Program>,
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<Aggregate, ProofError> {
        with_suite!(codec::hash_of(bytes)?, H => {
            let proof = codec::decode::<H>(bytes)?;
            let proof = VerifiedProof::of_program(proof, program, expected, options)?;
            Ok(self.wrap(&proof)?)
        })
    }

    /// The recipe of the key of a proof's wrap ([`Self::wrap_recipe`]). The proof is verified under
    /// the key that it carries.
    ///
    /// # Errors
    /// If it is not valid, or one wrap does not bring it to the canonical shape.
    pub fn wrap_recipe_of_bytes(&self, bytes: &[u8]) -> Result<Recipe, ProofError> {
        with_suite!(codec::hash_of(bytes)?, H => {
            let proof = VerifiedProof::under_its_own_key(codec::decode::<H>(bytes)?)?;
            Ok(self.wrap_recipe(&proof)?)
        })
    }
}
