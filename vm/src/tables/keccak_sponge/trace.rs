//! Trace of the table of calls of the sponge over lanes.

use droste_air::keccak::State;
use droste_air::keccak::bytes::Input;
use droste_native::{F, HashId};
use p3_field::PrimeCharacteristicRing;

use super::air::KeccakSpongeCallTable;
use super::columns::KeccakSpongeCols;
use crate::precompile::{KECCAK_SPONGE, KECCAK_SPONGE_MERKLE, Precompile};
use crate::record::{Call, Execution, FinalMemory};
use crate::tables::digest_chain::Link;
use crate::tables::keccak::{
    self, KeccakCallTable, Lanes, Step, climb_steps, count_call, hash_steps,
};
use crate::tables::{CallTable, LookupCounts, Rows, Table, TraceInput, VerifierCost};

/// Returns the rows of one call.
fn steps(memory: &FinalMemory, precompile: &Precompile, call: &Call) -> Vec<Step> {
    if *precompile == KECCAK_SPONGE {
        hash_steps(memory, precompile, call, step)
    } else {
        climb_steps(memory, call, step)
    }
}

/// Overwrites the state with the first `present` words of `lanes`, the last lane of the state as a
/// whole, and permutes it.
fn step(link: Link, present: usize, lanes: Lanes, mut state: State) -> Step {
    for lane in state.iter_mut().take(present.div_ceil(2)) {
        *lane = 0;
    }
    Step::new(link, present, lanes, Step::bytes(&lanes, present), state)
}

/// Returns the permutations that the calls need, in the order of the rows.
pub(in crate::tables) fn permutations(execution: &Execution) -> Vec<Input> {
    keccak::permutations::<KeccakSpongeCallTable>(execution, steps)
}

/// One row per permutation, then padding. The permutations have the numbers that follow those of
/// the table of calls of Keccak-256.
impl CallTable for KeccakSpongeCallTable {
    type Row = KeccakSpongeCols<F>;

    const NAME: &'static str = "keccak_sponge_calls";

    const PRECOMPILES: &'static [Precompile] = &[KECCAK_SPONGE, KECCAK_SPONGE_MERKLE];

    const PERMUTATION: Option<HashId> = Some(HashId::Keccak);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(9_000, 24_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        let steps = steps(memory, precompile, call);
        let last = steps.len().saturating_sub(1);
        for (index, (step, row)) in steps.iter().zip(rows).enumerate() {
            step.fill(&mut row.call);
            row.goes_on = F::from_bool(*precompile == KECCAK_SPONGE && index < last);
        }
    }

    fn place(row: &mut KeccakSpongeCols<F>, index: usize) {
        row.call.block.number = F::from_usize(1 + index);
    }

    fn first_place(input: &TraceInput<'_>) -> usize {
        KeccakCallTable.rows(input)
    }

    fn pad(row: &mut KeccakSpongeCols<F>) {
        row.call.chain.starts = F::ONE;
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        count_call(*precompile == KECCAK_SPONGE, precompile, call, counts);
    }
}
