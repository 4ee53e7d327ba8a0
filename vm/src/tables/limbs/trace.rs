//! Trace of the table `limbs`.

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::air::LimbsTable;
use super::columns::{LimbsCols, MAX_HIGH, TOP, TRITS, WordCols};
use crate::precompile::{LIMBS, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::{CallTable, LANES, LookupCounts, Rows, VerifierCost, block, call_rows};

/// One row per group of every call, in order, then padding.
impl CallTable for LimbsTable {
    type Row = LimbsCols<F>;

    const NAME: &'static str = "limbs";

    const PRECOMPILES: &'static [Precompile] = &[LIMBS];

    fn verifier_cost() -> VerifierCost {
        VerifierCost::new(8_000, 20_000)
    }

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        let groups = call_rows(precompile, call);
        for (group, row) in rows.enumerate() {
            row.starts = F::from_bool(group == 0);
            row.is_real = F::ONE;
            row.in_address = call.a + F::from_usize(group);
            row.out_address = call.c + F::from_usize(2 * group);
            row.remaining = F::from_usize(groups - group);
            fill_words(row, block(memory, row.in_address));
        }
    }

    fn pad(row: &mut LimbsCols<F>) {
        row.starts = F::ONE;
        fill_words(row, [F::ZERO; LANES]);
    }

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        let groups = call_rows(precompile, call);
        counts.block_range(call.a, groups);
        counts.block_range(call.c, 2 * groups);
    }
}

fn fill_words(row: &mut LimbsCols<F>, elements: [F; LANES]) {
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
