//! The polynomial commitment scheme of a hash suite, compiled in this crate.
//!
//! Plonky3's scheme is generic over the Merkle trees and the transcript, and large. Every crate
//! that calls it with types of its own choice compiles it again, and at the optimisation level of a
//! release build crates do not share generic code. [`Pcs`] wraps the scheme in functions of
//! [`HashSuite`] that are not generic, so that they are compiled in this crate and only linked into
//! others. Commitments, openings and proofs are Plonky3's, byte for byte.

use p3_commit::{
    CommitmentOpening, OpenedValues, OpeningRequest, PeriodicLdeTable, UnivariateStarkPcs,
};
use p3_dft::Radix2DitParallel;
use p3_field::TwoAdicField;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_fri::verifier::FriError;
use p3_fri::{FriParameters, FriProverError, TwoAdicFriPcs};
use p3_matrix::bitrev::BitReversedMatrixView;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixCow};
use p3_merkle_tree::MerkleTreeError;

use super::{ChallengeMmcs, Commitment, HashSuite};
use crate::field::{EF, F};

/// Fast Fourier transforms over the base field.
pub type Dft = Radix2DitParallel<F>;

/// Plonky3's polynomial commitment scheme: FRI over two-adic cosets.
pub type FriPcs<H> = TwoAdicFriPcs<F, Dft, <H as HashSuite>::ValMmcs, ChallengeMmcs<H>>;

/// A matrix of evaluations and the domain of these evaluations.
pub type Evaluations = (TwoAdicMultiplicativeCoset<F>, RowMajorMatrix<F>);

/// What the prover keeps of the matrices that it committed to.
pub type CommittedData<H> =
    <FriPcs<H> as p3_commit::Pcs<EF, <H as HashSuite>::Challenger>>::ProverData;

/// A proof that opens commitments.
pub type OpeningProof<H> = <FriPcs<H> as p3_commit::Pcs<EF, <H as HashSuite>::Challenger>>::Proof;

/// Why an opening is rejected. The type is the same for every suite, because all trees are
/// Plonky3's.
pub type OpeningError = FriError<MerkleTreeError, MerkleTreeError>;

/// Why matrices cannot be committed to or opened.
pub type OpeningProverError = FriProverError;

/// A commitment, and the data needed to open it.
pub type Committed<H> = Result<(Commitment<H>, CommittedData<H>), OpeningProverError>;

/// The opened values at all points asked for, and the proof of them.
pub type Opened<H> = Result<(OpenedValues<EF>, OpeningProof<H>), OpeningProverError>;

/// The commitments of a proof, each with the values claimed for it.
pub type OpeningClaims<H> =
    Vec<CommitmentOpening<EF, Commitment<H>, TwoAdicMultiplicativeCoset<F>>>;

