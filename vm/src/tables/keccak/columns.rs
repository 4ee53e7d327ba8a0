//! Columns of the table of Keccak calls.

use crate::tables::digest_chain::DigestChainCols;

/// 32-bit words of a rate block: 136 bytes.
pub const WORDS: usize = 34;

/// 16-bit limbs of the rate.
pub const RATE_LIMBS: usize = 2 * WORDS;

/// 16-bit limbs of the capacity.
pub const CAPACITY_LIMBS: usize = 32;

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
        /// Bits of the limbs that are absorbed: present words and padding.
        pub absorbed: [[T; 16]; RATE_LIMBS],
        /// Bits of the limbs of the rate before absorbing.
        pub rate: [[T; 16]; RATE_LIMBS],
        /// The limbs of the capacity.
        pub capacity: [T; CAPACITY_LIMBS],
        /// The limbs of the state after the permutation.
        pub output: [T; RATE_LIMBS + CAPACITY_LIMBS],
    }
}
