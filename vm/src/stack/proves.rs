//! Provers of runs, verifiers and proofs of either stack, behind traits.

use droste_native::codec::{DecodeError, EncodeError};
use droste_native::whir::WhirSettings;
use droste_native::{F, FriSettings, HashSuite};
use p3_matrix::dense::RowMajorMatrix;

use crate::fri::{self, ProvingKey, Verifier};
use crate::heights::Heights;
use crate::isa::Program;
use crate::key::{Key, KeyError, ProofSystem};
use crate::machine::Provable;
use crate::record::Execution;
use crate::stack::ProveError;
use crate::tables::LANES;
use crate::verifier::{Report, VerifyError, VerifyOptions};
use crate::whir;

/// A key with which runs of its program are proved.
pub trait Prove {
    /// A proof of a run.
    type Proof;

    /// Returns the traces of a run, one per table, in the machine's order.
    ///
    /// # Errors
    /// If the run does not fit the key's heights, or reads outside its memory.
    fn traces(&self, execution: &Execution) -> Result<Vec<RowMajorMatrix<F>>, ProveError>;

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
    ) -> Result<Self::Proof, ProveError>;

    /// Proves a run of the key's program.
    ///
    /// # Errors
    /// As [`Self::traces`] and [`Self::prove_traces`].
    fn prove_run(&self, execution: &Execution) -> Result<Self::Proof, ProveError> {
        let traces = self.traces(execution)?;
        self.prove_traces(execution.statement, &traces)
    }
}

/// A checked key, with which proofs are verified.
pub trait Verify {
    /// A proof of a run.
    type Proof;

    /// Verifies that a proof is one of this key, that its statement begins with `expected`, and
    /// what `options` ask for. No proof makes it panic.
    ///
    /// # Errors
    /// Why the proof is rejected.
    fn report(
        &self,
        expected: &[F],
        options: VerifyOptions,
        proof: &Self::Proof,
    ) -> Result<Report, VerifyError>;
}

/// What every proof of a run says, in either stack.
pub trait RunProof: Sized {
    /// The proof system.
    type System: ProofSystem;

    /// The key of the proof. The prover chose it.
    fn key(&self) -> &Key<Self::System>;

    /// Public inputs, then outputs, then zeros.
    fn statement(&self) -> [F; LANES];

    /// Logarithms of the heights of the tables, in the machine's order.
    fn log_heights(&self) -> &[usize];

    /// The bytes of the proof's file.
    ///
    /// # Errors
    /// None for proofs that a prover made.
    fn encode(&self) -> Result<Vec<u8>, EncodeError>;

    /// Decodes a proof file.
    ///
    /// # Errors
    /// If the bytes are not exactly what [`Self::encode`] writes for some proof.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>;
}

/// A proof system that proves runs on machines of tables `T`: over FRI a hash suite, over WHIR
/// [`Whir`](whir::Whir) of one.
pub trait Proves<T>: ProofSystem {
    /// A proof of a run.
    type Proof: RunProof<System = Self>;
    /// A key that proves runs of its program.
    type ProvingKey: Prove<Proof = Self::Proof>;
    /// A key that verifies proofs.
    type Verifier: Verify<Proof = Self::Proof>;

    /// Makes the key of a program.
    ///
    /// # Errors
    /// Anything that makes a proof impossible whatever the run is.
    fn proving_key(
        program: &Program,
        settings: Self::Settings,
        heights: Heights,
    ) -> Result<Self::ProvingKey, KeyError>;

    /// The verification key of such a key.
    fn verification_key(key: &Self::ProvingKey) -> &Key<Self>;

    /// Checks a key and prepares it for verifying proofs.
    ///
    /// # Errors
    /// If no proof of this key can be accepted.
    fn verifier(key: Key<Self>) -> Result<Self::Verifier, VerifyError>;

    /// Logarithm of the number of rows, blowup included, of the commitment to a program whose table
    /// has `2^program_log_height` rows.
    fn committed_log_rows(settings: &Self::Settings, program_log_height: usize) -> usize;
}

