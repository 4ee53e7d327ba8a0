//! Columns of the narrow Blake3 table.

use crate::blake3::PERMUTATION;
use crate::blake3::columns::{HalfCols, ROUNDS};
use crate::limb::LimbCols;

/// Number of rows of a compression: one for its inputs and one for each round.
pub const ROWS: usize = ROUNDS + 1;

/// The message words that come first in one round after the other, and then the one that would come
/// first in the next round. Digits range-check the low limb of one of them per row; bits of the row
/// of inputs range-check their high limbs and all limbs of the other words.
pub(super) const DIGITS: [usize; 8] = orbit(0);

/// The other message words, in the order in which they come second.
pub(super) const BITS: [usize; 8] = orbit(1);

/// The cycle of `start` under the permutation of message words, which has two cycles of eight.
const fn orbit(start: usize) -> [usize; 8] {
    let mut words = [start; 8];
    let mut i = 1;
    while i < 8 {
        words[i] = PERMUTATION[words[i - 1]];
        i += 1;
    }
    words
}

crate::columns! {
    /// One row: 1,155 columns.
    ///
    /// The halves of a row of inputs contain, for `j` from 0 to 3:
    ///
    /// | cells | meaning |
    /// |---|---|
    /// | `halves[j][0].d` | bits of word `j` of the chaining value |
    /// | `halves[j][0].b` | bits of the high limbs of message words `DIGITS[2j]` and `DIGITS[2j + 1]` |
    /// | `halves[j][1].d`, `.b` | bits of message words `BITS[2j]` and `BITS[2j + 1]` |
    /// | `halves[4 + j][0].d`, `.b` | bits of words `j` and `j + 8` of the state of the row above |
    /// | `halves[4 + j][1]` | the state in which this compression starts, as a round leaves its own |
    /// | other `a`, `c` | any limbs; zero |
    pub struct NarrowCols<T> {
        /// One-hot: the position of the row in its compression, 0 for the row of inputs.
        pub steps: [T; ROWS],
        /// The 16 message words, as limbs, in the order of the round; on a row of inputs, values
        /// that satisfy the sums.
        pub message: [[T; 2]; 16],
        /// The low limb of the first word of `message`, range-checked; on a row of inputs, the low
        /// limb of the last of `DIGITS`, which comes first in no round.
        pub digits: LimbCols<T>,
        /// The output chaining value of the compression, on each of its rows, as limbs.
        pub output: [[T; 2]; 8],
        /// Four quarter-rounds on columns, then four on diagonals, with two halves each.
        pub halves: [[HalfCols<T>; 2]; 8],
    }
}

crate::columns! {
    /// One row of the table with its interface: 1,156 columns.
    pub struct NarrowTableCols<T> {
        /// The row.
        pub row: NarrowCols<T>,
        /// One if the row, which must be one of inputs, sends its message.
        pub is_real: T,
    }
}
