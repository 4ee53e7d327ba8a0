//! Trace of the table of pairs of bytes.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::PrimeField32;

use super::air::BytePairMessage;
use super::columns::{BytePairsCols, LOW_BITS};
use crate::TraceResult;
use crate::pair_counts::PairCounts;

/// How often each pair of bytes is looked up, for each of [`LOW_BITS`].
pub type Counts = PairCounts<{ LOW_BITS.len() }>;

impl Counts {
    /// Counts a lookup. One that no row answers is not counted: no proof can then be made.
    pub fn add(&mut self, lookup: &BytePairMessage<F>) {
        let [low_bits, x, y] =
            [lookup.low_bits, lookup.x, lookup.y].map(|value| value.as_canonical_u32());
        let kind = LOW_BITS.iter().position(|&bits| bits == low_bits as usize);
        if let (Some(kind), Ok(x), Ok(y)) = (kind, u8::try_from(x), u8::try_from(y)) {
            self.add_pair([x, y], kind);
        }
    }
}

/// Trace of [`BytePairsTable`](super::BytePairsTable): one row for each pair that is looked up,
/// then rows of zeros to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// The error says when there is no such trace.
pub fn generate_table(counts: &Counts, height: Option<usize>) -> TraceResult {
    counts.trace(
        BytePairsCols::<u8>::WIDTH,
        height,
        |row, [x, y], lookups| {
            let row: &mut BytePairsCols<F> = row.borrow_mut();
            *row = BytePairsCols { x, y, lookups };
        },
    )
}
