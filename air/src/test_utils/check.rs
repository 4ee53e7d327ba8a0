//! Tables with traces, and checks that they satisfy their constraints and buses.

use std::collections::BTreeMap;
use std::sync::Arc;

use p3_air::{Air, AirBuilder};
use p3_field::{Field, PrimeField32};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::builder::{Message, RowBuilder, Window};
use super::mutate::Exception;
use crate::End;

/// Why a set of traces is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// A constraint is not zero.
    #[error("table {table}, row {row}: constraint {constraint} is not zero")]
    Constraint {
        /// Name of the table.
        table: String,
        /// Row of the trace.
        row: usize,
        /// Position of the constraint in the order in which the AIR asserts them.
        constraint: usize,
    },
    /// A message is not sent as often as it is received.
    #[error(
        "bus {bus}: message {fields:?} has net count {count} (sent minus received), expected 0"
    )]
    Bus {
        /// Name of the bus.
        bus: String,
        /// The message.
        fields: Vec<u32>,
        /// Sent minus received, modulo the field's order.
        count: u32,
    },
    /// The magnitude of a count exceeds the bound that the AIR declares.
    #[error("table {table}, row {row}: count {count} on bus {bus} exceeds its bound {bound}")]
    Count {
        /// Name of the table.
        table: String,
        /// Row of the trace.
        row: usize,
        /// Name of the bus.
        bus: String,
        /// The count, modulo the field's order.
        count: u32,
        /// The declared bound.
        bound: u32,
    },
    /// The width of a trace is not that of its AIR.
    #[error("table {table}: the trace has width {width}, expected the AIR's width {expected}")]
    Width {
        /// Name of the table.
        table: String,
        /// Width of the trace.
        width: usize,
        /// Width of the AIR.
        expected: usize,
    },
}

/// One table: an AIR, its trace, its public values and the names of its columns.
///
/// `B` is the builder on which the AIR is evaluated: that of [`Harness`], or that of
/// [`Rigidity`](super::Rigidity).
pub struct Table<'a, F: Field, B: AirBuilder<F = F> = RowBuilder<F>> {
    pub(super) name: String,
    pub(super) air: &'a (dyn Air<B> + 'a),
    pub(super) trace: RowMajorMatrix<F>,
    pub(super) public_values: Vec<F>,
    pub(super) preprocessed: Option<RowMajorMatrix<F>>,
    pub(super) names: Vec<String>,
    pub(super) end: End,
}

impl<'a, F: Field, B: AirBuilder<F = F>> Table<'a, F, B> {
    /// A table without public values, whose columns are named by their numbers.
    pub fn new(name: &str, air: &'a (dyn Air<B> + 'a), trace: RowMajorMatrix<F>) -> Self {
        Self {
            name: name.to_owned(),
            preprocessed: air.preprocessed_trace(),
            names: (0..trace.width()).map(|c| format!("column {c}")).collect(),
            air,
            trace,
            public_values: Vec::new(),
            end: End::Ring,
        }
    }

    /// Sets the public values.
    #[must_use]
    pub fn public_values(mut self, public_values: Vec<F>) -> Self {
        self.public_values = public_values;
        self
    }

    /// Sets what follows the last row, which is row 0 otherwise.
    #[must_use]
    pub const fn end(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Names the columns.
    ///
    /// # Panics
    ///
    /// If the number of names is not the width of the trace.
    #[must_use]
    pub fn names(mut self, names: Vec<String>) -> Self {
        assert_eq!(names.len(), self.trace.width(), "one name per column");
        self.names = names;
        self
    }

    /// The error of a trace whose width is not that of its AIR.
    pub(super) fn check_width(&self) -> Result<(), Failure> {
        let (width, expected) = (self.trace.width(), self.air.width());
        if width == expected {
            return Ok(());
        }
        Err(Failure::Width {
            table: self.name.clone(),
            width,
            expected,
        })
    }
}

impl<F: Field> Table<'_, F> {
    fn row(&self, index: usize) -> Arc<[F]> {
        row(&self.trace, index)
    }

    /// Evaluates the AIR on row `index`, after applying `replace(row, cells)` to both rows that it
    /// sees.
    pub(crate) fn evaluate(
        &self,
        index: usize,
        replace: impl Fn(usize, Arc<[F]>) -> Arc<[F]>,
    ) -> RowBuilder<F> {
        let height = self.trace.height();
        let next = self.end.next(index, height);
        let main = Window::new(
            replace(index, self.row(index)),
            replace(next, self.row(next)),
        );
        let preprocessed = match &self.preprocessed {
            Some(matrix) => Window::new(row(matrix, index), row(matrix, next)),
            None => Window::new(Arc::new([]), Arc::new([])),
        };
        let mut builder = RowBuilder::new(
            main,
            preprocessed,
            self.air.periodic_values(index),
            self.public_values.clone(),
            [index == 0, index + 1 == height, index + 1 < height].map(F::from_bool),
        );
        self.air.eval(&mut builder);
        // A local lookup is a bus between the rows of this table only, so its name includes the
        // table's.
        for message in &mut builder.messages {
            if message.bus.starts_with("local lookup") {
                message.bus = format!("{} of table {}", message.bus, self.name).into();
            }
        }
        builder
    }
}

