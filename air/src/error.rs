//! What trace generators return.

use droste_native::F;
use p3_field::TwoAdicField;
use p3_matrix::dense::RowMajorMatrix;
use thiserror::Error;

/// A trace, or why there is none.
pub type TraceResult = Result<RowMajorMatrix<F>, TraceError>;

/// The tallest table: the field has no larger evaluation domain.
pub const MAX_HEIGHT: usize = 1 << F::TWO_ADICITY;

/// Why no trace can be made from a list of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TraceError {
    /// There are neither inputs nor a height, but a trace needs at least one row.
    #[error("the table has neither inputs nor a height, expected at least one input or a height")]
    Empty,
    /// The height asked for is not a power of two.
    #[error("the table height is {0}, expected a power of two")]
    NotAPowerOfTwo(usize),
    /// No table of this height can be proved.
    #[error("the table height is {0}, expected at most {MAX_HEIGHT}")]
    TooTall(usize),
    /// The inputs take more rows than the height asked for.
    #[error("the inputs take {rows} rows, which do not fit a table of height {height}")]
    TooShort {
        /// Number of rows that the inputs take.
        rows: usize,
        /// The height asked for.
        height: usize,
    },
}

impl TraceError {
    /// The height of a trace with `rows` rows of inputs: the height asked for, which may be all
    /// padding, or the next power of two.
    pub(crate) fn height(rows: usize, height: Option<usize>) -> Result<usize, Self> {
        if rows == 0 && height.is_none() {
            return Err(Self::Empty);
        }
        let height = height.unwrap_or_else(|| rows.next_power_of_two());
        if !height.is_power_of_two() {
            return Err(Self::NotAPowerOfTwo(height));
        }
        if height > MAX_HEIGHT {
            return Err(Self::TooTall(height));
        }
        if height < rows {
            return Err(Self::TooShort { rows, height });
        }
        Ok(height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_have_limits() {
        let height = |height| TraceError::height(3, Some(height));
        assert_eq!(height(4), Ok(4));
        assert_eq!(height(1 << 24), Ok(1 << 24));
        for log in [25, 32, 33, 63] {
            assert_eq!(height(1 << log), Err(TraceError::TooTall(1 << log)));
        }
        assert_eq!(height(6), Err(TraceError::NotAPowerOfTwo(6)));
        let error = TraceError::TooShort { rows: 3, height: 2 };
        assert_eq!(height(2), Err(error));
    }
}
