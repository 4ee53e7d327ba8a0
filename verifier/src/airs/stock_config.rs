//! Configurations of Plonky3 as its users write them.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use droste_native::stark::suite::{OpeningError, OpeningProverError};
use droste_native::{Challenge, F};
use p3_air::symbolic::SymbolicExpressionExt;
use p3_batch_stark::{
    BatchProof, BatchVerificationError, CommonData, ProverData, ProvingError, verify_batch,
};
use p3_challenger::{CanObserve, CanSample, FieldChallenger, GrindingChallenger};
use p3_commit::{ExtensionMmcs, Mmcs};
use p3_dft::TwoAdicSubgroupDft;
use p3_field::Algebra;
use p3_fri::TwoAdicFriPcs;
use p3_lookup::Lookups;
use p3_matrix::Dimensions;
use p3_merkle_tree::{MerkleCap, MerkleTreeError};
use p3_uni_stark::{
    PreprocessedVerifierKey, Proof as UniProof, StarkConfig, StarkGenericConfig,
    setup_preprocessed, verify_with_preprocessed,
};

use super::known::Known;
use super::stock::{StockBatchAir, StockUniAir};
use crate::tape::{Cap, FriConfig, ProofParts, TreesId};

/// A configuration of Plonky3 whose proofs can be verified in-circuit.
///
/// It is implemented for `StarkConfig<TwoAdicFriPcs<KoalaBear, _, Trees, ExtensionMmcs<KoalaBear,
/// E, Trees>>, E, Challenger>` with trees and challenger that are [`Known`] and challenges in
/// [`EF4`](droste_native::EF4) or [`EF`](droste_native::EF).
///
/// Its methods call Plonky3's functions where all of its types are known.
pub trait StockConfig: sealed::Sealed + StarkGenericConfig + 'static {
    /// The field of challenges.
    type Field: Challenge;

    /// Merkle trees over rows of base field elements.
    type Trees: Known<<Self as StarkGenericConfig>::Challenger>;

    /// Commits to the preprocessed trace of an AIR, if it has any.
    ///
    /// # Errors
    /// If Plonky3 cannot commit to it.
    fn preprocessed<A: StockUniAir<Self>>(
        &self,
        air: &A,
        log_height: usize,
    ) -> Result<Option<PreprocessedVerifierKey<Self>>, ProvingError<OpeningProverError>>;

    /// The lookups of AIRs, and the commitment to their preprocessed traces.
    ///
    /// # Errors
    /// If Plonky3 cannot commit to them.
    fn common<A: StockBatchAir<Self>>(
        &self,
        airs: &[A],
        log_heights: &[usize],
    ) -> Result<CommonData<Self>, ProvingError<OpeningProverError>>;

    /// The commitment of [`Self::preprocessed`].
    fn preprocessed_cap(key: &PreprocessedVerifierKey<Self>) -> &Cap<Stock<Self>>;

    /// The lookups of [`Self::common`].
    fn lookups(common: &CommonData<Self>) -> &[Lookups<F>];

    /// The commitment of [`Self::common`].
    fn common_cap(common: &CommonData<Self>) -> Option<&Cap<Stock<Self>>>;

    /// Verifies a proof of one AIR natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it.
    fn verify_uni<A: StockUniAir<Self>>(
        &self,
        air: &A,
        proof: &UniProof<Self>,
        public_values: &[F],
        preprocessed: Option<&PreprocessedVerifierKey<Self>>,
    ) -> Result<(), Box<BatchVerificationError<OpeningError>>>;

    /// Verifies a proof of several AIRs natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it.
    fn verify_batch<A: StockBatchAir<Self>>(
        &self,
        airs: &[A],
        proof: &BatchProof<Self>,
        public_values: &[Vec<F>],
        common: &CommonData<Self>,
    ) -> Result<(), Box<BatchVerificationError<OpeningError>>>;

    /// The parts of a proof of one AIR.
    fn uni_parts(proof: &UniProof<Self>) -> ProofParts<'_, Stock<Self>>;

    /// The parts of a proof of several AIRs.
    fn batch_parts(proof: &BatchProof<Self>) -> ProofParts<'_, Stock<Self>>;
}

impl<Dft, Trees, E, C> StockConfig
    for StarkConfig<TwoAdicFriPcs<F, Dft, Trees, ExtensionMmcs<F, E, Trees>>, E, C>
