//! Columns of the table `poseidon16`.

use droste_air::poseidon16::Poseidon16Cols;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

droste_air::columns! {
    /// One row: one permutation of one call.
    pub struct ChainCols<T> {
        /// The permutation. Its last 16 columns are `P(x)` on rows of `sponge`; on the other calls'
        /// rows the first 8 of them are `P(x) + x`.
        pub permutation: Poseidon16Cols<T>,
        /// One on a row of `compress`.
        pub is_compress: T,
        /// One on a row of `sponge` or `hash`.
        pub is_sponge: T,
        /// One on a row of `hash`, a sponge whose capacity is not written.
        pub is_hash: T,
        /// One on a row of `merkle` whose node is the left child: index bit 0.
        pub is_left: T,
        /// One on a row of `merkle` whose node is the right child: index bit 1.
        pub is_right: T,
        /// Zero on a row that continues the call of the row above; one on first rows and on
        /// padding.
        pub starts: T,
        /// Address of the block in inputs 0 to 7, if the row reads it.
        pub low_address: T,
        /// Address of the block in inputs 8 to 15, if the row reads it.
        pub high_address: T,
        /// Address of the result.
        pub out_address: T,
        /// `sponge`: the number of lanes that this row and the rows below absorb. `merkle`: the
        /// number of levels of this row and the rows below.
        pub remaining: T,
        /// `merkle`: the index, shifted so that this row's bit is its lowest. `sponge`: one if
        /// lanes 4 to 7 of the last block are all past the end.
        pub index_or_half: T,
        /// Whether lanes 1, 2 and 3 of four are past the end. The four lanes are the lower half of
        /// the block if its upper half is wholly past the end, otherwise the upper half. Zero
        /// except on the last row of a `sponge`.
        pub past_end: [T; 3],
        /// `sponge`: the element that is added to the first lane of the capacity before every
        /// permutation of the call. Zero on the other calls' rows and on padding.
        pub tag: T,
    }
}

impl ChainCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus.
    pub fn free_columns(&self) -> &'static [&'static str] {
        let inactive = self.is_compress + self.is_sponge + self.is_left + self.is_right == F::ZERO;
        let continues = self.starts == F::ZERO;
        if inactive {
            // The permutation's inputs are fixed by the outputs of the same row alone.
            &[
                "low_address",
                "high_address",
                "out_address",
                "remaining",
                "index_or_half",
            ]
        } else if self.is_compress == F::ONE {
            &["index_or_half"]
        } else if continues && self.is_left == F::ONE {
            &["low_address"]
        } else if continues {
            // The address of a node or of a capacity that comes from the row above, not from
            // memory.
            &["high_address"]
        } else {
            &[]
        }
    }
}
