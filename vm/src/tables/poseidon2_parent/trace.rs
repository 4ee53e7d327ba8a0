//! Trace of the table `poseidon2_parent`, from the calls and the final memory.

use std::borrow::BorrowMut;

use droste_air::poseidon2::fill_parent_row;
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;

use super::columns::ParentCols;
use crate::isa::id;
use crate::precompile::{POSEIDON2_COMPRESS, POSEIDON2_MERKLE, Precompile};
use crate::record::{Call, Execution, FinalMemory};
use crate::tables::LookupCounts;
use crate::tables::{LANES, block, call_rows, fill_calls};

/// The precompiles whose calls this table serves, in the order of its rows.
pub(super) const PRECOMPILES: &[Precompile] = &[POSEIDON2_COMPRESS, POSEIDON2_MERKLE];

/// Returns the trace: `compress` and `merkle` calls in this order, then permutations of zero up to
/// `2^log_height` rows. The calls must fit.
///
/// They must be calls of a finished run, whose lengths the executor has checked and read.
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let width = ParentCols::<u8>::WIDTH;
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
                .map(BorrowMut::<ParentCols<F>>::borrow_mut);
            match precompile.identity {
                id::POSEIDON2_MERKLE => fill_merkle(memory, call, rows),
                _ => rows.for_each(|row| fill_compress(memory, call, row)),
            }
        },
    );

    let mut padding = padding.chunks_exact_mut(width);
    if let Some(first) = padding.next() {
        let row: &mut ParentCols<F> = first.borrow_mut();
        row.starts = F::ONE;
        fill_parent_row([F::ZERO; 2 * LANES], &mut row.permutation);
        for row in padding {
            row.copy_from_slice(first);
        }
    }
    RowMajorMatrix::new(values, width)
}

/// Counts the trace's lookups of blocks, which are the multiplicities of the table `blocks`.
pub(super) fn count_lookups(execution: &Execution, counts: &mut LookupCounts) {
    for call in &execution.calls[id::POSEIDON2_COMPRESS as usize] {
        for address in [call.a, call.b, call.c] {
            counts.block(address);
        }
    }
    for call in &execution.calls[id::POSEIDON2_MERKLE as usize] {
        for row in 0..call_rows(&POSEIDON2_MERKLE, call) {
            counts.block(call.c + F::from_usize(row));
        }
        for address in [call.a, call.d] {
            counts.block(address);
        }
    }
}

/// Fills the permutation of two blocks.
pub(super) fn fill_permutation(row: &mut ParentCols<F>, low: [F; LANES], high: [F; LANES]) {
    let input = std::array::from_fn(|i| if i < LANES { low[i] } else { high[i - LANES] });
    fill_parent_row(input, &mut row.permutation);
}

fn fill_compress(memory: &FinalMemory, call: &Call, row: &mut ParentCols<F>) {
    row.is_compress = F::ONE;
    row.starts = F::ONE;
    row.low_address = call.a;
    row.high_address = call.b;
    row.out_address = call.c;
    fill_permutation(row, block(memory, call.a), block(memory, call.b));
}

fn fill_merkle<'a>(
    memory: &FinalMemory,
    call: &Call,
    rows: impl Iterator<Item = &'a mut ParentCols<F>>,
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
        row.index = F::from_u32(index);
        if index & 1 == 1 {
            row.is_right = F::ONE;
            (row.low_address, row.high_address) = (sibling_address, call.d);
            fill_permutation(row, sibling, node);
        } else {
            row.is_left = F::ONE;
            (row.low_address, row.high_address) = (call.d, sibling_address);
            fill_permutation(row, node, sibling);
        }
        let outputs = row.permutation.outputs();
        node = std::array::from_fn(|lane| outputs[lane]);
        index >>= 1;
    }
}
