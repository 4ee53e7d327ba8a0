//! Columns of the table of pairs of bytes.

/// Where a lookup may split the exclusive or: its number of low bits, of one kind of lookup after
/// the other.
pub const LOW_BITS: [usize; 3] = [8, 7, 4];

crate::columns! {
    /// One row: 19 columns.
    pub struct BytePairsCols<T> {
        /// The first byte, as bits, low first.
        pub x: [T; 8],
        /// The second byte, as bits.
        pub y: [T; 8],
        /// How often the pair is looked up, for each of [`LOW_BITS`].
        pub lookups: [T; LOW_BITS.len()],
    }
}
