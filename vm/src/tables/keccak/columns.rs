//! Columns of the table of Keccak calls.

use droste_air::keccak::sponge::{AbsorbCols, RATE};

use crate::tables::digest_chain::DigestChainCols;

/// 32-bit words of a rate block.
pub const WORDS: usize = RATE / 4;

/// Blocks of memory that hold a rate block.
pub const BLOCKS: usize = 9;

droste_air::columns! {
    /// One row: one permutation of one call, 2,423 columns.
    pub struct KeccakCols<T> {
        /// The call's chain. `index` is zero on rows of `hash`.
        pub chain: DigestChainCols<T>,
        /// One for each word that is hashed; ones come first.
        pub present: [T; WORDS],
        /// The blocks as memory has them; zero where no word is present.
        pub lanes: [T; 8 * BLOCKS],
        /// The block that is absorbed: present words and padding.
        pub block: AbsorbCols<T>,
    }
}
