//! The builder that evaluates a table's constraints on packed rows.

use droste_native::{EF, F};
use p3_air::{AirBuilder, ExtensionBuilder, PermutationAirBuilder, RowWindow};
use p3_lookup::{Count, InteractionBuilder};

use super::messages::{Packed, PackedExt};

/// Collects the values of a table's constraints on as many rows as a packed element has lanes.
///
/// Interactions are ignored: the constraints of the lookup argument are evaluated without the table.
#[derive(Debug)]
pub struct Folder<'a> {
    pub(super) main: RowWindow<'a, Packed>,
    pub(super) preprocessed: RowWindow<'a, Packed>,
    pub(super) periodic: &'a [Packed],
    pub(super) public_values: &'a [F],
    pub(super) selectors: Selectors,
    pub(super) base: Vec<Packed>,
    pub(super) extension: Vec<PackedExt>,
}

/// Values of the selectors. They need not be 1 where they are not zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selectors {
    /// Zero on every row but the first.
    pub(super) first: Packed,
    /// Zero on every row but the last.
    pub(super) last: Packed,
    /// Zero on the last row only.
    pub(super) transition: Packed,
}

impl<'a> AirBuilder for Folder<'a> {
    type F = F;
    type Expr = Packed;
    type Var = Packed;
    type PreprocessedWindow = RowWindow<'a, Packed>;
    type MainWindow = RowWindow<'a, Packed>;
    type PublicVar = F;
    type PeriodicVar = Packed;

    #[inline]
    fn main(&self) -> Self::MainWindow {
        self.main
    }

    #[inline]
    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        &self.preprocessed
    }

    #[inline]
    fn is_first_row(&self) -> Packed {
        self.selectors.first
    }

    #[inline]
    fn is_last_row(&self) -> Packed {
        self.selectors.last
    }

    #[inline]
    fn is_transition(&self) -> Packed {
        self.selectors.transition
    }

    #[inline]
    fn assert_zero<I: Into<Packed>>(&mut self, x: I) {
        self.base.push(x.into());
    }

    #[inline]
    fn assert_zeros<const N: usize, I: Into<Packed>>(&mut self, array: [I; N]) {
        self.base.extend(array.map(Into::into));
    }

    #[inline]
    fn public_values(&self) -> &[F] {
        self.public_values
    }

    #[inline]
    fn periodic_values(&self) -> &[Packed] {
        self.periodic
    }
}

impl ExtensionBuilder for Folder<'_> {
    type EF = EF;
    type ExprEF = PackedExt;
    type VarEF = PackedExt;

    #[inline]
    fn assert_zero_ext<I: Into<PackedExt>>(&mut self, x: I) {
        self.extension.push(x.into());
    }
}

/// Tables see no lookup columns, as in the symbolic evaluation from which keys are made.
impl<'a> PermutationAirBuilder for Folder<'a> {
    type MP = RowWindow<'a, PackedExt>;
    type RandomVar = PackedExt;
    type PermutationVar = PackedExt;

    fn permutation(&self) -> Self::MP {
        RowWindow::from_two_rows(&[], &[])
    }

    fn permutation_randomness(&self) -> &[PackedExt] {
        &[]
    }

    fn permutation_values(&self) -> &[PackedExt] {
        &[]
    }
}

impl InteractionBuilder for Folder<'_> {
    #[inline]
    fn push_interaction<E: Into<Packed>>(
        &mut self,
        _bus: &str,
        fields: impl IntoIterator<Item = E>,
        _count: impl Into<Count<Packed>>,
    ) {
        fields.into_iter().for_each(drop);
    }

    #[inline]
    fn push_local_interaction(
        &mut self,
        tuples: impl IntoIterator<Item = (Vec<Packed>, Count<Packed>)>,
    ) {
        tuples.into_iter().for_each(drop);
    }
}
