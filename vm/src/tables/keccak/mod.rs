#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::KeccakCallTable;
pub use columns::KeccakCallCols;
// What the table of calls of the sponge over lanes has in common with this one.
pub(super) use air::{PATH_WORDS, STRIDE, eval_call, eval_memory, is_active};
pub(super) use columns::WORDS;
/// The form over bytes, which has fewer cells than those over bits (README.md beside this file).
pub use droste_air::keccak::bytes::BytesTable as KeccakTable;
pub(super) use trace::{Lanes, Step, climb_steps, count_call, hash_steps, permutations};

use droste_air::keccak::bytes;

use super::keccak_sponge::{self, KeccakSpongeCallTable};
use super::{Table, Trace, TraceInput, VerifierCost, sound_with_every_end};
use crate::precompile::{
    KECCAK_HASH, KECCAK_MERKLE, KECCAK_SPONGE, KECCAK_SPONGE_MERKLE, Precompile,
};
use crate::tables::LookupCounts;

/// The precompiles whose calls need permutations.
pub(super) const PRECOMPILES: &[Precompile] = &[
    KECCAK_HASH,
    KECCAK_MERKLE,
    KECCAK_SPONGE,
    KECCAK_SPONGE_MERKLE,
];

/// Serves [`KeccakCallTable`] and [`KeccakSpongeCallTable`]: its rows are the permutations of the
/// calls of the first, then of those of the second. It counts its permutations up by constraint and
/// sends the states of each once, so that no two rows of calls have one permutation.
impl Table for KeccakTable {
    sound_with_every_end!("keccak");

    fn precompiles(&self) -> &'static [Precompile] {
        PRECOMPILES
    }

    fn verifier_cost(&self) -> VerifierCost {
        VerifierCost::new(40_000, 300_000)
    }

    fn rows(&self, input: &TraceInput<'_>) -> usize {
        bytes::rows(KeccakCallTable.rows(input) + KeccakSpongeCallTable.rows(input))
    }

    #[expect(
        clippy::expect_used,
        reason = "`prover::log_heights` has checked that the rows fit the height"
    )]
    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let mut inputs = permutations::<KeccakCallTable>(input.execution, trace::steps);
        inputs.extend(keccak_sponge::permutations(input.execution));
        let trace = bytes::generate_table(&inputs, Some(1 << log_height))
            .expect("the height is a power of two and no less than the rows");
        counts.spread.add_all(&bytes::count_lookups(&trace));
        trace
    }
}
