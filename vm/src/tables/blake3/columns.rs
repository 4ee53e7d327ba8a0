//! Columns of the table of Blake3 calls.

use crate::tables::digest_chain::{DIGEST_LIMBS, DigestChainCols};

/// 32-bit words of a message block.
pub const WORDS: usize = 16;

droste_air::columns! {
    /// One row: one compression of one call, 92 columns.
    pub struct Blake3Cols<T> {
        /// The call's chain. `index` is the chunk's counter on rows of `chunk`.
        pub chain: DigestChainCols<T>,
        /// One on a row of `parent`.
        pub is_parent: T,
        /// One if the call's result is a hash rather than a chaining value. Zero on Merkle paths,
        /// whose results all are.
        pub is_root: T,
        /// One for each word that is hashed; ones come first.
        pub present: [T; WORDS],
        /// The four blocks as memory has them; zero where no word is present.
        pub lanes: [T; 2 * WORDS],
        /// The chaining value going in, as limbs.
        pub chaining: [T; DIGEST_LIMBS],
        /// The compression's flags.
        pub flags: T,
        /// The chaining value coming out, as limbs.
        pub output: [T; DIGEST_LIMBS],
    }
}
