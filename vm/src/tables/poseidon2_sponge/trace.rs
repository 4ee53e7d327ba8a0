//! Trace of the table `poseidon2_sponge`, from the calls and the final memory.

use droste_air::poseidon2::fill_sponge_row;
use droste_native::hash::poseidon2::{RATE, SPONGE_WIDTH};
use droste_native::{F, HashId};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::Poseidon2SpongeTable;
use super::columns::SpongeCols;
use crate::isa::id;
use crate::precompile::{POSEIDON2_HASH, POSEIDON2_SPONGE, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, block};

/// The calls of `sponge` and `hash` in this order, then permutations of zero.
impl CallTable for Poseidon2SpongeTable {
    type Row = SpongeCols<F>;

    const NAME: &'static str = "poseidon2_sponge";

    const PRECOMPILES: &'static [Precompile] = &[POSEIDON2_SPONGE, POSEIDON2_HASH];

    const PERMUTATION: Option<HashId> = Some(HashId::Poseidon2);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(4_000, 12_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        let is_hash = precompile.identity == id::POSEIDON2_HASH;
        fill_sponge(memory, call, is_hash, rows);
    }

    fn pad(row: &mut SpongeCols<F>) {
        row.starts = F::ONE;
        fill_sponge_row([F::ZERO; SPONGE_WIDTH], &mut row.permutation);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        let lanes = call.e.as_canonical_u32() as usize;
        counts.block_range(call.a, lanes.div_ceil(LANES));
        counts.block(call.b);
        let is_hash = precompile.identity == id::POSEIDON2_HASH;
        counts.block_range(call.c, if is_hash { 1 } else { 3 });
    }
}

/// Fills the permutation of the rate's two blocks and the capacity.
pub(super) fn fill_permutation(row: &mut SpongeCols<F>, blocks: [[F; LANES]; 3]) {
    let input = std::array::from_fn(|i| blocks[i / LANES][i % LANES]);
    fill_sponge_row(input, &mut row.permutation);
}

fn fill_sponge(
    memory: &FinalMemory,
    call: &Call,
    is_hash: bool,
    rows: Rows<'_, Poseidon2SpongeTable>,
) {
    let mut remaining = call.e.as_canonical_u32() as usize;
    let mut capacity = block(memory, call.b);
    let mut carried = [F::ZERO; LANES];
    for (index, row) in rows.enumerate() {
        row.is_sponge = F::ONE;
        row.is_hash = F::from_bool(is_hash);
        row.starts = F::from_bool(index == 0);
        row.address = call.a + F::from_usize(2 * index);
        row.capacity_address = call.b;
        row.out_address = call.c;
        row.remaining = F::from_usize(remaining);
        row.tag = call.d;
        let lanes = remaining.min(RATE);
        let is_short = lanes <= LANES;
        row.is_short = F::from_bool(is_short);
        let last = (lanes - 1) % LANES;
        for (lane, flag) in row.past_end.iter_mut().enumerate() {
            *flag = F::from_bool(lane >= last);
        }
        remaining -= lanes;
        capacity[0] += call.d;
        let high = if is_short {
            carried
        } else {
            block(memory, row.address + F::ONE)
        };
        fill_permutation(row, [block(memory, row.address), high, capacity]);
        let outputs = row.permutation.outputs();
        carried = std::array::from_fn(|lane| outputs[LANES + lane]);
        capacity = std::array::from_fn(|lane| outputs[RATE + lane]);
    }
}
