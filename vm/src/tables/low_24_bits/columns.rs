//! Columns of the table `low_24_bits`.

/// Number of low bits.
pub const LOW_BITS: usize = 24;

/// Number of bits above them.
pub const HIGH_BITS: usize = 7;

droste_air::columns! {
    /// One row: one call.
    pub struct Low24BitsCols<T> {
        /// One on the row of a call, zero on padding.
        pub is_real: T,
        /// The low bits of the element, low first.
        pub low: [T; LOW_BITS],
        /// The bits above.
        pub high: [T; HIGH_BITS],
        /// Inverse of 7 minus the number of ones in `high`.
        pub inverse: T,
    }
}
