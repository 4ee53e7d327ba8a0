#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::PowerWeightsTable;
pub use columns::PowerWeightsCols;

use droste_air::End;
use droste_native::F;
use p3_matrix::dense::RowMajorMatrix;

use super::{Table, TraceInput};
use crate::precompile::{POWER_WEIGHTS, Precompile};
use crate::tables::LookupCounts;

const PRECOMPILES: &[Precompile] = &[POWER_WEIGHTS];

impl Table for PowerWeightsTable {
    fn name(&self) -> &'static str {
        "power_weights"
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn precompiles(&self) -> &'static [Precompile] {
        PRECOMPILES
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
