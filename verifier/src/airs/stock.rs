//! Recursion over proofs that other people's code makes with Plonky3.

use std::ops::Deref;

use droste_native::field::AnyChallenge;
use droste_native::{F, FriSettings};
use educe::Educe;
use p3_air::Air;
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups;
use p3_batch_stark::{BatchProof, CommonData};
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use p3_uni_stark::{
    PreprocessedVerifierKey, Proof as UniProof, QuotientAir, VerifierConstraintFolder,
};
use serde::{Deserialize, Deserializer};

use super::field::check_field;
use super::{
    AirCircuit, AirError, Parameters, Result, RoundConstants, Seed, Stock, StockConfig, StockTrees,
    check_airs,
};
use crate::circuit::Run;
use crate::shape::Protocol;
use crate::tape::Cap;

/// AIRs whose p3-uni-stark proofs with configuration `SC` can be verified in the machine.
/// Implemented for every type that meets the bounds.
pub trait StockUniAir<SC: StockConfig>:
    Air<
        InteractionSymbolicBuilder<
            <SC as StockConfig>::Val,
            <<SC as StockConfig>::Field as AnyChallenge>::Asked,
        >,
    > + Air<InteractionSymbolicBuilder<<SC as StockConfig>::Val, <SC as StockConfig>::Field>>
    + QuotientAir<SC>
    + for<'a> Air<VerifierConstraintFolder<'a, SC>>
{
}

impl<SC: StockConfig, A> StockUniAir<SC> for A where
    A: Air<
            InteractionSymbolicBuilder<
                <SC as StockConfig>::Val,
                <<SC as StockConfig>::Field as AnyChallenge>::Asked,
            >,
        > + Air<InteractionSymbolicBuilder<<SC as StockConfig>::Val, <SC as StockConfig>::Field>>
        + QuotientAir<SC>
        + for<'a> Air<VerifierConstraintFolder<'a, SC>>
{
}

/// AIRs whose p3-batch-stark proofs with configuration `SC` can be verified in the machine.
/// Implemented for every type that meets the bounds.
pub trait StockBatchAir<SC: StockConfig>:
    Air<
        InteractionSymbolicBuilder<
            <SC as StockConfig>::Val,
            <<SC as StockConfig>::Field as AnyChallenge>::Asked,
        >,
    > + Air<InteractionSymbolicBuilder<<SC as StockConfig>::Val, <SC as StockConfig>::Field>>
    + for<'a> Air<VerifierConstraintFolderWithLookups<'a, SC>>
{
}

impl<SC: StockConfig, A> StockBatchAir<SC> for A where
    A: Air<
            InteractionSymbolicBuilder<
                <SC as StockConfig>::Val,
                <<SC as StockConfig>::Field as AnyChallenge>::Asked,
            >,
        > + Air<InteractionSymbolicBuilder<<SC as StockConfig>::Val, <SC as StockConfig>::Field>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, SC>>
{
}

/// Recursion over p3-uni-stark proofs of one AIR at a given height, made with a configuration of
/// Plonky3.
///
/// The transcript of such proofs does not bind the AIR: whoever accepts a claim has the obligation
/// of [`Seed::StockForFixedAirs`].
///
/// Beside the methods here it has those of [`AirCircuit`]: key, claims and program.
#[derive(Educe)]
#[educe(Debug)]
pub struct StockUni<SC: StockConfig, A> {
    #[educe(Debug(ignore))]
    config: SC,
    #[educe(Debug(ignore))]
    air: A,
    #[educe(Debug(ignore))]
    preprocessed: Option<PreprocessedVerifierKey<SC>>,
    circuit: AirCircuit<Stock<SC>>,
}

impl<SC: StockConfig, A> Deref for StockUni<SC, A> {
    type Target = AirCircuit<Stock<SC>>;

    fn deref(&self) -> &Self::Target {
        &self.circuit
    }
}

