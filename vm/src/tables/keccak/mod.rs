#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::KeccakCallTable;
pub use columns::KeccakCallCols;
/// The form over bytes, which has fewer cells than those over bits (README.md beside this file).
pub use droste_air::keccak::bytes::BytesTable as KeccakTable;

use droste_air::keccak::bytes;

use super::{Table, Trace, TraceInput, VerifierCost, sound_with_every_end};
use crate::tables::LookupCounts;

/// Serves [`KeccakCallTable`] alone: its rows are the permutations of that table's calls.
impl Table for KeccakTable {
    sound_with_every_end!("keccak", serves KeccakCallTable);

    fn verifier_cost(&self) -> VerifierCost {
        VerifierCost::new(40_000, 300_000)
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        bytes::rows(KeccakCallTable.rows(input))
    }

    #[expect(
        clippy::expect_used,
        reason = "`prover::log_heights` has checked that the rows fit the height"
    )]
    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let permutations = trace::permutations(input.execution);
        let trace = bytes::generate_table(&permutations, Some(1 << log_height))
            .expect("the height is a power of two and no less than the rows");
        counts.spread.add_all(&bytes::count_lookups(&trace));
        trace
    }
}
