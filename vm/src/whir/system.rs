//! What the proof system knows of a machine's tables, and where their cells and messages are.

use std::cmp::Reverse;
use std::collections::HashMap;

use droste_native::{EF, F};
use p3_air::Air;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::expressions::{BusName, Expressions, Leaf, Row, Unsupported};
use super::hypercube::{MAX_LOG_HEIGHT, MIN_LOG_HEIGHT};
use crate::tables::Table;

/// A table that these proofs do not support.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("table {table}: {reason}")]
pub struct UnsupportedTable {
    /// Name of the table.
    pub table: &'static str,
    /// What is not supported.
    #[source]
    pub reason: Unsupported,
}

/// The order in which the columns of a table are committed: those that are read in the next row
/// come first. A *slot* is a place in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    columns: Vec<usize>,
    slots: Vec<usize>,
    read_next: usize,
}

impl Slots {
    /// `read_next` are the columns that are read in the next row.
    fn new(width: usize, read_next: &[usize]) -> Self {
        let mut columns: Vec<usize> = (0..width).collect();
        columns.sort_by_key(|column| !read_next.contains(column));
        let mut slots = vec![0; width];
        for (slot, &column) in columns.iter().enumerate() {
            slots[column] = slot;
        }
        Self {
            columns,
            slots,
            read_next: read_next.len(),
        }
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The column of each slot.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The slot of a column.
    pub fn slot(&self, column: usize) -> usize {
        self.slots[column]
    }

    /// Logarithm of the number of slots whose next row is opened, columns or not: that of the
    /// columns that are read there, rounded up. `None` if none is.
    pub fn log_next(&self) -> Option<usize> {
        let opened = self.read_next.checked_next_power_of_two();
        (self.read_next > 0).then(|| opened.unwrap_or(0).trailing_zeros() as usize)
    }

    /// Number of columns whose next row is opened. They have the first slots.
    pub fn num_next(&self) -> usize {
        self.log_next().map_or(0, |log| self.width().min(1 << log))
    }

    /// Writes the columns of a trace one after the other, in order of slots.
    ///
    /// A few columns at a time, since neighbours in a trace share cache lines, and few rows at a
    /// time, so that these lines are still there for the next column.
    pub fn transpose(&self, trace: &RowMajorMatrix<F>, cells: &mut [F]) {
        const COLUMNS: usize = 16;
        const ROWS: usize = 256;
        let (width, height) = (trace.width(), trace.height());
        let columns = self.columns.par_chunks(COLUMNS);
        let cells = cells.par_chunks_mut(COLUMNS * height).zip(columns);
        cells.for_each(|(cells, columns)| {
            for (tile, rows) in trace.values.chunks(ROWS * width.max(1)).enumerate() {
                for (cells, &column) in cells.chunks_exact_mut(height).zip(columns) {
                    let values = rows.iter().skip(column).step_by(width);
                    let cells = cells.iter_mut().skip(tile * ROWS);
                    cells.zip(values).for_each(|(cell, &value)| *cell = value);
                }
            }
        });
    }
}

/// One table.
#[derive(Clone, Debug)]
pub struct TableSystem {
    /// Name of the table.
    pub name: &'static str,
    /// Its constraints and messages.
    pub expressions: Expressions,
    /// The number of the bus of each message.
    pub buses: Vec<usize>,
    /// Its main columns.
    pub main: Slots,
    /// Its preprocessed columns.
    pub preprocessed: Slots,
}

/// The tables of a machine.
#[derive(Clone, Debug)]
pub struct System {
    tables: Vec<TableSystem>,
    message_width: usize,
    degree: usize,
    num_public_values: usize,
}

impl System {
    /// Evaluates the tables symbolically.
    ///
    /// Buses are numbered from 0 in order of their first message. A lookup within a table has a bus
    /// of its own.
    ///
    /// # Errors
    /// If a table has anything that is not supported.
    pub fn new<T>(tables: &[T]) -> Result<Self, UnsupportedTable>
    where
        T: Table + Air<InteractionSymbolicBuilder<F, EF>>,
    {
        Self::of(tables, tables.par_iter().map(Expressions::new).collect())
    }