impl<SC: StockConfig, A: StockUniAir<SC>> StockUni<SC, A> {
    /// The circuit of this AIR, at height `2^log_height`.
    ///
    /// `trees` and `settings` are those of which the configuration was made: it does not show them.
    /// Those of a hiding configuration are [`HidingTrees`](super::HidingTrees). Proofs that were
    /// made with others are rejected. `constants` are the round constants of Poseidon2 that the
    /// configuration has, or `()`.
    ///
    /// # Errors
    /// If the AIR cannot be proved with these settings, the configuration has other constants, or no
    /// program can be generated that verifies such proofs.
    pub fn new(
        config: SC,
        trees: SC::Trees,
        constants: SC::Constants,
        settings: FriSettings,
        air: A,
        log_height: usize,
    ) -> Result<Self> {
        let airs = std::slice::from_ref(&air);
        let hiding = trees.hiding();
        check_airs::<SC::Field, A>(airs, &settings, &[log_height], hiding)?;
        check_field::<SC::Field, A>(airs)?;
        config.check_constants(&trees, &constants)?;
        let mut preprocessed = config.preprocessed(&air, log_height)?;
        let commitment = preprocessed.as_mut().map(SC::preprocessed_cap);
        let circuit = AirCircuit::<Stock<SC>>::new(
            Protocol::Uni,
            Seed::StockForFixedAirs,
            Parameters {
                settings,
                hiding,
                constants: constants.blocks(),
            },
            trees,
            airs,
            &[Lookups::<SC::Val>::from_air::<SC::Field, A>(&air)],
            commitment.as_deref(),
            &[log_height],
        )?;
        Ok(Self {
            config,
            air,
            preprocessed,
            circuit,
        })
    }

    /// The same circuit, of proofs with this commitment to the preprocessed trace. With salts, which
    /// are drawn anew whenever somebody commits, it is not the one that [`Self::new`] makes.
    ///
    /// With salts, nothing here shows that it is a commitment to that trace. It is in the key:
    /// whoever accepts the key must know it. Without salts only the one of [`Self::new`] is taken.
    ///
    /// # Errors
    /// If the AIR has no preprocessed columns, or the commitment is not of the trees' cap, or
    /// without salts another than that of [`Self::new`].
    pub fn with_preprocessed(mut self, commitment: Cap<Stock<SC>>) -> Result<Self> {
        self.circuit.commit(&commitment)?;
        if let Some(key) = &mut self.preprocessed {
            *SC::preprocessed_cap(key) = commitment;
        }
        Ok(self)
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

    /// The claim of the proof of [`Self::run`] on a proof for these public values. A verifier of
    /// that recursion proof must compare its statement with this claim.
    ///
    /// # Errors
    /// As [`AirCircuit::leaf`].
    pub fn claim(&self, public_values: &[SC::Val]) -> Result<[F; 8]> {
        Ok(self.circuit.claim(&[public_values.to_vec()])?)
    }

    /// Verifies a proof natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it, or it has a part that the shape does not have and that
    /// Plonky3's verifier does not check.
    pub fn verify(&self, proof: &UniProof<SC>, public_values: &[SC::Val]) -> Result<()> {
        self.accepted(proof, public_values)?;
        let public_values = [public_values.to_vec()];
        Ok(self.circuit.check(SC::uni_parts(proof), &public_values)?)
    }

    /// Verifies a proof natively, then in the machine. Returns the machine's run, which
    /// [`crate::aggregate::Aggregator::wrap_run`] proves.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn run(&self, proof: &UniProof<SC>, public_values: &[SC::Val]) -> Result<Run> {
        self.accepted(proof, public_values)?;
        let public_values = [public_values.to_vec()];
        Ok(self.circuit.run(SC::uni_parts(proof), &public_values)?)
    }

    /// As [`Self::run`], of a proof in the format of this deserializer. Bytes after the proof are
    /// its caller's to refuse.
    ///
    /// # Errors
    /// As for [`Self::run`], or if it is no proof in that format.
    pub fn run_from<'de, D>(&self, deserializer: D, public_values: &[SC::Val]) -> Result<Run>
    where
        D: Deserializer<'de>,
    {
        let proof = UniProof::<SC>::deserialize(deserializer);
        let proof = proof.map_err(|error| AirError::Bytes(error.to_string()))?;
        self.run(&proof, public_values)
    }

    /// Fails unless Plonky3's verifier accepts the proof.
    fn accepted(&self, proof: &UniProof<SC>, public_values: &[SC::Val]) -> Result<()> {
        let preprocessed = self.preprocessed.as_ref();
        self.config
            .verify_uni(&self.air, proof, public_values, preprocessed)
            .map_err(AirError::Rejected)
    }
}

/// Recursion over p3-batch-stark proofs of a list of AIRs at given heights, made with a
/// configuration of Plonky3.
///
/// AIRs of different types are passed as one enum, as Plonky3's prover requires. The transcript of
/// such proofs does not bind the AIRs: whoever accepts a claim has the obligation of
/// [`Seed::StockForFixedAirs`].
///
/// Beside the methods here it has those of [`AirCircuit`]: key, claims and program.
#[derive(Educe)]
#[educe(Debug)]
pub struct StockBatch<SC: StockConfig, A> {
    #[educe(Debug(ignore))]
    config: SC,
    #[educe(Debug(ignore))]
    airs: Vec<A>,
    #[educe(Debug(ignore))]
    common: CommonData<SC>,
    circuit: AirCircuit<Stock<SC>>,
}