/// The functions of [`HashSuite`] that [`Pcs`] and [`crate::whir`] call.
///
/// The trait and the implementation for every suite both contain this text. If the implementations
/// relied on provided methods of the trait, every crate that calls these would compile them.
macro_rules! compiled_scheme {
    () => {
        /// Commits to the rows of a matrix.
        fn commit_rows(
            mmcs: &Self::ValMmcs,
            rows: p3_matrix::dense::RowMajorMatrix<$crate::field::F>,
        ) -> (
            $crate::stark::suite::Commitment<Self>,
            $crate::stark::suite::Tree<Self>,
        ) {
            p3_commit::Mmcs::commit_matrix(mmcs, rows)
        }

        /// Opens rows of a matrix that `commit_rows` committed to.
        fn open_rows(
            mmcs: &Self::ValMmcs,
            indices: &[usize],
            tree: &$crate::stark::suite::Tree<Self>,
        ) -> (
            Vec<Vec<$crate::field::F>>,
            $crate::stark::suite::MultiProof<Self>,
        ) {
            let (rows, proof) = p3_commit::Mmcs::open_multi_batch(mmcs, indices, tree);
            (rows.into_iter().flatten().collect(), proof)
        }

        /// Commits to matrices of evaluations. The iterator is advanced only once the previous
        /// matrix is extended.
        ///
        /// # Errors
        /// As for [`p3_commit::Pcs::commit`].
        fn commit(
            scheme: &$crate::stark::suite::FriPcs<Self>,
            evaluations: &mut dyn Iterator<Item = $crate::stark::suite::Evaluations>,
        ) -> $crate::stark::suite::Committed<Self> {
            p3_commit::Pcs::<$crate::field::EF, Self::Challenger>::commit(scheme, evaluations)
        }

        /// Opens commitments at points.
        ///
        /// # Errors
        /// As for [`p3_commit::Pcs::open`].
        fn open(
            scheme: &$crate::stark::suite::FriPcs<Self>,
            requests: Vec<
                p3_commit::OpeningRequest<
                    '_,
                    $crate::stark::suite::CommittedData<Self>,
                    $crate::field::EF,
                >,
            >,
            challenger: &mut Self::Challenger,
        ) -> $crate::stark::suite::Opened<Self> {
            p3_commit::Pcs::open(scheme, requests, challenger)
        }

        /// Verifies the values claimed for commitments.
        ///
        /// # Errors
        /// Returns the reason for which Plonky3's verifier rejects them.
        fn verify(
            scheme: &$crate::stark::suite::FriPcs<Self>,
            claims: $crate::stark::suite::OpeningClaims<Self>,
            proof: &$crate::stark::suite::OpeningProof<Self>,
            challenger: &mut Self::Challenger,
        ) -> Result<(), $crate::stark::suite::OpeningError> {
            p3_commit::Pcs::verify(scheme, claims, proof, challenger)
        }

        /// Returns the low-degree extensions of the chunks of a quotient.
        ///
        /// # Errors
        /// As for [`p3_commit::UnivariateStarkPcs::get_quotient_ldes`].
        fn quotient_ldes(
            scheme: &$crate::stark::suite::FriPcs<Self>,
            evaluations: &mut dyn Iterator<Item = $crate::stark::suite::Evaluations>,
            chunks: usize,
        ) -> Result<
            Vec<p3_matrix::dense::RowMajorMatrix<$crate::field::F>>,
            $crate::stark::suite::OpeningProverError,
        > {
            p3_commit::UnivariateStarkPcs::<$crate::field::EF, Self::Challenger>::get_quotient_ldes(
                scheme,
                evaluations,
                chunks,
            )
        }

        /// Commits to low-degree extensions.
        ///
        /// # Errors
        /// As for [`p3_commit::UnivariateStarkPcs::commit_ldes`].
        fn commit_ldes(
            scheme: &$crate::stark::suite::FriPcs<Self>,
            ldes: Vec<p3_matrix::dense::RowMajorMatrix<$crate::field::F>>,
        ) -> $crate::stark::suite::Committed<Self> {
            p3_commit::UnivariateStarkPcs::<$crate::field::EF, Self::Challenger>::commit_ldes(
                scheme, ldes,
            )
        }

        /// Returns the evaluations of a committed matrix over another domain.
        fn evaluations_on_domain<'a>(
            scheme: &$crate::stark::suite::FriPcs<Self>,
            data: &'a $crate::stark::suite::CommittedData<Self>,
            index: usize,
            domain: p3_field::coset::TwoAdicMultiplicativeCoset<$crate::field::F>,
        ) -> p3_matrix::bitrev::BitReversedMatrixView<
            p3_matrix::dense::RowMajorMatrixCow<'a, $crate::field::F>,
        > {
            p3_commit::UnivariateStarkPcs::<$crate::field::EF, Self::Challenger>::get_evaluations_on_domain(
                scheme, data, index, domain,
            )
        }
    };
}
pub(super) use compiled_scheme;

/// Implements [`HashSuite`] for one hash. A generic implementation for several would be compiled in
/// every crate that uses it instead of in this one.
macro_rules! hash_suite {
    (
        $suite:ty: ($name:expr, $id:expr, collisions = $collisions:expr),
        digest = $digest:ty, elements = $elements:expr,
        trees = $mmcs:ty: ($leaf:expr, $parent:expr),
        challenger = $challenger:ty: $new:expr
    ) => {
        impl $crate::HashSuite for $suite {
            const NAME: &'static str = $name;
            const ID: $crate::HashId = $id;
            const COLLISION_BITS: f64 = $collisions;

            type Digest = $digest;
            type ValMmcs = $mmcs;
            type Challenger = $challenger;

            fn val_mmcs(cap_height: usize) -> Self::ValMmcs {
                <$mmcs>::new($leaf, $parent, cap_height)
            }

            fn challenger() -> Self::Challenger {
                $new
            }

            fn restore_paths(
                mmcs: &Self::ValMmcs,
                dimensions: &[p3_matrix::Dimensions],
                indices: &[usize],
                rows: &[Vec<Vec<$crate::field::F>>],
                proof: &$crate::stark::suite::MultiProof<Self>,
            ) -> Result<Vec<Vec<Self::Digest>>, p3_merkle_tree::MerkleTreeError> {
                let paths = mmcs.restore_and_recompute_paths(dimensions, indices, rows, proof)?;
                Ok(paths.into_iter().map(|path| path.siblings).collect())
            }

            fn verify_rows(
                mmcs: &Self::ValMmcs,
                commitment: &$crate::stark::suite::Commitment<Self>,
                dimensions: p3_matrix::Dimensions,
                indices: &[usize],
                rows: &[Vec<$crate::field::F>],
                proof: &$crate::stark::suite::MultiProof<Self>,
            ) -> Result<(), p3_merkle_tree::MerkleTreeError> {
                let committed = $crate::stark::suite::rows::CommittedRows {
                    dimensions,
                    cap: commitment.roots(),
                    cap_height: mmcs.cap_height(),
                };
                if committed.are(&$leaf, &$parent, indices, rows, &proof.sibling_hashes) {
                    return Ok(());
                }
                // Plonky3's verifier says what is wrong.
                let rows: Vec<Vec<&[$crate::field::F]>> =
                    rows.iter().map(|row| vec![&row[..]]).collect();
                let dimensions = &[dimensions];
                p3_commit::Mmcs::verify_multi_batch(
                    mmcs, commitment, dimensions, indices, &rows, proof,
                )
            }

            fn digest_elements(digest: &Self::Digest) -> Vec<$crate::field::F> {
                $elements(digest)
            }

            $crate::stark::suite::scheme::compiled_scheme!();
        }
    };
}
pub(super) use hash_suite;

