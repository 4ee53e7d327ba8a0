//! AIRs that p3-uni-stark proves.

use std::fmt;

use droste_native::family::Pcs as Scheme;
use droste_native::{Commitment, Config, EF, F, FriSettings, Poseidon16Family, config};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove};
use p3_air::symbolic::SymbolicAirBuilder;
use p3_air::{Air, BaseAir};
use p3_commit::{Pcs, UnivariateStarkPcs};
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_matrix::Matrix;
use p3_uni_stark::{
    PreprocessedVerifierKey, Proof as UniProof, StarkGenericConfig, VerifierConstraintFolder,
    verify_with_preprocessed,
};

use super::{AirProgram, DriverError, Parts, Seed, check_airs};
use crate::aggregate::Run;
use crate::shape::Protocol;
use crate::tape::TapeFamily;

/// AIRs that are verified alone, committed in hash `H`. Implemented for every type that qualifies.
pub trait UniAir<H: TapeFamily>:
    Air<InteractionSymbolicBuilder<F, EF>>
    + Air<SymbolicAirBuilder<F>>
    + for<'a> Air<VerifierConstraintFolder<'a, Config<H>>>
{
}

impl<H: TapeFamily, A> UniAir<H> for A where
    A: Air<InteractionSymbolicBuilder<F, EF>>
        + Air<SymbolicAirBuilder<F>>
        + for<'a> Air<VerifierConstraintFolder<'a, Config<H>>>
{
}

/// Recursion over p3-uni-stark proofs of one AIR at a given height.
pub struct UniDriver<H: TapeFamily, A> {
    air: A,
    settings: FriSettings,
    preprocessed: Option<PreprocessedVerifierKey<Config<H>>>,
    program: AirProgram<H>,
}

impl<H: TapeFamily, A> fmt::Debug for UniDriver<H, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UniDriver")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl<H: TapeFamily, A: UniAir<H>> UniDriver<H, A> {
    /// The driver of this AIR, at height `2^log_height`.
    ///
    /// # Errors
    /// If it cannot be proved with these settings, or no program verifies such proofs.
    pub fn new(
        air: A,
        settings: FriSettings,
        log_height: usize,
        seed: Seed,
    ) -> Result<Self, DriverError> {
        let airs = std::slice::from_ref(&air);
        check_airs(airs, &settings, &[log_height])?;
        let preprocessed = preprocessed::<H, A>(&air, &settings, log_height)?;
        let program = AirProgram::new(&Parts {
            protocol: Protocol::Uni,
            seed,
            settings,
            airs,
            lookups: &[Lookups::from_air::<EF, A>(&air)],
            preprocessed: preprocessed.as_ref().map(|key| &key.commitment),
            log_heights: &[log_height],
        })?;
        Ok(Self {
            air,
            settings,
            preprocessed,
            program,
        })
    }

    /// The program that verifies proofs.
    pub const fn program(&self) -> &AirProgram<H> {
        &self.program
    }

    /// The AIR.
    pub const fn air(&self) -> &A {
        &self.air
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
    pub fn claim(&self, public_values: &[F]) -> [F; 8] {
        self.program.claim(&[public_values.to_vec()])
    }

    /// Verifies a proof natively.
    ///
    /// # Errors
    /// Why Plonky3's verifier rejects it, or the shape that it takes more of than it checks.
    pub fn verify(
        &self,
        proof: &UniProof<Config<H>>,
        public_values: &[F],
    ) -> Result<(), DriverError> {
        verify_with_preprocessed(
            &self.config()?,
            &self.air,
            proof,
            public_values,
            self.preprocessed.as_ref(),
        )
        .map_err(|error| DriverError::Rejected(format!("{error:?}")))?;
        self.program.tape(proof, &[public_values.to_vec()])?;
        Ok(())
    }

    /// Verifies a proof natively, then in the machine: a run to be brought home.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn run(
        &self,
        proof: &UniProof<Config<H>>,
        public_values: &[F],
    ) -> Result<Run<'_>, DriverError> {
        self.verify(proof, public_values)?;
        self.program.run(proof, &[public_values.to_vec()])
    }

    /// Verifies a proof natively, then in the machine, and proves that.
    ///
    /// # Errors
    /// If it is not valid, or the run cannot be proved.
    pub fn prove(
        &self,
        proof: &UniProof<Config<H>>,
        public_values: &[F],
        options: &ProveOptions,
    ) -> Result<Proof<Poseidon16Family>, DriverError>
    where
        StandardTables: Provable<Poseidon16Family>,
    {
        self.verify(proof, public_values)?;
        let public_values = [public_values.to_vec()];
        let execution = self.program.execute(proof, &public_values)?;
        Ok(prove(&self.program.compiled.program, &execution, options)?)
    }
}

/// Commits to the preprocessed trace, if there is one.
fn preprocessed<H: TapeFamily, A: UniAir<H>>(
    air: &A,
    settings: &FriSettings,
    log_height: usize,
) -> Result<Option<PreprocessedVerifierKey<Config<H>>>, DriverError> {
    let Some(trace) = BaseAir::<F>::preprocessed_trace(air).filter(|trace| trace.width() > 0)
    else {
        return Ok(None);
    };
    let width = trace.width();
    let config = config::<H>(settings, &[])?;
    let pcs = config.pcs();
    let domain =
        <Scheme<H> as Pcs<EF, H::Challenger>>::natural_domain_for_degree(pcs, 1 << log_height);
    let (commitment, _): (Commitment<H>, _) = <Scheme<H> as UnivariateStarkPcs<
        EF,
        H::Challenger,
    >>::commit_preprocessing(pcs, [(domain, trace)])
    .map_err(|error| DriverError::Preprocessed(format!("{error:?}")))?;
    Ok(Some(PreprocessedVerifierKey {
        width,
        degree_bits: log_height,
        commitment,
    }))
}