impl<SC: StockConfig, A> Deref for StockBatch<SC, A> {
    type Target = AirCircuit<Stock<SC>>;

    fn deref(&self) -> &Self::Target {
        &self.circuit
    }
}

impl<SC: StockConfig, A: StockBatchAir<SC>> StockBatch<SC, A> {
    /// The circuit of these AIRs, at heights `2^log_heights`.
    ///
    /// `trees` and `settings` are those of which the configuration was made: it does not show them.
    /// Those of a hiding configuration are [`HidingTrees`](super::HidingTrees). Proofs that were
    /// made with others are rejected. `constants` are the round constants of Poseidon2 that the
    /// configuration has, or `()`.
    ///
    /// # Errors
    /// If the AIRs cannot be proved with these settings, the configuration has other constants, or
    /// no program can be generated that verifies such proofs.
    pub fn new(
        config: SC,
        trees: SC::Trees,
        constants: SC::Constants,
        settings: FriSettings,
        airs: Vec<A>,
        log_heights: &[usize],
    ) -> Result<Self> {
        let hiding = trees.hiding();
        check_airs::<SC::Field, A>(&airs, &settings, log_heights, hiding)?;
        check_field::<SC::Field, A>(&airs)?;
        config.check_constants(&trees, &constants)?;
        let mut common = config.common(&airs, log_heights)?;
        let commitment = SC::common_cap(&mut common).cloned();
        let circuit = AirCircuit::<Stock<SC>>::new(
            Protocol::Batch,
            Seed::StockForFixedAirs,
            Parameters {
                settings,
                hiding,
                constants: constants.blocks(),
            },
            trees,
            &airs,
            SC::lookups(&common),
            commitment.as_ref(),
            log_heights,
        )?;
        Ok(Self {
            config,
            airs,
            common,
            circuit,
        })
    }

    /// The same circuit, of proofs with this commitment to the preprocessed traces. With salts,
    /// which are drawn anew whenever somebody commits, it is not the one that [`Self::new`] makes.
    ///
    /// With salts, nothing here shows that it is a commitment to those traces. It is in the key:
    /// whoever accepts the key must know it. Without salts only the one of [`Self::new`] is taken.
    ///
    /// # Errors
    /// If no AIR has preprocessed columns, or the commitment is not of the trees' cap, or without
    /// salts another than that of [`Self::new`].
    pub fn with_preprocessed(mut self, commitment: Cap<Stock<SC>>) -> Result<Self> {
        self.circuit.commit(&commitment)?;
        if let Some(own) = SC::common_cap(&mut self.common) {
            *own = commitment;
        }
        Ok(self)
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

    /// Verifies a proof natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it, or it has a part that the shape does not have and that
    /// Plonky3's verifier does not check.
    pub fn verify(&self, proof: &BatchProof<SC>, public_values: &[Vec<SC::Val>]) -> Result<()> {
        self.accepted(proof, public_values)?;
        Ok(self.circuit.check(SC::batch_parts(proof), public_values)?)
    }

    /// Verifies a proof natively, then in the machine. Returns the machine's run, which
    /// [`crate::aggregate::Aggregator::wrap_run`] proves.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn run(&self, proof: &BatchProof<SC>, public_values: &[Vec<SC::Val>]) -> Result<Run> {
        self.accepted(proof, public_values)?;
        Ok(self.circuit.run(SC::batch_parts(proof), public_values)?)
    }

    /// As [`Self::run`], of a proof in the format of this deserializer. Bytes after the proof are
    /// its caller's to refuse.
    ///
    /// # Errors
    /// As for [`Self::run`], or if it is no proof in that format.
    pub fn run_from<'de, D>(&self, deserializer: D, public_values: &[Vec<SC::Val>]) -> Result<Run>
    where
        D: Deserializer<'de>,
    {
        let proof = BatchProof::<SC>::deserialize(deserializer);
        let proof = proof.map_err(|error| AirError::Bytes(error.to_string()))?;
        self.run(&proof, public_values)
    }

    /// Fails unless Plonky3's verifier accepts the proof.
    fn accepted(&self, proof: &BatchProof<SC>, public_values: &[Vec<SC::Val>]) -> Result<()> {
        self.config
            .verify_batch(&self.airs, proof, public_values, &self.common)
            .map_err(AirError::Rejected)
    }
}
