//! Columns of the table `poseidon16_tweaked`.

use droste_air::poseidon16::Poseidon16Cols;
use droste_native::F;
use droste_native::precompile::{DIGIT_BITS, DIGIT_ELEMENTS};
use p3_field::PrimeCharacteristicRing;

use crate::tables::LANES;

droste_air::columns! {
    /// One row: one compression of one call.
    pub struct TweakedCols<T> {
        /// The permutation, with the feed-forward in outputs 0 to 7 on every row.
        pub permutation: Poseidon16Cols<T>,
        /// One on a step of the first chain of a pair.
        pub is_even: T,
        /// One on a step of the second chain of a pair.
        pub is_odd: T,
        /// One on a row that compresses the ends of a pair of chains into the state.
        pub absorbs: T,
        /// One on such a row after the fourth pair of an element.
        pub ends_element: T,
        /// One on a level of a path whose node below is the left child.
        pub is_left: T,
        /// One on a level of a path whose node below is the right child.
        pub is_right: T,
        /// Zero on a row that continues the call of the row above; one on first rows and on
        /// padding.
        pub starts: T,
        /// One on the first row of a pair of chains.
        pub begins_pair: T,
        /// Pairs of chains whose digits are in the same element as this pair's, after this one: two
        /// bits, low first.
        pub pairs_of_element: [T; 2],
        /// Steps of the chain on this row and the rows below: bits, low first. Zero if the row is
        /// no step.
        pub steps: [T; DIGIT_BITS as usize],
        /// Chains: address of the state that the next pair is compressed into.
        pub low_address: T,
        /// Chains: address of the public parameter. Path: address of the children.
        pub high_address: T,
        /// Chains: address of the next result. Path: address of the key.
        pub out_address: T,
        /// Chains: address of the pair's first values. Path: address of the tweak.
        pub values_address: T,
        /// First row of chains: address of the digits. First row of a path: address of the leaf.
        pub context_address: T,
        /// Chains: steps on this row and the rows below. Path: levels on this row and the rows
        /// below.
        pub remaining: T,
        /// Chains: pairs whose ends are compressed on this row and the rows below.
        pub pairs_remaining: T,
        /// Chains: the values of both chains of the pair. Path: the block of the tweak.
        pub values: [T; LANES],
        /// Chains: the digits that are left of the current element, and the elements after it.
        /// Path: lanes 0 to 5 of the leaf on every row.
        pub elements: [T; DIGIT_ELEMENTS],
        /// Chains: the first element of the tweak of position 0 of the pair's first chain. Path:
        /// lane 6 of the leaf on every row.
        pub tweak_base: T,
        /// Chains: the second element of every tweak. Path: lane 7 of the leaf on every row.
        pub tweak_low: T,
    }
}

impl TweakedCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus. A name without an index stands for all columns of an array.
    pub fn free_columns(&self) -> &'static [&'static str] {
        let one = |flag: F| flag == F::ONE;
        if one(self.is_left) || one(self.is_right) {
            // They are carried along the path, but nothing reads them.
            &["low_address", "pairs_remaining"]
        } else if one(self.is_even) || one(self.is_odd) {
            &[]
        } else if one(self.absorbs) {
            // At the end of a call it does not matter whether the element ends.
            let ends = one(self.pairs_remaining) && self.pairs_of_element == [F::ZERO; 2];
            if ends { &["ends_element"] } else { &[] }
        } else {
            // On padding, the permutation's inputs are fixed by the outputs of the same row alone.
            &[
                "low_address",
                "high_address",
                "out_address",
                "values_address",
                "context_address",
                "remaining",
                "pairs_remaining",
                "tweak_base",
                "tweak_low",
                "values",
                "elements",
            ]
        }
    }
}
