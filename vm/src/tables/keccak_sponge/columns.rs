//! Columns of the table of calls of the sponge over lanes.

use crate::tables::keccak::KeccakCallCols;

droste_air::columns! {
    /// One row: one permutation of one call, 1,845 columns.
    pub struct KeccakSpongeCols<T> {
        /// The columns of a row of calls of Keccak-256. What the row absorbs has no padding.
        pub call: KeccakCallCols<T>,
        /// One on a row of `sponge` whose call continues below.
        pub goes_on: T,
    }
}
