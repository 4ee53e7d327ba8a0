//! Columns of the table `poseidon2_24`.

use std::borrow::Borrow;

use droste_air::poseidon2::{Poseidon2SpongeCols, Poseidon2SpongeConstants};
use droste_native::F;
use droste_native::hash::poseidon2::{Constants, SPONGE_WIDTH};
use p3_field::PrimeCharacteristicRing;

use crate::tables::LANES;
use crate::tables::round_constants::Loading;

/// Number of round constants.
pub const CONSTANTS: usize = Constants::<SPONGE_WIDTH>::COUNT;

/// Number of rows that load the constants.
pub const LOADS: usize = Constants::<SPONGE_WIDTH>::BLOCKS.div_ceil(2);

droste_air::columns! {
    /// One row: one permutation of one call.
    pub struct WideCols<T> {
        /// The permutation. Its inputs are the two blocks of the rate, and the capacity. On a row
        /// that loads constants, the inputs of the rate are these.
        pub permutation: Poseidon2SpongeCols<T>,
        /// One on a row of `duplex` or `hash`.
        pub is_sponge: T,
        /// One on a row of `hash`, a sponge of whose output only the first block is written.
        pub is_hash: T,
        /// Zero on a row that continues the call of the row above; one on first rows and on
        /// padding.
        pub starts: T,
        /// Address of the row's first block.
        pub address: T,
        /// Address of the capacity, if the row reads it.
        pub capacity_address: T,
        /// Address of the first block of the result.
        pub out_address: T,
        /// The number of lanes that this row and the rows below absorb.
        pub remaining: T,
        /// One if the row reads one block instead of two. Zero except on the last row of a call.
        pub is_short: T,
        /// Whether lanes 1 to 7 of the row's last block are past the end. Zero except on the last
        /// row of a call.
        pub past_end: [T; LANES - 1],
        /// The element that is added to the first lane of the capacity before every permutation of
        /// the call. Zero on padding.
        pub tag: T,
        /// The round constants, in the order of the rounds, equal on all rows.
        pub constants: [T; CONSTANTS],
        /// Address of the first block of the round constants, equal on all rows.
        pub constants_address: T,
        /// One on the row that loads the constants of the next two blocks.
        pub load: [T; LOADS],
    }
}

impl<V: Copy> WideCols<V> {
    pub(super) fn round_constants(&self) -> &Poseidon2SpongeConstants<V> {
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

impl WideCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus.
    pub fn free_columns(&self) -> &'static [&'static str] {
        let [first, ..] = self.load;
        if first == F::ONE {
            // The call has no operands B, C and E.
            &[]
        } else if self.load.contains(&F::ONE) {
            &["capacity_address", "out_address", "remaining"]
        } else if self.is_sponge == F::ZERO {
            // The permutation's inputs are fixed by the outputs of the same row alone.
            &["address", "capacity_address", "out_address", "remaining"]
        } else if self.starts == F::ZERO {
            // The capacity comes from the row above, not from memory.
            &["capacity_address"]
        } else {
            &[]
        }
    }
}
