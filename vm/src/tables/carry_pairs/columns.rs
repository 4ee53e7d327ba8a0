//! Columns of the table `carry_pairs`.

/// Number of bits in which a carry is represented.
pub const CARRY_BITS: usize = 8;

droste_air::columns! {
    /// One row: 17 columns.
    pub struct CarryPairsCols<T> {
        /// Bits of the first carry less the least one, low first.
        pub first: [T; CARRY_BITS],
        /// Bits of the second carry, likewise.
        pub second: [T; CARRY_BITS],
        /// How often the pair is looked up.
        pub lookups: T,
    }
}
