//! Proving and verifying statements.

use std::sync::OnceLock;

use p3_binary_field::{BinaryField2, Ghash128};
use p3_matrix::dense::RowMajorMatrix;
use p3_multi_stark::{
    MultiStarkProof, ProverInstance, ProverInstances, ProvingKey, ReprBackend, SecurityError,
    VerificationError, VerifierInstance, VerifierInstances, VerifyingKey, prove_with_backend,
    security_report, setup,
};
use p3_sumcheck::layout::Table;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::air::{CallAir, trace};
use crate::paths::SiblingsError;
use crate::public::PublicBits;
use crate::scheme::{Challenger, Config, F, OpeningError, SettingsError, TreeHash, challenger};
use crate::{Hash, HashCalls, StatementError};

/// Proven bits that a proof has at least. The verifier refuses settings with fewer.
pub const MIN_BITS: usize = 100;

/// A proof of a [`HashCalls`] or of [`MerklePaths`](crate::paths::MerklePaths). It does not contain
/// the statement.
#[derive(Serialize, Deserialize)]
pub struct Proof {
    /// The statement's digest, only to name the error if it is another one.
    pub(crate) statement: [u8; 32],
    pub(crate) inner: MultiStarkProof<Config>,
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
    /// Siblings do not lead from the leaves to the roots.
    #[error(transparent)]
    Siblings(#[from] SiblingsError),
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
    /// The proof is one of another list of calls.
    #[error("the proof is of another list of calls than the {calls} of {hash} that are expected")]
    OtherStatement {
        /// Hash of the statement.
        hash: Hash,
        /// Calls of the statement.
        calls: usize,
    },
    /// The proof is one of other paths.
    #[error("the proof is of other paths than the {paths} of depth {depth} in {hash} expected")]
    OtherPaths {
        /// Hash of the nodes.
        hash: Hash,
        /// Depth of the statement's paths.
        depth: usize,
        /// Paths of the statement.
        paths: usize,
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
    /// The trace has other public bits than the statement.
    #[error("public bit {bit} of the rows is another in the trace than in the statement")]
    PublicBit {
        /// Number of the bit: among those of a call, first the input's; or among those of a node,
        /// as the README has them.
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
    prove_rows(statement.digest(), PublicBits::new(statement)?, trace)
}

/// Proves a statement with this digest and these public bits, given what makes the trace of them.
pub(crate) fn prove_rows(
    statement: [u8; 32],
    public: PublicBits,
    trace: impl FnOnce(&PublicBits) -> RowMajorMatrix<u64>,
) -> Result<Proof, ProveError> {
    let config = Config::new(public)?;
    let trace = trace(config.public());
    Ok(Proof {
        statement,
        inner: prove_trace(&config, trace, challenger(&statement))?,
    })
}

/// Proves about any trace that it is one of the statement of `config`, true or not.
pub(crate) fn prove_trace(
    config: &Config,
    trace: RowMajorMatrix<u64>,
    mut transcript: Challenger,
) -> Result<MultiStarkProof<Config>, ProveError> {
    type Backend = ReprBackend<BinaryField2, Ghash128, true>;
    let air = config.public().air();
    let table = Table::<F>::from_packed_bits(trace, config.public().log_rows());
    let key = &keys(air)?.proving;
    let instances = ProverInstances::new(vec![ProverInstance::new(&air, table, key, &[])]);
    prove_with_backend::<_, _, Backend>(config, instances, 0, &mut transcript)
        .map_err(|error| ProveError::Prover(format!("{error:?}")))
}

/// Verifies that a proof shows a statement, and returns the proven bits of its settings.
///
/// All that is believed is the caller's statement, whose every bit is compared.
///
/// # Errors
/// [`VerifyError`], for every proof that is not one of this statement.
pub fn verify(statement: &HashCalls, proof: &Proof) -> Result<Security, VerifyError> {
    let digest = statement.digest();
    if digest != proof.statement {
        return Err(VerifyError::OtherStatement {
            hash: statement.hash(),
            calls: statement.len(),
        });
    }
    verify_rows(PublicBits::new(statement)?, proof)
}

/// Verifies a proof of rows with these public bits, whose digest is the one of the caller's
/// statement.
pub(crate) fn verify_rows(public: PublicBits, proof: &Proof) -> Result<Security, VerifyError> {
    check_shape(&proof.inner)?;
    let config = Config::new(public)?;
    let security = assess(&config)?;
    let air = config.public().air();
    p3_multi_stark::verify(
        &config,
        instances(&config, &air)?,
        &proof.inner,
        0,
        &mut challenger(&proof.statement),
    )
    .map_err(refused)?;
    Ok(security)
}

/// The bits that a proof of a statement has, at least [`MIN_BITS`], before there is one.
///
/// # Errors
/// As [`verify`].
pub fn security(statement: &HashCalls) -> Result<Security, VerifyError> {
    assess(&Config::new(PublicBits::new(statement)?)?)
}

/// Plonky3's report on these settings, which must have [`MIN_BITS`].
pub(crate) fn assess(config: &Config) -> Result<Security, VerifyError> {
    let (air, log_rows) = (config.public().air(), config.public().log_rows());
    let report = keys(air)?.reports.get(log_rows);
    if let Some(known) = report.and_then(OnceLock::get) {
        return Ok(known.clone());
    }
    let bits = |error: SecurityError| VerifyError::Bits(error.to_string());
    let found = security_report(config, &instances(config, &air)?).map_err(bits)?;
    found.require_security(MIN_BITS).map_err(bits)?;
    let terms = found.terms().iter();
    let security = Security {
        bits: found.security_bits().unwrap_or_default(),
        terms: terms
            .map(|term| (term.label.to_owned(), term.bits.bits()))
            .collect(),
    };
    Ok(report.map_or_else(
        || security.clone(),
        |cell| cell.get_or_init(|| security.clone()).clone(),
    ))
}

/// What the verifier knows about the one table.
fn instances<'a>(
    config: &Config,
    air: &'a CallAir,
) -> Result<VerifierInstances<'a, Config, CallAir>, SettingsError> {
    let key = &keys(*air)?.verifying;
    let instance = VerifierInstance::new(air, key, config.public().log_rows(), &[]);
    Ok(VerifierInstances::new(vec![instance]))
}

/// What Plonky3 derives from an AIR, which takes as long as proving a small statement.
struct Keys {
    proving: ProvingKey<Config>,
    verifying: VerifyingKey<Config>,
    /// Reports of settings with at least [`MIN_BITS`], by the logarithm of rows.
    reports: [OnceLock<Security>; 18],
}

/// The keys of an AIR, made once.
fn keys(air: CallAir) -> Result<&'static Keys, SettingsError> {
    static CALLS: [OnceLock<Keys>; 3] = [const { OnceLock::new() }; 3];
    static PATHS: [OnceLock<Keys>; 3] = [const { OnceLock::new() }; 3];
    let keys = if air.is_of_paths() { &PATHS } else { &CALLS };
    let [blake3, blake2s, keccak_f] = keys;
    let cell = match air.hash() {
        Hash::Blake3 => blake3,
        Hash::Blake2s => blake2s,
        Hash::KeccakF => keccak_f,
    };
    if let Some(keys) = cell.get() {
        return Ok(keys);
    }
    // There are no preprocessed columns, for which configuration and transcript would be.
    let config = Config::new(PublicBits::shape(air))?;
    let mut transcript = Challenger::from_hasher(vec![], TreeHash {});
    let (proving, verifying) = setup(&config, &[&air], &mut transcript)
        .map_err(|error| SettingsError::new(air.hash(), 64, format!("{error:?}")))?;
    Ok(cell.get_or_init(|| Keys {
        proving,
        verifying,
        reports: [const { OnceLock::new() }; 18],
    }))
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
