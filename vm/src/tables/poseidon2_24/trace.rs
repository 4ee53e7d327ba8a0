//! Trace of the table `poseidon2_24`, from the calls and the final memory.

use std::borrow::Borrow;

use droste_air::poseidon2::{Poseidon2SpongeConstants, fill_sponge_row_with};
use droste_native::hash::poseidon2::{Constants, RATE, SPONGE_WIDTH};
use droste_native::{F, HashId};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::Poseidon2WideTable;
use super::columns::{LOADS, WideCols};
use crate::isa::id;
use crate::precompile::{
    POSEIDON2_24_CONSTANTS, POSEIDON2_24_DUPLEX, POSEIDON2_24_HASH, Precompile,
};
use crate::record::{Call, FinalMemory};
use crate::tables::round_constants::load_constants;
use crate::tables::{CallTable, LANES, LookupCounts, Row, Rows, TraceInput, VerifierCost, block};

/// The call of `constants`, then those of `duplex` and `hash` in this order, then permutations of
/// zero.
impl CallTable for Poseidon2WideTable {
    type Row = WideCols<F>;

    const NAME: &'static str = "poseidon2_24";

    const PRECOMPILES: &'static [Precompile] = &[
        POSEIDON2_24_CONSTANTS,
        POSEIDON2_24_DUPLEX,
        POSEIDON2_24_HASH,
    ];

    const PERMUTATION: Option<HashId> = Some(HashId::Poseidon2);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(10_000, 30_000)
    }

    fn shared(input: &TraceInput<'_>) -> Option<WideCols<F>> {
        let mut cells = F::zero_vec(WideCols::<u8>::WIDTH);
        let row = WideCols::<F>::of(&mut cells);
        row.constants_address = load_constants(input, &POSEIDON2_24_CONSTANTS, &mut row.constants)?;
        Some(*row)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        match precompile.identity {
            id::POSEIDON2_24_CONSTANTS => load(memory, call, rows),
            identity => fill_sponge(memory, call, identity == id::POSEIDON2_24_HASH, rows),
        }
    }

    fn pad(row: &mut WideCols<F>) {
        row.starts = F::ONE;
        fill_permutation(row, [[F::ZERO; LANES]; 3]);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        if precompile.identity == id::POSEIDON2_24_CONSTANTS {
            return counts.block_range(call.a, Constants::<SPONGE_WIDTH>::BLOCKS);
        }
        let lanes = call.e.as_canonical_u32() as usize;
        counts.block_range(call.a, lanes.div_ceil(LANES));
        counts.block(call.b);
        let is_hash = precompile.identity == id::POSEIDON2_24_HASH;
        counts.block_range(call.c, if is_hash { 1 } else { 3 });
    }
}

/// Fills the permutation of the rate's two blocks and the capacity.
pub(super) fn fill_permutation(row: &mut WideCols<F>, blocks: [[F; LANES]; 3]) {
    let input = std::array::from_fn(|i| blocks[i / LANES][i % LANES]);
    let constants: &Poseidon2SpongeConstants<F> = row.constants.as_slice().borrow();
    fill_sponge_row_with(constants, input, &mut row.permutation);
}

fn load(memory: &FinalMemory, call: &Call, rows: Rows<'_, Poseidon2WideTable>) {
    for (index, row) in rows.enumerate() {
        row.load[index] = F::ONE;
        row.starts = F::ONE;
        row.address = call.a + F::from_usize(2 * index);
        let low = block(memory, row.address);
        let high = if index + 1 < LOADS {
            block(memory, row.address + F::ONE)
        } else {
            [F::ZERO; LANES]
        };
        fill_permutation(row, [low, high, [F::ZERO; LANES]]);
    }
}

fn fill_sponge(
    memory: &FinalMemory,
    call: &Call,
    is_hash: bool,
    rows: Rows<'_, Poseidon2WideTable>,
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
