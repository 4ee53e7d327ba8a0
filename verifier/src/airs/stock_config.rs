//! Configurations of Plonky3 as its users write them.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;

use droste_native::F;
use droste_native::field::BaseField;
use droste_native::stark::suite::OpeningError;
use p3_air::symbolic::SymbolicExpressionExt;
use p3_batch_stark::{BatchProof, BatchVerificationError, CommonData, ProverData, verify_batch};
use p3_challenger::{CanObserve, CanSample, FieldChallenger, GrindingChallenger};
use p3_commit::{ExtensionMmcs, Mmcs};
use p3_dft::TwoAdicSubgroupDft;
use p3_field::{Algebra, ExtensionField};
use p3_fri::{HidingFriPcs, TwoAdicFriPcs};
use p3_lookup::Lookups;
use p3_matrix::Dimensions;
use p3_merkle_tree::{MerkleCap, MerkleTreeError};
use p3_uni_stark::{
    PreprocessedVerifierKey, Proof as UniProof, StarkConfig, StarkGenericConfig,
    setup_preprocessed, verify_with_preprocessed,
};
use rand::distr::{Distribution, StandardUniform};
use rand::{CryptoRng, SeedableRng};

use super::AirError;
use super::constants::{ConstantsError, RoundConstants};
use super::known::Known;
use super::stock::{StockBatchAir, StockUniAir};
use super::trees::{HidingTrees, Salted, StockTrees};
use crate::codegen::SymbolicField;
use crate::tape::{Cap, FriConfig, ProofParts, TreesId};

/// A configuration of Plonky3 whose proofs can be verified in-circuit.
///
/// It is implemented for `StarkConfig<TwoAdicFriPcs<V, _, Trees, ExtensionMmcs<V, E, Trees>>, E,
/// Challenger>` with trees and challenger that are [`Known`] over `V` and challenges in
/// [`EF4`](droste_native::EF4) or [`EF`](droste_native::EF) over `KoalaBear` or in
/// [`BabyBear4`](droste_native::field::BabyBear4) over `BabyBear`, and for the same with
/// `HidingFriPcs` and trees in `MerkleTreeHidingMmcs`, which without salts are [`Known`].
///
/// Its methods call Plonky3's functions where all of its types are known.
pub trait StockConfig: sealed::Sealed + StarkGenericConfig + 'static {
    /// The field of traces and public values.
    type Val: BaseField;

    /// The field of challenges.
    type Field: SymbolicField<Base = Self::Val>;

    /// Merkle trees over rows of base field elements, and what proofs hide by.
    type Trees: StockTrees<Self::Val, <Self as StarkGenericConfig>::Challenger>;

    /// Round constants that the types do not show.
    type Constants: RoundConstants;

    /// Compares the constants of the trees and of the challenger with these.
    ///
    /// # Errors
    /// If they are others.
    fn check_constants(
        &self,
        trees: &Self::Trees,
        constants: &Self::Constants,
    ) -> Result<(), ConstantsError>;

    /// Commits to the preprocessed trace of an AIR, if it has any.
    ///
    /// # Errors
    /// If Plonky3 cannot commit to it.
    fn preprocessed<A: StockUniAir<Self>>(
        &self,
        air: &A,
        log_height: usize,
    ) -> Result<Option<PreprocessedVerifierKey<Self>>, AirError>;

    /// The lookups of AIRs, and the commitment to their preprocessed traces.
    ///
    /// # Errors
    /// If Plonky3 cannot commit to them.
    fn common<A: StockBatchAir<Self>>(
        &self,
        airs: &[A],
        log_heights: &[usize],
    ) -> Result<CommonData<Self>, AirError>;

    /// The commitment of [`Self::preprocessed`].
    fn preprocessed_cap(key: &mut PreprocessedVerifierKey<Self>) -> &mut Cap<Stock<Self>>;

    /// The lookups of [`Self::common`].
    fn lookups(common: &CommonData<Self>) -> &[Lookups<Self::Val>];

    /// The commitment of [`Self::common`].
    fn common_cap(common: &mut CommonData<Self>) -> Option<&mut Cap<Stock<Self>>>;

    /// Verifies a proof of one AIR natively.
    ///
    /// # Errors
    /// If Plonky3's verifier rejects it.
    fn verify_uni<A: StockUniAir<Self>>(
        &self,
        air: &A,
        proof: &UniProof<Self>,
        public_values: &[Self::Val],
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
        public_values: &[Vec<Self::Val>],
        common: &CommonData<Self>,
    ) -> Result<(), Box<BatchVerificationError<OpeningError>>>;

    /// The parts of a proof of one AIR.
    fn uni_parts(proof: &UniProof<Self>) -> ProofParts<'_, Stock<Self>>;

    /// The parts of a proof of several AIRs.
    fn batch_parts(proof: &BatchProof<Self>) -> ProofParts<'_, Stock<Self>>;
}

