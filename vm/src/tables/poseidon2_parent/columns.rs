//! Columns of the table `poseidon2_parent`.

use droste_air::poseidon2::Poseidon2ParentCols;
use droste_native::F;

use crate::tables::path::PathCols;

droste_air::columns! {
    /// One row: one permutation of one call.
    pub struct ParentCols<T> {
        /// The permutation.
        pub permutation: Poseidon2ParentCols<T>,
        /// One on a row of `compress`.
        pub is_compress: T,
        /// The two blocks of the row, and the path that it is a level of.
        pub path: PathCols<T>,
    }
}

impl ParentCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus.
    pub fn free_columns(&self) -> &'static [&'static str] {
        let is_active = self.is_compress + self.path.is_merkle::<F>();
        self.path.free_columns(self.is_compress, is_active)
    }
}
