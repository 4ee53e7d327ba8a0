//! Trace of the table of pairs of bytes.

use std::borrow::BorrowMut;

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::dense::RowMajorMatrix;

use super::air::BytePairMessage;
use super::columns::{BytePairsCols, LOW_BITS};
use crate::TraceError;
use crate::limb::bits;

/// Number of pairs of bytes.
pub const PAIRS: usize = 1 << 16;

/// How often each pair of bytes is looked up, for each of [`LOW_BITS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By `256 x + y`; empty without any lookup.
    pairs: Vec<[u32; LOW_BITS.len()]>,
}

impl Counts {
    /// Counts a lookup. One that no row answers is not counted: no proof can then be made.
    pub fn add(&mut self, lookup: &BytePairMessage<F>) {
        let [low_bits, x, y] =
            [lookup.low_bits, lookup.x, lookup.y].map(|value| value.as_canonical_u32() as usize);
        let kind = LOW_BITS.iter().position(|&bits| bits == low_bits);
        let kind = kind.filter(|_| x < 256 && y < 256);
        if self.pairs.is_empty() {
            self.pairs.resize(PAIRS, [0; LOW_BITS.len()]);
        }
        if let (Some(kind), Some(counts)) = (kind, self.pairs.get_mut(256 * x + y)) {
            counts[kind] += 1;
        }
    }

    /// Counts all that `other` has counted.
    pub fn add_all(&mut self, other: &Self) {
        if self.pairs.is_empty() {
            self.pairs.clone_from(&other.pairs);
            return;
        }
        for (counts, added) in self.pairs.iter_mut().zip(&other.pairs) {
            for (count, added) in counts.iter_mut().zip(added) {
                *count += added;
            }
        }
    }

    /// The pairs that are looked up.
    fn used(&self) -> impl Iterator<Item = (usize, &[u32; LOW_BITS.len()])> {
        let pairs = self.pairs.iter().enumerate();
        pairs.filter(|(_, counts)| counts.iter().any(|&count| count > 0))
    }
}

/// Trace of [`BytePairsTable`](super::BytePairsTable): one row for each pair that is looked up, then
/// rows of zeros to `height` or, without one, to the next power of two.
///
/// # Errors
///
/// [`TraceError`] says when there is no such trace.
pub fn generate_table(
    counts: &Counts,
    height: Option<usize>,
) -> Result<RowMajorMatrix<F>, TraceError> {
    let width = BytePairsCols::<u8>::WIDTH;
    let height = TraceError::height(counts.used().count(), height)?;
    let mut values = F::zero_vec(height * width);
    for ((pair, counts), row) in counts.used().zip(values.chunks_exact_mut(width)) {
        let row: &mut BytePairsCols<F> = row.borrow_mut();
        row.x = bits(pair as u64 >> 8);
        row.y = bits(pair as u64 & 0xff);
        row.lookups = counts.map(F::from_u32);
    }
    Ok(RowMajorMatrix::new(values, width))
}