/// Implements [`StockConfig`] for configurations of a commitment scheme with these trees, which
/// without salts are `committed`. Errors of committing are of the variant `failed`.
macro_rules! stock_config {
    (
        <$($generic:ident),*> $scheme:ty,
        trees = $trees:ty, committed = $committed:ty, failed = $failed:ident,
        where { $($bound:tt)* }
    ) => {
        impl<V, $($generic,)* E, C> StockConfig for StarkConfig<$scheme, E, C>
        where
            $($bound)*
            V: BaseField,
            E: SymbolicField<Base = V> + ExtensionField<V>,
            C: FieldChallenger<V>
                + GrindingChallenger<Witness = V>
                + CanObserve<MerkleCap<V, <$committed as Known<V, C>>::Digest>>
                + CanSample<E>
                + Clone
                + 'static,
            SymbolicExpressionExt<V, E>: Algebra<E>,
        {
            type Val = V;
            type Field = E;
            type Trees = $trees;
            type Constants = <$committed as Known<V, C>>::Constants;

            fn check_constants(
                &self,
                trees: &Self::Trees,
                constants: &Self::Constants,
            ) -> Result<(), ConstantsError> {
                let known: &$committed = StockTrees::<V, C>::known(trees);
                known.check_constants(self.initialise_challenger(), constants)
            }

            fn preprocessed<A: StockUniAir<Self>>(
                &self,
                air: &A,
                log_height: usize,
            ) -> Result<Option<PreprocessedVerifierKey<Self>>, AirError> {
                let preprocessed = setup_preprocessed::<Self, A>(self, air, log_height);
                let preprocessed = preprocessed.map_err(AirError::$failed)?;
                Ok(preprocessed.map(|(_, key)| key))
            }

            fn common<A: StockBatchAir<Self>>(
                &self,
                airs: &[A],
                log_heights: &[usize],
            ) -> Result<CommonData<Self>, AirError> {
                // Plonky3 asks for the heights of the matrices.
                let extended = log_heights.iter().map(|height| height + self.is_zk());
                let extended: Vec<usize> = extended.collect();
                let data = ProverData::<Self>::from_airs_and_degrees(self, airs, &extended);
                Ok(data.map_err(AirError::$failed)?.common)
            }

            fn preprocessed_cap(
                key: &mut PreprocessedVerifierKey<Self>,
            ) -> &mut Cap<Stock<Self>> {
                &mut key.commitment
            }

            fn lookups(common: &CommonData<Self>) -> &[Lookups<V>] {
                &common.lookups
            }

            fn common_cap(common: &mut CommonData<Self>) -> Option<&mut Cap<Stock<Self>>> {
                let preprocessed = common.preprocessed.as_mut();
                preprocessed.map(|global| &mut global.commitment)
            }

            fn verify_uni<A: StockUniAir<Self>>(
                &self,
                air: &A,
                proof: &UniProof<Self>,
                public_values: &[V],
                preprocessed: Option<&PreprocessedVerifierKey<Self>>,
            ) -> Result<(), Box<BatchVerificationError<OpeningError>>> {
                verify_with_preprocessed(self, air, proof, public_values, preprocessed)
                    .map_err(|error| Box::new(error.into()))
            }

            fn verify_batch<A: StockBatchAir<Self>>(
                &self,
                airs: &[A],
                proof: &BatchProof<Self>,
                public_values: &[Vec<V>],
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
    };
}

stock_config! {
    <Dft, Trees> TwoAdicFriPcs<V, Dft, Trees, ExtensionMmcs<V, E, Trees>>,
    trees = Trees, committed = Trees, failed = Preprocessed,
    where {
        Dft: TwoAdicSubgroupDft<V> + 'static,
        Trees: Known<V, C> + StockTrees<V, C, Known = Trees, Trees = Trees>,
    }
}

stock_config! {
    <Dft, Trees, R> HidingFriPcs<V, Dft, Trees, ExtensionMmcs<V, E, Trees>, R>,
    trees = HidingTrees<Trees>, committed = <Trees as Salted>::Plain, failed = Hiding,
    where {
        Dft: TwoAdicSubgroupDft<V> + 'static,
        Trees: Salted<Val = V, Plain: Known<V, C>>
            + Mmcs<
                V,
                Commitment = MerkleCap<V, <<Trees as Salted>::Plain as Known<V, C>>::Digest>,
                MultiProof: Sync,
                Error = MerkleTreeError,
            >,
        R: CryptoRng + SeedableRng + Send + Sync + 'static,
        StandardUniform: Distribution<V>,
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

/// The challenger of a configuration.
type ChallengerOf<SC> = <SC as StarkGenericConfig>::Challenger;

/// The field of traces of a configuration.
type ValOf<SC> = <SC as StockConfig>::Val;

/// The trees of a configuration, without salts.
type KnownOf<SC> = <TreesOf<SC> as StockTrees<ValOf<SC>, ChallengerOf<SC>>>::Known;

/// The trees of a configuration.
type TreesOf<SC> = <SC as StockConfig>::Trees;

impl<SC: StockConfig> crate::tape::sealed::Sealed for Stock<SC> {}

impl<SC: StockConfig> FriConfig for Stock<SC> {
    const TREES: TreesId = <KnownOf<SC> as Known<ValOf<SC>, ChallengerOf<SC>>>::TREES;

    type Val = ValOf<SC>;
    type Challenge = SC::Field;
    type Digest = <KnownOf<SC> as Known<ValOf<SC>, ChallengerOf<SC>>>::Digest;
    type Trees = <TreesOf<SC> as StockTrees<ValOf<SC>, ChallengerOf<SC>>>::Trees;
    type Opener = TreesOf<SC>;
    type Gadget = <KnownOf<SC> as Known<ValOf<SC>, ChallengerOf<SC>>>::Gadget;
    type Transcript = <KnownOf<SC> as Known<ValOf<SC>, ChallengerOf<SC>>>::Transcript;

    fn trees(opener: &Self::Opener) -> &Self::Trees {
        opener.trees()
    }

    fn salts(
        proof: &<Self::Trees as Mmcs<Self::Val>>::MultiProof,
    ) -> Option<&[Vec<Vec<Self::Val>>]> {
        <TreesOf<SC> as StockTrees<ValOf<SC>, ChallengerOf<SC>>>::salts(proof)
    }

    fn restore_paths(
        opener: &Self::Opener,
        dimensions: &[Dimensions],
        indices: &[usize],
        rows: &[Vec<Vec<Self::Val>>],
        proof: &<Self::Trees as Mmcs<Self::Val>>::MultiProof,
    ) -> Result<Vec<Vec<Self::Digest>>, MerkleTreeError> {
        let proof = <TreesOf<SC> as StockTrees<ValOf<SC>, ChallengerOf<SC>>>::digests(proof);
        let known = opener.known();
        known.restore_paths(dimensions, indices, rows, proof)
    }

    fn digest_blocks(digest: &Self::Digest) -> Vec<[F; 8]> {
        <KnownOf<SC> as Known<ValOf<SC>, ChallengerOf<SC>>>::digest_blocks(digest)
    }

    fn set_constants(constants: &[[u32; 8]]) {
        SC::Constants::set(constants);
    }
}
