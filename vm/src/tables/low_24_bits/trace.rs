//! Trace of the table `low_24_bits`.

use droste_air::limb::bits;
use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::air::Low24BitsTable;
use super::columns::{HIGH_BITS, LOW_BITS, Low24BitsCols};
use crate::precompile::{LOW_24_BITS, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::{CallTable, LookupCounts, Rows};

/// One row per call, in order, then padding.
impl CallTable for Low24BitsTable {
    type Row = Low24BitsCols<F>;

    const NAME: &'static str = "low_24_bits";

    const PRECOMPILES: &'static [Precompile] = &[LOW_24_BITS];

    fn fill(_: &FinalMemory, _: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        for row in rows {
            row.is_real = F::ONE;
            fill_bits(row, call.a.as_canonical_u32());
        }
    }

    fn pad(row: &mut Low24BitsCols<F>) {
        fill_bits(row, 0);
    }

    fn count(_: &Precompile, _: &Call, _: &mut LookupCounts) {}
}

fn fill_bits(row: &mut Low24BitsCols<F>, integer: u32) {
    let high = integer >> LOW_BITS;
    row.low = bits(integer);
    row.high = bits(high);
    // No honest call needs the inverse of zero.
    let zeros = HIGH_BITS - (high.count_ones() as usize).min(HIGH_BITS);
    row.inverse = F::from_usize(zeros).try_inverse().unwrap_or_default();
}