impl<H: HashSuite, T: Provable<H>> Prove for ProvingKey<H, T> {
    type Proof = fri::Proof<H>;

    fn traces(&self, execution: &Execution) -> Result<Vec<RowMajorMatrix<F>>, ProveError> {
        fri::traces(self, execution)
    }

    fn prove_traces(
        &self,
        statement: [F; LANES],
        traces: &[RowMajorMatrix<F>],
    ) -> Result<Self::Proof, ProveError> {
        fri::prove_traces(self, statement, traces)
    }
}

impl<H: HashSuite, T: Provable<H>> Verify for Verifier<H, T> {
    type Proof = fri::Proof<H>;

    fn report(
        &self,
        expected: &[F],
        options: VerifyOptions,
        proof: &Self::Proof,
    ) -> Result<Report, VerifyError> {
        self.verify(expected, options, proof)
    }
}

impl<H: HashSuite> RunProof for fri::Proof<H> {
    type System = H;

    fn key(&self) -> &Key<H> {
        &self.key
    }

    fn statement(&self) -> [F; LANES] {
        self.statement
    }

    fn log_heights(&self) -> &[usize] {
        &self.batch.degree_bits
    }

    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        fri::encode(self)
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        fri::decode(bytes)
    }
}

impl<H: HashSuite, T: Provable<H>> Proves<T> for H {
    type Proof = fri::Proof<H>;
    type ProvingKey = ProvingKey<H, T>;
    type Verifier = Verifier<H, T>;

    fn proving_key(
        program: &Program,
        settings: FriSettings,
        heights: Heights,
    ) -> Result<ProvingKey<H, T>, KeyError> {
        ProvingKey::new(program, settings, heights)
    }

    fn verification_key(key: &ProvingKey<H, T>) -> &Key<H> {
        key.key()
    }

    fn verifier(key: Key<H>) -> Result<Verifier<H, T>, VerifyError> {
        Verifier::new(key)
    }

    fn committed_log_rows(settings: &FriSettings, program_log_height: usize) -> usize {
        program_log_height.saturating_add(settings.log_blowup)
    }
}

impl<T: whir::Provable, H: HashSuite> Verify for whir::Verifier<T, H> {
    type Proof = whir::Proof<H>;

    fn report(
        &self,
        expected: &[F],
        options: VerifyOptions,
        proof: &Self::Proof,
    ) -> Result<Report, VerifyError> {
        self.verify(expected, options, proof)
    }
}

impl<H: HashSuite> RunProof for whir::Proof<H> {
    type System = whir::Whir<H>;

    fn key(&self) -> &whir::Key<H> {
        &self.key
    }

    fn statement(&self) -> [F; LANES] {
        self.statement
    }

    fn log_heights(&self) -> &[usize] {
        &self.log_heights
    }

    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        whir::encode(self)
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        whir::decode(bytes)
    }
}

impl<T: whir::Provable, H: HashSuite> Proves<T> for whir::Whir<H> {
    type Proof = whir::Proof<H>;
    type ProvingKey = whir::ProvingKey<T, H>;
    type Verifier = whir::Verifier<T, H>;

    fn proving_key(
        program: &Program,
        settings: WhirSettings,
        heights: Heights,
    ) -> Result<whir::ProvingKey<T, H>, KeyError> {
        whir::ProvingKey::new(program, settings, heights)
    }

    fn verification_key(key: &whir::ProvingKey<T, H>) -> &whir::Key<H> {
        key.key()
    }

    fn verifier(key: whir::Key<H>) -> Result<whir::Verifier<T, H>, VerifyError> {
        whir::Verifier::new(key)
    }

    /// A row of this commitment has a cell of each row of the stack.
    fn committed_log_rows(settings: &WhirSettings, _: usize) -> usize {
        settings.log_block.saturating_add(settings.log_blowup)
    }
}
