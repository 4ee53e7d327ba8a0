//! Proofs of programs as bytes, of either stack and in whichever hash they are committed.
//!
//! Stack and hash are chosen here, not by a type parameter, so that provers and verifiers are
//! compiled in this crate, once for each pair, and not in every user of it.

use std::time::{Duration, Instant};

use droste_native::codec::{DecodeError, EncodeError};
use droste_native::{F, HashId, with_suite};
use droste_vm::fri;
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::{KeyDigest, KeyError, ProofSystem};
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::{
    self, Parameters, Prove, ProveError, Proves, RunProof, Stack, StackSettings, Verify,
};
use droste_vm::verifier::{Difference, VerifyError, VerifyOptions, verify_program};
use droste_vm::whir::{self, Whir};
use thiserror::Error;

use crate::aggregate::{Aggregate, AggregateError, Aggregator, VerifiedProof};
use crate::circuit::{LeafProof, with_proof};
use crate::keys::{DigestKind, Recipe};
use crate::summary::{ProofSummary, kind_of_key, milliseconds};

/// Why a proof is not made, not accepted, or not wrapped.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum ProofError {
    /// The run cannot be proved.
    Prove(#[from] ProveError),
    /// The proof cannot be encoded.
    Encode(#[from] EncodeError),
    /// The bytes are no proof.
    Decode(#[from] DecodeError),
    /// The proof is not valid, or not a proof of the program, or says something else.
    Verify(#[from] VerifyError),
    /// It cannot be wrapped.
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

/// The digest of a program's key, and the tables of its machine. The settings say the stack.
///
/// # Errors
/// If the program has no key with these settings.
pub fn key(
    hash: HashId,
    program: impl AsRef<Program>,
    settings: impl Into<StackSettings>,
    heights: Heights,
) -> Result<(KeyDigest, Vec<String>), KeyError> {
    let program = program.as_ref();
    with_suite!(hash, H => match settings.into() {
        StackSettings::Fri(settings) => key_in::<H>(program, settings, heights),
        StackSettings::Whir(settings) => key_in::<Whir<H>>(program, settings, heights),
    })
}

fn key_in<S: Proves<StandardTables>>(
    program: &Program,
    settings: S::Settings,
    heights: Heights,
) -> Result<(KeyDigest, Vec<String>), KeyError> {
    let key = S::proving_key(program, settings, heights)?;
    let key = S::verification_key(&key);
    Ok((key.digest(), key.tables.clone()))
}

/// Proves a run, at the least heights that fit it, and verifies the proof: its statement must begin
/// with `expected`. The settings say the stack.
///
/// # Errors
/// If the run cannot be proved, or is another.
pub fn prove(
    hash: HashId,
    program: impl AsRef<Program>,
    execution: &Execution,
    expected: &[F],
    settings: impl Into<StackSettings>,
) -> Result<Proved, ProofError> {
    let program = program.as_ref();
    with_suite!(hash, H => match settings.into() {
        StackSettings::Fri(settings) => {
            prove_in::<fri::Proof<H>>(program, execution, expected, settings)
        }
        StackSettings::Whir(settings) => {
            prove_in::<whir::Proof<H>>(program, execution, expected, settings)
        }
    })
}

fn prove_in<P: LeafProof>(
    program: &Program,
    execution: &Execution,
    expected: &[F],
    settings: <P::System as ProofSystem>::Settings,
) -> Result<Proved, ProofError> {
    let start = Instant::now();
    let key = P::System::proving_key(program, settings, Heights::Minimal);
    let proof = key.map_err(ProveError::from)?.prove_run(execution)?;
    let prove = start.elapsed();
    let bytes = proof.encode()?;
    let (known, length) = (Known::Nothing, bytes.len());
    let says = verify_in(&proof, length, known, expected, VerifyOptions::min_bits(0))?;
    Ok(Proved { bytes, says, prove })
}

/// What a proof says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Its stack.
    pub stack: Stack,
    /// The hash in which it is committed.
    pub hash: HashId,
    /// Digest of its key.
    pub key: KeyDigest,
    /// Whether that is an exit key.
    pub key_is: DigestKind,
    /// What its key depends on beside the program. They may be out of range.
    pub parameters: Parameters,
    /// Its statement.
    pub statement: [F; 8],
}

/// Decodes a proof, of which nothing is verified.
///
/// # Errors
/// If the bytes are not exactly those of a proof.
pub fn claimed(bytes: &[u8]) -> Result<Claimed, DecodeError> {
    let (stack, hash) = (stack::stack_of(bytes), stack::hash_of(bytes)?);
    with_proof!(stack, hash, P => {
        let proof = P::decode(bytes)?;
        Ok(Claimed {
            stack,
            hash,
            key: proof.key().digest(),
            key_is: kind_of_key(&proof),
            parameters: proof.key().parameters(),
            statement: proof.statement(),
        })
    })
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
    with_proof!(stack::stack_of(bytes), stack::hash_of(bytes)?, P => {
        let proof = P::decode(bytes)?;
        Ok(verify_in(&proof, bytes.len(), known, expected, options)?)
    })
}

fn verify_in<P: LeafProof>(
    proof: &P,
    length: usize,
    known: Known<'_>,
    expected: &[F],
    options: VerifyOptions,
) -> Result<ProofSummary, VerifyError> {
    let start = Instant::now();
    if let Known::Key(expected) = known {
        let found = proof.key().digest();
        if expected != found {
            let differs = format!("it is a proof at {}", proof.key().parameters());
            return Err(VerifyError::Key {
                expected,
                found,
                differs: Box::new(Difference(differs)),
            });
        }
    }
    let report = match known {
        Known::Program(program) => {
            verify_program::<P::System, StandardTables>(program, expected, options, proof)
        }
        Known::Key(_) | Known::Nothing => {
            P::System::verifier(proof.key().clone())?.report(expected, options, proof)
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
        with_proof!(stack::stack_of(bytes), stack::hash_of(bytes)?, P => {
            let proof = P::decode(bytes)?;
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
        with_proof!(stack::stack_of(bytes), stack::hash_of(bytes)?, P => {
            let proof = VerifiedProof::under_its_own_key(P::decode(bytes)?)?;
            Ok(self.wrap_recipe(&proof)?)
        })
    }
}
