//! Tables that answer calls: the rows of one call after the other, then padding.

use std::borrow::BorrowMut;
use std::iter::Map;
use std::slice::ChunksExactMut;

use droste_air::End;
use droste_native::{F, HashId};
use p3_air::BaseAir;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::{LookupCounts, PolynomialIdentity, Table, Trace, TraceInput, VerifierCost};
use crate::precompile::Precompile;
use crate::record::{Call, Execution, FinalMemory};

/// A row of cells, read as columns.
pub trait Row: Copy + 'static {
    /// Returns the columns of as many cells. Panics if there are more or fewer.
    fn of(cells: &mut [F]) -> &mut Self;
}

impl<C: Copy + 'static> Row for C
where
    [F]: BorrowMut<C>,
{
    fn of(cells: &mut [F]) -> &mut Self {
        cells.borrow_mut()
    }
}

/// The rows of a call in the table `T`.
pub type Rows<'a, T> = Map<ChunksExactMut<'a, F>, fn(&'a mut [F]) -> &'a mut <T as CallTable>::Row>;

/// A table that receives the calls of precompiles, and looks up the blocks that they name.
///
/// # Soundness
/// The table must be sound with every [`End`].
pub trait CallTable: BaseAir<F> + Send + Sync {
    /// One row.
    type Row: Row;

    /// Name of the table in keys, errors and reports.
    const NAME: &'static str;

    /// The precompiles whose calls the table receives, in the order of its rows.
    const PRECOMPILES: &'static [Precompile];

    /// The table's [`Table::permutation`].
    const PERMUTATION: Option<HashId> = None;

    /// The table's [`Table::identities`].
    fn identities() -> Vec<PolynomialIdentity> {
        Vec::new()
    }

    /// The table's [`Table::verifier_cost`].
    fn verifier_cost() -> VerifierCost {
        VerifierCost::default()
    }

    /// Returns a row with what all rows of the run have in common, from which each is filled. By
    /// default, and where there is none, all cells begin as zero.
    fn shared(_input: &TraceInput<'_>) -> Option<Self::Row> {
        None
    }

    /// Fills the rows of a call, whose cells are those of [`Self::shared`]. The call is one of a
    /// finished run: the executor has checked and read its operands.
    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>);

    /// Fills what depends on the place of a row of a call in the table.
    fn place(_row: &mut Self::Row, _index: usize) {}

    /// Returns the place of the table's first row: more than zero where rows of other tables have
    /// the places before it.
    fn first_place(_input: &TraceInput<'_>) -> usize {
        0
    }

    /// Fills a row of padding, whose cells are those of [`Self::shared`].
    fn pad(row: &mut Self::Row);

    /// Counts the lookups of rows, padding too, in tables that serve this one.
    fn count_rows(_rows: &[F], _counts: &mut LookupCounts) {}

    /// Counts the lookups of blocks by a call, which are the multiplicities of the table `blocks`.
    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts);
}

impl<T: CallTable> Table for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn precompiles(&self) -> &'static [Precompile] {
        T::PRECOMPILES
    }

    fn identities(&self) -> Vec<PolynomialIdentity> {
        T::identities()
    }

    fn verifier_cost(&self) -> VerifierCost {
        T::verifier_cost()
    }

    fn permutation(&self) -> Option<HashId> {
        T::PERMUTATION
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        let calls = calls(T::PRECOMPILES, input.execution);
        let rows = calls.map(|(precompile, call)| call_rows(precompile, call));
        rows.sum()
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let TraceInput { execution, .. } = *input;
        let width = self.width();
        let mut values = F::zero_vec(width << log_height);
        if let Some(shared) = T::shared(input) {
            let rows = values.chunks_exact_mut(width);
            rows.for_each(|cells| *<T::Row as Row>::of(cells) = shared);
        }
        let mut rest = values.as_mut_slice();
        let (mut chains, mut first) = (Vec::new(), T::first_place(input));
        for (precompile, call) in calls(T::PRECOMPILES, execution) {
            T::count(precompile, call, counts);
            let (rows, below) = rest.split_at_mut(call_rows(precompile, call) * width);
            chains.push((precompile, call, first, rows));
            first += call_rows(precompile, call);
            rest = below;
        }
        let chains = chains.into_par_iter();
        chains.for_each(|(precompile, call, first, cells)| {
            let rows = cells
                .chunks_exact_mut(width)
                .map(<T::Row as Row>::of as fn(_) -> _);
            T::fill(&execution.memory, precompile, call, rows);
            for (index, row) in cells.chunks_exact_mut(width).enumerate() {
                T::place(Row::of(row), first + index);
            }
        });
        let mut padding = rest.chunks_exact_mut(width);
        if let Some(first) = padding.next() {
            T::pad(Row::of(first));
            padding.for_each(|row| row.copy_from_slice(first));
        }
        T::count_rows(&values, counts);
        RowMajorMatrix::new(values, width)
    }
}

/// Returns the calls of these precompiles, all of the first before those of the second, and so on.
pub fn calls<'a>(
    precompiles: &'static [Precompile],
    execution: &'a Execution,
) -> impl Iterator<Item = (&'static Precompile, &'a Call)> {
    precompiles.iter().flat_map(|precompile| {
        let calls = execution.calls[precompile.identity as usize].iter();
        calls.map(move |call| (precompile, call))
    })
}

/// Returns the number of rows of a call.
pub fn call_rows(precompile: &Precompile, call: &Call) -> usize {
    (precompile.rows)(call) as usize
}
