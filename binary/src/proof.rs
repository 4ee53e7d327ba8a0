//! Proving and verifying statements.

use p3_binary_field::{BinaryField2, Ghash128};
use p3_matrix::dense::RowMajorMatrix;
use p3_multi_stark::{
    MultiStarkProof, ProverInstance, ProverInstances, ProvingError, ReprBackend, SecurityError,
    VerificationError, VerifierInstance, VerifierInstances, prove_with_backend, security_report,
    setup,
};
use p3_sumcheck::layout::Table;
use thiserror::Error;

use crate::air::{CallAir, trace};
use crate::public::PublicBits;
use crate::scheme::{Challenger, Config, F, OpeningError, SettingsError, TreeHash, challenger};
use crate::{Hash, HashCalls, StatementError};

/// Proven bits that a proof has at least. The verifier refuses settings with fewer.
pub const MIN_BITS: usize = 100;

/// A proof of a [`HashCalls`]. It does not contain the statement.
pub struct Proof {
    pub(crate) hash: Hash,
    pub(crate) inner: MultiStarkProof<Config>,
}

impl Proof {
    /// The hash whose calls it proves.
    pub const fn hash(&self) -> Hash {
        self.hash
    }
}

/// Why a statement was not proved.
#[derive(Debug, Error)]
pub enum ProveError {
    /// A call's output is not that of its input.
    #[error("call {call} of {hash} has another output than the hash gives for its input")]
    FalseCall {
        /// Hash of the call.
        hash: Hash,
        /// Index of the call.
        call: usize,
    },
    /// Inputs have another length than those of the hash.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// There are no settings for the statement's shape.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// Plonky3's prover failed.
    #[error("the prover failed: {0}")]
    Prover(String),
}

/// Why a proof was refused.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The proof is one of another hash than the statement.
    #[error("the proof is of calls of {found}, the statement of {expected}")]
    OtherHash {
        /// Hash of the statement.
        expected: Hash,
        /// Hash of the proof.
        found: Hash,
    },
    /// A part of the proof has another length than those of the statement's shape.
    #[error("{part} of the proof has {found} elements, expected {expected}")]
    Shape {
        /// The part.
        part: &'static str,
        /// Elements that it should have.
        expected: usize,
        /// Elements that it has.
        found: usize,
    },
    /// Settings of this shape have fewer bits than [`MIN_BITS`].
    #[error("proven bits: {0}")]
    Bits(String),
    /// The sums and constraints do not hold, or the transcript is one of another statement.
    #[error("constraints: {0}")]
    Constraints(String),
    /// The opening of the trace is false.
    #[error("opening: {0}")]
    Opening(String),
    /// The trace has other inputs or outputs than the statement.
    #[error("bit {bit} of inputs and outputs is another in the trace than in the statement")]
    PublicBit {
        /// Number of the bit among those of a call, first the input's.
        bit: usize,
    },
    /// The statement has no settings.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// There are no settings for the statement's shape.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// Bits of soundness error of a proof.
#[derive(Clone, Debug)]
pub struct Security {
    /// Bits of the sum of all terms.
    pub bits: f64,
    /// Each term with its bits.
    pub terms: Vec<(String, f64)>,
}

/// Proves that the outputs of a statement are those of its inputs.
///
/// The proof is the same at any number of threads.
///
/// # Errors
/// [`ProveError::FalseCall`] if they are not.
pub fn prove(statement: &HashCalls) -> Result<Proof, ProveError> {
    let hash = statement.hash();
    for (call, (input, output)) in statement.calls().enumerate() {
        if hash.output(input)? != output {
            return Err(ProveError::FalseCall { hash, call });
        }
    }
    let config = Config::new(PublicBits::new(statement)?)?;
    let trace = trace(config.public());
    prove_trace(&config, trace, challenger(statement))
}