/// The polynomial commitment scheme of a hash suite.
#[derive(Clone, Debug)]
pub struct Pcs<H: HashSuite>(FriPcs<H>);

impl<H: HashSuite> Pcs<H> {
    /// The scheme with these Merkle trees and parameters.
    pub fn new(mmcs: H::ValMmcs, parameters: FriParameters<ChallengeMmcs<H>>) -> Self {
        Self(FriPcs::<H>::new(Dft::default(), mmcs, parameters))
    }
}

impl<H: HashSuite> p3_commit::Pcs<EF, H::Challenger> for Pcs<H> {
    type Domain = TwoAdicMultiplicativeCoset<F>;
    type Commitment = Commitment<H>;
    type ProverData = CommittedData<H>;
    type Proof = OpeningProof<H>;
    type Error = OpeningError;
    type ProverError = OpeningProverError;

    fn natural_domain_for_degree(&self, degree: usize) -> Self::Domain {
        <FriPcs<H> as p3_commit::Pcs<EF, H::Challenger>>::natural_domain_for_degree(&self.0, degree)
    }

    fn commit(&self, evaluations: impl IntoIterator<Item = Evaluations>) -> Committed<H> {
        H::commit(&self.0, &mut evaluations.into_iter())
    }

    fn open(
        &self,
        requests: Vec<OpeningRequest<'_, Self::ProverData, EF>>,
        challenger: &mut H::Challenger,
    ) -> Opened<H> {
        H::open(&self.0, requests, challenger)
    }

    fn verify(
        &self,
        claims: OpeningClaims<H>,
        proof: &Self::Proof,
        challenger: &mut H::Challenger,
    ) -> Result<(), Self::Error> {
        H::verify(&self.0, claims, proof, challenger)
    }
}

impl<H: HashSuite> UnivariateStarkPcs<EF, H::Challenger> for Pcs<H> {
    type EvaluationsOnDomain<'a> = BitReversedMatrixView<RowMajorMatrixCow<'a, F>>;

    const ZK: bool = <FriPcs<H> as UnivariateStarkPcs<EF, H::Challenger>>::ZK;

    fn log_max_trace_height(&self) -> usize {
        F::TWO_ADICITY
    }

    fn log_min_trace_height(&self) -> usize {
        <FriPcs<H> as UnivariateStarkPcs<EF, H::Challenger>>::log_min_trace_height(&self.0)
    }

    fn get_quotient_ldes(
        &self,
        evaluations: impl IntoIterator<Item = Evaluations>,
        chunks: usize,
    ) -> Result<Vec<RowMajorMatrix<F>>, Self::ProverError> {
        H::quotient_ldes(&self.0, &mut evaluations.into_iter(), chunks)
    }

    fn commit_ldes(&self, ldes: Vec<RowMajorMatrix<F>>) -> Committed<H> {
        H::commit_ldes(&self.0, ldes)
    }

    fn get_evaluations_on_domain<'a>(
        &self,
        data: &'a Self::ProverData,
        index: usize,
        domain: Self::Domain,
    ) -> Self::EvaluationsOnDomain<'a> {
        H::evaluations_on_domain(&self.0, data, index, domain)
    }

    fn build_periodic_lde_table(
        &self,
        columns: &[Vec<F>],
        trace_domain: Self::Domain,
        quotient_domain: Self::Domain,
    ) -> PeriodicLdeTable<F> {
        <FriPcs<H> as UnivariateStarkPcs<EF, H::Challenger>>::build_periodic_lde_table(
            &self.0,
            columns,
            trace_domain,
            quotient_domain,
        )
    }
}
