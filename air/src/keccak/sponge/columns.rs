//! Columns of the Keccak-256 table.

use super::absorb::{AbsorbCols, RATE};

/// Number of 16-bit limbs of a digest.
pub const DIGEST_LIMBS: usize = 16;

crate::columns! {
    /// One block of one message: 1,884 columns.
    pub struct SpongeCols<T> {
        /// One if the row contains a block, zero on padding rows.
        pub is_real: T,
        /// Zero if the row continues the message of the previous row; one on first blocks and
        /// padding rows.
        pub starts: T,
        /// Number of bytes of the message in this row and the following ones.
        pub remaining: T,
        /// One for each byte of the block that belongs to the message; the ones come first.
        pub present: [T; RATE],
        /// The digest of the message, on each of its rows, as limbs.
        pub digest: [T; DIGEST_LIMBS],
        /// The block and the state that it is absorbed into.
        pub block: AbsorbCols<T>,
    }
}
