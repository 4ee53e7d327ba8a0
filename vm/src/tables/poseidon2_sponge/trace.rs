//! Trace of the table `poseidon2_sponge`, from the calls and the final memory.

use std::borrow::BorrowMut;

use droste_air::poseidon2::fill_sponge_row;
use droste_native::F;
use droste_native::hash::poseidon2::{RATE, SPONGE_WIDTH};
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;

use super::columns::SpongeCols;
use crate::isa::id;
use crate::precompile::{POSEIDON2_HASH, POSEIDON2_SPONGE, Precompile};
use crate::record::{Call, Execution, FinalMemory};
use crate::tables::LookupCounts;
use crate::tables::{LANES, block, calls, fill_calls};

/// The precompiles whose calls this table serves, in the order of its rows.
pub(super) const PRECOMPILES: &[Precompile] = &[POSEIDON2_SPONGE, POSEIDON2_HASH];

/// Returns the trace: `sponge` and `hash` calls in this order, then permutations of zero up to
/// `2^log_height` rows. The calls must fit.
///
/// They must be calls of a finished run, whose lengths the executor has checked and read.
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let width = SpongeCols::<u8>::WIDTH;
    let mut values = F::zero_vec(width << log_height);
    let memory = &execution.memory;
    let padding = fill_calls(
        &mut values,
        width,
        PRECOMPILES,
        execution,
        |precompile, call, rows| {
            let rows = rows
                .chunks_exact_mut(width)
                .map(BorrowMut::<SpongeCols<F>>::borrow_mut);
            let is_hash = precompile.identity == id::POSEIDON2_HASH;
            fill_sponge(memory, call, is_hash, rows);
        },
    );

    let mut padding = padding.chunks_exact_mut(width);
    if let Some(first) = padding.next() {
        let row: &mut SpongeCols<F> = first.borrow_mut();
        row.starts = F::ONE;
        fill_sponge_row([F::ZERO; SPONGE_WIDTH], &mut row.permutation);
        for row in padding {
            row.copy_from_slice(first);
        }
    }
    RowMajorMatrix::new(values, width)
}

/// Counts the trace's lookups of blocks, which are the multiplicities of the table `blocks`.
pub(super) fn count_lookups(execution: &Execution, counts: &mut LookupCounts) {
    for (_, call) in calls(PRECOMPILES, execution) {
        let lanes = call.e.as_canonical_u32() as usize;
        for index in 0..lanes.div_ceil(LANES) {
            counts.block(call.a + F::from_usize(index));
        }
        counts.block(call.b);
        counts.block(call.c);
    }
    for call in &execution.calls[id::POSEIDON2_SPONGE as usize] {
        counts.block(call.c + F::ONE);
        counts.block(call.c + F::TWO);
    }
}

/// Fills the permutation of the rate's two blocks and the capacity.
pub(super) fn fill_permutation(row: &mut SpongeCols<F>, blocks: [[F; LANES]; 3]) {
    let input = std::array::from_fn(|i| blocks[i / LANES][i % LANES]);
    fill_sponge_row(input, &mut row.permutation);
}

fn fill_sponge<'a>(
    memory: &FinalMemory,
    call: &Call,
    is_hash: bool,
    rows: impl Iterator<Item = &'a mut SpongeCols<F>>,
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
