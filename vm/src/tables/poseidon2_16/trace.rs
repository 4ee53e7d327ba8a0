//! Trace of the table `poseidon2_16`, from the calls and the final memory.

use std::borrow::Borrow;

use droste_air::poseidon2::{Poseidon2ParentConstants, fill_parent_row_with};
use droste_native::hash::poseidon2::{Constants, PARENT_WIDTH};
use droste_native::{F, HashId};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::Poseidon2NarrowTable;
use super::columns::{LOADS, NarrowCols};
use crate::isa::id;
use crate::precompile::{
    POSEIDON2_16_COMPRESS, POSEIDON2_16_CONSTANTS, POSEIDON2_16_DUPLEX, POSEIDON2_16_HASH,
    POSEIDON2_16_MERKLE, Precompile,
};
use crate::record::{Call, FinalMemory};
use crate::tables::path::{PathCols, climb, count_compress, count_path};
use crate::tables::round_constants::load_constants;
use crate::tables::{
    CallTable, LANES, LookupCounts, Row, Rows, TraceInput, VerifierCost, block, call_rows,
};

/// The call of `constants`, then those of `compress`, `duplex`, `hash` and `merkle` in this order,
/// then permutations of zero.
impl CallTable for Poseidon2NarrowTable {
    type Row = NarrowCols<F>;

    const NAME: &'static str = "poseidon2_16";

    const PRECOMPILES: &'static [Precompile] = &[
        POSEIDON2_16_CONSTANTS,
        POSEIDON2_16_COMPRESS,
        POSEIDON2_16_DUPLEX,
        POSEIDON2_16_HASH,
        POSEIDON2_16_MERKLE,
    ];

    const PERMUTATION: Option<HashId> = Some(HashId::Poseidon2);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(7_000, 20_000)
    }

    fn shared(input: &TraceInput<'_>) -> Option<NarrowCols<F>> {
        let mut cells = F::zero_vec(NarrowCols::<u8>::WIDTH);
        let row = NarrowCols::<F>::of(&mut cells);
        row.constants_address = load_constants(input, &POSEIDON2_16_CONSTANTS, &mut row.constants)?;
        Some(*row)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        match precompile.identity {
            id::POSEIDON2_16_CONSTANTS => load(memory, call, rows),
            id::POSEIDON2_16_DUPLEX => fill_sponge(memory, call, false, rows),
            id::POSEIDON2_16_HASH => fill_sponge(memory, call, true, rows),
            id::POSEIDON2_16_MERKLE => climb(memory, call, rows, |row, path, [low, high]| {
                row.path = path;
                fill_permutation(row, low, high);
                output(row, 0)
            }),
            _ => rows.for_each(|row| {
                row.is_compress = F::ONE;
                row.path = PathCols::compress(call);
                fill_permutation(row, block(memory, call.a), block(memory, call.b));
            }),
        }
    }

    fn pad(row: &mut NarrowCols<F>) {
        row.path.starts = F::ONE;
        fill_permutation(row, [F::ZERO; LANES], [F::ZERO; LANES]);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        match precompile.identity {
            id::POSEIDON2_16_CONSTANTS => {
                counts.block_range(call.a, Constants::<PARENT_WIDTH>::BLOCKS);
            }
            id::POSEIDON2_16_COMPRESS => count_compress(call, counts),
            id::POSEIDON2_16_MERKLE => count_path(call, call_rows(precompile, call), counts),
            identity => {
                counts.block_range(call.a, call_rows(precompile, call));
                counts.block(call.b);
                let is_hash = identity == id::POSEIDON2_16_HASH;
                counts.block_range(call.c, if is_hash { 1 } else { 2 });
            }
        }
    }
}

/// Fills the permutation of two blocks.
pub(super) fn fill_permutation(row: &mut NarrowCols<F>, low: [F; LANES], high: [F; LANES]) {
    let input = std::array::from_fn(|i| if i < LANES { low[i] } else { high[i - LANES] });
    let constants: &Poseidon2ParentConstants<F> = row.constants.as_slice().borrow();
    fill_parent_row_with(constants, input, &mut row.permutation);
}

/// Returns one half of the outputs.
fn output(row: &NarrowCols<F>, half: usize) -> [F; LANES] {
    let outputs = row.permutation.outputs();
    std::array::from_fn(|lane| outputs[half * LANES + lane])
}

fn load(memory: &FinalMemory, call: &Call, rows: Rows<'_, Poseidon2NarrowTable>) {
    for (index, row) in rows.enumerate() {
        row.load[index] = F::ONE;
        row.path.starts = F::ONE;
        row.path.low_address = call.a + F::from_usize(2 * index);
        let low = block(memory, row.path.low_address);
        let mut high = [F::ZERO; LANES];
        if index + 1 < LOADS {
            row.path.high_address = row.path.low_address + F::ONE;
            high = block(memory, row.path.high_address);
        }
        fill_permutation(row, low, high);
    }
}

fn fill_sponge(
    memory: &FinalMemory,
    call: &Call,
    is_hash: bool,
    rows: Rows<'_, Poseidon2NarrowTable>,
) {
    let mut remaining = call.e.as_canonical_u32() as usize;
    let mut capacity = block(memory, call.b);
    for (index, row) in rows.enumerate() {
        row.is_sponge = F::ONE;
        row.is_hash = F::from_bool(is_hash);
        row.path.starts = F::from_bool(index == 0);
        row.path.low_address = call.a + F::from_usize(index);
        row.path.high_address = call.b;
        row.path.out_address = call.c;
        row.path.remaining = F::from_usize(remaining);
        row.tag = call.d;
        let lanes = remaining.min(LANES);
        row.path.index = F::from_bool(lanes <= LANES / 2);
        let group = (lanes - 1) % (LANES / 2);
        for (lane, flag) in row.past_end.iter_mut().enumerate() {
            *flag = F::from_bool(lane >= group);
        }
        remaining -= lanes;
        capacity[0] += call.d;
        fill_permutation(row, block(memory, row.path.low_address), capacity);
        capacity = output(row, 1);
    }
}
