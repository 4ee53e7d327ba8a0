//! Circuits that verify Plonky3 proofs of any AIRs.
//!
//! [`BatchCircuit`] takes AIRs that p3-batch-stark proves, including lookups, preprocessed and
//! periodic columns and public values; [`UniCircuit`] takes one AIR that p3-uni-stark proves. Each
//! generates the program that verifies such proofs at given heights. Given a proof, it verifies the
//! proof natively, writes the hints, runs the program and proves the run. The statement of that
//! proof is the claim "the AIRs with this key hold for public values with this digest" (see
//! [`crate::claim`]). To join it with other proofs, [`crate::aggregate::Aggregator::wrap_run`]
//! proves the run in the canonical shape instead. Only a verifier who has the AIRs can derive the
//! recursion key: [`crate::keys::Deriver::with_airs`].
//!
//! Proofs are made with Droste's hash suites and [`Seed::Key`], or, if they are made elsewhere,
//! with [`Seed::StockForFixedAirs`]: then they equal, byte for byte, those of Plonky3's own Blake3
//! and Keccak-256 configurations over the same field with the extension of degree 5.
//! The openings of a proof in a hash of bytes may be verified in a batch ([`AirCircuit::in_batch`]).
//!
//! [`StockUni`] and [`StockBatch`] take Plonky3's configurations themselves, over KoalaBear with
//! challenges of degree 4 or 5 or over BabyBear with challenges of degree 4 and what [`Known`]
//! lists, and proofs as their users have them, in memory or as bytes. Their seed is [`Seed::StockForFixedAirs`], whose obligation they have. Proofs of hiding
//! configurations are taken for their soundness: `docs/recursion.md` says what they hide.
//!
//! # Soundness obligations
//! The author of the AIRs must ensure that they constrain what they should, including the bounds of
//! lookup multiplicities. With [`Seed::StockForFixedAirs`] a verifier who accepts the claim must
//! ensure that the AIRs were fixed before the proof was made. With salts a verifier who accepts a
//! key must know that its commitment to preprocessed columns is to those of the AIRs
//! ([`StockUni::with_preprocessed`]).
//!
//! The program checks everything that Plonky3's verifier checks (`docs/verifier-mapping.md`). AIRs
//! over KoalaBear are asked for their constraints over the extension of degree 5: with challenges of
//! degree 4 those are refused whose constraints are over the extension, or depend on it. AIRs over
//! BabyBear are asked over the field of their challenges.

mod batch;
mod constants;
mod field;
mod key;
mod known;
mod stock;
mod stock_config;
mod trees;
mod uni;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use droste_gadgets::verify::fri::shape::PREPROCESSED;
use droste_gadgets::{Hint, NativeTape};
use droste_native::field::AnyChallenge;
use droste_native::stark::security::{TableShape, proven_security_hiding};
use droste_native::stark::suite::{OpeningError, OpeningProverError, SuiteCap};
use droste_native::{Config, F, FriSettings, SettingsError, config};
use droste_vm::heights::MAX_LOG_HEIGHT;
use droste_vm::record::Execution;
use droste_vm::report::table_shape_over;
use educe::Educe;
use p3_air::Air;
use p3_batch_stark::{BatchVerificationError, ProvingError};
use p3_fri::HidingFriProverError;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_matrix::Matrix;
use thiserror::Error;

pub use batch::{BatchAir, BatchCircuit};
pub use constants::{ConstantsError, RoundConstants};
pub use key::{AirKey, Seed};
pub use known::Known;
pub use stock::{StockBatch, StockBatchAir, StockUni, StockUniAir};
pub use stock_config::{Stock, StockConfig};
pub use trees::{HidingTrees, Salted, StockTrees};
pub use uni::{UniAir, UniCircuit};

