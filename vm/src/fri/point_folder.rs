//! Evaluates the constraints of a table at one point and folds them, as Plonky3's verifier does.

use std::fmt;

use droste_native::{Config, EF, F, HashSuite};
use p3_air::{AirBuilder, RowWindow};
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups as VerifierFolder;
use p3_lookup::{Count, InteractionBuilder};

/// What a table's constraints are evaluated with in a verifier. It has no hash as a type parameter,
/// so that they are compiled once for all.
///
/// A constraint is folded by a call that is not inlined. LLVM 22 looks for CRCs in loops whose
/// number of iterations is a constant multiple of 8 (`HashRecognize`). Where a loop carries one
/// coefficient of the folded constraints, it takes time exponential in the depth of the loop's body:
/// for a table of a hash it did not end. With the call, no loop carries one.
pub struct PointFolder<'a> {
    main: RowWindow<'a, EF>,
    preprocessed: RowWindow<'a, EF>,
    periodic_values: &'a [EF],
    public_values: &'a [F],
    is_first_row: EF,
    is_last_row: EF,
    is_transition: EF,
    alpha: EF,
    accumulator: EF,
}

impl fmt::Debug for PointFolder<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PointFolder")
            .finish_non_exhaustive()
    }
}

impl<'a> PointFolder<'a> {
    /// Begins where Plonky3's verifier is.
    pub(crate) fn new<H: HashSuite>(folder: &VerifierFolder<'a, Config<H>>) -> Self {
        let inner = &folder.inner;
        Self {
            main: RowWindow::from_two_rows(inner.main.top.values, inner.main.bottom.values),
            preprocessed: inner.preprocessed_window,
            periodic_values: inner.periodic_values,
            public_values: inner.public_values,
            is_first_row: inner.is_first_row,
            is_last_row: inner.is_last_row,
            is_transition: inner.is_transition,
            alpha: inner.alpha,
            accumulator: inner.accumulator,
        }
    }

    /// The constraints so far, folded.
    pub(crate) const fn accumulator(&self) -> EF {
        self.accumulator
    }

    #[inline(never)]
    fn fold(&mut self, constraint: EF) {
        self.accumulator = self.accumulator * self.alpha + constraint;
    }
}

impl<'a> AirBuilder for PointFolder<'a> {
    type F = F;
    type Expr = EF;
    type Var = EF;
    type PreprocessedWindow = RowWindow<'a, EF>;
    type MainWindow = RowWindow<'a, EF>;
    type PublicVar = F;
    type PeriodicVar = EF;

    fn main(&self) -> Self::MainWindow {
        self.main
    }

    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        &self.preprocessed
    }

    fn is_first_row(&self) -> EF {
        self.is_first_row
    }

    fn is_last_row(&self) -> EF {
        self.is_last_row
    }

    fn is_transition(&self) -> EF {
        self.is_transition
    }

    fn assert_zero<I: Into<EF>>(&mut self, x: I) {
        self.fold(x.into());
    }

    fn public_values(&self) -> &[F] {
        self.public_values
    }

    fn periodic_values(&self) -> &[EF] {
        self.periodic_values
    }
}

/// Messages are no constraints: Plonky3's verifier checks the columns of their sums itself.
impl InteractionBuilder for PointFolder<'_> {
    fn push_interaction<E: Into<EF>>(
        &mut self,
        _: &str,
        fields: impl IntoIterator<Item = E>,
        _: impl Into<Count<EF>>,
    ) {
        // What computes the elements may call the builder.
        fields.into_iter().for_each(drop);
    }

    fn push_local_interaction(&mut self, tuples: impl IntoIterator<Item = (Vec<EF>, Count<EF>)>) {
        tuples.into_iter().for_each(drop);
    }
}
