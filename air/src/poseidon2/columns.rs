//! Columns of the Poseidon2 tables.

use droste_native::hash::poseidon2::{
    HALF_FULL_ROUNDS, PARENT_PARTIAL_ROUNDS, PARENT_WIDTH, SPONGE_PARTIAL_ROUNDS, SPONGE_WIDTH,
};

crate::columns! {
    /// One permutation of width 16: `16 + 4 * 16 + 20 + 4 * 16 = 164` columns.
    ///
    /// Another table can embed it in its own column struct and call
    /// [`eval_poseidon2_parent`](super::eval_poseidon2_parent).
    pub struct Poseidon2ParentCols<T> {
        /// The state before the permutation.
        pub inputs: [T; PARENT_WIDTH],
        /// The state after each of the first four full rounds.
        pub beginning: [[T; PARENT_WIDTH]; HALF_FULL_ROUNDS],
        /// The S-box output of each partial round.
        pub partial: [T; PARENT_PARTIAL_ROUNDS],
        /// The state after each of the last four full rounds.
        pub ending: [[T; PARENT_WIDTH]; HALF_FULL_ROUNDS],
    }
}

impl<T> Poseidon2ParentCols<T> {
    /// The state after the permutation, of which the first 8 elements are the parent.
    #[inline]
    pub const fn outputs(&self) -> &[T; PARENT_WIDTH] {
        &self.ending[HALF_FULL_ROUNDS - 1]
    }
}

crate::columns! {
    /// One permutation of width 24: `24 + 4 * 24 + 23 + 4 * 24 = 239` columns.
    ///
    /// Another table can embed it in its own column struct and call
    /// [`eval_poseidon2_sponge`](super::eval_poseidon2_sponge).
    pub struct Poseidon2SpongeCols<T> {
        /// The state before the permutation.
        pub inputs: [T; SPONGE_WIDTH],
        /// The state after each of the first four full rounds.
        pub beginning: [[T; SPONGE_WIDTH]; HALF_FULL_ROUNDS],
        /// The S-box output of each partial round.
        pub partial: [T; SPONGE_PARTIAL_ROUNDS],
        /// The state after each of the last four full rounds.
        pub ending: [[T; SPONGE_WIDTH]; HALF_FULL_ROUNDS],
    }
}

impl<T> Poseidon2SpongeCols<T> {
    /// The state after the permutation.
    #[inline]
    pub const fn outputs(&self) -> &[T; SPONGE_WIDTH] {
        &self.ending[HALF_FULL_ROUNDS - 1]
    }
}

crate::columns! {
    /// One row of the table of width 16 with its interface: 165 columns.
    pub struct Poseidon2ParentTableCols<T> {
        /// The permutation.
        pub permutation: Poseidon2ParentCols<T>,
        /// One if the row sends its message.
        pub is_real: T,
    }
}

crate::columns! {
    /// One row of the table of width 24 with its interface: 240 columns.
    pub struct Poseidon2SpongeTableCols<T> {
        /// The permutation.
        pub permutation: Poseidon2SpongeCols<T>,
        /// One if the row sends its message.
        pub is_real: T,
    }
}
