//! The stack: where the columns of all tables lie in one multilinear polynomial.

use std::ops::Range;

use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

use super::settings::{MAX_LOG_BLOCK, MIN_LOG_BLOCK};
use crate::field::EF;

/// Largest logarithm of the number of rows of a stack.
pub const MAX_ROW_VARIABLES: usize = 11;

/// Least logarithm of the height of a table.
pub const MIN_LOG_HEIGHT: usize = 4;

/// The size of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableShape {
    /// Logarithm of the number of rows, 4 to the logarithm of the number of cells of a stack's row.
    pub log_height: usize,
    /// Number of main columns.
    pub width: usize,
    /// Number of preprocessed columns.
    pub preprocessed_width: usize,
}

/// Where the main or the preprocessed columns of a table lie.
///
/// The cell of row `i` in slot `c` is at position `offset + (c << log_height) + i`. Slots from
/// `width` on are padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Position of the first cell, a multiple of the region's size.
    pub offset: usize,
    /// Logarithm of the number of slots.
    pub log_slots: usize,
    /// Logarithm of the number of cells of a slot.
    pub log_height: usize,
    /// Number of columns.
    pub width: usize,
}

/// The regions of one table; a table without such columns has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableRegions {
    /// The region of the main columns.
    pub main: Option<Region>,
    /// The region of the preprocessed columns.
    pub preprocessed: Option<Region>,
}

/// The stack of the columns of all tables.
///
/// Regions of main columns come first, in descending order of size, then those of preprocessed
/// columns from the next row on. A *row* is a block of `2^log_block` cells. Rows in which there is
/// no column are zero for prover and verifier, and are not committed to: the others, those
/// *present*, are kept one after the other, main and preprocessed rows apart, since they are
/// committed to apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    log_block: usize,
    row_variables: usize,
    tables: Vec<TableRegions>,
    main_rows: Vec<usize>,
    preprocessed_rows: Vec<usize>,
}

/// Tables that do not fit in a stack.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum LayoutError {
    /// The number of cells of a row is out of range.
    #[error("rows have 2^{log_block} cells, expected 2^{MIN_LOG_BLOCK} to 2^{MAX_LOG_BLOCK}")]
    Block {
        /// Its logarithm.
        log_block: usize,
    },
    /// The height of a table is out of range.
    #[error("table {table} has 2^{log_height} rows, expected 2^{MIN_LOG_HEIGHT} to 2^{max}")]
    Height {
        /// Index of the table.
        table: usize,
        /// Logarithm of its height.
        log_height: usize,
        /// Largest logarithm of a height.
        max: usize,
    },
    /// The tables have too many cells.
    #[error("the tables need more than 2^{max} cells")]
    Cells {
        /// Logarithm of the largest number of cells.
        max: usize,
    },
    /// There is no main column.
    #[error("the tables have no main column")]
    NoColumns,
}

impl Region {
    /// Logarithm of the number of cells, padding included.
    pub const fn log_size(&self) -> usize {
        self.log_slots + self.log_height
    }

    /// The position of a cell.
    pub const fn position(&self, slot: usize, row: usize) -> usize {
        self.offset + (slot << self.log_height) + row
    }

    /// The factors that select the region among `2^variables` cells, for the weight of a claim: one
    /// for each variable before those of the region's slots.
    pub fn selector(&self, variables: usize) -> Vec<[EF; 2]> {
        (self.log_size()..variables)
            .rev()
            .map(|bit| match (self.offset >> bit) & 1 {
                0 => [EF::ONE, EF::ZERO],
                _ => [EF::ZERO, EF::ONE],
            })
            .collect()
    }

    /// The rows of the stack in which columns of the region lie.
    const fn rows(&self, log_block: usize) -> Range<usize> {
        let end = self.offset + (self.width << self.log_height);
        self.offset >> log_block..end.div_ceil(1 << log_block)
    }
}

