//! Columns of the table `poseidon2_parent`.

use droste_air::poseidon2::Poseidon2ParentCols;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

droste_air::columns! {
    /// One row: one permutation of one call.
    pub struct ParentCols<T> {
        /// The permutation.
        pub permutation: Poseidon2ParentCols<T>,
        /// One on a row of `compress`.
        pub is_compress: T,
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
        /// `merkle`: the number of levels of this row and the rows below.
        pub remaining: T,
        /// `merkle`: the index, shifted so that this row's bit is its lowest.
        pub index: T,
    }
}

impl ParentCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus.
    pub fn free_columns(&self) -> &'static [&'static str] {
        let inactive = self.is_compress + self.is_left + self.is_right == F::ZERO;
        let continues = self.starts == F::ZERO;
        if inactive {
            // The permutation's inputs are fixed by the outputs of the same row alone.
            &[
                "low_address",
                "high_address",
                "out_address",
                "remaining",
                "index",
            ]
        } else if self.is_compress == F::ONE {
            &["index"]
        } else if continues && self.is_left == F::ONE {
            // The address of a node that comes from the row above, not from memory.
            &["low_address"]
        } else if continues {
            &["high_address"]
        } else {
            &[]
        }
    }
}
