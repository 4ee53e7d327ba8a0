//! `p3-multi-stark`'s prover and verifier, instantiated for one table type.
//!
//! As for batch STARKs, they are instantiated where the tables are declared
//! ([`whir_provable!`](crate::whir_provable!)), so that no other crate compiles them.

use droste_native::stark::challenger::Poseidon16Challenger;
use droste_native::stark::whir::{WhirOpeningError, WhirProverError, WhirSecurity, WhirStark};
use droste_native::{EF, F};
use p3_air::Air;
use p3_lookup::InteractionSymbolicBuilder;
use p3_multi_stark as multi;
use p3_sumcheck::layout::Table as Columns;

use super::table::WhirTable;
use crate::machine::MachineTables;

/// The prover's key.
pub type StarkProvingKey = multi::ProvingKey<WhirStark>;
/// The verifier's key.
pub type StarkVerifyingKey = multi::VerifyingKey<WhirStark>;
/// A proof of tables.
pub type StarkProof = multi::MultiStarkProof<WhirStark>;
/// Why tables cannot be proved.
pub type StarkProvingError = multi::ProvingError<WhirProverError>;
/// Why a proof is rejected.
pub type StarkVerificationError = multi::VerificationError<WhirOpeningError>;

/// A table and its public values.
#[derive(Clone, Debug)]
pub struct Statement<'a, T> {
    /// The table.
    pub table: &'a WhirTable<T>,
    /// Logarithm of its height.
    pub log_height: usize,
    /// Its public values.
    pub public_values: Vec<F>,
}

/// Tables that can be proved and verified over WHIR.
/// [`whir_provable!`](crate::whir_provable!) implements it.
pub trait Provable: MachineTables + Air<InteractionSymbolicBuilder<F, EF>> {
    /// Commits to the preprocessed columns and makes both keys.
    ///
    /// # Errors
    /// Errors of the commitment scheme.
    fn set_up(
        config: &WhirStark,
        tables: &[WhirTable<Self>],
    ) -> Result<(StarkProvingKey, StarkVerifyingKey), StarkProvingError>;

