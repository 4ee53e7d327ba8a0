#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::LimbsTable;
pub use columns::{LimbsCols, WordCols};

use droste_air::End;
use droste_native::F;
use p3_matrix::dense::RowMajorMatrix;

use super::{Table, TraceInput};
use crate::precompile::{LIMBS, Precompile};
use crate::tables::LookupCounts;

impl Table for LimbsTable {
    fn name(&self) -> &'static str {
        "limbs"
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn precompiles(&self) -> &'static [Precompile] {
        &[LIMBS]
    }

    fn trace(
        &self,
        input: &TraceInput<'_>,
        log_height: usize,
        counts: &mut LookupCounts,
    ) -> RowMajorMatrix<F> {
        trace::count_lookups(input.execution, counts);
        trace::generate(input.execution, log_height)
    }
}
