//! Committed cells of a table, and reading them row by row.

use droste_native::F;
use p3_field::{PackedField, PrimeCharacteristicRing};
use thiserror::Error;

use super::expressions::{Leaf, Row};
use super::system::{Shape, Slots, System, TableSystem};

/// The cells of a table: its columns one after the other, in order of slots.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    /// Main columns.
    pub main: &'a [F],
    /// Preprocessed columns.
    pub preprocessed: &'a [F],
}

/// Cells or public values do not fit tables of this shape.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CellsError {
    /// Cells were not given for as many tables as there are.
    #[error("cells were given for {found} tables, expected {expected}")]
    Tables {
        /// Number of tables.
        expected: usize,
        /// Number of tables with cells.
        found: usize,
    },
    /// A table has a wrong number of cells.
    #[error("table {table} has {found} cells, expected {expected}")]
    Cells {
        /// Name of the table.
        table: &'static str,
        /// Number of cells expected.
        expected: usize,
        /// Number of cells found.
        found: usize,
    },
    /// There are too few public values.
    #[error(
        "{found} public values were given, expected at least {}: a table reads the one with index \
         {index}",
        .index + 1
    )]
    PublicValues {
        /// Index of a public value that is read.
        index: usize,
        /// Number of public values.
        found: usize,
    },
}

/// Checks the numbers of cells and of public values.
///
/// # Errors
/// If they are not those of the system's tables.
pub fn check(
    system: &System,
    shape: &Shape,
    cells: &[Cells<'_>],
    public_values: &[F],
) -> Result<(), CellsError> {
    let tables = system.tables();
    if cells.len() != tables.len() {
        return Err(CellsError::Tables {
            expected: tables.len(),
            found: cells.len(),
        });
    }
    for ((table, cells), &log_height) in tables.iter().zip(cells).zip(shape.log_heights()) {
        let parts = [
            (&table.main, cells.main),
            (&table.preprocessed, cells.preprocessed),
        ];
        for (slots, cells) in parts {
            let (expected, found) = (slots.width() << log_height, cells.len());
            if expected != found {
                return Err(CellsError::Cells {
                    table: table.name,
                    expected,
                    found,
                });
            }
        }
    }
    check_public_values(system, public_values)
}

/// Checks that every public value that is read exists.
///
/// # Errors
/// If there are too few.
pub fn check_public_values(system: &System, public_values: &[F]) -> Result<(), CellsError> {
    match system.num_public_values() {
        needed if needed > public_values.len() => Err(CellsError::PublicValues {
            index: needed - 1,
            found: public_values.len(),
        }),
        _ => Ok(()),
    }
}

/// The rows of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows<'a> {
    table: &'a TableSystem,
    cells: Cells<'a>,
    public_values: &'a [F],
    height: usize,
}

impl<'a> Rows<'a> {
    /// The cells must have been checked.
    pub(super) const fn new(
        table: &'a TableSystem,
        cells: Cells<'a>,
        public_values: &'a [F],
        log_height: usize,
    ) -> Self {
        Self {
            table,
            cells,
            public_values,
            height: 1 << log_height,
        }
    }

    /// The cells.
    pub(super) const fn cells(&self) -> Cells<'a> {
        self.cells
    }

    /// Logarithm of the number of rows.
    pub(super) const fn log_height(&self) -> usize {
        self.height.trailing_zeros() as usize
    }

    /// Number of packed elements in a column.
    pub(super) const fn num_packed<P: PackedField<Scalar = F>>(&self) -> usize {
        self.height / P::WIDTH
    }

    /// What is read as a column.
    pub(super) fn column(&self, leaf: Leaf) -> Column<'a> {
        let cells = |slots: &Slots, cells: &'a [F], column: usize| {
            let start = slots.slot(column) * self.height;
            &cells[start..start + self.height]
        };
        let of_row = |row, cells| match row {
            Row::Current => Column::Current(cells),
            Row::Next => Column::Next(cells),
        };
        match leaf {
            Leaf::Main(row, column) => {
                of_row(row, cells(&self.table.main, self.cells.main, column))
            }
            Leaf::Preprocessed(row, column) => {
                let slots = &self.table.preprocessed;
                of_row(row, cells(slots, self.cells.preprocessed, column))
            }
            Leaf::Public(index) => Column::Constant(self.public_values[index]),
            Leaf::FirstRow => Column::Only(0),
            Leaf::LastRow => Column::Only(self.height - 1),
            Leaf::Transition => Column::AllBut(self.height - 1),
        }
    }
}

/// One value per row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Column<'a> {
    /// Cells.
    Current(&'a [F]),
    /// Cells of the next row.
    Next(&'a [F]),
    /// A constant.
    Constant(F),
    /// One in this row, zero in the others.
    Only(usize),
    /// Zero in this row, one in the others.
    AllBut(usize),
}

impl Column<'_> {
    /// The rows of a packed element.
    #[inline]
    pub(super) fn packed<P: PackedField<Scalar = F>>(&self, index: usize) -> P {
        let first = index * P::WIDTH;
        let only = |row: usize| P::from_fn(|lane| F::from_bool(first + lane == row));
        match *self {
            Column::Current(cells) => *P::from_slice(&cells[first..first + P::WIDTH]),
            Column::Next(cells) => {
                let next = cells.get(first + 1..=first + P::WIDTH);
                let last = cells.len() - 1;
                next.map_or_else(
                    || P::from_fn(|lane| cells[(first + lane + 1).min(last)]),
                    |next| *P::from_slice(next),
                )
            }
            Column::Constant(constant) => constant.into(),
            Column::Only(row) => only(row),
            Column::AllBut(row) => P::ONE - only(row),
        }
    }
}
