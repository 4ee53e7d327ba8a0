//! The constraints of a table as Plonky3's verifier evaluates them, compiled once for all hashes.
//!
//! What evaluates constraints in Plonky3's verifier has the configuration, and so the hash, as a
//! type parameter, although the values in it have the same types for every hash.

use std::borrow::Cow;

use droste_native::{Config, EF, F, HashSuite, Poseidon16Suite};
use p3_air::{Air, BaseAir, BoundaryPublic};
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups as Folder;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::dense::RowMajorMatrix;
use p3_uni_stark::VerifierConstraintFolder;

/// A table whose constraints are evaluated as in a proof in Poseidon-16, whatever the hash.
///
/// Every method of `BaseAir` calls that of the table. A method that a later Plonky3 adds must be
/// added here, since its default would hide the table's own.
pub(crate) struct OneFolder<'a, T>(pub(crate) &'a T);

impl<T: BaseAir<F>> BaseAir<F> for OneFolder<'_, T> {
    fn width(&self) -> usize {
        self.0.width()
    }
    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        self.0.preprocessed_trace()
    }
    fn preprocessed_width(&self) -> usize {
        self.0.preprocessed_width()
    }
    fn num_periodic_columns(&self) -> usize {
        self.0.num_periodic_columns()
    }
    fn periodic_columns(&self) -> Cow<'_, [Vec<F>]> {
        self.0.periodic_columns()
    }
    fn periodic_values(&self, row_index: usize) -> Vec<F> {
        self.0.periodic_values(row_index)
    }
    fn periodic_columns_matrix(&self) -> Option<RowMajorMatrix<F>> {
        self.0.periodic_columns_matrix()
    }
    fn main_next_row_columns(&self) -> Vec<usize> {
        self.0.main_next_row_columns()
    }
    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        self.0.preprocessed_next_row_columns()
    }
    fn num_constraints(&self) -> Option<usize> {
        self.0.num_constraints()
    }
    fn max_constraint_degree(&self) -> Option<usize> {
        self.0.max_constraint_degree()
    }
    fn num_public_values(&self) -> usize {
        self.0.num_public_values()
    }
    fn public_boundary_io(&self) -> &[BoundaryPublic] {
        self.0.public_boundary_io()
    }
    fn assumes_boolean_trace(&self) -> bool {
        self.0.assumes_boolean_trace()
    }
}

impl<T> Air<InteractionSymbolicBuilder<F, EF>> for OneFolder<'_, T>
where
    T: Air<InteractionSymbolicBuilder<F, EF>>,
{
    fn eval(&self, builder: &mut InteractionSymbolicBuilder<F, EF>) {
        self.0.eval(builder);
    }
}

impl<'b, H, T> Air<Folder<'b, Config<H>>> for OneFolder<'_, T>
where
    H: HashSuite,
    T: Air<Folder<'b, Config<Poseidon16Suite>>>,
{
    fn eval(&self, builder: &mut Folder<'b, Config<H>>) {
        let inner = &builder.inner;
        let mut folder = Folder::<'b, Config<Poseidon16Suite>> {
            inner: VerifierConstraintFolder {
                main: inner.main,
                preprocessed: inner.preprocessed,
                preprocessed_window: inner.preprocessed_window,
                periodic_values: inner.periodic_values,
                public_values: inner.public_values,
                is_first_row: inner.is_first_row,
                is_last_row: inner.is_last_row,
                is_transition: inner.is_transition,
                alpha: inner.alpha,
                accumulator: inner.accumulator,
            },
            permutation: builder.permutation,
            permutation_challenges: builder.permutation_challenges,
            permutation_values: builder.permutation_values,
        };
        self.0.eval(&mut folder);
        builder.inner.accumulator = folder.inner.accumulator;
    }
}
