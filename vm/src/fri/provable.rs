//! Plonky3's prover and verifier, instantiated for one table type and one hash.
//!
//! They are large and generic over both: if every crate that proves instantiated them, that would
//! be most of the build. [`provable!`](crate::provable!) instantiates them where the tables are
//! declared.

pub use droste_native::stark::suite::CommittedData;
use droste_native::stark::suite::{OpeningError, OpeningProverError, Pcs as Scheme};
use droste_native::{Commitment, Config, EF, F, HashSuite, Poseidon16Suite};
use p3_air::{Air, DebugConstraintBuilder};
use p3_batch_stark::folder::ProverConstraintFolderWithLookups;
use p3_batch_stark::{
    BatchProof, BatchVerificationError, CommonData, ProverData, ProvingError, StarkInstance,
};
use p3_commit::Pcs;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::dense::RowMajorMatrix;

use super::point_folder::PointFolder;
use crate::fri::one_folder::OneFolder;
use crate::machine::MachineTables;

/// Tables that can be proved and verified in hash `H`. [`provable!`](crate::provable!) implements
/// it.
pub trait Provable<H: HashSuite>: MachineTables + Air<InteractionSymbolicBuilder<F, EF>> {
    /// Plonky3's prover and verifier of these tables.
    fn stark() -> Stark<H, Self>;
}

/// Plonky3's prover and verifier, instantiated.
#[derive(Clone, Copy, Debug)]
pub struct Stark<H: HashSuite, T> {
    /// Commits to the fixed content of the tables.
    pub commit: Commit<H>,
    /// Calls Plonky3's prover.
    pub prove_batch: ProveBatch<H, T>,
    /// Calls Plonky3's verifier.
    pub verify_batch: VerifyBatch<H, T>,
}

/// Type of [`Stark::commit`].
pub type Commit<H> = fn(
    config: &Config<H>,
    contents: Vec<RowMajorMatrix<F>>,
) -> Result<(Commitment<H>, CommittedData<H>), OpeningProverError>;

/// Type of [`Stark::prove_batch`].
pub type ProveBatch<H, T> = fn(
    config: &Config<H>,
    tables: &[T],
    traces: &[RowMajorMatrix<F>],
    public_values: &[Vec<F>],
    data: &ProverData<Config<H>>,
) -> Result<BatchProof<Config<H>>, ProvingError<OpeningProverError>>;

/// Type of [`Stark::verify_batch`].
pub type VerifyBatch<H, T> = fn(
    config: &Config<H>,
    tables: &[T],
    proof: &BatchProof<Config<H>>,
    public_values: &[Vec<F>],
    common: &CommonData<Config<H>>,
) -> Result<(), BatchVerificationError<OpeningError>>;

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
    T: Air<InteractionSymbolicBuilder<F, EF>> + for<'a> Air<PointFolder<'a>>,
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
            impl $crate::machine::Provable<$suite> for $name {
                #[inline(never)] // So that they are instantiated in this crate.
                fn stark() -> $crate::fri::provable::Stark<$suite, Self> {
                    $crate::fri::provable::Stark {
                        commit: $crate::fri::provable::commit,
                        prove_batch: $crate::fri::provable::prove_batch,
                        verify_batch: $crate::fri::provable::verify_batch,
                    }
                }
            }
        )+
    };
}