use crate::binary::GridProgram;
use crate::circuit::{Children, CircuitError, FriVerifier, RecursionCircuit, Run, Verifies};
use crate::claim::{Claim, ClaimTree, public_digest};
use crate::codegen::{TableSource, generate};
use crate::program::run_airs;
use crate::shape::{FriShape, Hiding, Protocol, ShapeError};
use crate::tape::{
    Answers, Cap, FriConfig, ProofParts, TapeError, TapeSuite, commitment_lanes, expect_length,
    lanes, public_lanes,
};

type Result<T, E = AirError> = std::result::Result<T, E>;

/// What asks AIRs of proofs with challenges in a field for their constraints.
type Asked<E> = InteractionSymbolicBuilder<<E as AnyChallenge>::Base, <E as AnyChallenge>::Asked>;

/// Why a circuit for AIRs cannot be made, or a proof of them is not accepted.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum AirError {
    /// FRI settings out of range.
    Settings(#[from] SettingsError),
    /// Plonky3 cannot prove an AIR at its height, or relies on something that is not enforced.
    #[error("table {table}: {reason}")]
    Air {
        /// Index of the AIR.
        table: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An AIR has constraints over the extension, for which it is asked at degree 5 only.
    #[error(
        "table {table} has constraints over the extension, expected none in proofs whose challenges \
         are not of degree 5"
    )]
    ExtensionConstraints {
        /// Index of the AIR.
        table: usize,
    },
    /// An AIR has other constraints over the field of challenges than over that of degree 5, for
    /// which it is asked.
    #[error("table {table} has constraints that depend on the field of challenges")]
    OtherConstraints {
        /// Index of the AIR.
        table: usize,
    },
    /// Committing to the preprocessed traces failed.
    #[error("Plonky3 cannot commit to the preprocessed traces")]
    Preprocessed(#[source] ProvingError<OpeningProverError>),
    /// Committing to the preprocessed traces failed, with a hiding configuration.
    #[error("Plonky3 cannot commit to the preprocessed traces")]
    Hiding(#[source] ProvingError<HidingFriProverError>),
    /// Without salts, only one commitment is that of the preprocessed traces.
    #[error(
        "this is not the commitment to the preprocessed traces, expected that one since no salts \
         are drawn"
    )]
    OtherPreprocessed,
    /// The configuration has other round constants than were given.
    Constants(#[from] ConstantsError),
    /// The bytes of a proof cannot be decoded.
    #[error("these are not the bytes of a proof: {0}")]
    Bytes(String),
    /// Plonky3's verifier rejects the proof.
    #[error("the proof is not valid")]
    Rejected(#[source] Box<BatchVerificationError<OpeningError>>),
    /// The circuit cannot be made, or rejects a proof, or its run cannot be proved.
    Circuit(#[from] CircuitError),
}

impl From<ShapeError> for AirError {
    fn from(error: ShapeError) -> Self {
        Self::Circuit(error.into())
    }
}

impl From<TapeError> for AirError {
    fn from(error: TapeError) -> Self {
        Self::Circuit(error.into())
    }
}

/// What the types of a configuration do not show, but for its trees.
struct Parameters {
    settings: FriSettings,
    /// What proofs hide by, if they do.
    hiding: Option<Hiding>,
    /// Blocks of the round constants that the program gives, if any.
    constants: Vec<[F; 8]>,
}

impl From<FriSettings> for Parameters {
    fn from(settings: FriSettings) -> Self {
        Self {
            settings,
            hiding: None,
            constants: Vec::new(),
        }
    }
}

/// The circuit that verifies one proof of given AIRs, made by p3-batch-stark or p3-uni-stark.
#[derive(Educe)]
#[educe(Debug)]
pub struct AirCircuit<V: FriConfig> {
    key: AirKey<V>,
    seed: Seed,
    /// What opens the trees in which proofs are committed.
    #[educe(Debug(ignore))]
    opener: V::Opener,
    circuit: Arc<RecursionCircuit>,
}

impl<V: FriConfig> Deref for AirCircuit<V> {
    type Target = RecursionCircuit;

    fn deref(&self) -> &RecursionCircuit {
        &self.circuit
    }
}

impl<H: TapeSuite> AirCircuit<H> {
    /// The configuration that proofs are made with.
    ///
    /// # Errors
    /// Never, since the settings have been checked.
    pub fn config(&self) -> Result<Config<H>> {
        Ok(config::<H>(&self.fri()?.shape.settings, &self.seed())?)
    }
}

impl<V: FriConfig> AirCircuit<V> {
    #[expect(clippy::too_many_arguments, reason = "what two callers have each")]
    fn new<A>(
        protocol: Protocol,
        seed: Seed,
        parameters: Parameters,
        opener: V::Opener,
        airs: &[A],
        lookups: &[Lookups<V::Val>],
        preprocessed: Option<&Cap<V>>,
        log_heights: &[usize],
    ) -> Result<Self, CircuitError>
    where
        A: Air<Asked<V::Challenge>>,
    {
        let start = Instant::now();
        let names: Vec<String> = (0..airs.len()).map(|i| format!("table_{i}")).collect();
        let sources = TableSource::list(&names, airs, lookups, log_heights)?;
        let evaluators = generate::<V::Challenge, A>(&sources)?;
        let digest = match seed {
            Seed::Key => 8,
            Seed::StockForFixedAirs => 0,
        };
        let Parameters {
            settings,
            hiding,
            ref constants,
        } = parameters;
        let trees = V::TREES.with(constants);
        let shape = FriShape::with_hiding(
            protocol,
            trees,
            settings,
            digest,
            &evaluators,
            log_heights,
            hiding,
        )?;
        let preprocessed = preprocessed
            .map(|commitment| commitment.digests().to_vec())
            .unwrap_or_default();
        let part = "digests of the commitment to preprocessed traces";
        expect_length(part, preprocessed.len(), shape.digests(PREPROCESSED))?;
        let shapes: Vec<TableShape> = airs
            .iter()
            .zip(lookups)
            .zip(log_heights)
            .map(|((air, lookups), &log_height)| {
                table_shape_over::<V::Val, <V::Challenge as AnyChallenge>::Asked, A>(
                    air, lookups, log_height,
                )
            })
            .collect();
        let identity = key::identity::<V, A>(
            protocol,
            seed,
            &parameters,
            airs,
            &names,
            lookups,
            log_heights,
        );
        let verifies = Verifies::Fri(Box::new(FriVerifier {
            shape,
            evaluators,
            header: identity.to_vec(),
            constants: parameters.constants,
            openings: None,
            security: proven_security_hiding(
                V::DEGREE,
                hiding.map(|hiding| hiding.random_codewords),
                &settings,
                &shapes,
                trees.collision_bits(),
            ),
        }));
        let circuit = RecursionCircuit::new(Children::Airs { identity }, verifies, start)?;
        Ok(Self {
            key: AirKey {
                identity,
                preprocessed,
            },
            seed,
            opener,
            circuit: Arc::new(circuit),
        })
    }

    /// The circuit of the same proofs whose program verifies their openings in a batch
    /// ([`Openings::Batch`](crate::circuit::Openings::Batch)). Key, leaves and claims are the same;
    /// the proof of its run has another recursion key, and its bits are also those of the batch.
    ///
    /// # Errors
    /// If no batch has these openings.
    pub fn in_batch(self) -> Result<Self> {
        let start = Instant::now();
        let verifies = Verifies::Fri(Box::new(self.fri()?.in_batch()?));
        let identity = self.key.identity;
        let circuit = RecursionCircuit::new(Children::OpenedAirs { identity }, verifies, start)?;
        Ok(Self {
            circuit: Arc::new(circuit),
            ..self
        })
    }

    /// Replaces the commitment to the preprocessed traces. Without salts there is no other.
    fn commit(&mut self, preprocessed: &Cap<V>) -> Result<()> {
        let digests = preprocessed.digests();
        let part = "digests of the commitment to preprocessed traces";
        expect_length(part, digests.len(), self.key.preprocessed.len())?;
        if self.fri()?.shape.salts == 0 && digests != self.key.preprocessed {
            return Err(AirError::OtherPreprocessed);
        }
        self.key.preprocessed = digests.to_vec();
        Ok(())
    }

    /// The key of the proofs that the circuit verifies.
    pub const fn air_key(&self) -> &AirKey<V> {
        &self.key
    }

    /// The elements that the transcripts of proofs absorb first: the key's digest, or none.
    pub fn seed(&self) -> Vec<F> {
        match self.seed {
            Seed::Key => self.key.digest().0.to_vec(),
            Seed::StockForFixedAirs => vec![],
        }
    }

    /// The leaf that a proof for these public values, one list per table, is in a claim tree. Its
    /// statement is the [`public_digest`] of their lanes: a value over BabyBear is the low and the
    /// high 16 bits of its Montgomery word, which is what Plonky3 hashes.
    ///
    /// # Errors
    /// If the AIRs have other numbers of public values. A digest is of lists that are concatenated
    /// and filled up with zeros, so it does not show their lengths.
    pub fn leaf(&self, public_values: &[Vec<V::Val>]) -> Result<ClaimTree, CircuitError> {
        self.expect_public_values(public_values)?;
        let tables: Vec<Vec<F>> = public_values.iter().map(lanes).collect();
        Ok(ClaimTree {
            key: self.key.digest(),
            claim: Claim::Statement(public_digest(&tables)),
        })
    }

    /// The claim of a recursion proof that verified one proof for these public values: the digest
    /// of [`Self::leaf`] alone. A verifier of that recursion proof must compare its statement with
    /// this claim.
    ///
    /// # Errors
    /// As [`Self::leaf`].
    pub fn claim(&self, public_values: &[Vec<V::Val>]) -> Result<[F; 8], CircuitError> {
        Ok(Claim::Children(vec![self.leaf(public_values)?]).statement())
    }

    /// Fails unless there is one list per table, of as many public values as its AIR has.
    fn expect_public_values(&self, public_values: &[Vec<V::Val>]) -> Result<(), CircuitError> {
        let shape = &self.fri()?.shape;
        let part = "tables of public values";
        expect_length(part, public_values.len(), shape.tables.len())?;
        for (table, values) in shape.tables.iter().zip(public_values) {
            let part = format!("public values of {}", table.name);
            expect_length(&part, values.len(), table.shape.num_public_values)?;
        }
        Ok(())
    }

    /// The hints with which the program accepts a proof for these public values. If openings are in
    /// a batch, it is proved here.
    ///
    /// # Errors
    /// If the proof is of another shape, or the program rejects it.
    pub fn tape<'a>(
        &self,
        proof: impl Into<ProofParts<'a, V>>,
        public_values: &[Vec<V::Val>],
    ) -> Result<NativeTape, CircuitError> {
        self.tape_changed(proof, public_values, |_, _| {})
    }

    /// As [`Self::tape`], but the program reads each hint as `change` leaves it, given its number
    /// from 0. For tests: a prover that lies in one hint.
    #[doc(hidden)]
    pub fn tape_changed<'a>(
        &self,
        proof: impl Into<ProofParts<'a, V>>,
        public_values: &[Vec<V::Val>],
        change: impl Fn(usize, &mut Hint) + Send + 'static,
    ) -> Result<NativeTape, CircuitError> {
        let openings = self.fri()?.openings.as_ref();
        self.record(proof.into(), public_values, openings, change)
    }

    /// Fails unless the program accepts a proof for these public values. Openings are verified by
    /// paths: proving a batch would take long and show the same.
    fn check<'a>(
        &self,
        proof: impl Into<ProofParts<'a, V>>,
        public_values: &[Vec<V::Val>],
    ) -> Result<(), CircuitError> {
        self.record(proof.into(), public_values, None, |_, _| {})?;
        Ok(())
    }

    /// The hints of the program that verifies openings so, of which it reads each as `change` leaves
    /// it.
    fn record(
        &self,
        proof: ProofParts<'_, V>,
        public_values: &[Vec<V::Val>],
        openings: Option<&GridProgram>,
        change: impl Fn(usize, &mut Hint) + Send + 'static,
    ) -> Result<NativeTape, CircuitError> {
        let digests = &self.key.preprocessed;
        let commitment = (!digests.is_empty())
            .then(|| <Cap<V> as SuiteCap<V::Digest>>::from_digests(digests.clone()));
        let fri = self.fri()?;
        let shape = &fri.shape;
        self.expect_public_values(public_values)?;
        let mut answers = Answers::<V>::default();
        if let Some(commitment) = &commitment {
            answers.message(commitment_lanes::<V>(commitment));
        }
        if shape.public_values() > 0 {
            answers.message(public_lanes(public_values));
        }
        let (grid, opener) = (openings.map(|program| &program.grid), self.opener.clone());
        answers.proof_in(shape, grid, opener, commitment.as_ref(), proof)?;
        let (evaluators, header, constants) = (&fri.evaluators, &fri.header, &fri.constants);
        let program = || run_airs::<V>(shape, evaluators, openings, header, constants);
        Ok(answers.record_changed(change, program)?)
    }

    /// Records the hints of a proof for these public values and runs the program on them. Plonky3's
    /// verifier is not called.
    ///
    /// # Errors
    /// If the program rejects it.
    pub fn execute<'a>(
        &self,
        proof: impl Into<ProofParts<'a, V>>,
        public_values: &[Vec<V::Val>],
    ) -> Result<Execution, CircuitError> {
        self.circuit.run_tape(&self.tape(proof, public_values)?)
    }

    /// Runs the program on a proof for these public values, for
    /// [`crate::aggregate::Aggregator::wrap_run`]. The caller has verified the proof natively.
    fn run<'a>(
        &self,
        proof: impl Into<ProofParts<'a, V>>,
        public_values: &[Vec<V::Val>],
    ) -> Result<Run, CircuitError> {
        let start = Instant::now();
        let execution = self.execute(proof, public_values)?;
        let trees = vec![self.leaf(public_values)?];
        let (circuit, compile) = (Arc::clone(&self.circuit), self.compile_time());
        Run::new(circuit, execution, trees, compile, start.elapsed())
    }
}