#[cfg(test)]
impl<F: PrimeField32> Table<'_, F> {
    /// The canonical messages of these rows on a bus, without those of count zero; nothing if a
    /// constraint fails there.
    pub(crate) fn messages_of(
        &self,
        rows: impl IntoIterator<Item = usize>,
        bus: &str,
    ) -> Option<Vec<Vec<u32>>> {
        let mut messages = Vec::new();
        for row in rows {
            let evaluated = self.evaluate(row, |_, cells| cells);
            if !evaluated.failed.is_empty() {
                return None;
            }
            let of_row = evaluated.messages.iter();
            let of_row = of_row.filter(|message| *message.bus == *bus && !message.count.is_zero());
            messages.extend(of_row.map(|message| canonical(&message.fields)));
        }
        Some(messages)
    }
}

fn row<F: Field>(matrix: &RowMajorMatrix<F>, index: usize) -> Arc<[F]> {
    let width = matrix.width();
    Arc::from(&matrix.values[index * width..(index + 1) * width])
}

/// A set of tables that exchange messages.
pub struct Harness<'a, F: Field> {
    pub(super) tables: Vec<Table<'a, F>>,
    open_buses: Vec<String>,
    pub(super) exceptions: Vec<Exception>,
}

impl<'a, F: PrimeField32> Harness<'a, F> {
    /// A set of tables whose buses must balance among these tables.
    pub const fn new(tables: Vec<Table<'a, F>>) -> Self {
        Self {
            tables,
            open_buses: Vec::new(),
            exceptions: Vec::new(),
        }
    }

    /// Declares that the other side of a bus is outside of this set and honest: it sends and
    /// receives exactly what the unchanged traces need.
    #[must_use]
    pub fn open_bus(mut self, bus: &str) -> Self {
        self.open_buses.push(bus.to_owned());
        self
    }

    /// Evaluates every constraint on every row, and every bus that is not open.
    ///
    /// # Errors
    ///
    /// Returns the first failure: constraints first, in table and row order, then buses in name
    /// order.
    pub fn check(&self) -> Result<(), Failure> {
        for (bus, messages) in self.messages()? {
            if !self.open_buses.contains(&bus)
                && let Some((fields, count)) = messages.into_iter().next()
            {
                return Err(Failure::Bus { bus, fields, count });
            }
        }
        Ok(())
    }

    /// Returns the messages that do not cancel, by bus and in order: on an open bus, these are the
    /// messages that the rest of the system has to answer. The elements of messages and the net
    /// counts (sent minus received) are canonical integers.
    ///
    /// # Errors
    ///
    /// If a constraint fails.
    pub fn messages(&self) -> Result<BTreeMap<String, BTreeMap<Vec<u32>, u32>>, Failure> {
        let mut messages: Vec<Message<F>> = Vec::new();
        for table in &self.tables {
            table.check_width()?;
            let rows: Vec<Result<Vec<Message<F>>, Failure>> = (0..table.trace.height())
                .into_par_iter()
                .map(|index| checked_row(table, index))
                .collect();
            for of_row in rows {
                messages.extend(of_row?);
            }
        }
        messages.sort_unstable_by(|a, b| (&a.bus, &a.fields).cmp(&(&b.bus, &b.fields)));
        let mut balance: BTreeMap<String, BTreeMap<Vec<u32>, u32>> = BTreeMap::new();
        for equal in messages.chunk_by(|a, b| (&a.bus, &a.fields) == (&b.bus, &b.fields)) {
            let bus = equal[0].bus.to_string();
            let unbalanced = balance.entry(bus).or_default();
            let count: F = equal.iter().map(|message| message.count).sum();
            if !count.is_zero() {
                unbalanced.insert(canonical(&equal[0].fields), count.as_canonical_u32());
            }
        }
        Ok(balance)
    }

    pub(super) fn table(&self, name: &str) -> &Table<'a, F> {
        let table = self.tables.iter().find(|table| table.name == name);
        table.unwrap_or_else(|| panic!("no table named {name}"))
    }
}

/// Whether `column` is one of the columns that `listed` names: the column of that name, or those
/// whose names continue it with `[` or `.`.
pub(super) fn is_listed(column: &str, listed: &str) -> bool {
    let rest = column.strip_prefix(listed);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
}

pub(super) fn canonical<F: PrimeField32>(fields: &[F]) -> Vec<u32> {
    fields.iter().map(PrimeField32::as_canonical_u32).collect()
}

/// The messages of a row, whose constraints must hold.
fn checked_row<F: PrimeField32>(
    table: &Table<'_, F>,
    row: usize,
) -> Result<Vec<Message<F>>, Failure> {
    let builder = table.evaluate(row, |_, cells| cells);
    if let Some(&(constraint, _)) = builder.failed.first() {
        return Err(Failure::Constraint {
            table: table.name.clone(),
            row,
            constraint,
        });
    }
    for message in &builder.messages {
        let magnitude = message
            .count
            .as_canonical_u32()
            .min((-message.count).as_canonical_u32());
        // The providing side declares no bound.
        if message.bound != 0 && magnitude > message.bound {
            return Err(Failure::Count {
                table: table.name.clone(),
                row,
                bus: message.bus.to_string(),
                count: message.count.as_canonical_u32(),
                bound: message.bound,
            });
        }
    }
    Ok(builder.messages)
}
