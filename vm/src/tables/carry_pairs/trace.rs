//! Trace of the table `carry_pairs`.

use droste_air::pair_counts::PairCounts;
use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::{CarryPairsTable, LEAST_CARRY};
use super::columns::CarryPairsCols;
use crate::tables::binary_products::{BITS, BinaryProductsTable};
use crate::tables::{
    LookupCounts, Row, Table, Trace, TraceInput, or_overfull, sound_with_every_end,
};

/// Largest sum of two carries that are looked up together: in coefficients `k` and `k + 128`, of
/// two products each, `2 (k + 1)` and `2 (127 - k)` bits are added, and another bit in the first.
pub const LARGEST_SUM: i32 = BITS as i32;

/// Number of pairs of carries with such a sum, of which none is below the least one.
pub const PAIRS: usize = {
    let sums = (LARGEST_SUM - 2 * LEAST_CARRY + 1) as usize;
    sums * (sums + 1) / 2
};

/// Counts a lookup of two carries. One that no row can answer is not counted: no proof can then be
/// made.
pub fn count(counts: &mut PairCounts<1>, carries: [F; 2]) {
    let byte = |carry: F| u8::try_from((carry - F::from_i32(LEAST_CARRY)).as_canonical_u32());
    if let [Ok(first), Ok(second)] = carries.map(byte) {
        counts.add_pair([first, second], 0);
    }
}

impl Table for CarryPairsTable {
    sound_with_every_end!("carry_pairs", serves BinaryProductsTable);

    /// One row for each pair, or for each lookup if these are fewer. Rows of padding look up the
    /// same pair.
    fn rows(&self, input: &TraceInput<'_>) -> usize {
        let lookups = BITS * BinaryProductsTable.rows(input) + 1;
        lookups.min(PAIRS)
    }

    fn trace(&self, _: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        let width = CarryPairsCols::<u8>::WIDTH;
        let pairs = &counts.carry_pairs;
        let trace = pairs.trace(width, Some(1 << log_height), |row, pair, lookups| {
            let ([first, second], [lookups]) = (pair, lookups);
            *CarryPairsCols::of(row) = CarryPairsCols {
                first,
                second,
                lookups,
            };
        });
        or_overfull(self, log_height, trace, counts)
    }
}
