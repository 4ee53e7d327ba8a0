//! What can be wrong with the input of a trace generator.

use thiserror::Error;

/// A list of inputs from which no trace can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// Neither inputs nor a height: a trace has at least one row.
    #[error("no inputs: a table needs at least one, or a height")]
    Empty,
    /// Heights are powers of two.
    #[error("table height {height} is no power of two")]
    NotAPowerOfTwo {
        /// The height asked for.
        height: usize,
    },
    /// The rows do not fit.
    #[error("{rows} rows do not fit a table of height {height}")]
    TooShort {
        /// Rows that the inputs take.
        rows: usize,
        /// The height asked for.
        height: usize,
    },
}

impl TraceError {
    /// The height of a trace of `rows` rows: the one asked for, which may be all padding, or the next
    /// power of two.
    pub(crate) fn height(rows: usize, height: Option<usize>) -> Result<usize, Self> {
        if rows == 0 && height.is_none() {
            return Err(Self::Empty);
        }
        let height = height.unwrap_or(rows.next_power_of_two());
        if !height.is_power_of_two() {
            return Err(Self::NotAPowerOfTwo { height });
        }
        if height < rows {
            return Err(Self::TooShort { rows, height });
        }
        Ok(height)
    }
}
