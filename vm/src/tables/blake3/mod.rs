#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Blake3CallTable;
pub use columns::Blake3CallCols;
/// The form over bytes: with it the way of a proof to the canonical shape is shorter than with one
/// wide row (README.md beside this file).
pub use droste_air::blake3::bytes::BytesTable as Blake3Table;

use droste_air::blake3::bytes;
use droste_air::steps;

use super::{Table, Trace, TraceInput, VerifierCost, sound_with_every_end};
use crate::tables::LookupCounts;

/// Serves [`Blake3CallTable`] alone: its rows are the compressions of that table's calls.
impl Table for Blake3Table {
    sound_with_every_end!("blake3", serves Blake3CallTable);

    fn verifier_cost(&self) -> VerifierCost {
        VerifierCost::new(12_000, 150_000)
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        steps::rows(bytes::ROWS, Blake3CallTable.rows(input))
    }

    #[expect(
        clippy::expect_used,
        reason = "`prover::log_heights` has checked that the rows fit the height"
    )]
    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let compressions = trace::compressions(input.execution);
        let trace = bytes::generate_table(&compressions, Some(1 << log_height))
            .expect("the height is a power of two and no less than the rows");
        counts.byte_pairs.add_all(&bytes::count_lookups(&trace));
        trace
    }
}
