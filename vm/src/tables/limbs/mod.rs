#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::LimbsTable;
pub use columns::{LimbsCols, WordCols};

use droste_native::F;
use p3_matrix::dense::RowMajorMatrix;

use super::{Table, TraceInput};
use crate::isa::id;
use crate::tables::LookupCounts;

impl Table for LimbsTable {
    fn name(&self) -> &'static str {
        "limbs"
    }

    fn precompiles(&self) -> &'static [u32] {
        &[id::LIMBS]
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        trace::rows(input.execution)
    }

    fn trace(
        &self,
        input: &TraceInput<'_>,
        log_height: usize,
        uses: &mut LookupCounts,
    ) -> RowMajorMatrix<F> {
        trace::count_uses(input.execution, uses);
        trace::generate(input.execution, log_height)
    }
}
