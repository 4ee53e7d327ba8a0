//! Recursion for any AIRs: from Plonky3 proofs to proofs that they verify.
//!
//! [`BatchDriver`] takes AIRs that p3-batch-stark proves, look-ups, preprocessed and periodic columns
//! and public values included; [`UniDriver`] one that p3-uni-stark proves. Each generates the program
//! that verifies such proofs of given heights, and carries a proof through it: native verification,
//! hints, run, and a proof of the run, whose statement is the claim "the AIRs with this key hold for
//! public values with this digest" (see [`crate::claim`]). [`crate::aggregate::Aggregator::wrap_run`]
//! brings that home. Its keys can be derived only where the AIRs are known:
//! [`crate::keys::Deriver::with_airs`].
//!
//! Configurations are Droste's hash families with [`Seed::Key`], or with [`Seed::StockForFixedAirs`] for
//! proofs made elsewhere: those of Plonky3's own Blake3 and Keccak-256 configurations with the same field
//! and the extension of degree 5 have the same bytes.
//!
//! # Soundness obligations
//! That the AIRs say what they should is their author's part, the bounds of their multiplicities
//! included. Of [`Seed::StockForFixedAirs`], that the AIRs were fixed before the proof was made is the part of
//! whoever accepts the claim. Everything that Plonky3's verifier checks is checked in the program
//! (`docs/verifier-mapping.md`).

mod batch;
mod key;
mod uni;

use std::fmt;
use std::time::{Duration, Instant};

use droste_gadgets::{SOURCES, Tape};
use droste_native::family::FamilyCap;
use droste_native::security::{SecurityReport, TableShape, proven_security};
use droste_native::{Commitment, EF, F, FriSettings, HashFamily, SettingsError};
use droste_vm::compiler::{Compiled, compile_file};
use droste_vm::executor::execute;
use droste_vm::prover::ProveError;
use droste_vm::record::Execution;
use droste_vm::report::table_shape;
use p3_air::Air;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_matrix::Matrix;
use thiserror::Error;

pub use batch::{BatchAir, BatchDriver};
pub use key::{AIR_KEY_TAG, AIRS_TAG, AirKey, Seed};
pub use uni::{UniAir, UniDriver};

use crate::aggregate::Run;
use crate::claim::{Claim, ClaimTree, public_digest};
use crate::codegen::{CodegenError, Evaluators, TableSource, generate};
use crate::keys::Children;
use crate::program::{airs as program, run_airs};
use crate::recursion::LIMIT;
use crate::shape::{ProofShape, Protocol, ShapeError};
use crate::tape::{
    Answers, ProofParts, TapeError, TapeFamily, commitment_lanes, expect_length, machine_tape,
    public_lanes,
};