    /// Calls Plonky3's prover.
    ///
    /// # Errors
    /// Plonky3's errors.
    ///
    /// # Panics
    /// If messages do not balance, among other things that the caller must check.
    fn prove_stark(
        config: &WhirStark,
        statements: &[Statement<'_, Self>],
        columns: Vec<Columns<F>>,
        key: &StarkProvingKey,
        challenger: &mut Poseidon16Challenger,
    ) -> Result<StarkProof, StarkProvingError>;

    /// Calls Plonky3's verifier.
    ///
    /// # Errors
    /// Plonky3's errors.
    fn verify_stark(
        config: &WhirStark,
        statements: &[Statement<'_, Self>],
        key: &StarkVerifyingKey,
        proof: &StarkProof,
        challenger: &mut Poseidon16Challenger,
    ) -> Result<(), StarkVerificationError>;

    /// The proven security of proofs of these statements.
    fn stark_security(
        config: &WhirStark,
        statements: &[Statement<'_, Self>],
        key: &StarkVerifyingKey,
    ) -> WhirSecurity;
}

/// Bits of grinding in each round of the sumcheck over rows. Plonky3's bounds credit none.
const SUMCHECK_GRINDING_BITS: usize = 0;

#[doc(hidden)]
pub mod __private {
    pub use droste_native::F;
    pub use droste_native::stark::challenger::Poseidon16Challenger;
    pub use droste_native::stark::whir::{WhirSecurity, WhirStark};
    pub use p3_sumcheck::layout::Table as Columns;

    pub use super::super::table::WhirTable;
    pub use super::{
        StarkProof, StarkProvingError, StarkProvingKey, StarkVerificationError, StarkVerifyingKey,
        Statement, prove, security, set_up, verify,
    };
}

#[doc(hidden)]
pub fn set_up<A>(
    config: &WhirStark,
    tables: &[A],
) -> Result<(StarkProvingKey, StarkVerifyingKey), StarkProvingError>
where
    A: Air<InteractionSymbolicBuilder<F, EF>>,
{
    let tables: Vec<&A> = tables.iter().collect();
    // The commitment is absorbed here for nothing: every proof absorbs it into its own transcript.
    multi::setup(config, &tables, &mut Poseidon16Challenger::default())
}

#[doc(hidden)]
pub fn prove<T>(
    config: &WhirStark,
    statements: &[Statement<'_, T>],
    columns: Vec<Columns<F>>,
    key: &StarkProvingKey,
    challenger: &mut Poseidon16Challenger,
) -> Result<StarkProof, StarkProvingError>
where
    WhirTable<T>: multi::folder::ProverAir<F, EF>,
{
    let instances = statements.iter().zip(columns).map(|(statement, columns)| {
        let public = &statement.public_values;
        multi::ProverInstance::new(statement.table, columns, key, public)
    });
    let instances = multi::ProverInstances::new(instances.collect());
    multi::prove(config, instances, SUMCHECK_GRINDING_BITS, challenger)
}

fn instances<'a, T>(
    statements: &'a [Statement<'_, T>],
    key: &'a StarkVerifyingKey,
) -> multi::VerifierInstances<'a, WhirStark, WhirTable<T>>
where
    WhirTable<T>: multi::folder::VerifierAir<F, EF>,
{
    let instances = statements.iter().map(|statement| {
        let public = &statement.public_values;
        multi::VerifierInstance::new(statement.table, key, statement.log_height, public)
    });
    multi::VerifierInstances::new(instances.collect())
}

#[doc(hidden)]
pub fn verify<T>(
    config: &WhirStark,
    statements: &[Statement<'_, T>],
    key: &StarkVerifyingKey,
    proof: &StarkProof,
    challenger: &mut Poseidon16Challenger,
) -> Result<(), StarkVerificationError>
where
    WhirTable<T>: multi::folder::VerifierAir<F, EF>,
{
    let instances = instances(statements, key);
    multi::verify(config, instances, proof, SUMCHECK_GRINDING_BITS, challenger)
}

#[doc(hidden)]
pub fn security<T>(
    config: &WhirStark,
    statements: &[Statement<'_, T>],
    key: &StarkVerifyingKey,
) -> WhirSecurity
where
    WhirTable<T>: multi::folder::VerifierAir<F, EF>,
{
    WhirSecurity::new(multi::security_report(config, &instances(statements, key)))
}

/// Implements [`Provable`] for a table type that
/// [`machine!`](crate::machine!) declared.
#[macro_export]
macro_rules! whir_provable {
    ($name:ident) => {
        const _: () = {
            use $crate::whir::__private as p;

            impl $crate::whir::Provable for $name {
                fn set_up(
                    config: &p::WhirStark,
                    tables: &[p::WhirTable<Self>],
                ) -> Result<(p::StarkProvingKey, p::StarkVerifyingKey), p::StarkProvingError>
                {
                    p::set_up(config, tables)
                }

                fn prove_stark(
                    config: &p::WhirStark,
                    statements: &[p::Statement<'_, Self>],
                    columns: Vec<p::Columns<p::F>>,
                    key: &p::StarkProvingKey,
                    challenger: &mut p::Poseidon16Challenger,
                ) -> Result<p::StarkProof, p::StarkProvingError> {
                    p::prove(config, statements, columns, key, challenger)
                }

                fn verify_stark(
                    config: &p::WhirStark,
                    statements: &[p::Statement<'_, Self>],
                    key: &p::StarkVerifyingKey,
                    proof: &p::StarkProof,
                    challenger: &mut p::Poseidon16Challenger,
                ) -> Result<(), p::StarkVerificationError> {
                    p::verify(config, statements, key, proof, challenger)
                }

                fn stark_security(
                    config: &p::WhirStark,
                    statements: &[p::Statement<'_, Self>],
                    key: &p::StarkVerifyingKey,
                ) -> p::WhirSecurity {
                    p::security(config, statements, key)
                }
            }
        };
    };
}
