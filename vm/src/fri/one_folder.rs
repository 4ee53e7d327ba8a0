//! The constraints of a table as Plonky3's prover and verifier evaluate them, compiled once for all
//! hashes.
//!
//! What evaluates constraints in Plonky3 has the configuration, and so the hash, as a type
//! parameter, although the values in it have the same types for every hash.

use std::mem;

use droste_native::{Config, EF, F, HashSuite, Poseidon16Suite};
use p3_air::{Air, BaseAir, DebugConstraintBuilder};
use p3_batch_stark::folder::{
    ProverConstraintFolderWithLookups as ProverFolder,
    VerifierConstraintFolderWithLookups as VerifierFolder,
};
use p3_lookup::InteractionSymbolicBuilder;
use p3_uni_stark::ProverConstraintFolder;

use super::point_folder::PointFolder;
use crate::tables::declare::__private as p;

/// A table whose constraints are evaluated as in a proof in Poseidon-16, whatever the hash.
pub(crate) struct OneFolder<'a, T>(pub(crate) &'a T);

impl<T> Clone for OneFolder<'_, T> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<T: BaseAir<F>> BaseAir<F> for OneFolder<'_, T> {
    crate::forward_base_air! { table in [&Self(table)] }
}

impl<T> Air<InteractionSymbolicBuilder<F, EF>> for OneFolder<'_, T>
where
    T: Air<InteractionSymbolicBuilder<F, EF>>,
{
    fn eval(&self, builder: &mut InteractionSymbolicBuilder<F, EF>) {
        self.0.eval(builder);
    }
}

/// Plonky3's prover demands it where debug assertions are on.
impl<'b, T> Air<DebugConstraintBuilder<'b, F, EF>> for OneFolder<'_, T>
where
    T: Air<DebugConstraintBuilder<'b, F, EF>>,
{
    fn eval(&self, builder: &mut DebugConstraintBuilder<'b, F, EF>) {
        self.0.eval(builder);
    }
}

impl<'b, H, T> Air<ProverFolder<'b, Config<H>>> for OneFolder<'_, T>
where
    H: HashSuite,
    T: Air<ProverFolder<'b, Config<Poseidon16Suite>>>,
{
    fn eval(&self, builder: &mut ProverFolder<'b, Config<H>>) {
        let inner = &mut builder.inner;
        let mut folder = ProverFolder::<'b, Config<Poseidon16Suite>> {
            inner: ProverConstraintFolder {
                main: inner.main,
                preprocessed: inner.preprocessed,
                preprocessed_window: inner.preprocessed_window,
                periodic_values: inner.periodic_values,
                public_values: inner.public_values,
                is_first_row: inner.is_first_row,
                is_last_row: inner.is_last_row,
                is_transition: inner.is_transition,
                base_alpha_powers: inner.base_alpha_powers,
                ext_alpha_powers: inner.ext_alpha_powers,
                base_constraints: mem::take(&mut inner.base_constraints),
                ext_constraints: mem::take(&mut inner.ext_constraints),
                constraint_index: inner.constraint_index,
                constraint_count: inner.constraint_count,
            },
            permutation: builder.permutation,
            permutation_challenges: builder.permutation_challenges,
            permutation_values: builder.permutation_values,
        };
        self.0.eval(&mut folder);
        inner.base_constraints = folder.inner.base_constraints;
        inner.ext_constraints = folder.inner.ext_constraints;
        inner.constraint_index = folder.inner.constraint_index;
    }
}

impl<'b, H, T> Air<VerifierFolder<'b, Config<H>>> for OneFolder<'_, T>
where
    H: HashSuite,
    T: Air<PointFolder<'b>>,
{
    fn eval(&self, builder: &mut VerifierFolder<'b, Config<H>>) {
        let mut folder = PointFolder::new(builder);
        self.0.eval(&mut folder);
        builder.inner.accumulator = folder.accumulator();
    }
}
