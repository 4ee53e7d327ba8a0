//! Columns of the table of Blake3 calls.

use droste_native::precompile::BLAKE3_BLOCK_WORDS;

use crate::tables::digest_chain::{DIGEST_LIMBS, DigestChainCols};

/// Number of 32-bit words in a message block.
pub const WORDS: usize = BLAKE3_BLOCK_WORDS;

droste_air::columns! {
    /// One row: one compression of one call, 92 columns.
    pub struct Blake3CallCols<T> {
        /// The call's chain. `index` is the chunk's counter on rows of `chunk`.
        pub chain: DigestChainCols<T>,
        /// One on a row of `parent`.
        pub is_parent: T,
        /// One if the call's result is a hash rather than a chaining value. Zero on Merkle paths,
        /// whose results are always hashes.
        pub is_root: T,
        /// One for each word that is hashed; ones come first.
        pub present: [T; WORDS],
        /// The four blocks as memory has them. Lanes of blocks without a present word are zero.
        pub lanes: [T; 2 * WORDS],
        /// The compression's input chaining value, as limbs.
        pub chaining: [T; DIGEST_LIMBS],
        /// The compression's flags.
        pub flags: T,
        /// The compression's output chaining value, as limbs.
        pub output: [T; DIGEST_LIMBS],
    }
}
