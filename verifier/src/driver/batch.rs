//! AIRs that p3-batch-stark proves.

use std::fmt;

use droste_native::{Config, EF, F, FriSettings, Poseidon16Family, config};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove};
use p3_air::Air;
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups;
use p3_batch_stark::{BatchProof, ProverData, verify_batch};
use p3_lookup::InteractionSymbolicBuilder;

use super::{AirProgram, DriverError, Parts, Seed, check_airs};
use crate::aggregate::Run;
use crate::shape::Protocol;
use crate::tape::TapeFamily;

/// AIRs that are verified in a batch committed in hash `H`. Implemented for every type that qualifies.
pub trait BatchAir<H: TapeFamily>:
    Air<InteractionSymbolicBuilder<F, EF>>
    + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config<H>>>
{
}

impl<H: TapeFamily, A> BatchAir<H> for A where
    A: Air<InteractionSymbolicBuilder<F, EF>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config<H>>>
{
}

/// Recursion over p3-batch-stark proofs of a list of AIRs at given heights.
///
/// AIRs of different types are handed over as one enum, as Plonky3's prover takes them.
pub struct BatchDriver<H: TapeFamily, A> {
    airs: Vec<A>,
    settings: FriSettings,
    data: ProverData<Config<H>>,
    program: AirProgram<H>,
}

impl<H: TapeFamily, A> fmt::Debug for BatchDriver<H, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchDriver")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl<H: TapeFamily, A: BatchAir<H>> BatchDriver<H, A> {
    /// The driver of these AIRs, at heights `2^log_heights`.
    ///
    /// # Errors
    /// If they cannot be proved with these settings, or no program verifies such proofs.
    pub fn new(
        airs: Vec<A>,
        settings: FriSettings,
        log_heights: &[usize],
        seed: Seed,
    ) -> Result<Self, DriverError> {
        check_airs(&airs, &settings, log_heights)?;
        let unseeded = config::<H>(&settings, &[])?;
        let data = ProverData::from_airs_and_degrees(&unseeded, &airs, log_heights)
            .map_err(|error| DriverError::Preprocessed(format!("{error:?}")))?;
        let common = &data.common;
        let preprocessed = common.preprocessed.as_ref();
        let program = AirProgram::new(&Parts {
            protocol: Protocol::Batch,
            seed,
            settings,
            airs: &airs,
            lookups: &common.lookups,
            preprocessed: preprocessed.map(|global| &global.commitment),
            log_heights,
        })?;
        Ok(Self {
            airs,
            settings,
            data,
            program,
        })
    }

    /// The program that verifies proofs.
    pub const fn program(&self) -> &AirProgram<H> {
        &self.program
    }

    /// The AIRs.
    pub fn airs(&self) -> &[A] {
        &self.airs
    }

    /// What `prove_batch` takes beside the configuration and the instances.
    pub const fn data(&self) -> &ProverData<Config<H>> {
        &self.data
    }

    /// The configuration that proofs are made with.
    ///
    /// # Errors
    /// None: the settings have been checked.
    pub fn config(&self) -> Result<Config<H>, DriverError> {
        Ok(config::<H>(&self.settings, &self.program.seed())?)
    }

    /// The claim of what [`Self::prove`] makes of a proof for these public values, which whoever
    /// verifies it must ask for.
    pub fn claim(&self, public_values: &[Vec<F>]) -> [F; 8] {
        self.program.claim(public_values)
    }

    /// Verifies a proof natively.
    ///
    /// # Errors
    /// Why Plonky3's verifier rejects it, or the shape that it takes more of than it checks.
    pub fn verify(
        &self,
        proof: &BatchProof<Config<H>>,
        public_values: &[Vec<F>],
    ) -> Result<(), DriverError> {
        verify_batch(
            &self.config()?,
            &self.airs,
            proof,
            public_values,
            &self.data.common,
        )
        .map_err(|error| DriverError::Rejected(format!("{error:?}")))?;
        self.program.tape(proof, public_values)?;
        Ok(())
    }

    /// Verifies a proof natively, then in the machine: a run to be brought home.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn run(
        &self,
        proof: &BatchProof<Config<H>>,
        public_values: &[Vec<F>],
    ) -> Result<Run<'_>, DriverError> {
        self.verify(proof, public_values)?;
        self.program.run(proof, public_values)
    }

    /// Verifies a proof natively, then in the machine, and proves that.
    ///
    /// # Errors
    /// If it is not valid, or the run cannot be proved.
    pub fn prove(
        &self,
        proof: &BatchProof<Config<H>>,
        public_values: &[Vec<F>],
        options: &ProveOptions,
    ) -> Result<Proof<Poseidon16Family>, DriverError>
    where
        StandardTables: Provable<Poseidon16Family>,
    {
        self.verify(proof, public_values)?;
        let execution = self.program.execute(proof, public_values)?;
        Ok(prove(&self.program.compiled.program, &execution, options)?)
    }
}
