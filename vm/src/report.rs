//! Reports of what a proof costs and how secure it is, computed from its shape.

use droste_native::stark::security::{Security, TableShape, proven_security};
use droste_native::{EF, F, FriSettings, HashSuite};
use p3_air::{Air, BaseAir};
use p3_field::{ExtensionField, Field};
use p3_lookup::{InteractionSymbolicBuilder, Lookups};
use serde::Serialize;

use crate::lookups::{Evaluated, constraint_shape};
use crate::tables::Table;

/// Base field elements per challenge.
const EXTENSION_DEGREE: usize = droste_native::field::EXTENSION_DEGREE;

/// One table of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableReport {
    /// Name of the table.
    pub name: &'static str,
    /// Shape of the table, in the terms of the soundness bounds.
    pub shape: TableShape,
}

impl TableReport {
    /// Returns the width of the lookup columns in base field elements: the accumulator and one
    /// column per fraction.
    pub fn lookup_width(&self) -> usize {
        match self.shape.lookup_columns {
            0 => 0,
            columns => (columns + 1) * EXTENSION_DEGREE,
        }
    }

    /// Returns the width of the quotient columns in base field elements.
    pub fn quotient_width(&self) -> usize {
        self.shape.quotient_chunks() * EXTENSION_DEGREE
    }

    /// Returns the number of base field elements of this table that are opened per query.
    pub fn opened_elements(&self) -> usize {
        self.shape.main_width
            + self.shape.preprocessed_width
            + self.lookup_width()
            + self.quotient_width()
    }

    /// Returns the number of cells of all committed columns, quotients and preprocessed columns
    /// included, before low-degree extension.
    pub fn opened_cells(&self) -> usize {
        self.opened_elements().saturating_mul(self.height())
    }

    /// Returns the number of rows, padding included. No proof has so many that they are not a
    /// `usize`.
    pub fn height(&self) -> usize {
        let log_height = u32::try_from(self.shape.log_height).ok();
        let height = log_height.and_then(|log_height| 1_usize.checked_shl(log_height));
        height.unwrap_or(usize::MAX)
    }

    /// Returns `w * h * log2(h)`, where `w` counts main and lookup columns.
    pub fn fft_cost(&self) -> u64 {
        let width = self.shape.main_width + self.lookup_width();
        let cells = width.saturating_mul(self.height());
        cells.saturating_mul(self.shape.log_height) as u64
    }
}

/// Returns the shapes of tables of these heights, whose lookups are packed as given.
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
        .zip(log_heights)
        .zip(lookups)
        .map(|((table, &log_height), lookups)| TableReport {
            name: table.name(),
            shape: table_shape(table, lookups, log_height),
        })
        .collect()
}

/// Returns the shape of a table of this height with lookups packed as given.
pub fn table_shape<T>(table: &T, lookups: &Lookups<F>, log_height: usize) -> TableShape
where
    T: Air<InteractionSymbolicBuilder<F, EF>>,
{
    table_shape_over::<F, EF, T>(table, lookups, log_height)
}

/// Returns the shape of a table over any fields, as [`table_shape`].
pub fn table_shape_over<K, E, T>(table: &T, lookups: &Lookups<K>, log_height: usize) -> TableShape
where
    K: Field,
    E: ExtensionField<K>,
    T: Air<InteractionSymbolicBuilder<K, E>>,
{
    let messages = || lookups.iter().flat_map(|lookup| &lookup.elements);
    TableShape {
        lookup_columns: lookups.len(),
        interactions: messages().count(),
        message_width: messages().map(Vec::len).max().unwrap_or(0),
        ..plain_shape_over::<K, T>(
            table,
            constraint_shape(&Evaluated::<K, E>::over(table), lookups),
            log_height,
        )
    }
}

/// The shape of a table without lookup columns, with this number and degree of constraints.
pub(crate) fn plain_shape<T: BaseAir<F>>(
    table: &T,
    constraints: (usize, usize),
    log_height: usize,
) -> TableShape {
    plain_shape_over::<F, T>(table, constraints, log_height)
}

/// As [`plain_shape`], over any field.
fn plain_shape_over<K: Field, T: BaseAir<K>>(
    table: &T,
    (constraints, degree): (usize, usize),
    log_height: usize,
) -> TableShape {
    TableShape {
        log_height,
        main_width: table.width(),
        main_next: !table.main_next_row_columns().is_empty(),
        preprocessed_width: table.preprocessed_width(),
        preprocessed_next: !table.preprocessed_next_row_columns().is_empty(),
        constraints,
        degree,
        lookup_columns: 0,
        interactions: 0,
        message_width: 0,
    }
}

/// Returns the proven security of a proof with these tables.
pub(crate) fn security<H: HashSuite>(settings: &FriSettings, tables: &[TableReport]) -> Security {
    let shapes: Vec<TableShape> = tables.iter().map(|table| table.shape).collect();
    proven_security(settings, &shapes, H::COLLISION_BITS)
}