/// Why AIRs or a proof of them cannot be recursed over.
#[derive(Debug, Error)]
pub enum DriverError {
    /// FRI settings out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// An AIR cannot be proved as it is.
    #[error("table {table}: {reason}")]
    Air {
        /// Index of the AIR.
        table: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The commitment to the preprocessed traces.
    #[error("committing to preprocessed traces: {0}")]
    Preprocessed(String),
    /// The evaluators of the tables.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// The shape of the proofs.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The generated program does not compile.
    #[error("the generated program does not compile: {0}")]
    Compile(String),
    /// Plonky3's verifier rejects the proof.
    #[error("the proof is not valid: {0}")]
    Rejected(String),
    /// The proof cannot be written to the tape.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// The program rejects the proof.
    #[error("the program rejects the proof: {0}")]
    Run(String),
    /// Proving the run.
    #[error(transparent)]
    Prove(#[from] ProveError),
}

/// The program that verifies one proof of some AIRs.
pub struct AirProgram<H: HashFamily> {
    key: AirKey<H>,
    seed: Seed,
    shape: ProofShape,
    evaluators: Evaluators,
    security: SecurityReport,
    text: String,
    compiled: Compiled,
    /// Time that generating and compiling the program took.
    compile: Duration,
}

impl<H: HashFamily> fmt::Debug for AirProgram<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AirProgram")
            .field("key", &self.key.digest())
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

/// What identifies the program of some AIRs.
struct Parts<'a, H: HashFamily, A> {
    protocol: Protocol,
    seed: Seed,
    settings: FriSettings,
    airs: &'a [A],
    lookups: &'a [Lookups<F>],
    preprocessed: Option<&'a Commitment<H>>,
    log_heights: &'a [usize],
}

impl<H: TapeFamily> AirProgram<H> {
    fn new<A>(parts: &Parts<'_, H, A>) -> Result<Self, DriverError>
    where
        A: Air<InteractionSymbolicBuilder<F, EF>>,
    {
        let Parts {
            protocol,
            seed,
            settings,
            airs,
            lookups,
            preprocessed,
            log_heights,
        } = *parts;
        let start = Instant::now();
        let names: Vec<String> = (0..airs.len()).map(|i| format!("table_{i}")).collect();
        let sources: Vec<TableSource<'_, A>> = airs
            .iter()
            .zip(&names)
            .zip(lookups)
            .zip(log_heights)
            .map(|(((air, name), lookups), &log_height)| TableSource {
                name,
                air,
                lookups,
                preprocessed_width: air.preprocessed_width(),
                log_height,
            })
            .collect();
        let evaluators = generate(&sources)?;
        let digest = match seed {
            Seed::Key => 8,
            Seed::StockForFixedAirs => 0,
        };
        let shape = ProofShape::of(protocol, H::ID, settings, digest, &evaluators, log_heights)?;
        let shapes: Vec<TableShape> = airs
            .iter()
            .zip(lookups)
            .zip(log_heights)
            .map(|((air, lookups), &log_height)| table_shape(air, lookups, log_height))
            .collect();
        let key = AirKey {
            identity: key::identity::<H, A>(
                protocol,
                seed,
                &settings,
                airs,
                &names,
                lookups,
                log_heights,
            ),
            preprocessed: preprocessed
                .map(|commitment| commitment.digests().to_vec())
                .unwrap_or_default(),
        };
        let text = program(&shape, &evaluators, &key.identity);
        let compiled = compile_file("airs.rs", &text, SOURCES)
            .map_err(|error| DriverError::Compile(error.to_string()))?;
        Ok(Self {
            key,
            seed,
            security: proven_security(&settings, &shapes, H::COLLISION_BITS),
            shape,
            evaluators,
            text,
            compiled,
            compile: start.elapsed(),
        })
    }

    /// The key.
    pub const fn key(&self) -> &AirKey<H> {
        &self.key
    }

    /// Shape of the proofs.
    pub const fn shape(&self) -> &ProofShape {
        &self.shape
    }

    /// Proven security of every proof that the program accepts.
    pub const fn security(&self) -> &SecurityReport {
        &self.security
    }

    /// The program's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The program.
    pub const fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// What the transcripts of proofs begin with.
    pub fn seed(&self) -> Vec<F> {
        match self.seed {
            Seed::Key => self.key.digest().0.to_vec(),
            Seed::StockForFixedAirs => vec![],
        }
    }

    /// The claim of a proof for these public values, by table: a leaf of claim trees.
    pub fn leaf(&self, public_values: &[Vec<F>]) -> ClaimTree {
        ClaimTree {
            key: self.key.digest(),
            claim: Claim::Statement(public_digest(public_values)),
        }
    }

    /// The claim of a proof that the program accepted a proof for these public values, which whoever
    /// verifies it must ask for: the digest of [`Self::leaf`] alone.
    pub fn claim(&self, public_values: &[Vec<F>]) -> [F; 8] {
        Claim::Children(vec![self.leaf(public_values)]).statement()
    }

    /// The hints with which the program accepts a proof for these public values.
    ///
    /// # Errors
    /// If the proof is of another shape, or the program rejects it.
    pub fn tape<'a>(
        &self,
        proof: impl Into<ProofParts<'a, H>>,
        public_values: &[Vec<F>],
    ) -> Result<Tape, TapeError> {
        let digests = &self.key.preprocessed;
        let commitment = (!digests.is_empty())
            .then(|| <Commitment<H> as FamilyCap<H::Digest>>::from_digests(digests.clone()));
        let tables = &self.shape.tables;
        let part = "tables of public values";
        expect_length(part, public_values.len(), tables.len())?;
        for (table, values) in tables.iter().zip(public_values) {
            let part = format!("public values of {}", table.name);
            expect_length(&part, values.len(), table.shape.num_public_values)?;
        }
        let mut answers = Answers::<H>::default();
        if let Some(commitment) = &commitment {
            answers.message(commitment_lanes::<H>(commitment));
        }
        if self.shape.public_values() > 0 {
            answers.message(public_lanes(public_values));
        }
        answers.proof(&self.shape, commitment.as_ref(), proof)?;
        let (shape, evaluators) = (&self.shape, &self.evaluators);
        let header = &self.key.identity;
        answers.record(|| run_airs::<H>(shape, evaluators, header))
    }

