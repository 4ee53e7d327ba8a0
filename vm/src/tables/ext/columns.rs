//! Columns of the table `ext`.

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use crate::tables::LANES;

/// Number of coefficients of an extension element.
pub const D: usize = droste_native::field::EXTENSION_DEGREE;

droste_air::columns! {
    /// One row: one `ext`, `lane` or `block_eq` call, one block of a `horner` chain, or one element
    /// of an `unpack` chain, or one block of a `right_shifts` chain. If the last element of an
    /// `unpack` chain ends in another block, one more row follows, the tail, which reads that
    /// block: it has no mode, only `continues`.
    pub struct ExtCols<T> {
        /// One on a row of `ext`.
        pub is_ext: T,
        /// One on a row of `lane`.
        pub is_lane: T,
        /// One on every row of a `horner` chain.
        pub is_horner: T,
        /// One on every row of an `unpack` chain that writes an element.
        pub is_unpack: T,
        /// One on every row of a `right_shifts` chain.
        pub is_shifts: T,
        /// One on a row that continues the chain of the row above.
        pub continues: T,
        /// On a row of `ext`: the result is `(a + b) / 2 + c * (a - b)`. Zero on every other row.
        pub folds: T,
        /// On a row of `ext`: `b` is the scalar in [`Self::b_word`]. Zero on every other row.
        pub scalar_b: T,
        /// On a row of `ext`: `c` is the scalar in [`Self::c_word`]. One on a row of `block_eq`,
        /// zero on every other row.
        pub scalar_c_or_block_eq: T,
        /// Operand A, an address. In a chain, the address of this row's block.
        pub a_word: T,
        /// Operand B. In a chain, operand C: the number of lanes (`horner`), elements (`unpack`) or
        /// blocks (`right_shifts`) that this row and the rows below take.
        pub b_word: T,
        /// Operand C. In a chain, operand B: on `horner` rows the address of beta, on
        /// `right_shifts` rows the element.
        pub c_word: T,
        /// Operand D, the address of the result. On `unpack` rows, the address of this row's
        /// element.
        pub d_word: T,
        /// The block at A.
        pub a: [T; LANES],
        /// `ext`: `b`. `block_eq`: lanes 0 to 4. `horner`: the sum before this row. On every row
        /// that continues a chain: `d` of the row above.
        pub b: [T; D],
        /// `ext`: `c`. `horner`: beta. `right_shifts`: the first lane of the next block, or zero
        /// after the last; `(127 - d[0]) c[2]`, which is one unless bits 24 to 30 are all ones; an
        /// inverse.
        pub c: [T; D],
        /// `ext`: the result. `horner`: the sum after this row. `unpack`: the element.
        /// `right_shifts`: on the row of block 3, the integer of bits 24 to 30.
        pub d: [T; D],
        /// `horner`: the lanes in the window. `lane`: the lane that is read. `unpack`: the first
        /// lane of the element. `right_shifts`: the number of the block.
        pub window: [T; LANES],
        /// Sums after lanes 1, 3, 5 and 7, on every row:
        /// `steps[k] = steps[k - 1] * c^2 + w[2k] a[2k] c + w[2k + 1] a[2k + 1]`.
        pub steps: [[T; D]; LANES / 2],
    }
}

impl ExtCols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus. A name without an index stands for all columns of an array.
    pub fn free_columns(&self) -> &'static [&'static str] {
        if self.is_ext == F::ONE || self.is_horner == F::ONE {
            &[]
        } else if self.is_lane == F::ONE {
            // No extension element is read or written.
            &["b", "c", "d"]
        } else if self.is_unpack == F::ONE {
            // `b` and `c` are used by the steps alone, which may have any value here.
            &["b", "c"]
        } else if self.is_shifts == F::ONE {
            // If bits 24 to 30 are all ones, `c[2]` is the inverse of nothing.
            &["b", "c[2]", "c[3]", "c[4]", "d[1]", "d[2]", "d[3]", "d[4]"]
        } else if self.continues == F::ONE {
            // The tail of an `unpack` chain, which reads one more block.
            &["c", "d", "d_word", "window"]
        } else if self.scalar_c_or_block_eq == F::ONE {
            &["c", "d"]
        } else {
            // Padding: only the flags are constrained, and the steps follow from the other columns.
            &[
                "a_word", "b_word", "c_word", "d_word", "a", "b", "c", "d", "window",
            ]
        }
    }
}