/// Checks what Plonky3 assumes of AIRs and their heights without checking it.
fn check_airs<E, A>(
    airs: &[A],
    settings: &FriSettings,
    log_heights: &[usize],
    hiding: Option<Hiding>,
) -> Result<()>
where
    E: AnyChallenge,
    A: Air<Asked<E>>,
{
    settings.validate()?;
    if airs.len() != log_heights.len() {
        return Err(ShapeError::Heights {
            tables: airs.len(),
            heights: log_heights.len(),
        }
        .into());
    }
    let max = MAX_LOG_HEIGHT - settings.log_blowup - usize::from(hiding.is_some());
    for (table, (air, &log_height)) in airs.iter().zip(log_heights).enumerate() {
        let wrong = |reason: String| Err(AirError::Air { table, reason });
        if log_height > max {
            return wrong(format!(
                "its height is 2^{log_height}, expected at most 2^{max} at this blowup"
            ));
        }
        if air.assumes_boolean_trace() {
            return wrong("it assumes that its columns are bits, which the recursive verifier does not enforce".into());
        }
        let trace = air.preprocessed_trace();
        let (width, height) = trace.as_ref().map_or((0, 1 << log_height), |trace| {
            (trace.width(), trace.height())
        });
        let expected = air.preprocessed_width();
        if width != expected {
            return wrong(format!(
                "its preprocessed trace has {width} columns, but it declares {expected}"
            ));
        }
        if height != 1 << log_height {
            return wrong(format!(
                "its preprocessed trace has {height} rows, expected its height 2^{log_height}"
            ));
        }
    }
    Ok(())
}
