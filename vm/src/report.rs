//! What a proof costs and how secure it is, from its shape.

use droste_native::security::{SecurityReport, TableShape, proven_security};
use droste_native::{EF, F, FriSettings, HashFamily};
use p3_air::Air;
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use serde::Serialize;

use crate::lookups::constraint_shape;
use crate::tables::Table;

/// Base field elements of one challenge field element.
const EXTENSION_DEGREE: usize = droste_native::field::EXTENSION_DEGREE;

/// One table of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableReport {
    /// Its name.
    pub name: &'static str,
    /// Its shape, in the terms of the soundness bounds.
    pub shape: TableShape,
}

impl TableReport {
    /// Columns of the look-up argument in base field elements: the accumulator and every fraction.
    pub fn lookup_width(&self) -> usize {
        match self.shape.lookup_columns {
            0 => 0,
            columns => (columns + 1) * EXTENSION_DEGREE,
        }
    }

    /// Columns of the quotient in base field elements.
    pub fn quotient_width(&self) -> usize {
        self.shape.quotient_chunks() * EXTENSION_DEGREE
    }

    /// Base field elements that one query opens.
    pub fn opened_elements(&self) -> usize {
        self.shape.main_width
            + self.shape.preprocessed_width
            + self.lookup_width()
            + self.quotient_width()
    }

    /// Cells of all committed columns, quotients and the program included, before extension.
    pub fn opened_cells(&self) -> usize {
        self.opened_elements() * self.height()
    }

    /// Rows, padding included.
    pub fn height(&self) -> usize {
        1 << self.shape.log_height
    }

    /// `w * h * log2(h)`, where `w` counts main and look-up columns.
    pub fn fft_cost(&self) -> u64 {
        let width = self.shape.main_width + self.lookup_width();
        (width * self.height() * self.shape.log_height) as u64
    }
}

/// Shapes of tables of these heights.
pub(crate) fn table_reports<T>(
    tables: &[T],
    lookups: &[Lookups<F>],
    log_heights: &[usize],
) -> Vec<TableReport>
where
    T: Table + Air<InteractionSymbolicBuilder<F, EF>>,
{
    tables
        .iter()
        .zip(lookups)
        .zip(log_heights)
        .map(|((table, lookups), &log_height)| TableReport {
            name: table.name(),
            shape: table_shape(table, lookups, log_height),
        })
        .collect()
}

/// Shape of a table of this height, look-ups packed as given.
pub fn table_shape<T>(table: &T, lookups: &Lookups<F>, log_height: usize) -> TableShape
where
    T: Air<InteractionSymbolicBuilder<F, EF>>,
{
    let (constraints, degree) = constraint_shape(table, lookups);
    let messages = || lookups.iter().flat_map(|lookup| &lookup.elements);
    TableShape {
        log_height,
        main_width: table.width(),
        main_next: !table.main_next_row_columns().is_empty(),
        preprocessed_width: table.preprocessed_width(),
        preprocessed_next: !table.preprocessed_next_row_columns().is_empty(),
        constraints,
        degree,
        lookup_columns: lookups.len(),
        interactions: messages().count(),
        message_width: messages().map(Vec::len).max().unwrap_or(0),
    }
}

/// Proven security of a proof with these tables.
pub(crate) fn security<H: HashFamily>(
    settings: &FriSettings,
    tables: &[TableReport],
) -> SecurityReport {
    let shapes: Vec<TableShape> = tables.iter().map(|table| table.shape).collect();
    proven_security(settings, &shapes, H::COLLISION_BITS)
}
