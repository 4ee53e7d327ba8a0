//! Columns of the table `poseidon16`.

use droste_air::poseidon16::Poseidon16Cols;
use droste_native::F;

use crate::tables::path::PathCols;

droste_air::columns! {
    /// One row: one permutation of one call.
    pub struct ChainCols<T> {
        /// The permutation. Its last 16 columns are `P(x)` on rows of `sponge`; on the other calls'
        /// rows the first 8 of them are `P(x) + x`.
        pub permutation: Poseidon16Cols<T>,
        /// One on a row of `compress`.
        pub is_compress: T,
        /// One on a row of `sponge` or `hash`.
        pub is_sponge: T,
        /// One on a row of `hash`, a sponge whose capacity is not written.
        pub is_hash: T,
        /// The two blocks of the row, and the path that it is a level of. `sponge`: `remaining` is
        /// the number of lanes that this row and the rows below absorb, `index` is one if lanes 4
        /// to 7 of the last block are all past the end.
        pub path: PathCols<T>,
        /// Whether lanes 1, 2 and 3 of four are past the end. The four lanes are the lower half of
        /// the block if its upper half is wholly past the end, otherwise the upper half. Zero
        /// except on the last row of a `sponge`.
        pub past_end: [T; 3],
        /// `sponge`: the element that is added to the first lane of the capacity before every
        /// permutation of the call. Zero on the other calls' rows and on padding.
        pub tag: T,
    }
}

impl ChainCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus.
    pub fn free_columns(&self) -> &'static [&'static str] {
        let is_active = self.is_compress + self.is_sponge + self.path.is_merkle::<F>();
        self.path.free_columns(self.is_compress, is_active)
    }
}
