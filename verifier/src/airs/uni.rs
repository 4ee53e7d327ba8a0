//! Recursion over proofs of p3-uni-stark.

use std::fmt;

use droste_native::stark::suite::Pcs as Scheme;
use droste_native::{Commitment, Config, EF, F, FriSettings, config};
use p3_air::symbolic::SymbolicAirBuilder;
use p3_air::{Air, BaseAir};
use p3_commit::{Pcs, UnivariateStarkPcs};
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_matrix::Matrix;
use p3_uni_stark::{
    PreprocessedVerifierKey, Proof as UniProof, ProvingError, StarkGenericConfig,
    VerifierConstraintFolder, verify_with_preprocessed,
};

use super::{AirCircuit, AirError, Parts, Seed, check_airs};
use crate::circuit::Run;
use crate::shape::Protocol;
use crate::tape::TapeSuite;

/// AIRs whose p3-uni-stark proofs, committed in hash `H`, can be verified in the machine.
/// Implemented for every type that meets the bounds.
pub trait UniAir<H: TapeSuite>:
    Air<InteractionSymbolicBuilder<F, EF>>
    + Air<SymbolicAirBuilder<F>>
    + for<'a> Air<VerifierConstraintFolder<'a, Config<H>>>
{
}

impl<H: TapeSuite, A> UniAir<H> for A where
    A: Air<InteractionSymbolicBuilder<F, EF>>
        + Air<SymbolicAirBuilder<F>>
        + for<'a> Air<VerifierConstraintFolder<'a, Config<H>>>
{
}

/// Recursion over p3-uni-stark proofs of one AIR at a given height.
pub struct UniCircuit<H: TapeSuite, A> {
    air: A,
    settings: FriSettings,
    preprocessed: Option<PreprocessedVerifierKey<Config<H>>>,
    circuit: AirCircuit<H>,
}

impl<H: TapeSuite, A> fmt::Debug for UniCircuit<H, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UniCircuit")
            .field("circuit", &self.circuit)
            .finish_non_exhaustive()
    }
}

impl<H: TapeSuite, A: UniAir<H>> UniCircuit<H, A> {
    /// The circuit of this AIR, at height `2^log_height`.
    ///
    /// # Errors
    /// If it cannot be proved with these settings, or no program can be generated that verifies
    /// such proofs.
    pub fn new(
        air: A,
        settings: FriSettings,
        log_height: usize,
        seed: Seed,
    ) -> Result<Self, AirError> {
        let airs = std::slice::from_ref(&air);
        check_airs(airs, &settings, &[log_height])?;
        let preprocessed = preprocessed::<H, A>(&air, &settings, log_height)?;
        let circuit = AirCircuit::new(&Parts {
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
            circuit,
        })
    }

    /// The part that p3-batch-stark and p3-uni-stark share: key, claims, hints and program.
    pub const fn air_circuit(&self) -> &AirCircuit<H> {
        &self.circuit
    }

    /// The AIR.
    pub const fn air(&self) -> &A {
        &self.air
    }

    /// The configuration that proofs are made with.
    ///
    /// # Errors
    /// Never, since the settings have been checked.
    pub fn config(&self) -> Result<Config<H>, AirError> {
        Ok(config::<H>(&self.settings, &self.circuit.seed())?)
    }

    /// The claim of the proof of [`Self::run`] on a proof for these public
    /// values. A verifier of that recursion proof must compare its statement with this claim.
    pub fn claim(&self, public_values: &[F]) -> [F; 8] {
        self.circuit.claim(&[public_values.to_vec()])
    }

    /// Verifies a proof natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it, or it has a part that the shape does not have and that
    /// Plonky3's verifier does not check.
    pub fn verify(&self, proof: &UniProof<Config<H>>, public_values: &[F]) -> Result<(), AirError> {
        verify_with_preprocessed(
            &self.config()?,
            &self.air,
            proof,
            public_values,
            self.preprocessed.as_ref(),
        )
        .map_err(|error| AirError::Rejected(Box::new(error.into())))?;
        self.circuit.tape(proof, &[public_values.to_vec()])?;
        Ok(())
    }

    /// Verifies a proof natively, then in the machine. Returns the machine's run, which
    /// [`crate::aggregate::Aggregator::wrap_run`] proves.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn run(&self, proof: &UniProof<Config<H>>, public_values: &[F]) -> Result<Run, AirError> {
        self.verify(proof, public_values)?;
        Ok(self.circuit.run(proof, &[public_values.to_vec()])?)
    }
}

/// Commits to the preprocessed trace, if there is one.
fn preprocessed<H: TapeSuite, A: UniAir<H>>(
    air: &A,
    settings: &FriSettings,
    log_height: usize,
) -> Result<Option<PreprocessedVerifierKey<Config<H>>>, AirError> {
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
    .map_err(|source| {
        let phase = "preprocessing commitment";
        AirError::Preprocessed(ProvingError::Pcs { phase, source })
    })?;
    Ok(Some(PreprocessedVerifierKey {
        width,
        degree_bits: log_height,
        commitment,
    }))
}
