//! Trace of the table of spread bytes.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;

use super::air::SpreadMessage;
use super::columns::{KINDS, Kind, SpreadCols};
use super::digits::{byte, digits};
use crate::TraceError;
use crate::limb::bits;
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
/// [`TraceError`] says when there is no such trace.
pub fn generate_table(
    counts: &Counts,
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = SpreadCols::<u8>::WIDTH;
    let height = TraceError::height(counts.used().count(), height)?;
    let mut values = F::zero_vec(height * width);
    for ((pair, counts), row) in counts.used().zip(values.chunks_exact_mut(width)) {
        let row: &mut SpreadCols<F> = row.borrow_mut();
        row.x = bits(pair as u64 >> 8);
        row.y = bits(pair as u64 & 0xff);
        row.lookups = counts.map(F::from_u32);
    }
    Ok(RowMajorMatrix::new(values, width))
}
