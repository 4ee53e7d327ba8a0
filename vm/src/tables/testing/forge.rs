//! Traces as a dishonest prover would write them: rows are edited, and everything that depends on
//! the edited cells is recomputed, so that a table can only notice the edit itself.

use std::borrow::BorrowMut;

use droste_air::test_utils::RowBuilder;
use droste_native::{EF, F};
use p3_air::Air;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::Matrix;

use super::Bench;
use crate::record::Execution;
use crate::tables::Table;

/// Returns what is wrong with `height` rows of a run's honest trace after `forge`, which edits the
/// rows and the run (calls, memory) against which they are checked. A longer trace is truncated, a
/// shorter one padded.
pub fn forge<T, C>(
    table: &T,
    mut execution: Execution,
    height: usize,
    forge: impl FnOnce(&mut [&mut C], &mut Execution),
) -> Option<String>
where
    T: Table + Air<InteractionSymbolicBuilder<F, EF>> + Air<RowBuilder<F>>,
    [F]: BorrowMut<C>,
{
    let mut trace = Bench::new(table, &execution).trace_of(height);
    let width = trace.width();
    trace.values.truncate(height * width);
    let mut rows: Vec<&mut C> = trace
        .values
        .chunks_exact_mut(width)
        .map(BorrowMut::borrow_mut)
        .collect();
    forge(&mut rows, &mut execution);
    Bench::new(table, &execution).fault(&trace)
}
