//! Columns of the Poseidon2 tables.

use droste_native::hash::poseidon2::{
    HALF_FULL_ROUNDS, PARENT_PARTIAL_ROUNDS, PARENT_WIDTH, SPONGE_PARTIAL_ROUNDS, SPONGE_WIDTH,
};

/// Declares the columns of the permutation of one width, those of its table with a bus, and those
/// of its round constants where they are no constants of the AIR.
macro_rules! permutation {
    (
        $(#[$meta:meta])*
        $columns:ident[$width:expr, $partial:expr]
        $(#[$table_meta:meta])*
        $table:ident
        $(#[$constants_meta:meta])*
        $constants:ident
    ) => {
        crate::columns! {
            $(#[$meta])*
            pub struct $columns<T> {
                /// The state before the permutation.
                pub inputs: [T; $width],
                /// The state after each of the first four full rounds.
                pub beginning: [[T; $width]; HALF_FULL_ROUNDS],
                /// The S-box output of each partial round.
                pub partial: [T; $partial],
                /// The state after each of the last four full rounds.
                pub ending: [[T; $width]; HALF_FULL_ROUNDS],
            }
        }

        impl<T> $columns<T> {
            /// The state after the permutation.
            #[inline]
            pub const fn outputs(&self) -> &[T; $width] {
                &self.ending[HALF_FULL_ROUNDS - 1]
            }
        }

        crate::columns! {
            $(#[$table_meta])*
            pub struct $table<T> {
                /// The permutation.
                pub permutation: $columns<T>,
                /// One if the row sends its message.
                pub is_real: T,
            }
        }

        crate::columns! {
            $(#[$constants_meta])*
            pub struct $constants<T> {
                /// The constants of each of the first four full rounds.
                pub initial: [[T; $width]; HALF_FULL_ROUNDS],
                /// The constant of each partial round, for element 0.
                pub internal: [T; $partial],
                /// The constants of each of the last four full rounds.
                pub terminal: [[T; $width]; HALF_FULL_ROUNDS],
            }
        }
    };
}

permutation! {
    /// One permutation of width 16: `16 + 4 * 16 + 20 + 4 * 16 = 164` columns. The first 8 elements
    /// of the state after it are the parent.
    ///
    /// Another table can embed it in its own column struct and call
    /// [`eval_poseidon2_parent`](super::eval_poseidon2_parent).
    Poseidon2ParentCols[PARENT_WIDTH, PARENT_PARTIAL_ROUNDS]
    /// One row of the table of width 16 with its interface: 165 columns.
    Poseidon2ParentTableCols
    /// The round constants of a permutation of width 16, in the order of the rounds:
    /// `4 * 16 + 20 + 4 * 16 = 148` columns.
    Poseidon2ParentConstants
}

permutation! {
    /// One permutation of width 24: `24 + 4 * 24 + 23 + 4 * 24 = 239` columns.
    ///
    /// Another table can embed it in its own column struct and call
    /// [`eval_poseidon2_sponge`](super::eval_poseidon2_sponge).
    Poseidon2SpongeCols[SPONGE_WIDTH, SPONGE_PARTIAL_ROUNDS]
    /// One row of the table of width 24 with its interface: 240 columns.
    Poseidon2SpongeTableCols
    /// The round constants of a permutation of width 24, in the order of the rounds:
    /// `4 * 24 + 23 + 4 * 24 = 215` columns.
    Poseidon2SpongeConstants
}
