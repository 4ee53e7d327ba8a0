//! The polynomial commitment scheme of a hash family, compiled in this crate.
//!
//! Plonky3's scheme is generic over the Merkle trees and the transcript, and large: every crate that
//! calls it with a type of its own choice compiles it again, and at the optimisation level of a
//! release build nothing is shared between crates. [`Pcs`] is that scheme behind functions of
//! [`HashFamily`] which have one type per family, so that they are compiled here and linked
//! everywhere else. Commitments, openings and proofs are Plonky3's, byte for byte.

use p3_commit::{
    CommitmentOpening, OpenedValues, OpeningRequest, PeriodicLdeTable, UnivariateStarkPcs,
};
use p3_dft::Radix2DitParallel;
use p3_field::TwoAdicField;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_fri::{FriParameters, TwoAdicFriPcs};
use p3_matrix::bitrev::BitReversedMatrixView;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixCow};

use super::{ChallengeMmcs, Commitment, HashFamily};
use crate::field::{EF, F};

/// Fast Fourier transforms over the base field.
pub type Dft = Radix2DitParallel<F>;

/// Plonky3's scheme: FRI over two-adic cosets.
pub type FriPcs<H> = TwoAdicFriPcs<F, Dft, <H as HashFamily>::ValMmcs, ChallengeMmcs<H>>;

/// A matrix of evaluations and the domain that they are over.
pub type Evaluations = (TwoAdicMultiplicativeCoset<F>, RowMajorMatrix<F>);

/// What the scheme keeps of the matrices it committed to.
pub type CommittedData<H> =
    <FriPcs<H> as p3_commit::Pcs<EF, <H as HashFamily>::Challenger>>::ProverData;

/// An opening of commitments.
pub type OpeningProof<H> = <FriPcs<H> as p3_commit::Pcs<EF, <H as HashFamily>::Challenger>>::Proof;

/// Why an opening is rejected.
pub type OpeningError<H> = <FriPcs<H> as p3_commit::Pcs<EF, <H as HashFamily>::Challenger>>::Error;

/// Why matrices cannot be committed to or opened.
pub type OpeningProverError<H> =
    <FriPcs<H> as p3_commit::Pcs<EF, <H as HashFamily>::Challenger>>::ProverError;

/// A commitment, and what opens it.
pub type Committed<H> = Result<(Commitment<H>, CommittedData<H>), OpeningProverError<H>>;

/// Values at the points of every request, and the proof that they are right.
pub type Opened<H> = Result<(OpenedValues<EF>, OpeningProof<H>), OpeningProverError<H>>;

/// The commitments of a proof, with the values claimed of them.
pub type Claims<H> = Vec<CommitmentOpening<EF, Commitment<H>, TwoAdicMultiplicativeCoset<F>>>;

/// The functions of [`HashFamily`] behind [`Pcs`].
///
/// Written out in the trait and again in the implementation for every family: what a trait provides
/// is generic over the type that implements it, and compiled by every crate that calls it.
macro_rules! compiled_scheme {
    () => {
        /// Commits to matrices of evaluations, of which the next is made when the last is extended.
        ///
        /// # Errors
        /// As [`p3_commit::Pcs::commit`].
        fn commit(
            scheme: &$crate::family::FriPcs<Self>,
            evaluations: &mut dyn Iterator<Item = $crate::family::Evaluations>,
        ) -> $crate::family::Committed<Self> {
            p3_commit::Pcs::<$crate::field::EF, Self::Challenger>::commit(scheme, evaluations)
        }

        /// Opens commitments at points.
        ///
        /// # Errors
        /// As [`p3_commit::Pcs::open`].
        fn open(
            scheme: &$crate::family::FriPcs<Self>,
            requests: Vec<
                p3_commit::OpeningRequest<
                    '_,
                    $crate::family::CommittedData<Self>,
                    $crate::field::EF,
                >,
            >,
            challenger: &mut Self::Challenger,
        ) -> $crate::family::Opened<Self> {
            p3_commit::Pcs::open(scheme, requests, challenger)
        }

        /// Verifies the values claimed of commitments.
        ///
        /// # Errors
        /// Why Plonky3's verifier rejects them.
        fn verify(
            scheme: &$crate::family::FriPcs<Self>,
            claims: $crate::family::Claims<Self>,
            proof: &$crate::family::OpeningProof<Self>,
            challenger: &mut Self::Challenger,
        ) -> Result<(), $crate::family::OpeningError<Self>> {
            p3_commit::Pcs::verify(scheme, claims, proof, challenger)
        }

        /// Low-degree extensions of the chunks of a quotient.
        ///
        /// # Errors
        /// As [`p3_commit::UnivariateStarkPcs::get_quotient_ldes`].
        fn quotient_ldes(
            scheme: &$crate::family::FriPcs<Self>,
            evaluations: &mut dyn Iterator<Item = $crate::family::Evaluations>,
            chunks: usize,
        ) -> Result<
            Vec<p3_matrix::dense::RowMajorMatrix<$crate::field::F>>,
            $crate::family::OpeningProverError<Self>,
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
        /// As [`p3_commit::UnivariateStarkPcs::commit_ldes`].
        fn commit_ldes(
            scheme: &$crate::family::FriPcs<Self>,
            ldes: Vec<p3_matrix::dense::RowMajorMatrix<$crate::field::F>>,
        ) -> $crate::family::Committed<Self> {
            p3_commit::UnivariateStarkPcs::<$crate::field::EF, Self::Challenger>::commit_ldes(
                scheme, ldes,
            )
        }

        /// Evaluations of a committed matrix over another domain.
        fn evaluations_on_domain<'a>(
            scheme: &$crate::family::FriPcs<Self>,
            data: &'a $crate::family::CommittedData<Self>,
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

/// The polynomial commitment scheme of a hash family.
#[derive(Clone, Debug)]
pub struct Pcs<H: HashFamily>(FriPcs<H>);

impl<H: HashFamily> Pcs<H> {
    /// The scheme with these trees and parameters.
    pub fn new(mmcs: H::ValMmcs, parameters: FriParameters<ChallengeMmcs<H>>) -> Self {
        Self(FriPcs::<H>::new(Dft::default(), mmcs, parameters))
    }
}

impl<H: HashFamily> p3_commit::Pcs<EF, H::Challenger> for Pcs<H> {
    type Domain = TwoAdicMultiplicativeCoset<F>;
    type Commitment = Commitment<H>;
    type ProverData = CommittedData<H>;
    type Proof = OpeningProof<H>;
    type Error = OpeningError<H>;
    type ProverError = OpeningProverError<H>;

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
        claims: Claims<H>,
        proof: &Self::Proof,
        challenger: &mut H::Challenger,
    ) -> Result<(), Self::Error> {
        H::verify(&self.0, claims, proof, challenger)
    }
}

impl<H: HashFamily> UnivariateStarkPcs<EF, H::Challenger> for Pcs<H> {
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
