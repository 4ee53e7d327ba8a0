//! Mutation tests: changes one cell at a time.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use p3_field::{Field, PrimeField32};
use p3_matrix::Matrix;
use p3_maybe_rayon::prelude::*;

use super::builder::Message;
use super::check::{Harness, Table, is_listed};

/// The rows on which cells are changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    rows: Vec<usize>,
    padding_from: usize,
}

impl Rows {
    /// The first, middle and last of `real` real rows, the first padding row, and the last row of a
    /// table of `height` rows.
    pub fn of(real: usize, height: usize) -> Self {
        let mut rows = vec![0, real / 2, real.saturating_sub(1)];
        if real < height {
            rows.extend([real, height - 1]);
        }
        Self::listed(rows, real)
    }

    /// The listed rows of a table whose padding begins at row `padding_from`.
    pub fn listed(mut rows: Vec<usize>, padding_from: usize) -> Self {
        rows.sort_unstable();
        rows.dedup();
        Self { rows, padding_from }
    }
}

/// A declaration that changes of some cells may remain undetected.
pub(super) struct Exception {
    table: String,
    column: String,
    reason: String,
    padding_only: bool,
}

impl Exception {
    fn covers(&self, column: &str, on_padding: bool) -> bool {
        is_listed(column, &self.column) && (on_padding || !self.padding_only)
    }
}

/// What detected a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caught {
    /// A constraint of the table.
    Constraint,
    /// Only a bus, which no longer balances.
    Bus,
    /// Nothing.
    No,
}

/// A change of one cell, and what detected it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the column.
    pub column: String,
    /// Row of the trace.
    pub row: usize,
    /// The value before the change, canonical.
    pub before: u32,
    /// The value after the change, canonical.
    pub after: u32,
    /// What detected the change.
    pub caught: Caught,
    /// The declared reason why the cell may be free, if there is one.
    pub excuse: Option<String>,
}

/// All changes that were tried, in column and row order.
#[derive(Clone, Debug)]
pub struct Report {
    /// Name of the table.
    pub table: String,
    /// The changes.
    pub outcomes: Vec<Outcome>,
    /// Columns of the exceptions that excused no change.
    pub unused: Vec<String>,
}

impl Report {
    /// The changes that nothing detected and no exception excuses.
    pub fn missed(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes
            .iter()
            .filter(|outcome| outcome.caught == Caught::No && outcome.excuse.is_none())
    }

    /// Whether a constraint of the table itself detected every change of this column.
    pub fn caught_by_constraints(&self, column: &str) -> bool {
        let mut of_column = self
            .outcomes
            .iter()
            .filter(|o| o.column == column)
            .peekable();
        of_column.peek().is_some() && of_column.all(|o| o.caught == Caught::Constraint)
    }

    /// Prints the name of every column that was changed.
    ///
    /// # Panics
    ///
    /// If a change remained undetected, or an exception excused nothing.
    pub fn expect_caught(&self) {
        println!("{self}");
        assert!(self.missed().next().is_none(), "{self}");
        assert!(
            self.unused.is_empty(),
            "exceptions that excuse nothing: {:?}",
            self.unused
        );
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut columns: Vec<&str> = self.outcomes.iter().map(|o| o.column.as_str()).collect();
        columns.dedup();
        writeln!(
            f,
            "table {}: {} changes in {} columns: {}",
            self.table,
            self.outcomes.len(),
            columns.len(),
            columns.join(", ")
        )?;
        let missed: Vec<&Outcome> = self.missed().collect();
        writeln!(f, "{} unnoticed", missed.len())?;
        for outcome in missed {
            writeln!(
                f,
                "  {} on row {}: {} -> {}",
                outcome.column, outcome.row, outcome.before, outcome.after
            )?;
        }
        Ok(())
    }
}

