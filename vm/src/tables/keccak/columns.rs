//! Columns of the table of Keccak calls.

use droste_air::keccak::sponge::{AbsorbCols, RATE};
use droste_native::precompile::{KECCAK_RATE_BLOCKS, KECCAK_RATE_WORDS};

use crate::tables::LANES;
use crate::tables::digest_chain::DigestChainCols;

/// Number of 32-bit words in a rate block.
pub const WORDS: usize = KECCAK_RATE_WORDS;
const _: () = assert!(4 * WORDS == RATE);

/// Distance in blocks of memory from one rate block to the next.
pub const STRIDE: usize = KECCAK_RATE_BLOCKS;

/// Number of blocks of memory that hold a rate block.
pub const BLOCKS: usize = (2 * WORDS).div_ceil(LANES);

droste_air::columns! {
    /// One row: one permutation of one call, 1,844 columns.
    pub struct KeccakCallCols<T> {
        /// The call's chain. `index` is zero on rows of `hash`.
        pub chain: DigestChainCols<T>,
        /// One for each word that is hashed; ones come first.
        pub present: [T; WORDS],
        /// The blocks as memory has them. Lanes of blocks without a present word are zero.
        pub lanes: [T; LANES * BLOCKS],
        /// The rate block that is absorbed: present words and padding.
        pub block: AbsorbCols<T>,
    }
}
