//! Recursion over proofs of p3-uni-stark.

use std::ops::Deref;

use droste_native::{Config, EF, F, FriSettings, config};
use educe::Educe;
use p3_air::Air;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_uni_stark::{
    PreprocessedVerifierKey, Proof as UniProof, QuotientAir, VerifierConstraintFolder,
    setup_preprocessed, verify_with_preprocessed,
};

use super::{AirCircuit, AirError, Result, Seed, check_airs};
use crate::circuit::Run;
use crate::shape::Protocol;
use crate::tape::TapeSuite;

/// AIRs whose p3-uni-stark proofs, committed in hash `H`, can be verified in the machine.
/// Implemented for every type that meets the bounds.
pub trait UniAir<H: TapeSuite>:
    Air<InteractionSymbolicBuilder<F, EF>>
    + QuotientAir<Config<H>>
    + for<'a> Air<VerifierConstraintFolder<'a, Config<H>>>
{
}

impl<H: TapeSuite, A> UniAir<H> for A where
    A: Air<InteractionSymbolicBuilder<F, EF>>
        + QuotientAir<Config<H>>
        + for<'a> Air<VerifierConstraintFolder<'a, Config<H>>>
{
}

/// Recursion over p3-uni-stark proofs of one AIR at a given height.
///
/// Beside the methods here it has those of [`AirCircuit`]: key, claims, configuration and program.
#[derive(Educe)]
#[educe(Debug)]
pub struct UniCircuit<H: TapeSuite, A> {
    #[educe(Debug(ignore))]
    air: A,
    #[educe(Debug(ignore))]
    preprocessed: Option<PreprocessedVerifierKey<Config<H>>>,
    circuit: AirCircuit<H>,
}

impl<H: TapeSuite, A> Deref for UniCircuit<H, A> {
    type Target = AirCircuit<H>;

    fn deref(&self) -> &AirCircuit<H> {
        &self.circuit
    }
}

impl<H: TapeSuite, A: UniAir<H>> UniCircuit<H, A> {
    /// The circuit of this AIR, at height `2^log_height`.
    ///
    /// # Errors
    /// If it cannot be proved with these settings, or no program can be generated that verifies
    /// such proofs.
    pub fn new(air: A, settings: FriSettings, log_height: usize, seed: Seed) -> Result<Self> {
        let airs = std::slice::from_ref(&air);
        check_airs::<EF, A>(airs, &settings, &[log_height], None)?;
        let unseeded = config::<H>(&settings, &[])?;
        let preprocessed = setup_preprocessed(&unseeded, &air, log_height);
        let preprocessed = preprocessed.map_err(AirError::Preprocessed)?;
        let preprocessed = preprocessed.map(|(_, key)| key);
        let circuit = AirCircuit::<H>::new(
            Protocol::Uni,
            seed,
            settings.into(),
            H::val_mmcs(settings.cap_height),
            airs,
            &[Lookups::from_air::<EF, A>(&air)],
            preprocessed.as_ref().map(|key| &key.commitment),
            &[log_height],
        )?;
        Ok(Self {
            air,
            preprocessed,
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

    /// The AIR.
    pub const fn air(&self) -> &A {
        &self.air
    }

    /// The claim of the proof of [`Self::run`] on a proof for these public
    /// values. A verifier of that recursion proof must compare its statement with this claim.
    ///
    /// # Errors
    /// As [`AirCircuit::leaf`].
    pub fn claim(&self, public_values: &[F]) -> Result<[F; 8]> {
        Ok(self.circuit.claim(&[public_values.to_vec()])?)
    }

    /// Verifies a proof natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it, or it has a part that the shape does not have and that
    /// Plonky3's verifier does not check.
    pub fn verify(&self, proof: &UniProof<Config<H>>, public_values: &[F]) -> Result<()> {
        self.accepted(proof, public_values)?;
        Ok(self.circuit.check(proof, &[public_values.to_vec()])?)
    }

    /// Verifies a proof natively, then in the machine. Returns the machine's run, which
    /// [`crate::aggregate::Aggregator::wrap_run`] proves.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn run(&self, proof: &UniProof<Config<H>>, public_values: &[F]) -> Result<Run> {
        self.accepted(proof, public_values)?;
        Ok(self.circuit.run(proof, &[public_values.to_vec()])?)
    }

    /// Fails unless Plonky3's verifier accepts the proof.
    fn accepted(&self, proof: &UniProof<Config<H>>, public_values: &[F]) -> Result<()> {
        let preprocessed = self.preprocessed.as_ref();
        verify_with_preprocessed(
            &self.config()?,
            &self.air,
            proof,
            public_values,
            preprocessed,
        )
        .map_err(|error| AirError::Rejected(Box::new(error.into())))
    }
}
