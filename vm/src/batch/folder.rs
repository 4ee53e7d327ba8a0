//! The builder that evaluates a table's constraints on packed rows.

use droste_native::{EF, F};
use p3_air::{AirBuilder, ExtensionBuilder, PermutationAirBuilder, RowWindow};
use p3_field::{Algebra, BasedVectorSpace, PrimeCharacteristicRing, chunked_linear_combination};
use p3_lookup::{Count, InteractionBuilder};

use super::messages::{Packed, PackedExt};

/// Constraints that are combined at once. Their values stay in the fastest cache, also those of
/// tables with thousands of constraints.
const COMBINED: usize = 64;

/// Products that are added before they are reduced.
const PRODUCTS: usize = 8;

/// Combines the values of a table's constraints on as many rows as a packed element has lanes.
///
/// Interactions are ignored: the constraints of the lookup argument are evaluated without the
/// table.
#[derive(Debug)]
pub struct Folder<'a> {
    rows: Rows<'a>,
    /// Values of constraints over the base field that are not combined yet.
    base: Vec<Packed>,
    /// Number of those that are.
    combined: usize,
    /// The sum of those, times the powers of the challenge.
    sum: PackedExt,
    /// Per coefficient of the extension field, those of the powers of the challenge.
    alphas: &'a [Vec<F>],
    /// Values of constraints over the extension field.
    extension: Vec<PackedExt>,
}

/// What a table's constraints read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    pub(super) main: RowWindow<'a, Packed>,
    pub(super) preprocessed: RowWindow<'a, Packed>,
    pub(super) periodic: &'a [Packed],
    pub(super) public_values: &'a [F],
    pub(super) selectors: Selectors,
}

impl<'a> Folder<'a> {
    /// `alphas` has the powers of the challenge by which the constraints over the base field are
    /// multiplied, per coefficient. The lists are buffers.
    pub(super) fn new(
        rows: Rows<'a>,
        alphas: &'a [Vec<F>],
        mut base: Vec<Packed>,
        mut extension: Vec<PackedExt>,
    ) -> Self {
        base.clear();
        extension.clear();
        Self {
            rows,
            base,
            combined: 0,
            sum: PackedExt::ZERO,
            alphas,
            extension,
        }
    }

    /// Returns the combination of the constraints over the base field, and the lists: the second
    /// has the values of those over the extension field.
    pub(super) fn finish(mut self) -> (PackedExt, Vec<Packed>, Vec<PackedExt>) {
        self.combine();
        (self.sum, self.base, self.extension)
    }

    fn combine(&mut self) {
        let range = self.combined..self.combined + self.base.len();
        let whole = self.base.len() / PRODUCTS * PRODUCTS;
        let (base, rest) = self.base.split_at(whole);
        self.sum += PackedExt::from_basis_coefficients_fn(|d| {
            let (alphas, of_rest) = self.alphas[d][range.clone()].split_at(whole);
            chunked_linear_combination::<PRODUCTS, _, _>(base, alphas)
                + Packed::batched_linear_combination(rest, of_rest)
        });
        self.combined = range.end;
        self.base.clear();
    }
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
        self.rows.main
    }

    #[inline]
    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        &self.rows.preprocessed
    }

    #[inline]
    fn is_first_row(&self) -> Packed {
        self.rows.selectors.first
    }

    #[inline]
    fn is_last_row(&self) -> Packed {
        self.rows.selectors.last
    }

    #[inline]
    fn is_transition(&self) -> Packed {
        self.rows.selectors.transition
    }

    #[inline]
    fn assert_zero<I: Into<Packed>>(&mut self, x: I) {
        self.base.push(x.into());
        if self.base.len() == COMBINED {
            self.combine();
        }
    }

    #[inline]
    fn public_values(&self) -> &[F] {
        self.rows.public_values
    }

    #[inline]
    fn periodic_values(&self) -> &[Packed] {
        self.rows.periodic
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