    /// As [`Self::new`], of tables with these expressions.
    pub(super) fn of<T: Table>(
        tables: &[T],
        expressions: Vec<Result<Expressions, Unsupported>>,
    ) -> Result<Self, UnsupportedTable> {
        // Number of the bus and length of its messages.
        let mut buses: HashMap<(Option<usize>, BusName), (usize, usize)> = HashMap::new();
        let mut systems = Vec::with_capacity(tables.len());
        for ((index, table), expressions) in tables.iter().enumerate().zip(expressions) {
            let refuse = |reason| UnsupportedTable {
                table: table.name(),
                reason,
            };
            let expressions = expressions.map_err(refuse)?;
            if table.preprocessed_width() > 0 && table.fixed_log_height().is_none() {
                return Err(refuse(Unsupported::PreprocessedHeight));
            }
            let mut of_messages = Vec::new();
            for message in expressions.messages() {
                let scope = matches!(message.bus, BusName::Local(_)).then_some(index);
                let next = buses.len();
                let found = message.payload.len();
                let bus = (scope, message.bus.clone());
                let &mut (number, expected) = buses.entry(bus).or_insert((next, found));
                if found != expected {
                    let bus = message.bus.clone();
                    return Err(refuse(Unsupported::MessageLength {
                        bus,
                        expected,
                        found,
                    }));
                }
                of_messages.push(number);
            }
            let leaves = expressions.leaves();
            let main = leaves.iter().filter_map(|leaf| match leaf {
                Leaf::Main(Row::Next, column) => Some(*column),
                _ => None,
            });
            let preprocessed = leaves.iter().filter_map(|leaf| match leaf {
                Leaf::Preprocessed(Row::Next, column) => Some(*column),
                _ => None,
            });
            systems.push(TableSystem {
                name: table.name(),
                main: Slots::new(table.width(), &main.collect::<Vec<_>>()),
                preprocessed: Slots::new(
                    table.preprocessed_width(),
                    &preprocessed.collect::<Vec<_>>(),
                ),
                buses: of_messages,
                expressions,
            });
        }
        let messages = systems
            .iter()
            .flat_map(|table| table.expressions.messages());
        let degrees = systems.iter().map(|table| table.expressions.degree());
        let leaves = systems.iter().flat_map(|table| table.expressions.leaves());
        let public_values = leaves.filter_map(|leaf| match leaf {
            Leaf::Public(index) => Some(index + 1),
            _ => None,
        });
        Ok(Self {
            num_public_values: public_values.max().unwrap_or(0),
            message_width: messages
                .map(|message| message.payload.len())
                .max()
                .unwrap_or(0),
            degree: degrees.max().unwrap_or(0).max(2),
            tables: systems,
        })
    }

    /// The tables.
    pub fn tables(&self) -> &[TableSystem] {
        &self.tables
    }

    /// Length of the longest message.
    pub const fn message_width(&self) -> usize {
        self.message_width
    }

    /// The largest degree of a constraint, multiplicity or message element of any table in one
    /// variable, and at least 2.
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// Number of public values, of which every table reads the same.
    pub const fn num_public_values(&self) -> usize {
        self.num_public_values
    }

    /// Number of constraints of all tables.
    pub fn num_constraints(&self) -> usize {
        let counts = self
            .tables
            .iter()
            .map(|table| table.expressions.num_constraints());
        counts.sum()
    }
}

/// Heights for which there are no proofs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// There are not as many heights as tables.
    #[error("{found} heights were given, expected {expected}: one for each table")]
    Count {
        /// Number of tables.
        expected: usize,
        /// Number of heights.
        found: usize,
    },
    /// A height is out of range.
    #[error(
        "the height of table {table} is 2^{log_height}, expected 2^{MIN_LOG_HEIGHT} to \
         2^{MAX_LOG_HEIGHT}"
    )]
    Range {
        /// Name of the table.
        table: &'static str,
        /// Logarithm of its height.
        log_height: usize,
    },
    /// The messages of all tables are fewer than the rows of one of them.
    #[error("the highest table has more rows than there are messages, of all tables and rows")]
    FewMessages,
}

/// Tables of certain heights, and the blocks of their messages among the leaves of the lookup
/// argument.
///
/// A message of a table of `2^m` rows has a block of as many leaves. Blocks of higher tables come
/// first, those of equally high ones in the tables' order, those of a table in order of
/// declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    log_heights: Vec<usize>,
    /// First leaf of each table.
    starts: Vec<usize>,
    /// Number of leaves with messages.
    num_leaves: usize,
    log_leaves: usize,
    max_log_height: usize,
}

impl Shape {
    /// # Errors
    /// If there are no proofs for tables of these heights.
    pub fn new(system: &System, log_heights: &[usize]) -> Result<Self, ShapeError> {
        let tables = system.tables();
        if log_heights.len() != tables.len() {
            return Err(ShapeError::Count {
                expected: tables.len(),
                found: log_heights.len(),
            });
        }
        for (table, &log_height) in tables.iter().zip(log_heights) {
            if !(MIN_LOG_HEIGHT..=MAX_LOG_HEIGHT).contains(&log_height) {
                return Err(ShapeError::Range {
                    table: table.name,
                    log_height,
                });
            }
        }
        let mut order: Vec<usize> = (0..tables.len()).collect();
        order.sort_by_key(|&table| Reverse(log_heights[table]));
        let mut starts = vec![0; tables.len()];
        let mut end = 0;
        for table in order {
            starts[table] = end;
            // At most `2^24` rows, and as many messages as are in memory.
            end += tables[table].buses.len() << log_heights[table];
        }
        let max_log_height = log_heights.iter().copied().max().unwrap_or(0);
        let log_leaves = end.next_power_of_two().trailing_zeros() as usize;
        if log_leaves < max_log_height || end == 0 {
            return Err(ShapeError::FewMessages);
        }
        Ok(Self {
            log_heights: log_heights.to_vec(),
            starts,
            num_leaves: end,
            log_leaves,
            max_log_height,
        })
    }

    /// Logarithms of the heights.
    pub fn log_heights(&self) -> &[usize] {
        &self.log_heights
    }

    /// Logarithm of the largest height.
    pub const fn max_log_height(&self) -> usize {
        self.max_log_height
    }

    /// Index of the first leaf of each table.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Number of leaves that messages have. Those after them are the fraction 0 / 1.
    pub const fn num_leaves(&self) -> usize {
        self.num_leaves
    }

    /// Logarithm of the number of leaves, rounded up.
    pub const fn log_leaves(&self) -> usize {
        self.log_leaves
    }
}