impl Layout {
    /// Lays out tables in rows of `2^log_block` cells.
    ///
    /// # Errors
    /// If a height is out of range, or there are too many cells or none.
    pub fn new(shapes: &[TableShape], log_block: usize) -> Result<Self, LayoutError> {
        if !(MIN_LOG_BLOCK..=MAX_LOG_BLOCK).contains(&log_block) {
            return Err(LayoutError::Block { log_block });
        }
        for (table, shape) in shapes.iter().enumerate() {
            if !(MIN_LOG_HEIGHT..=log_block).contains(&shape.log_height) {
                return Err(LayoutError::Height {
                    table,
                    log_height: shape.log_height,
                    max: log_block,
                });
            }
        }
        let widths = |width: fn(&TableShape) -> usize| {
            shapes
                .iter()
                .map(|shape| (shape.log_height, width(shape)))
                .collect::<Vec<_>>()
        };
        let (main, end) = place(&widths(|shape| shape.width), 0, log_block)?;
        if end == 0 {
            return Err(LayoutError::NoColumns);
        }
        let start = end.next_multiple_of(1 << log_block);
        let (preprocessed, end) =
            place(&widths(|shape| shape.preprocessed_width), start, log_block)?;
        let variables = end.next_power_of_two().ilog2() as usize;
        Ok(Self {
            log_block,
            row_variables: variables.saturating_sub(log_block).max(1),
            main_rows: rows(&main, log_block),
            preprocessed_rows: rows(&preprocessed, log_block),
            tables: main
                .into_iter()
                .zip(preprocessed)
                .map(|(main, preprocessed)| TableRegions { main, preprocessed })
                .collect(),
        })
    }

    /// Logarithm of the number of cells of a row.
    pub const fn log_block(&self) -> usize {
        self.log_block
    }

    /// Number of variables that choose a row, 1 to [`MAX_ROW_VARIABLES`].
    pub const fn row_variables(&self) -> usize {
        self.row_variables
    }

    /// Number of variables of the stack.
    pub const fn variables(&self) -> usize {
        self.log_block + self.row_variables
    }

    /// The regions of all tables.
    pub fn tables(&self) -> &[TableRegions] {
        &self.tables
    }

    /// The main rows that are present, in ascending order.
    pub fn main_rows(&self) -> &[usize] {
        &self.main_rows
    }

    /// The preprocessed rows that are present, in ascending order.
    pub fn preprocessed_rows(&self) -> &[usize] {
        &self.preprocessed_rows
    }

    /// Number of cells of the main rows that are present.
    pub fn main_cells(&self) -> usize {
        self.main_rows.len() << self.log_block
    }

    /// Number of cells of the preprocessed rows that are present.
    pub fn preprocessed_cells(&self) -> usize {
        self.preprocessed_rows.len() << self.log_block
    }

    /// Where the cells of a main column lie among those of the main rows that are present. `None`
    /// if there is no such table or column.
    pub fn main_column(&self, table: usize, column: usize) -> Option<Range<usize>> {
        let region = self.tables.get(table)?.main?;
        self.column(&region, &self.main_rows, column)
    }

    /// Where the cells of a preprocessed column lie among those of the preprocessed rows that are
    /// present. `None` if there is no such table or column.
    pub fn preprocessed_column(&self, table: usize, column: usize) -> Option<Range<usize>> {
        let region = self.tables.get(table)?.preprocessed?;
        self.column(&region, &self.preprocessed_rows, column)
    }

    fn column(&self, region: &Region, rows: &[usize], column: usize) -> Option<Range<usize>> {
        if column >= region.width {
            return None;
        }
        // A column lies within one row: it is no longer, and aligned to its own length.
        let position = region.position(column, 0);
        let row = rows.binary_search(&(position >> self.log_block)).ok()?;
        let start = (row << self.log_block) + position % (1 << self.log_block);
        Some(start..start + (1 << region.log_height))
    }
}

/// Places one region for each pair of the logarithm of a height and a width, if the width is not
/// zero, from a position on. Returns the regions and the position after the last one.
fn place(
    widths: &[(usize, usize)],
    start: usize,
    log_block: usize,
) -> Result<(Vec<Option<Region>>, usize), LayoutError> {
    let max = log_block + MAX_ROW_VARIABLES;
    let cells = LayoutError::Cells { max };
    let mut regions = vec![None; widths.len()];
    let mut order = vec![];
    for (&(log_height, width), region) in widths.iter().zip(&mut regions) {
        if width == 0 {
            continue;
        }
        let slots = width.checked_next_power_of_two().ok_or(cells)?;
        let log_slots = slots.ilog2() as usize;
        if log_slots + log_height > max {
            return Err(cells);
        }
        order.push(region.insert(Region {
            offset: 0,
            log_slots,
            log_height,
            width,
        }));
    }
    // The sort is stable: tables of equal size stay in order.
    order.sort_by_key(|region| std::cmp::Reverse(region.log_size()));
    let mut end = start;
    for region in order {
        let size = 1 << region.log_size();
        region.offset = end.next_multiple_of(size);
        // Not their sum, which would overflow where `usize` has 32 bits.
        if size > (1 << max) - region.offset {
            return Err(cells);
        }
        end = region.offset + size;
    }
    Ok((regions, end))
}

/// The rows in which columns of these regions lie, in ascending order.
fn rows(regions: &[Option<Region>], log_block: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = regions
        .iter()
        .flatten()
        .flat_map(|region| region.rows(log_block))
        .collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
