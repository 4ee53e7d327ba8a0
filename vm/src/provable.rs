//! Plonky3's prover and verifier, instantiated for one table type and one hash.
//!
//! They are large and generic over both: if every crate that proves instantiated them, that would
//! be most of the build. [`provable!`](crate::provable!) instantiates them where the tables are
//! declared.

pub use droste_native::stark::suite::CommittedData;
use droste_native::stark::suite::{OpeningError, OpeningProverError, Pcs as Scheme};
use droste_native::{Commitment, Config, EF, F, HashSuite, Poseidon16Suite};
use p3_air::{Air, DebugConstraintBuilder};
use p3_batch_stark::folder::{
    ProverConstraintFolderWithLookups, VerifierConstraintFolderWithLookups,
};
use p3_batch_stark::{
    BatchProof, BatchVerificationError, CommonData, ProverData, ProvingError, StarkInstance,
};
use p3_commit::Pcs;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::dense::RowMajorMatrix;

use crate::machine::MachineTables;
use crate::one_folder::OneFolder;

/// Tables that can be proved and verified in hash `H`. [`provable!`](crate::provable!) implements
/// it.
pub trait Provable<H: HashSuite>: MachineTables + Air<InteractionSymbolicBuilder<F, EF>> {
    /// Commits to the fixed content of the tables.
    ///
    /// # Errors
    /// Errors of the commitment scheme.
    fn commit(
        config: &Config<H>,
        contents: Vec<RowMajorMatrix<F>>,
    ) -> Result<(Commitment<H>, CommittedData<H>), OpeningProverError>;

    /// Calls Plonky3's prover.
    ///
    /// # Errors
    /// Plonky3's errors.
    fn prove_batch(
        config: &Config<H>,
        tables: &[Self],
        traces: &[RowMajorMatrix<F>],
        public_values: &[Vec<F>],
        data: &ProverData<Config<H>>,
    ) -> Result<BatchProof<Config<H>>, ProvingError<OpeningProverError>>;

    /// Calls Plonky3's verifier.
    ///
    /// # Errors
    /// Plonky3's errors.
    fn verify_batch(
        config: &Config<H>,
        tables: &[Self],
        proof: &BatchProof<Config<H>>,
        public_values: &[Vec<F>],
        common: &CommonData<Config<H>>,
    ) -> Result<(), BatchVerificationError<OpeningError>>;
}

#[doc(hidden)]
pub mod __private {
    pub use droste_native::stark::suite::{OpeningError, OpeningProverError};
    pub use droste_native::{Commitment, Config, EF, F, HashSuite};
    pub use p3_batch_stark::{
        BatchProof, BatchVerificationError, CommonData, ProverData, ProvingError,
    };
    pub use p3_matrix::dense::RowMajorMatrix;

    pub use super::{CommittedData, commit, prove_batch, verify_batch};
}

#[doc(hidden)]
pub fn commit<H: HashSuite>(
    config: &Config<H>,
    contents: Vec<RowMajorMatrix<F>>,
) -> Result<(Commitment<H>, CommittedData<H>), OpeningProverError> {
    use p3_commit::UnivariateStarkPcs;
    use p3_matrix::Matrix;
    use p3_uni_stark::StarkGenericConfig;

    let pcs = config.pcs();
    let contents = contents
        .into_iter()
        .map(|content| {
            let domain = <Scheme<H> as Pcs<EF, H::Challenger>>::natural_domain_for_degree(
                pcs,
                content.height(),
            );
            (domain, content)
        })
        .collect::<Vec<_>>();
    <Scheme<H> as UnivariateStarkPcs<EF, H::Challenger>>::commit_preprocessing(pcs, contents)
}

#[doc(hidden)]
pub fn prove_batch<H, T>(
    config: &Config<H>,
    tables: &[T],
    traces: &[RowMajorMatrix<F>],
    public_values: &[Vec<F>],
    data: &ProverData<Config<H>>,
) -> Result<BatchProof<Config<H>>, ProvingError<OpeningProverError>>
where
    H: HashSuite,
    T: Air<InteractionSymbolicBuilder<F, EF>>
        + for<'a> Air<ProverConstraintFolderWithLookups<'a, Config<Poseidon16Suite>>>
        + for<'a> Air<DebugConstraintBuilder<'a, F, EF>>,
{
    let tables: Vec<_> = tables.iter().map(OneFolder).collect();
    let instances: Vec<_> = tables
        .iter()
        .zip(traces)
        .zip(public_values)
        .map(|((air, trace), public_values)| StarkInstance {
            air,
            trace,
            public_values: public_values.clone(),
        })
        .collect();
    p3_batch_stark::prove_batch(config, &instances, data)
}

#[doc(hidden)]
pub fn verify_batch<H, T>(
    config: &Config<H>,
    tables: &[T],
    proof: &BatchProof<Config<H>>,
    public_values: &[Vec<F>],
    common: &CommonData<Config<H>>,
) -> Result<(), BatchVerificationError<OpeningError>>
where
    H: HashSuite,
    T: Air<InteractionSymbolicBuilder<F, EF>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config<Poseidon16Suite>>>,
{
    let tables: Vec<_> = tables.iter().map(OneFolder).collect();
    p3_batch_stark::verify_batch(config, &tables, proof, public_values, common)
}

/// Implements [`Provable`], for the listed hash suites, for a table type that
/// [`machine!`](crate::machine!) declared.
///
/// ```
/// droste_vm::machine! {
///     /// A machine without precompiles.
///     pub enum Plain {}
/// }
/// droste_vm::provable! { Plain: droste_native::Poseidon16Suite }
/// ```
#[macro_export]
macro_rules! provable {
    ($name:ident: $($suite:ty),+ $(,)?) => {
        $(
            const _: () = {
                use $crate::provable::__private as p;

                impl $crate::machine::Provable<$suite> for $name {
                    fn commit(
                        config: &p::Config<$suite>,
                        contents: Vec<p::RowMajorMatrix<p::F>>,
                    ) -> Result<
                        (p::Commitment<$suite>, p::CommittedData<$suite>),
                        p::OpeningProverError,
                    > {
                        p::commit::<$suite>(config, contents)
                    }

                    fn prove_batch(
                        config: &p::Config<$suite>,
                        tables: &[Self],
                        traces: &[p::RowMajorMatrix<p::F>],
                        public_values: &[Vec<p::F>],
                        data: &p::ProverData<p::Config<$suite>>,
                    ) -> Result<
                        p::BatchProof<p::Config<$suite>>,
                        p::ProvingError<p::OpeningProverError>,
                    > {
                        p::prove_batch(config, tables, traces, public_values, data)
                    }

                    fn verify_batch(
                        config: &p::Config<$suite>,
                        tables: &[Self],
                        proof: &p::BatchProof<p::Config<$suite>>,
                        public_values: &[Vec<p::F>],
                        common: &p::CommonData<p::Config<$suite>>,
                    ) -> Result<(), p::BatchVerificationError<p::OpeningError>> {
                        p::verify_batch(config, tables, proof, public_values, common)
                    }
                }
            };
        )+
    };
}
