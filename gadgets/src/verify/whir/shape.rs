//! The shape of a proof: everything about it that its verifier takes as given.
//!
//! As with [`crate::verify::fri::shape`], it is a constant of the program in the machine, and an
//! ordinary value natively. No length is read from a proof.

use crate::verify::whir::opening::shape as opening;

/// Columns of one table in the stacked polynomial: those of its trace, or its preprocessed ones.
///
/// They lie in one region, slot after slot. A slot has as many cells as the table has rows, and the
/// number of slots is a power of two; slots without a column are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The column in each slot. Columns of which the next row is read come first.
    pub order: Vec<usize>,
    /// Number of slots whose next rows are opened, from the first on.
    pub next: usize,
    /// Number of bits of a slot's number.
    pub slot_bits: usize,
    /// Number of bits of the number of a slot whose next row may be opened.
    pub next_bits: usize,
    /// Number of the region, counted in regions of its size: the variables before those of the
    /// slot.
    pub region: usize,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Logarithm of the number of rows.
    pub log_height: usize,
    /// Columns of the trace.
    pub main: Columns,
    /// Preprocessed columns; there may be none.
    pub preprocessed: Columns,
    /// Number of public values: the first elements of the statement.
    pub public_values: usize,
    /// Number of constraints.
    pub constraints: usize,
    /// For each message, the number of its block of leaves, counted in blocks of this table.
    pub messages: Vec<usize>,
}

/// The shape of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The tables, in the machine's order.
    pub tables: Vec<Table>,
    /// Number of buses.
    pub buses: usize,
    /// Number of elements of the widest message.
    pub message_width: usize,
    /// Bits of the proof of work before the challenges of lookups.
    pub lookup_grinding_bits: usize,
    /// Logarithm of the number of leaves of the sum of fractions.
    pub log_leaves: usize,
    /// Largest degree in one variable of what the tables sum.
    pub degree: usize,
    /// The opening.
    pub opening: opening::Shape,
}

impl Shape {
    /// Returns the logarithm of the number of rows of the tallest table.
    pub fn log_rows(&self) -> usize {
        let mut rows = 0usize;
        for table in &self.tables {
            rows = rows.max(table.log_height);
        }
        rows
    }
}
