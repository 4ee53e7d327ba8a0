//! Columns of the table `limbs`.

use droste_air::limb::LimbCols;

/// Largest high limb of a field element's word: `p - 1 = 0x7f00 * 2^16`.
pub const MAX_HIGH: u16 = 0x7f00;

/// Number of base-3 digits of a high limb. They reach 19,682.
pub const TRITS: usize = 9;

/// Weight of a high limb's top bit. Digits and top bit together reach every value from 0 to
/// [`MAX_HIGH`] and no other.
pub const TOP: u16 = MAX_HIGH - (3u16.pow(TRITS as u32) - 1);

droste_air::columns! {
    /// The Montgomery word of one field element: 22 columns.
    pub struct WordCols<T> {
        /// Low limb.
        pub low: LimbCols<T>,
        /// Base-3 digits of the high limb.
        pub high_trits: [T; TRITS],
        /// Top bit of the high limb, of weight [`TOP`].
        pub high_top: T,
        /// Inverse of `0x7f00 - high`, or zero.
        pub inverse: T,
    }
}

droste_air::columns! {
    /// One row: eight field elements, 181 columns.
    pub struct LimbsCols<T> {
        /// Zero on a row that continues the call of the row above; one on first rows and on
        /// padding.
        pub starts: T,
        /// One on a row of a call.
        pub is_real: T,
        /// Address of the field elements.
        pub in_address: T,
        /// Address of the first half of the limbs.
        pub out_address: T,
        /// Number of groups in this row and the rows below.
        pub remaining: T,
        /// Montgomery words of the eight elements.
        pub words: [WordCols<T>; 8],
    }
}
