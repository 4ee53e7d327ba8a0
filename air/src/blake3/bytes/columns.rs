//! Columns of the Blake3 table over bytes.

use crate::blake3::columns::ROUNDS;

/// Number of rows of a compression: one for its inputs and one for each round.
pub const ROWS: usize = ROUNDS + 1;

/// Positions of the message words that are range-checked on every row. Each is in another of the
/// two cycles of the permutation of message words, which both have eight words: eight rows check
/// them all.
pub(super) const CHECKED: [usize; 2] = [1, 3];

crate::columns! {
    /// Results of half a quarter-round: 20 columns. All are bytes, low first, but `high` and `low`.
    pub struct ByteHalfCols<T> {
        /// `a + b + m`.
        pub a: [T; 4],
        /// `d ^ a`, before its rotation.
        pub d: [T; 4],
        /// `c + d`.
        pub c: [T; 4],
        /// `b ^ c` before its rotation: of each byte the high nibble or, in the second half, the
        /// top bit.
        pub high: [T; 4],
        /// The rest of each byte of `b ^ c`.
        pub low: [T; 4],
    }
}

crate::columns! {
    /// A limb of two bytes: its high one, from which the low one follows, and their exclusive or.
    pub struct PairCols<T> {
        /// The high byte.
        pub high: T,
        /// The exclusive or of both bytes.
        pub xor: T,
    }
}

crate::columns! {
    /// One row: 384 columns.
    pub struct BytesCols<T> {
        /// One-hot: the position of the row in its compression, 0 for the row of inputs.
        pub steps: [T; ROWS],
        /// The 16 message words, as 16-bit limbs, in the order of the round; on a row of inputs, as
        /// in a round before the first one, or values that satisfy the sums.
        pub message: [[T; 2]; 16],
        /// Range checks of the limbs of two message words.
        pub checks: [[PairCols<T>; 2]; 2],
        /// The output chaining value of the compression, on each of its rows, as 16-bit limbs.
        pub output: [[T; 2]; 8],
        /// Four quarter-rounds on columns, then four on diagonals, with two halves each.
        pub halves: [[ByteHalfCols<T>; 2]; 8],
    }
}
