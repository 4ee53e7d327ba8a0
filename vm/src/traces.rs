//! Traces of a run and their heights, for the provers of both stacks.

use droste_native::F;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use tracing::info_span;

use crate::heights::{Heights, padded_log_height};
use crate::key::Limits;
use crate::stack::ProveError;
use crate::tables::{LANES, LookupCounts, Table, TraceInput};

/// Returns the traces of a run, one per table, in tables of these heights.
pub(crate) fn traces_of<T: Table>(
    tables: &[T],
    input: &TraceInput<'_>,
    log_heights: &[usize],
) -> Result<Vec<RowMajorMatrix<F>>, ProveError> {
    let mut counts = LookupCounts::new(input);
    let traces = tables
        .iter()
        .zip(log_heights)
        .map(|(table, &log_height)| {
            info_span!("trace", table = table.name())
                .in_scope(|| table.trace(input, log_height, &mut counts))
        })
        .collect();
    match (counts.outside, counts.overfull) {
        (Some(address), _) => Err(ProveError::Outside { address }),
        (None, Some(table)) => Err(ProveError::Overfull { table }),
        (None, None) => Ok(traces),
    }
}

/// Returns the logarithms of the heights of a run's traces, one per table, where `rows` says how
/// many rows of a table the run needs.
pub(crate) fn heights_of<T: Table>(
    tables: &[T],
    heights: &Heights,
    limits: Limits,
    rows: impl Fn(&T) -> usize,
) -> Result<Vec<usize>, ProveError> {
    let log_heights: Vec<usize> = match heights {
        Heights::Minimal => tables
            .iter()
            .map(|table| {
                let minimal = padded_log_height(rows(table)).max(limits.min);
                table.fixed_log_height().unwrap_or(minimal)
            })
            .collect(),
        Heights::Uniform(log_height) => vec![*log_height; tables.len()],
        Heights::Exact(log_heights) => log_heights.clone(),
    };
    for (table, &log_height) in tables.iter().zip(&log_heights) {
        let (name, rows) = (table.name(), rows(table));
        if limits.check(log_height).is_err() {
            return Err(ProveError::Height {
                table: name,
                log_height,
                min: limits.min,
                max: limits.max,
            });
        }
        if rows > 1 << log_height {
            return Err(ProveError::TooManyRows {
                table: name,
                rows,
                log_height,
            });
        }
    }
    Ok(log_heights)
}

/// Checks that there is a trace for each table, of its width and of a height that it may have.
pub(crate) fn check_traces<T: Table>(
    tables: &[T],
    traces: &[RowMajorMatrix<F>],
) -> Result<(), ProveError> {
    for (index, table) in tables.iter().enumerate() {
        let (width, height) = traces
            .get(index)
            .map_or((0, 0), |trace| (trace.width(), trace.height()));
        let expected = table.width();
        let fixed = table
            .fixed_log_height()
            .is_none_or(|log| height == 1 << log);
        if width != expected || !height.is_power_of_two() || !fixed {
            return Err(ProveError::TraceShape {
                table: table.name(),
                expected,
                width,
                height,
            });
        }
    }
    Ok(())
}

/// Returns the public values of a table: the statement for the one table that has public values,
/// otherwise none.
pub(crate) fn public_values(table: &impl Table, statement: &[F; LANES]) -> Vec<F> {
    if table.num_public_values() == 0 {
        vec![]
    } else {
        statement.to_vec()
    }
}
