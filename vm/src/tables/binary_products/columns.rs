//! Columns of the table `binary_products`.

/// Number of bits of an element.
pub const BITS: usize = 128;

/// Number of coefficients of a product of two polynomials with one coefficient per bit.
pub const COEFFICIENTS: usize = 2 * BITS - 1;

droste_air::columns! {
    /// One row: one call. Bits are in order of their powers of `x`, the constant term first.
    pub struct BinaryProductsCols<T> {
        /// One on the row of a call of `binary_product`.
        pub is_single: T,
        /// One on the row of a call of `binary_products`.
        pub is_pair: T,
        /// Operand A, the address of the first left element.
        pub left_address: T,
        /// Operand E, how many blocks after it the second one is.
        pub distance: T,
        /// Operand B, the address of the first right element; the second one is in the next block.
        pub right_address: T,
        /// Operand C, the address of the element that is added.
        pub added_address: T,
        /// Operand D, the address of the result.
        pub result_address: T,
        /// Bits of the left elements.
        pub left: [[T; BITS]; 2],
        /// Bits of the right elements. Those of the second one are zero in a call of
        /// `binary_product`.
        pub right: [[T; BITS]; 2],
        /// Bits of the element that is added.
        pub added: [T; BITS],
        /// Bits of the result.
        pub result: [T; BITS],
        /// Bits of the multiple of the modulus that makes the result of the sum of products.
        pub multiple: [T; BITS - 1],
        /// What each coefficient of the sum over the integers has beside what is odd, halved.
        pub carries: [T; COEFFICIENTS],
    }
}

/// The carries of a row in [`BITS`] pairs: each of a coefficient below `x^128`, and that of the one
/// 128 above it, if there is one. The more products meet in one of them, the fewer do in the other.
pub fn in_pairs<T: Copy>(carries: &[T; COEFFICIENTS]) -> impl Iterator<Item = (T, Option<T>)> {
    let (low, high) = carries.split_at(BITS);
    let high = high.iter().copied().map(Some).chain([None]);
    low.iter().copied().zip(high)
}
