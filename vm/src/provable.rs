//! Plonky3's prover and verifier, instantiated for one table type and one hash.
//!
//! They are generic over both, and large: instantiated in every crate that proves, they would take
//! most of the build. [`provable!`](crate::provable!) instantiates them where the tables are declared.

pub use droste_native::family::CommittedData;
use droste_native::family::Pcs as Scheme;
use droste_native::{Commitment, Config, EF, F, HashFamily};
use p3_air::Air;
use p3_batch_stark::{
    BatchProof, BatchVerificationError, CommonData, PcsError, ProverData, StarkInstance,
};
use p3_commit::Pcs;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::dense::RowMajorMatrix;

use crate::machine::MachineTables;

/// Tables that can be proved and verified in hash `H`; implemented by
/// [`provable!`](crate::provable!).
pub trait Provable<H: HashFamily>: MachineTables + Air<InteractionSymbolicBuilder<F, EF>> {
    /// Commits to the fixed content of tables.
    ///
    /// # Errors
    /// The commitment scheme's, as text.
    fn commit(
        config: &Config<H>,
        contents: Vec<RowMajorMatrix<F>>,
    ) -> Result<(Commitment<H>, CommittedData<H>), String>;

    /// Plonky3's prover.
    ///
    /// # Errors
    /// Plonky3's, as text.
    fn prove_batch(
        config: &Config<H>,
        instances: &[StarkInstance<'_, Config<H>, Self>],
        data: &ProverData<Config<H>>,
    ) -> Result<BatchProof<Config<H>>, String>;

    /// Plonky3's verifier.
    ///
    /// # Errors
    /// Plonky3's.
    fn verify_batch(
        config: &Config<H>,
        tables: &[Self],
        proof: &BatchProof<Config<H>>,
        public_values: &[Vec<F>],
        common: &CommonData<Config<H>>,
    ) -> Result<(), BatchVerificationError<PcsError<Config<H>>>>;
}

#[doc(hidden)]
pub mod __private {
    pub use droste_native::{Commitment, Config, EF, F, HashFamily};
    pub use p3_batch_stark::{
        BatchProof, BatchVerificationError, CommonData, PcsError, ProverData, StarkInstance,
        prove_batch, verify_batch,
    };
    pub use p3_matrix::dense::RowMajorMatrix;

    pub use super::{CommittedData, commit};
}

#[doc(hidden)]
pub fn commit<H: HashFamily>(
    config: &Config<H>,
    contents: Vec<RowMajorMatrix<F>>,
) -> Result<(Commitment<H>, CommittedData<H>), String> {
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
        .map_err(|error| format!("{error:?}"))
}

/// Makes a table type declared by [`machine!`](crate::machine!) [`Provable`] in the listed hash
/// families.
///
/// ```
/// droste_vm::machine! {
///     /// A machine without precompiles.
///     pub enum Plain {}
/// }
/// droste_vm::provable! { Plain: droste_native::Poseidon16Family }
/// ```
#[macro_export]
macro_rules! provable {
    ($name:ident: $($family:ty),+ $(,)?) => {
        $(
            const _: () = {
                use $crate::provable::__private as p;

                impl $crate::machine::Provable<$family> for $name {
                    fn commit(
                        config: &p::Config<$family>,
                        contents: Vec<p::RowMajorMatrix<p::F>>,
                    ) -> Result<(p::Commitment<$family>, p::CommittedData<$family>), String> {
                        p::commit::<$family>(config, contents)
                    }

                    fn prove_batch(
                        config: &p::Config<$family>,
                        instances: &[p::StarkInstance<'_, p::Config<$family>, Self>],
                        data: &p::ProverData<p::Config<$family>>,
                    ) -> Result<p::BatchProof<p::Config<$family>>, String> {
                        p::prove_batch(config, instances, data).map_err(|error| format!("{error:?}"))
                    }

                    fn verify_batch(
                        config: &p::Config<$family>,
                        tables: &[Self],
                        proof: &p::BatchProof<p::Config<$family>>,
                        public_values: &[Vec<p::F>],
                        common: &p::CommonData<p::Config<$family>>,
                    ) -> Result<(), p::BatchVerificationError<p::PcsError<p::Config<$family>>>> {
                        p::verify_batch(config, tables, proof, public_values, common)
                    }
                }
            };
        )+
    };
}
