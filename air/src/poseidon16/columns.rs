//! Columns of the Poseidon-16 table.

use droste_native::hash::poseidon16::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS, WIDTH};

crate::columns! {
    /// One permutation: `16 + 4 * 16 + 20 + 4 * 16 = 164` columns.
    ///
    /// Another table can embed it in its own column struct and call
    /// [`eval_poseidon16`](super::eval_poseidon16).
    pub struct Poseidon16Cols<T> {
        /// The state before the permutation.
        pub inputs: [T; WIDTH],
        /// The state after each of the first four full rounds.
        pub beginning: [[T; WIDTH]; HALF_FULL_ROUNDS],
        /// The S-box output of each partial round.
        pub partial: [T; PARTIAL_ROUNDS],
        /// The state after each of the last four full rounds.
        pub ending: [[T; WIDTH]; HALF_FULL_ROUNDS],
    }
}

impl<T> Poseidon16Cols<T> {
    /// The state after the permutation.
    #[inline]
    pub const fn outputs(&self) -> &[T; WIDTH] {
        &self.ending[HALF_FULL_ROUNDS - 1]
    }
}

crate::columns! {
    /// One row of the table with its interface: 166 columns.
    pub struct Poseidon16TableCols<T> {
        /// The permutation.
        pub permutation: Poseidon16Cols<T>,
        /// One if the message carries `P(x) + x`, zero if it carries `P(x)`.
        pub is_compress: T,
        /// One if the row sends its message.
        pub is_real: T,
    }
}
