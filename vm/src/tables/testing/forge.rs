//! Traces as a dishonest prover would write them: rows are edited, and everything that depends on
//! the edited cells is recomputed, so that a table can only notice the edit itself.

use p3_matrix::Matrix;

use super::{Bench, Run, Tested};
use crate::record::Execution;
use crate::tables::Row;

/// Returns what is wrong with `height` rows of a run's honest trace after `forge`, which edits the
/// rows and the run (calls, memory) against which they are checked. A longer trace is truncated, a
/// shorter one padded.
pub fn forge<T: Tested>(
    mut execution: Execution,
    height: usize,
    forge: impl FnOnce(&mut [&mut T::Row], &mut Execution),
) -> Option<String> {
    let mut trace = Bench::<T>::new(&execution).trace_of(height);
    let width = trace.width();
    trace.values.truncate(height * width);
    let rows = trace.values.chunks_exact_mut(width).map(Row::of);
    forge(&mut rows.collect::<Vec<_>>(), &mut execution);
    Bench::<T>::new(&execution).fault(&trace)
}

/// Returns what is wrong with `height` rows of a run after `edit`, once everything that depends on
/// the edited cells has been recomputed.
pub fn forged<T: Tested>(
    run: &Run<T>,
    height: usize,
    edit: impl FnOnce(&mut [&mut T::Row], &mut Execution),
) -> Option<String> {
    forge::<T>(run.execution(), height, |rows, execution| {
        edit(rows, execution);
        T::recompute(rows, execution);
    })
}
