//! Trace of the table `poseidon16`, from the calls and the final memory.

use droste_air::poseidon16::fill_row;
use droste_native::hash::poseidon16::HALF_FULL_ROUNDS;
use droste_native::{F, HashId};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::Poseidon16CallTable;
use super::columns::ChainCols;
use crate::isa::id;
use crate::precompile::{
    POSEIDON16_COMPRESS, POSEIDON16_HASH, POSEIDON16_MERKLE, POSEIDON16_SPONGE, Precompile,
};
use crate::record::{Call, FinalMemory};
use crate::tables::path::{PathCols, climb, count_compress, count_path};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, block, call_rows};

/// The calls of `compress`, `sponge`, `hash` and `merkle` in this order, then permutations of zero.
impl CallTable for Poseidon16CallTable {
    type Row = ChainCols<F>;

    const NAME: &'static str = "poseidon16";

    const PRECOMPILES: &'static [Precompile] = &[
        POSEIDON16_COMPRESS,
        POSEIDON16_SPONGE,
        POSEIDON16_HASH,
        POSEIDON16_MERKLE,
    ];

    const PERMUTATION: Option<HashId> = Some(HashId::Poseidon16);

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(2_600, 8_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        match precompile.identity {
            id::POSEIDON16_SPONGE => fill_sponge(memory, call, false, rows),
            id::POSEIDON16_HASH => fill_sponge(memory, call, true, rows),
            id::POSEIDON16_MERKLE => climb(memory, call, rows, |row, path, [low, high]| {
                row.path = path;
                fill_permutation(row, low, high, true);
                output(row, 0)
            }),
            _ => rows.for_each(|row| {
                row.is_compress = F::ONE;
                row.path = PathCols::compress(call);
                fill_permutation(row, block(memory, call.a), block(memory, call.b), true);
            }),
        }
    }

    fn pad(row: &mut ChainCols<F>) {
        row.path.starts = F::ONE;
        fill_row([F::ZERO; 2 * LANES], &mut row.permutation);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        match precompile.identity {
            id::POSEIDON16_COMPRESS => count_compress(call, counts),
            id::POSEIDON16_MERKLE => count_path(call, call_rows(precompile, call), counts),
            identity => {
                counts.block_range(call.a, call_rows(precompile, call));
                counts.block(call.b);
                let is_hash = identity == id::POSEIDON16_HASH;
                counts.block_range(call.c, if is_hash { 1 } else { 2 });
            }
        }
    }
}

/// Fills the permutation of two blocks, `P(x)`, and adds `x` to its first half if it is fed
/// forward.
pub(super) fn fill_permutation(
    row: &mut ChainCols<F>,
    low: [F; LANES],
    high: [F; LANES],
    feeds_forward: bool,
) {
    let input = std::array::from_fn(|i| if i < LANES { low[i] } else { high[i - LANES] });
    fill_row(input, &mut row.permutation);
    if feeds_forward {
        let outputs = &mut row.permutation.ending[HALF_FULL_ROUNDS - 1];
        for (output, input) in outputs.iter_mut().zip(low) {
            *output += input;
        }
    }
}

/// Returns one half of the output columns.
fn output(row: &ChainCols<F>, half: usize) -> [F; LANES] {
    let outputs = row.permutation.outputs();
    std::array::from_fn(|lane| outputs[half * LANES + lane])
}

fn fill_sponge(
    memory: &FinalMemory,
    call: &Call,
    is_hash: bool,
    rows: Rows<'_, Poseidon16CallTable>,
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
        fill_permutation(row, block(memory, row.path.low_address), capacity, false);
        capacity = output(row, 1);
    }
}
