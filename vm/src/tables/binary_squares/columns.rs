//! Columns of the table `binary_squares`.

use crate::tables::LANES;
use crate::tables::binary::BITS;

droste_air::columns! {
    /// One row: one element of a call, and a copy of a block. "From here on" means on this row and
    /// the rows below it in the same call.
    pub struct BinarySquaresCols<T> {
        /// One on the first row of a call of `binary_conjugates`.
        pub starts_conjugates: T,
        /// One on the first row of a call of `binary_points`.
        pub starts_points: T,
        /// One on a row that continues the call of `binary_conjugates` of the row above.
        pub continues_conjugates: T,
        /// One on a row that continues the call of `binary_points` of the row above.
        pub continues_points: T,
        /// Of conjugates operand A, the address of the call's element; of points, the bits of the
        /// position from here on, as an integer.
        pub operand: T,
        /// Address of the block that is copied.
        pub other_address: T,
        /// Address of the element; the copy is in the next block.
        pub out_address: T,
        /// Number of elements from here on.
        pub remaining: T,
        /// The lowest bit of the position from here on, if the element is its point.
        pub bit: T,
        /// The bits of the element.
        pub element: [T; BITS],
        /// The bits of its square.
        pub square: [T; BITS],
        /// The block that is copied.
        pub other: [T; LANES],
    }
}
