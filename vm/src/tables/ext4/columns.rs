//! Columns of the table `ext4`.

use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use crate::tables::LANES;

/// Number of coefficients of an extension element.
pub const D: usize = 4;

droste_air::columns! {
    /// One row: one `ext4` call, one block of a `horner4` chain, or one element of an `unpack4`
    /// chain. If the last element of an `unpack4` chain ends in another block, one more row
    /// follows, the tail, which reads that block: it has no mode, only `continues`.
    pub struct Ext4Cols<T> {
        /// One on a row of `ext4`.
        pub is_ext: T,
        /// One on every row of a `horner4` chain.
        pub is_horner: T,
        /// One on every row of an `unpack4` chain that writes an element.
        pub is_unpack: T,
        /// One on a row that continues the chain of the row above.
        pub continues: T,
        /// On a row of `ext4`: the result is `(a + b) / 2 + c * (a - b)`. Zero on every other row.
        pub folds: T,
        /// On a row of `ext4`: `b` is the scalar in [`Self::b_word`]. Zero on every other row.
        pub scalar_b: T,
        /// On a row of `ext4`: `c` is the scalar in [`Self::c_word`]. Zero on every other row.
        pub scalar_c: T,
        /// Operand A, an address. In a chain, the address of this row's block.
        pub a_word: T,
        /// Operand B. In a chain, operand C: the number of lanes (`horner4`) or elements
        /// (`unpack4`) that this row and the rows below take.
        pub b_word: T,
        /// Operand C. In a chain, operand B: on `horner4` rows the address of beta.
        pub c_word: T,
        /// Operand D, the address of the result. On `unpack4` rows, the address of this row's
        /// element.
        pub d_word: T,
        /// The block at A.
        pub a: [T; LANES],
        /// `ext4`: `b`. `horner4`: the sum before this row. On every row that continues a chain:
        /// `d` of the row above.
        pub b: [T; D],
        /// `ext4`: `c`. `horner4`: beta.
        pub c: [T; D],
        /// `ext4`: the result. `horner4`: the sum after this row. `unpack4`: the element.
        pub d: [T; D],
        /// `horner4`: the lanes in the window. `unpack4`: the first lane of the element.
        pub window: [T; LANES],
        /// Sums after lanes 1, 3, 5 and 7, on every row:
        /// `steps[k] = steps[k - 1] * c^2 + w[2k] a[2k] c + w[2k + 1] a[2k + 1]`.
        pub steps: [[T; D]; LANES / 2],
    }
}

impl Ext4Cols<F> {
    /// Names of the columns that are free on such a row: every other cell is fixed by a constraint
    /// or a bus. A name without an index stands for all columns of an array.
    pub fn free_columns(&self) -> &'static [&'static str] {
        if self.is_ext == F::ONE || self.is_horner == F::ONE {
            &[]
        } else if self.is_unpack == F::ONE {
            // `b` and `c` are used by the steps alone, which may have any value here.
            &["b", "c"]
        } else if self.continues == F::ONE {
            // The tail of an `unpack4` chain, which reads one more block.
            &["c", "d", "window"]
        } else {
            // Padding: only the flags are constrained, and the steps follow from the other columns.
            &[
                "a_word", "b_word", "c_word", "d_word", "a", "b", "c", "d", "window",
            ]
        }
    }
}
