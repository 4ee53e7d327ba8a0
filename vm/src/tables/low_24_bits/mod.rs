//! Low bits of field elements: precompile `low_24_bits` (22).
//!
//! `low_24_bits(A, B, _, _, _)`: A is not `p - 1`, and B is the low 24 bits of its canonical
//! integer. Operands named `_` are zero. One call per row.
//!
//! The modulus is `p = 127 * 2^24 + 1`, so an integer of 31 bits whose seven highest bits are not
//! all ones is below `p - 1`, and is the canonical integer of its element.

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Low24BitsTable;
pub use columns::Low24BitsCols;

use droste_air::End;
use droste_native::F;
use p3_matrix::dense::RowMajorMatrix;

use super::{Table, TraceInput};
use crate::precompile::{LOW_24_BITS, Precompile};
use crate::tables::LookupCounts;

impl Table for Low24BitsTable {
    fn name(&self) -> &'static str {
        "low_24_bits"
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn precompiles(&self) -> &'static [Precompile] {
        &[LOW_24_BITS]
    }

    fn trace(
        &self,
        input: &TraceInput<'_>,
        log_height: usize,
        _counts: &mut LookupCounts,
    ) -> RowMajorMatrix<F> {
        trace::generate(input.execution, log_height)
    }
}
