//! Columns of the Keccak-256 table.

use super::absorb::{AbsorbCols, RATE};

/// 16-bit limbs of a digest.
pub const DIGEST_LIMBS: usize = 16;

crate::columns! {
    /// One block of one message: 2,463 columns.
    pub struct SpongeCols<T> {
        /// One if the row holds a block, zero on padding.
        pub is_real: T,
        /// Zero if the row goes on with the message of the row above; one on first blocks and padding.
        pub starts: T,
        /// Bytes of the message in this row and the rows below.
        pub remaining: T,
        /// One for each byte of the block that is the message's; ones come first.
        pub present: [T; RATE],
        /// The digest of the message, on each of its rows, as limbs.
        pub digest: [T; DIGEST_LIMBS],
        /// The block.
        pub block: AbsorbCols<T>,
    }
}