/// Proves about any trace that it is one of the statement of `config`, true or not.
pub(crate) fn prove_trace(
    config: &Config,
    trace: RowMajorMatrix<u64>,
    mut transcript: Challenger,
) -> Result<Proof, ProveError> {
    type Backend = ReprBackend<BinaryField2, Ghash128, true>;
    let hash = config.public().hash();
    let air = CallAir::new(hash);
    let table = Table::<F>::from_packed_bits(trace, config.public().log_rows());
    let (key, _) = setup(config, &[&air], &mut transcript.clone()).map_err(failed)?;
    let instances = ProverInstances::new(vec![ProverInstance::new(&air, table, &key, &[])]);
    let inner = prove_with_backend::<_, _, Backend>(config, instances, 0, &mut transcript);
    let inner = inner.map_err(failed)?;
    Ok(Proof { hash, inner })
}

fn failed<E: std::fmt::Debug>(error: ProvingError<E>) -> ProveError {
    ProveError::Prover(format!("{error:?}"))
}

/// Verifies that a proof shows a statement, and returns the proven bits of its settings.
///
/// All that is believed is the caller's statement, whose every bit is compared.
///
/// # Errors
/// [`VerifyError`], for every proof that is not one of this statement.
pub fn verify(statement: &HashCalls, proof: &Proof) -> Result<Security, VerifyError> {
    let (expected, found) = (statement.hash(), proof.hash);
    if expected != found {
        return Err(VerifyError::OtherHash { expected, found });
    }
    check_shape(&proof.inner)?;
    let config = Config::new(PublicBits::new(statement)?)?;
    let mut transcript = challenger(statement);
    with_instances(&config, |instances| {
        let security = assess(&config, &instances)?;
        p3_multi_stark::verify(&config, instances, &proof.inner, 0, &mut transcript)
            .map_err(refused)?;
        Ok(security)
    })
}

/// The bits that a proof of a statement has, at least [`MIN_BITS`], before there is one.
///
/// # Errors
/// As [`verify`].
pub fn security(statement: &HashCalls) -> Result<Security, VerifyError> {
    let config = Config::new(PublicBits::new(statement)?)?;
    with_instances(&config, |instances| assess(&config, &instances))
}

/// Calls `then` with what the verifier knows about the one table.
fn with_instances<T>(
    config: &Config,
    then: impl FnOnce(VerifierInstances<'_, Config, CallAir>) -> Result<T, VerifyError>,
) -> Result<T, VerifyError> {
    let air = CallAir::new(config.public().hash());
    // There are no preprocessed columns, for which the transcript would be.
    let mut transcript = Challenger::from_hasher(vec![], TreeHash {});
    let (_, key) = setup(config, &[&air], &mut transcript)
        .map_err(|error| VerifyError::Bits(format!("{error:?}")))?;
    let rows = config.public().log_rows();
    let instance = VerifierInstance::new(&air, &key, rows, &[]);
    then(VerifierInstances::new(vec![instance]))
}

/// Plonky3's report on these settings, which must have [`MIN_BITS`].
fn assess(
    config: &Config,
    instances: &VerifierInstances<'_, Config, CallAir>,
) -> Result<Security, VerifyError> {
    let bits = |error: SecurityError| VerifyError::Bits(error.to_string());
    let report = security_report(config, instances).map_err(bits)?;
    report.require_security(MIN_BITS).map_err(bits)?;
    let terms = report.terms().iter();
    Ok(Security {
        bits: report.security_bits().unwrap_or_default(),
        terms: terms
            .map(|term| (term.label.to_owned(), term.bits.bits()))
            .collect(),
    })
}

fn refused(error: VerificationError<OpeningError>) -> VerifyError {
    match error {
        VerificationError::Opening(OpeningError::PublicBit(bit)) => VerifyError::PublicBit { bit },
        VerificationError::Opening(error) => VerifyError::Opening(error.to_string()),
        VerificationError::Security(error) => VerifyError::Bits(error.to_string()),
        error => VerifyError::Constraints(error.to_string()),
    }
}

/// Plonky3 0.8.0 accepts commitments with more digests than their trees have roots.
fn check_shape(proof: &MultiStarkProof<Config>) -> Result<(), VerifyError> {
    let rounds = proof.opening.opening.opening.rounds.iter();
    let commitments = rounds.map(|round| &round.commitment);
    for commitment in commitments.chain([&proof.commitment]) {
        let found = commitment.roots().len();
        if found != 1 {
            return Err(VerifyError::Shape {
                part: "a commitment",
                expected: 1,
                found,
            });
        }
    }
    Ok(())
}