where
    Dft: TwoAdicSubgroupDft<F> + 'static,
    Trees: Known<C>,
    E: Challenge,
    C: FieldChallenger<F>
        + GrindingChallenger<Witness = F>
        + CanObserve<MerkleCap<F, <Trees as Known<C>>::Digest>>
        + CanSample<E>
        + Clone
        + 'static,
    SymbolicExpressionExt<F, E>: Algebra<E>,
{
    type Field = E;
    type Trees = Trees;

    fn preprocessed<A: StockUniAir<Self>>(
        &self,
        air: &A,
        log_height: usize,
    ) -> Result<Option<PreprocessedVerifierKey<Self>>, ProvingError<OpeningProverError>> {
        let preprocessed = setup_preprocessed::<Self, A>(self, air, log_height)?;
        Ok(preprocessed.map(|(_, key)| key))
    }

    fn common<A: StockBatchAir<Self>>(
        &self,
        airs: &[A],
        log_heights: &[usize],
    ) -> Result<CommonData<Self>, ProvingError<OpeningProverError>> {
        let data = ProverData::<Self>::from_airs_and_degrees(self, airs, log_heights)?;
        Ok(data.common)
    }

    fn preprocessed_cap(key: &PreprocessedVerifierKey<Self>) -> &Cap<Stock<Self>> {
        &key.commitment
    }

    fn lookups(common: &CommonData<Self>) -> &[Lookups<F>] {
        &common.lookups
    }

    fn common_cap(common: &CommonData<Self>) -> Option<&Cap<Stock<Self>>> {
        let preprocessed = common.preprocessed.as_ref();
        preprocessed.map(|global| &global.commitment)
    }

    fn verify_uni<A: StockUniAir<Self>>(
        &self,
        air: &A,
        proof: &UniProof<Self>,
        public_values: &[F],
        preprocessed: Option<&PreprocessedVerifierKey<Self>>,
    ) -> Result<(), Box<BatchVerificationError<OpeningError>>> {
        verify_with_preprocessed(self, air, proof, public_values, preprocessed)
            .map_err(|error| Box::new(error.into()))
    }

    fn verify_batch<A: StockBatchAir<Self>>(
        &self,
        airs: &[A],
        proof: &BatchProof<Self>,
        public_values: &[Vec<F>],
        common: &CommonData<Self>,
    ) -> Result<(), Box<BatchVerificationError<OpeningError>>> {
        verify_batch(self, airs, proof, public_values, common).map_err(Box::new)
    }

    fn uni_parts(proof: &UniProof<Self>) -> ProofParts<'_, Stock<Self>> {
        proof.into()
    }

    fn batch_parts(proof: &BatchProof<Self>) -> ProofParts<'_, Stock<Self>> {
        proof.into()
    }
}

/// Only Plonky3's own type is a configuration.
mod sealed {
    pub trait Sealed {}

    impl<Pcs, E, C> Sealed for p3_uni_stark::StarkConfig<Pcs, E, C> {}
}

/// Proofs with a configuration of Plonky3, as [`FriConfig`].
pub struct Stock<SC>(PhantomData<fn() -> SC>);

// Derived, these would ask the same of the configuration, which has no values here.
impl<SC> Clone for Stock<SC> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<SC> Debug for Stock<SC> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Stock")
    }
}

impl<SC> PartialEq for Stock<SC> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<SC> Eq for Stock<SC> {}

/// The trees of a configuration.
type TreesOf<SC> = <SC as StockConfig>::Trees;

/// The challenger of a configuration.
type ChallengerOf<SC> = <SC as StarkGenericConfig>::Challenger;

impl<SC: StockConfig> crate::tape::sealed::Sealed for Stock<SC> {}

impl<SC: StockConfig> FriConfig for Stock<SC> {
    const TREES: TreesId = <TreesOf<SC> as Known<ChallengerOf<SC>>>::TREES;

    type Challenge = SC::Field;
    type Digest = <TreesOf<SC> as Known<ChallengerOf<SC>>>::Digest;
    type Trees = TreesOf<SC>;
    type Gadget = <TreesOf<SC> as Known<ChallengerOf<SC>>>::Gadget;
    type Transcript = <TreesOf<SC> as Known<ChallengerOf<SC>>>::Transcript;

    fn restore_paths(
        trees: &Self::Trees,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<F>>],
        proof: &<Self::Trees as Mmcs<F>>::MultiProof,
    ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError> {
        trees.restore_paths(dimensions, indices, rows, proof)
    }

    fn digest_blocks(digest: &Self::Digest) -> Vec<[F; 8]> {
        <TreesOf<SC> as Known<ChallengerOf<SC>>>::digest_blocks(digest)
    }
}
