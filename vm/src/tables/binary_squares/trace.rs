//! Trace of the table `binary_squares`.

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::air::BinarySquaresTable;
use super::columns::BinarySquaresCols;
use super::linear::{LOWEST_BIT, parity, square};
use crate::isa::id;
use crate::precompile::{BINARY_CONJUGATES, BINARY_POINTS, Precompile};
use crate::record::{Call, FinalMemory};
use crate::tables::binary::{bits, element};
use crate::tables::{CallTable, LookupCounts, Rows, block, call_rows};

type Columns = BinarySquaresCols<F>;

/// One row per element of every call, in order, then padding.
impl CallTable for BinarySquaresTable {
    type Row = Columns;

    const NAME: &'static str = "binary_squares";

    const PRECOMPILES: &'static [Precompile] = &[BINARY_CONJUGATES, BINARY_POINTS];

    fn fill(memory: &FinalMemory, precompile: &Precompile, call: &Call, rows: Rows<'_, Self>) {
        let is_points = is_points(precompile);
        let count = call_rows(precompile, call);
        let position = call.a.as_canonical_u32();
        // The run has written the first element.
        let mut x = element(&block(memory, call.d));
        for (index, row) in rows.enumerate() {
            let is_first = index == 0;
            row.starts_conjugates = F::from_bool(is_first && !is_points);
            row.starts_points = F::from_bool(is_first && is_points);
            row.continues_conjugates = F::from_bool(!is_first && !is_points);
            row.continues_points = F::from_bool(!is_first && is_points);
            row.operand = call.a;
            row.other_address = call.b;
            if is_points {
                let rest = position.checked_shr(index as u32);
                row.operand = F::from_u32(rest.unwrap_or(0));
                row.other_address += F::from_usize(index);
            }
            row.out_address = call.d + F::from_usize(2 * index);
            row.remaining = F::from_usize(count - index);
            row.other = block(memory, row.other_address);
            set_element(row, x);
            x = after(x, is_points);
        }
    }

    fn pad(_: &mut Columns) {}

    fn count(precompile: &Precompile, call: &Call, counts: &mut LookupCounts) {
        let rows = call_rows(precompile, call);
        if is_points(precompile) {
            counts.block_range(call.b, rows);
        } else {
            counts.block(call.a);
            counts.block_times(call.b, rows as u32);
        }
        counts.block_range(call.d, 2 * rows);
    }
}

fn is_points(precompile: &Precompile) -> bool {
    precompile.identity == id::BINARY_POINTS
}

/// Returns the element that follows one in a call: its square, or the sum of both.
pub(super) fn after(x: u128, is_points: bool) -> u128 {
    if is_points { x ^ square(x) } else { square(x) }
}

/// Fills the columns that an element determines.
pub(super) fn set_element(row: &mut Columns, x: u128) {
    row.element = bits(x);
    row.square = bits(square(x));
    row.bit = F::from_bool(parity(x, LOWEST_BIT) == 1);
}
