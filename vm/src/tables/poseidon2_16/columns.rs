//! Columns of the table `poseidon2_16`.

use std::borrow::Borrow;

use droste_air::poseidon2::{Poseidon2ParentCols, Poseidon2ParentConstants};
use droste_native::F;
use droste_native::hash::poseidon2::{Constants, PARENT_WIDTH};
use p3_field::PrimeCharacteristicRing;

use crate::tables::path::PathCols;
use crate::tables::round_constants::Loading;

/// Number of round constants.
pub const CONSTANTS: usize = Constants::<PARENT_WIDTH>::COUNT;

/// Number of rows that load the constants.
pub const LOADS: usize = Constants::<PARENT_WIDTH>::BLOCKS.div_ceil(2);

droste_air::columns! {
    /// One row: one permutation of one call.
    pub struct NarrowCols<T> {
        /// The permutation. On a row that loads constants, its inputs are these.
        pub permutation: Poseidon2ParentCols<T>,
        /// One on a row of `compress`.
        pub is_compress: T,
        /// One on a row of `duplex` or `hash`.
        pub is_sponge: T,
        /// One on a row of `hash`, a sponge whose capacity is not written.
        pub is_hash: T,
        /// The two blocks of the row, and the path that it is a level of. Sponges: `remaining` is
        /// the number of lanes that this row and the rows below absorb, `index` is one if lanes 4
        /// to 7 of the last block are all past the end.
        pub path: PathCols<T>,
        /// Whether lanes 1, 2 and 3 of four are past the end. The four lanes are the lower half of
        /// the block if its upper half is wholly past the end, otherwise the upper half. Zero
        /// except on the last row of a sponge.
        pub past_end: [T; 3],
        /// Sponges: the element that is added to the first lane of the capacity before every
        /// permutation of the call. Zero on the other calls' rows and on padding.
        pub tag: T,
        /// The round constants, in the order of the rounds, equal on all rows.
        pub constants: [T; CONSTANTS],
        /// Address of the first block of the round constants, equal on all rows.
        pub constants_address: T,
        /// One on the row that loads the constants of the next two blocks.
        pub load: [T; LOADS],
    }
}

impl<V: Copy> NarrowCols<V> {
    pub(super) fn round_constants(&self) -> &Poseidon2ParentConstants<V> {
        self.constants.as_slice().borrow()
    }

    pub(super) const fn loading(&self) -> Loading<'_, V> {
        Loading {
            constants: &self.constants,
            address: self.constants_address,
            load: &self.load,
        }
    }
}

impl NarrowCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus.
    pub fn free_columns(&self) -> &'static [&'static str] {
        match self.load.iter().position(|&load| load == F::ONE) {
            // The call has no operand E.
            Some(0) => &["path.out_address", "path.index"],
            Some(row) if row + 1 == LOADS => &[
                "path.high_address",
                "path.out_address",
                "path.remaining",
                "path.index",
            ],
            Some(_) => &["path.out_address", "path.remaining", "path.index"],
            None => {
                let is_active = self.is_compress + self.is_sponge + self.path.is_merkle::<F>();
                self.path.free_columns(self.is_compress, is_active)
            }
        }
    }
}
