//! Trace of the table `poseidon16`, from the calls and the final memory.

use std::borrow::BorrowMut;

use droste_air::poseidon16::fill_row;
use droste_native::F;
use droste_native::hash::poseidon16::HALF_FULL_ROUNDS;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;

use super::columns::ChainCols;
use crate::isa::id;
use crate::precompile::{
    POSEIDON16_COMPRESS, POSEIDON16_HASH, POSEIDON16_MERKLE, POSEIDON16_SPONGE, Precompile,
};
use crate::record::{Call, Execution, FinalMemory};
use crate::tables::LookupCounts;
use crate::tables::{LANES, block, call_rows, calls, fill_calls};

/// The precompiles whose calls this table serves, in the order of its rows.
pub(super) const PRECOMPILES: &[Precompile] = &[
    POSEIDON16_COMPRESS,
    POSEIDON16_SPONGE,
    POSEIDON16_HASH,
    POSEIDON16_MERKLE,
];

/// Returns the trace: `compress`, `sponge`, `hash` and `merkle` calls in this order, then
/// permutations of zero up to `2^log_height` rows. The calls must fit.
///
/// They must be calls of a finished run, whose lengths the executor has checked and read.
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let width = ChainCols::<u8>::WIDTH;
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
                .map(BorrowMut::<ChainCols<F>>::borrow_mut);
            match precompile.identity {
                id::POSEIDON16_SPONGE => fill_sponge(memory, call, false, rows),
                id::POSEIDON16_HASH => fill_sponge(memory, call, true, rows),
                id::POSEIDON16_MERKLE => fill_merkle(memory, call, rows),
                _ => rows.for_each(|row| fill_compress(memory, call, row)),
            }
        },
    );

    let mut padding = padding.chunks_exact_mut(width);
    if let Some(first) = padding.next() {
        let row: &mut ChainCols<F> = first.borrow_mut();
        row.starts = F::ONE;
        fill_row([F::ZERO; 2 * LANES], &mut row.permutation);
        for row in padding {
            row.copy_from_slice(first);
        }
    }
    RowMajorMatrix::new(values, width)
}

/// Counts the trace's lookups of blocks, which are the multiplicities of the table `blocks`.
pub(super) fn count_lookups(execution: &Execution, counts: &mut LookupCounts) {
    for call in &execution.calls[id::POSEIDON16_COMPRESS as usize] {
        for address in [call.a, call.b, call.c] {
            counts.block(address);
        }
    }
    for (precompile, call) in calls(&[POSEIDON16_SPONGE, POSEIDON16_HASH], execution) {
        for row in 0..call_rows(precompile, call) {
            counts.block(call.a + F::from_usize(row));
        }
        counts.block(call.b);
        counts.block(call.c);
    }
    for call in &execution.calls[id::POSEIDON16_SPONGE as usize] {
        counts.block(call.c + F::ONE);
    }
    for call in &execution.calls[id::POSEIDON16_MERKLE as usize] {
        for row in 0..call_rows(&POSEIDON16_MERKLE, call) {
            counts.block(call.c + F::from_usize(row));
        }
        for address in [call.a, call.d] {
            counts.block(address);
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

fn fill_compress(memory: &FinalMemory, call: &Call, row: &mut ChainCols<F>) {
    row.is_compress = F::ONE;
    row.starts = F::ONE;
    row.low_address = call.a;
    row.high_address = call.b;
    row.out_address = call.c;
    fill_permutation(row, block(memory, call.a), block(memory, call.b), true);
}

fn fill_sponge<'a>(
    memory: &FinalMemory,
    call: &Call,
    is_hash: bool,
    rows: impl Iterator<Item = &'a mut ChainCols<F>>,
) {
    let mut remaining = call.e.as_canonical_u32() as usize;
    let mut capacity = block(memory, call.b);
    for (index, row) in rows.enumerate() {
        row.is_sponge = F::ONE;
        row.is_hash = F::from_bool(is_hash);
        row.starts = F::from_bool(index == 0);
        row.low_address = call.a + F::from_usize(index);
        row.high_address = call.b;
        row.out_address = call.c;
        row.remaining = F::from_usize(remaining);
        row.tag = call.d;
        let lanes = remaining.min(LANES);
        row.index_or_half = F::from_bool(lanes <= LANES / 2);
        let group = (lanes - 1) % (LANES / 2);
        for (lane, flag) in row.past_end.iter_mut().enumerate() {
            *flag = F::from_bool(lane >= group);
        }
        remaining -= lanes;
        capacity[0] += call.d;
        fill_permutation(row, block(memory, row.low_address), capacity, false);
        capacity = output(row, 1);
    }
}

fn fill_merkle<'a>(
    memory: &FinalMemory,
    call: &Call,
    rows: impl Iterator<Item = &'a mut ChainCols<F>>,
) {
    let depth = call.e.as_canonical_u32() as usize;
    let mut index = call.b.as_canonical_u32();
    let mut node = block(memory, call.d);
    for (level, row) in rows.enumerate() {
        let sibling_address = call.c + F::from_usize(level);
        let sibling = block(memory, sibling_address);
        row.starts = F::from_bool(level == 0);
        row.out_address = call.a;
        row.remaining = F::from_usize(depth - level);
        row.index_or_half = F::from_u32(index);
        if index & 1 == 1 {
            row.is_right = F::ONE;
            (row.low_address, row.high_address) = (sibling_address, call.d);
            fill_permutation(row, sibling, node, true);
        } else {
            row.is_left = F::ONE;
            (row.low_address, row.high_address) = (call.d, sibling_address);
            fill_permutation(row, node, sibling, true);
        }
        node = output(row, 0);
        index >>= 1;
    }
}
