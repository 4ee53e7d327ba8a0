//! Trace of the table `limbs`.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use super::columns::{LimbsCols, MAX_HIGH, TOP, TRITS, WordCols};
use crate::isa::id;
use crate::record::{Execution, FinalMemory};
use crate::tables::LookupCounts;
use crate::tables::{LANES, block};

fn calls(execution: &Execution) -> &[crate::record::Call] {
    &execution.calls[id::LIMBS as usize]
}

/// Counts the trace's lookups of blocks, which are the multiplicities of the table `blocks`.
pub(super) fn count_lookups(execution: &Execution, counts: &mut LookupCounts) {
    for call in calls(execution) {
        for group in 0..call.e.as_canonical_u32() {
            counts.block(call.a + F::from_u32(group));
            counts.block(call.c + F::from_u32(2 * group));
            counts.block(call.c + F::from_u32(2 * group + 1));
        }
    }
}

/// Returns the trace: one row per group of every call, in order, then padding.
pub(super) fn generate(execution: &Execution, log_height: usize) -> RowMajorMatrix<F> {
    let groups: Vec<(F, F, u32, bool)> = calls(execution)
        .iter()
        .flat_map(|call| {
            let count = call.e.as_canonical_u32();
            (0..count).map(move |group| {
                (
                    call.a + F::from_u32(group),
                    call.c + F::from_u32(2 * group),
                    count - group,
                    group == 0,
                )
            })
        })
        .collect();
    let width = LimbsCols::<u8>::WIDTH;
    let mut values = F::zero_vec(width << log_height);
    values
        .par_chunks_exact_mut(width)
        .enumerate()
        .for_each(|(index, row)| {
            let row: &mut LimbsCols<F> = row.borrow_mut();
            fill_row(&execution.memory, groups.get(index), row);
        });
    RowMajorMatrix::new(values, width)
}

fn fill_row(memory: &FinalMemory, group: Option<&(F, F, u32, bool)>, row: &mut LimbsCols<F>) {
    row.starts = F::ONE;
    let mut elements = [F::ZERO; LANES];
    if let Some(&(in_address, out_address, remaining, starts)) = group {
        row.starts = F::from_bool(starts);
        row.is_real = F::ONE;
        row.in_address = in_address;
        row.out_address = out_address;
        row.remaining = F::from_u32(remaining);
        elements = block(memory, in_address);
    }
    for (columns, element) in row.words.iter_mut().zip(elements) {
        fill_word(columns, element.to_unique_u32());
    }
}

fn fill_word(columns: &mut WordCols<F>, word: u32) {
    columns.low.fill(word as u16);
    let high = (word >> 16) as u16;
    let has_top = high >= 3u16.pow(TRITS as u32);
    columns.high_top = F::from_bool(has_top);
    let mut rest = if has_top { high - TOP } else { high };
    for trit in &mut columns.high_trits {
        *trit = F::from_u16(rest % 3);
        rest /= 3;
    }
    let room = F::from_u16(MAX_HIGH) - F::from_u16(high);
    columns.inverse = room.try_inverse().unwrap_or_default();
}