impl<F: PrimeField32> Harness<'_, F> {
    /// Declares, with a reason, that changes of some cells may remain undetected: those of the
    /// columns of `table` whose name is `column`, or starts with it followed by `[` or `.`.
    #[must_use]
    pub fn free(mut self, table: &str, column: &str, reason: &str) -> Self {
        self.exceptions.push(Exception {
            table: table.to_owned(),
            column: column.to_owned(),
            reason: reason.to_owned(),
            padding_only: false,
        });
        self
    }

    /// Like [`Self::free`], but only for padding rows.
    #[must_use]
    pub fn free_on_padding(mut self, table: &str, column: &str, reason: &str) -> Self {
        self = self.free(table, column, reason);
        if let Some(exception) = self.exceptions.last_mut() {
            exception.padding_only = true;
        }
        self
    }

    /// Changes every cell of `rows` in a table, one at a time, to `x + 1` and to `1 - x`, and
    /// records what detects the change.
    ///
    /// Only the two rows that see a cell are evaluated again: the buses of the unchanged traces
    /// balance, so those of the changed traces balance if and only if the messages of these rows
    /// are still the same multiset.
    ///
    /// # Panics
    ///
    /// If there is no such table, or it has no such row.
    pub fn mutate(&self, table: &str, rows: &Rows) -> Report {
        let table = self.table(table);
        let height = table.trace.height();
        let exceptions: Vec<&Exception> = self
            .exceptions
            .iter()
            .filter(|exception| exception.table == table.name)
            .collect();
        let is_padding = |row: usize| row >= rows.padding_from;
        let honest: HashMap<usize, Vec<Message<F>>> = rows
            .rows
            .iter()
            .flat_map(|&row| [row, (row + height - 1) % height])
            .map(|row| (row, table.evaluate(row, |_, cells| cells).messages))
            .collect();
        let outcomes: Vec<Outcome> = (0..table.trace.width())
            .into_par_iter()
            .flat_map_iter(|column| {
                let honest = &honest;
                let exceptions = &exceptions;
                rows.rows.iter().flat_map(move |&row| {
                    let before = table.trace.values[row * table.trace.width() + column];
                    let excuse = exceptions
                        .iter()
                        .find(|exception| exception.covers(&table.names[column], is_padding(row)))
                        .map(|exception| exception.reason.clone());
                    alternatives(before).into_iter().map(move |after| Outcome {
                        column: table.names[column].clone(),
                        row,
                        before: before.as_canonical_u32(),
                        after: after.as_canonical_u32(),
                        caught: notice(table, honest, (row, column), after),
                        excuse: excuse.clone(),
                    })
                })
            })
            .collect();
        let excuses = |exception: &Exception, outcome: &Outcome| {
            outcome.caught == Caught::No
                && exception.covers(&outcome.column, is_padding(outcome.row))
        };
        let unused = exceptions
            .iter()
            .filter(|exception| !outcomes.iter().any(|outcome| excuses(exception, outcome)))
            .map(|exception| exception.column.clone())
            .collect();
        Report {
            table: table.name.clone(),
            outcomes,
            unused,
        }
    }
}

fn alternatives<F: Field>(value: F) -> Vec<F> {
    let (next, flipped) = (value + F::ONE, F::ONE - value);
    if flipped == next || flipped == value {
        vec![next]
    } else {
        vec![next, flipped]
    }
}

fn notice<F: PrimeField32>(
    table: &Table<'_, F>,
    honest: &HashMap<usize, Vec<Message<F>>>,
    (row, column): (usize, usize),
    value: F,
) -> Caught {
    let height = table.trace.height();
    let replace = |index: usize, cells: Arc<[F]>| {
        if index != row {
            return cells;
        }
        let mut cells = cells.to_vec();
        cells[column] = value;
        Arc::from(cells)
    };
    let mut seen_by = vec![row, (row + height - 1) % height];
    seen_by.dedup();
    let mut changed = Vec::new();
    for index in seen_by {
        let builder = table.evaluate(index, replace);
        if !builder.failed.is_empty() {
            return Caught::Constraint;
        }
        changed.push((builder.messages, &honest[&index]));
    }
    let mut balance: HashMap<(&str, &[F]), F> = HashMap::new();
    for (messages, honest) in &changed {
        for place in 0..messages.len().max(honest.len()) {
            let (after, before) = (messages.get(place), honest.get(place));
            // Most messages are as before, at the same places.
            if after == before {
                continue;
            }
            for (message, sign) in [(after, F::ONE), (before, -F::ONE)] {
                if let Some(Message {
                    bus, fields, count, ..
                }) = message
                {
                    *balance.entry((bus, fields)).or_default() += sign * *count;
                }
            }
        }
    }
    if balance.values().all(|count| count.is_zero()) {
        Caught::No
    } else {
        Caught::Bus
    }
}
