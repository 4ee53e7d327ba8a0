//! What proves a machine is a choice: one trait for provers of runs, one for verifiers, for code
//! that is to work with either proof stack.
//!
//! | stack | prover | verifier |
//! |---|---|---|
//! | batch STARKs over FRI | [`crate::key::ProvingKey`] | [`crate::verifier::Verifier`] |
//! | sumcheck, LogUp with GKR, WHIR | [`crate::whir::ProvingKey`] | [`crate::whir::Verifier`] |

use std::error::Error;

use droste_native::{F, HashSuite};
use p3_matrix::dense::RowMajorMatrix;

use crate::key::{KeyDigest, ProvingKey};
use crate::machine::Provable;
use crate::prover;
use crate::record::Execution;
use crate::tables::LANES;
use crate::verifier::{Verifier, VerifyError};
use crate::whir;

/// A key with which runs of its program are proved.
pub trait Prove {
    /// A proof of a run.
    type Proof;
    /// Why no proof is made.
    type Error: Error + Send + Sync + 'static;

    /// Returns the traces of a run, one per table, in the machine's order.
    ///
    /// # Errors
    /// If the run does not fit the key's heights, or reads outside its memory.
    fn traces(&self, execution: &Execution) -> Result<Vec<RowMajorMatrix<F>>, Self::Error>;

    /// Proves given traces for a statement.
    ///
    /// Whether traces that are not those of a run are an error here or only for the verifier
    /// depends on the stack. It does not panic.
    ///
    /// # Errors
    /// At least for traces of the wrong shape.
    fn prove_traces(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
    ) -> Result<Self::Proof, Self::Error>;

    /// Proves a run of the key's program.
    ///
    /// # Errors
    /// As [`Self::traces`] and [`Self::prove_traces`].
    fn prove_run(&self, execution: &Execution) -> Result<Self::Proof, Self::Error> {
        let traces = self.traces(execution)?;
        self.prove_traces(execution.statement, &traces)
    }
}

/// What an accepted proof states, in either stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Digest of the key under which the proof was accepted.
    pub key: KeyDigest,
    /// Public inputs, then outputs, then zeros.
    pub statement: [F; LANES],
    /// Proven bits of this proof.
    pub bits: usize,
}

/// A checked key, with which proofs are verified.
pub trait Verify {
    /// A proof of a run.
    type Proof;
    /// Why a proof is rejected.
    type Error: Error + Send + Sync + 'static;

    /// Verifies that a proof is one of this key, that its statement begins with `expected`, and
    /// that it has at least `min_bits` proven bits. No proof makes it panic.
    ///
    /// # Errors
    /// Why the proof is rejected.
    fn accept(
        &self,
        expected: &[F],
        min_bits: usize,
        proof: &Self::Proof,
    ) -> Result<Accepted, Self::Error>;
}

impl<H: HashSuite, T: Provable<H>> Prove for ProvingKey<H, T> {
    type Proof = prover::Proof<H>;
    type Error = prover::ProveError;

    fn traces(&self, execution: &Execution) -> Result<Vec<RowMajorMatrix<F>>, Self::Error> {
        prover::traces(self, execution)
    }

    fn prove_traces(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
    ) -> Result<Self::Proof, Self::Error> {
        prover::prove_traces(self, statement, traces)
    }

    /// Traces are passed by value, so that they are not copied.
    fn prove_run(&self, execution: &Execution) -> Result<Self::Proof, Self::Error> {
        prover::prove_with_key(self, execution)
    }
}

impl<H: HashSuite, T: Provable<H>> Verify for Verifier<H, T> {
    type Proof = prover::Proof<H>;
    type Error = VerifyError;

    fn accept(
        &self,
        expected: &[F],
        min_bits: usize,
        proof: &Self::Proof,
    ) -> Result<Accepted, Self::Error> {
        let report = self.verify(expected, min_bits, proof)?;
        Ok(Accepted {
            key: report.key,
            statement: report.statement,
            bits: report.security.bits(),
        })
    }
}

impl<T: whir::Provable> Prove for whir::ProvingKey<T> {
    type Proof = whir::Proof;
    type Error = whir::ProveError;

    fn traces(&self, execution: &Execution) -> Result<Vec<RowMajorMatrix<F>>, Self::Error> {
        self.traces(execution)
    }

    fn prove_traces(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
    ) -> Result<Self::Proof, Self::Error> {
        self.prove_traces(statement, traces)
    }
}

impl<T: whir::Provable> Verify for whir::Verifier<T> {
    type Proof = whir::Proof;
    type Error = whir::VerifyError;

    fn accept(
        &self,
        expected: &[F],
        min_bits: usize,
        proof: &Self::Proof,
    ) -> Result<Accepted, Self::Error> {
        let report = self.verify(expected, min_bits, proof)?;
        Ok(Accepted {
            key: report.key,
            statement: report.statement,
            bits: report.security.bits(),
        })
    }
}