    /// Runs the program on a proof for these public values.
    ///
    /// # Errors
    /// If the program rejects it.
    pub fn execute<'a>(
        &self,
        proof: impl Into<ProofParts<'a, H>>,
        public_values: &[Vec<F>],
    ) -> Result<Execution, DriverError> {
        let tape = machine_tape(&self.tape(proof, public_values)?);
        execute(&self.compiled, &[], &tape, LIMIT)
            .map_err(|error| DriverError::Run(error.to_string()))
    }

    /// The run of the program on a proof for these public values, for
    /// [`crate::aggregate::Aggregator::wrap_run`]. The proof has been verified natively.
    fn run<'a>(
        &self,
        proof: impl Into<ProofParts<'a, H>>,
        public_values: &[Vec<F>],
    ) -> Result<Run<'_>, DriverError> {
        let start = Instant::now();
        let execution = self.execute(proof, public_values)?;
        Ok(Run {
            hash: H::ID,
            compiled: &self.compiled,
            children: Children::Airs {
                identity: self.key.identity,
            },
            bits: self.security.bits(),
            execution,
            trees: vec![self.leaf(public_values)],
            compile: self.compile,
            execute: start.elapsed(),
        })
    }
}

/// Checks what Plonky3 takes for granted about AIRs of these heights.
fn check_airs<A>(
    airs: &[A],
    settings: &FriSettings,
    log_heights: &[usize],
) -> Result<(), DriverError>
where
    A: Air<InteractionSymbolicBuilder<F, EF>>,
{
    settings.validate()?;
    if airs.len() != log_heights.len() {
        return Err(ShapeError::Heights {
            tables: airs.len(),
            heights: log_heights.len(),
        }
        .into());
    }
    let max = 24 - settings.log_blowup;
    for (table, (air, &log_height)) in airs.iter().zip(log_heights).enumerate() {
        let wrong = |reason: String| Err(DriverError::Air { table, reason });
        if log_height > max {
            return wrong(format!(
                "height 2^{log_height}, at most 2^{max} is possible"
            ));
        }
        if air.assumes_boolean_trace() {
            return wrong("its columns must be bits, which nothing here enforces".into());
        }
        let trace = air.preprocessed_trace();
        let (width, height) = trace.as_ref().map_or((0, 1 << log_height), |trace| {
            (trace.width(), trace.height())
        });
        let expected = air.preprocessed_width();
        if width != expected {
            return wrong(format!(
                "{width} preprocessed columns, it declares {expected}"
            ));
        }
        if height != 1 << log_height {
            return wrong(format!(
                "{height} preprocessed rows, its height is 2^{log_height}"
            ));
        }
    }
    Ok(())
}
