//! Columns of the table `power_weights`.

/// Number of coefficients of an extension element.
pub const D: usize = droste_native::field::EXTENSION_DEGREE;

droste_air::columns! {
    /// One row: one coordinate of a call. "From here on" means on this row and the rows below it in
    /// the same call.
    pub struct PowerWeightsCols<T> {
        /// One on the first row of a call.
        pub starts: T,
        /// One on a row that continues the call of the row above.
        pub continues: T,
        /// Address of the coordinate.
        pub address: T,
        /// Operand D, the address of the result.
        pub out_address: T,
        /// Number of coordinates from here on.
        pub remaining: T,
        /// The power of operand B whose exponent is `2^i`, on the row of coordinate `i`.
        pub generator: T,
        /// The bits of operand C from here on, as an integer.
        pub exponent: T,
        /// The lowest of these bits.
        pub bit: T,
        /// `generator` if the bit is one, otherwise one.
        pub factor: T,
        /// `generator` to the power of `exponent`: the product of the factors from here on.
        pub point: T,
        /// The power of the call's point whose exponent is `2^i`, on the row of coordinate `i`.
        pub power: T,
        /// The coordinate.
        pub coordinate: [T; D],
        /// The product of `1 - r + r power` over the rows of this call below.
        pub below: [T; D],
        /// The same product from here on; on a first row, the result.
        pub product: [T; D],
    }
}
