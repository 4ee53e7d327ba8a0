//! Recursion over proofs of p3-batch-stark.

use std::ops::Deref;

use droste_native::{Config, EF, F, FriSettings, config};
use educe::Educe;
use p3_air::Air;
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups;
use p3_batch_stark::{BatchProof, ProverData, verify_batch};
use p3_lookup::InteractionSymbolicBuilder;

use super::{AirCircuit, AirError, Result, Seed, check_airs};
use crate::circuit::Run;
use crate::shape::Protocol;
use crate::tape::TapeSuite;

/// AIRs whose p3-batch-stark proofs, committed in hash `H`, can be verified in the machine.
/// Implemented for every type that meets the bounds.
pub trait BatchAir<H: TapeSuite>:
    Air<InteractionSymbolicBuilder<F, EF>>
    + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config<H>>>
{
}

impl<H: TapeSuite, A> BatchAir<H> for A where
    A: Air<InteractionSymbolicBuilder<F, EF>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config<H>>>
{
}

/// Recursion over p3-batch-stark proofs of a list of AIRs at given heights.
///
/// AIRs of different types are passed as one enum, as Plonky3's prover requires.
///
/// Beside the methods here it has those of [`AirCircuit`]: key, claims, configuration and program.
#[derive(Educe)]
#[educe(Debug)]
pub struct BatchCircuit<H: TapeSuite, A> {
    #[educe(Debug(ignore))]
    airs: Vec<A>,
    #[educe(Debug(ignore))]
    data: ProverData<Config<H>>,
    circuit: AirCircuit<H>,
}

impl<H: TapeSuite, A> Deref for BatchCircuit<H, A> {
    type Target = AirCircuit<H>;

    fn deref(&self) -> &AirCircuit<H> {
        &self.circuit
    }
}

impl<H: TapeSuite, A: BatchAir<H>> BatchCircuit<H, A> {
    /// The circuit of these AIRs, at heights `2^log_heights`.
    ///
    /// # Errors
    /// If they cannot be proved with these settings, or no program can be generated that verifies
    /// such proofs.
    pub fn new(
        airs: Vec<A>,
        settings: FriSettings,
        log_heights: &[usize],
        seed: Seed,
    ) -> Result<Self> {
        check_airs::<EF, A>(&airs, &settings, log_heights, None)?;
        let unseeded = config::<H>(&settings, &[])?;
        let data = ProverData::from_airs_and_degrees(&unseeded, &airs, log_heights)
            .map_err(AirError::Preprocessed)?;
        let common = &data.common;
        let preprocessed = common.preprocessed.as_ref();
        let circuit = AirCircuit::<H>::new(
            Protocol::Batch,
            seed,
            settings.into(),
            H::val_mmcs(settings.cap_height),
            &airs,
            &common.lookups,
            preprocessed.map(|global| &global.commitment),
            log_heights,
        )?;
        Ok(Self {
            airs,
            data,
            circuit,
        })
    }

    /// The same circuit with the openings in a batch ([`AirCircuit::in_batch`]).
    ///
    /// # Errors
    /// If no batch has these openings.
    pub fn in_batch(self) -> Result<Self> {
        let circuit = self.circuit.in_batch()?;
        Ok(Self { circuit, ..self })
    }

    /// The AIRs.
    pub fn airs(&self) -> &[A] {
        &self.airs
    }

    /// The prover data that Plonky3's `prove_batch` takes beside configuration and instances.
    pub const fn data(&self) -> &ProverData<Config<H>> {
        &self.data
    }

    /// Verifies a proof natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it, or it has a part that the shape does not have and that
    /// Plonky3's verifier does not check.
    pub fn verify(&self, proof: &BatchProof<Config<H>>, public_values: &[Vec<F>]) -> Result<()> {
        self.accepted(proof, public_values)?;
        Ok(self.circuit.check(proof, public_values)?)
    }

    /// Verifies a proof natively, then in the machine. Returns the machine's run, which
    /// [`crate::aggregate::Aggregator::wrap_run`] proves.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn run(&self, proof: &BatchProof<Config<H>>, public_values: &[Vec<F>]) -> Result<Run> {
        self.accepted(proof, public_values)?;
        Ok(self.circuit.run(proof, public_values)?)
    }

    /// Fails unless Plonky3's verifier accepts the proof.
    fn accepted(&self, proof: &BatchProof<Config<H>>, public_values: &[Vec<F>]) -> Result<()> {
        verify_batch(
            &self.config()?,
            &self.airs,
            proof,
            public_values,
            &self.data.common,
        )
        .map_err(|error| AirError::Rejected(Box::new(error)))
    }
}
