//! How often pairs of bytes are looked up in a table that has them.

use std::array::from_fn;
use std::borrow::Borrow;

use droste_native::F;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;

use crate::limb::bits;
use crate::{TraceError, TraceResult};

/// Number of pairs of bytes.
pub const PAIRS: usize = 1 << 16;

/// How often each pair of bytes is looked up, for each of `KINDS` kinds of lookups.
///
/// The low bytes of the counts are kept apart: they fit the cache of a core, and few lookups change
/// another byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairCounts<const KINDS: usize> {
    /// The low bytes, by `256 x + y`; empty without any lookup.
    low: Vec<[u8; KINDS]>,
    /// The other bytes, likewise.
    high: Vec<[u32; KINDS]>,
}

impl<const KINDS: usize> PairCounts<KINDS> {
    /// Counts a lookup of `x` and `y`.
    ///
    /// # Panics
    ///
    /// If there is no such kind.
    pub fn add_pair(&mut self, [x, y]: [u8; 2], kind: usize) {
        if self.low.is_empty() {
            self.low.resize(PAIRS, [0; KINDS]);
            self.high.resize(PAIRS, [0; KINDS]);
        }
        let pair = 256 * usize::from(x) + usize::from(y);
        let low = &mut self.low[pair][kind];
        *low = low.wrapping_add(1);
        if *low == 0 {
            self.high[pair][kind] += 1;
        }
    }

    /// Counts all that `other` has counted.
    pub fn add_all(&mut self, other: &Self) {
        if self.low.is_empty() {
            self.clone_from(other);
            return;
        }
        let counts = self.low.iter_mut().zip(&mut self.high);
        let added = other.low.iter().zip(&other.high);
        for ((low, high), (added_low, added_high)) in counts.zip(added) {
            for kind in 0..KINDS {
                let (sum, carry) = low[kind].overflowing_add(added_low[kind]);
                low[kind] = sum;
                high[kind] += added_high[kind] + u32::from(carry);
            }
        }
    }

    /// The pairs that are looked up, as `256 x + y`.
    pub(crate) fn used(&self) -> impl Iterator<Item = (usize, [u32; KINDS])> {
        let pairs = self.low.iter().zip(&self.high).enumerate();
        pairs
            .map(|(pair, (low, high))| {
                let count = |kind: usize| high[kind] << 8 | u32::from(low[kind]);
                (pair, from_fn(count))
            })
            .filter(|(_, counts)| counts.iter().any(|&count| count > 0))
    }

    /// Counts what `add` counts for each row of a trace and the row after it, which is row 0 after
    /// the last one.
    pub(crate) fn of_rows<R>(
        trace: &RowMajorMatrix<F>,
        add: impl Fn(&mut Self, &R, &R) + Sync,
    ) -> Self
    where
        [F]: Borrow<R>,
    {
        let width = trace.width();
        let row = |index: usize| -> &R {
            trace.values[index % trace.height() * width..][..width].borrow()
        };
        let rows = (0..trace.height()).into_par_iter();
        let add_row = |mut counts: Self, index: usize| {
            add(&mut counts, row(index), row(index + 1));
            counts
        };
        let add_all = |mut counts: Self, other: Self| {
            counts.add_all(&other);
            counts
        };
        rows.par_fold_reduce(Self::default, add_row, add_all)
    }

    /// The trace of a table with rows of so many cells: one row for each pair that is looked up,
    /// which `fill` writes from the bits of both bytes and the counts, then rows of zeros to
    /// `height` or, without one, to the next power of two.
    ///
    /// # Errors
    ///
    /// If the height is no power of two, or there are more such pairs.
    pub fn trace(
        &self,
        width: usize,
        height: Option<usize>,
        fill: impl Fn(&mut [F], [[F; 8]; 2], [F; KINDS]),
    ) -> TraceResult {
        let height = TraceError::height(self.used().count(), height)?;
        let mut values = F::zero_vec(height * width);
        for ((pair, counts), row) in self.used().zip(values.chunks_exact_mut(width)) {
            let bytes = [pair as u64 >> 8, pair as u64 & 0xff];
            fill(row, bytes.map(bits), counts.map(F::from_u32));
        }
        Ok(RowMajorMatrix::new(values, width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_exceed_a_byte() {
        let counted = |times| {
            let mut counts = PairCounts::<2>::default();
            (0..times).for_each(|_| counts.add_pair([3, 5], 1));
            counts
        };
        let used = |counts: &PairCounts<2>| counts.used().collect::<Vec<_>>();
        for (first, second) in [(0, 1), (255, 1), (256, 255), (200, 100), (65_535, 513)] {
            let mut sum = counted(first);
            sum.add_all(&counted(second));
            assert_eq!(sum, counted(first + second));
            assert_eq!(used(&sum), [(3 * 256 + 5, [0, first + second])]);
        }
        assert_eq!(used(&counted(0)), []);
    }
}
