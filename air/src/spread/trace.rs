//! Trace of the table of spread bytes.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::PrimeField32;

use super::air::SpreadMessage;
use super::columns::{KINDS, Kind, SpreadCols};
use super::digits::{byte, digits};
use crate::TraceResult;
use crate::pair_counts::PairCounts;

/// How often each pair of bytes is looked up, for each of [`Kind::ALL`].
pub type Counts = PairCounts<KINDS>;

impl Counts {
    /// Counts a lookup. One that no row answers is not counted: no proof can then be made.
    pub fn add(&mut self, lookup: &SpreadMessage<F>) {
        let number = lookup.kind.as_canonical_u32() as usize;
        let [first, second, _] = lookup.values.map(|value| value.as_canonical_u32());
        let Some((index, &kind)) = (Kind::ALL.iter().enumerate()).nth(number.wrapping_sub(1))
        else {
            return;
        };
        let bytes = match kind {
            Kind::Xor => byte(first).zip(byte(second)),
            _ => digits(first).map(|[x, y]| (x, y)),
        };
        if let Some((x, y)) = bytes {
            self.add_pair([x, y], index);
        }
    }
}

/// Trace of [`SpreadTable`](super::SpreadTable): one row for each pair that is looked up, then rows
/// of zeros to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// The error says when there is no such trace.
pub fn generate_table(counts: &Counts, height: Option<usize>) -> TraceResult {
    counts.trace(SpreadCols::<u8>::WIDTH, height, |row, [x, y], lookups| {
        let row: &mut SpreadCols<F> = row.borrow_mut();
        *row = SpreadCols { x, y, lookups };
    })
}
