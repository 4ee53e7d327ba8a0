//! Columns of the narrow Blake3 table.

use crate::blake3::PERMUTATION;
use crate::blake3::columns::{HalfCols, ROUNDS};
use crate::limb::LimbCols;

/// Rows of a compression: one of its inputs, then one for each round.
pub const ROWS: usize = ROUNDS + 1;

/// The message words that stand in place 0 in one round after the other, and the one that would come
/// next. Their low limbs are range-checked by digits, in turn; their high limbs, and all of the other
/// words, by bits of the row of inputs.
pub(super) const DIGITS: [usize; 8] = orbit(0);

/// The other message words: those that stand in place 1.
pub(super) const BITS: [usize; 8] = orbit(1);

/// The permutation of message words has two cycles of eight.
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
    /// The halves of a row of inputs hold, `j` from 0 to 3:
    ///
    /// | cells | meaning |
    /// |---|---|
    /// | `halves[j][0].d` | bits of word `j` of the chaining value |
    /// | `halves[j][0].b` | bits of the high limbs of message words `DIGITS[2j]` and `DIGITS[2j + 1]` |
    /// | `halves[j][1].d`, `.b` | bits of message words `BITS[2j]` and `BITS[2j + 1]` |
    /// | `halves[4 + j][0].d`, `.b` | bits of words `j` and `j + 8` of the state in which the compression before ends |
    /// | `halves[4 + j][1]` | the state in which this compression starts, as a round leaves its own |
    /// | other `a`, `c` | any limbs; zero |
    pub struct NarrowCols<T> {
        /// One in the place of the row in its compression, zero elsewhere: 0 for the inputs.
        pub steps: [T; ROWS],
        /// The 16 message words, as limbs, in the order of the round; on a row of inputs, what
        /// satisfies the sums.
        pub message: [[T; 2]; 16],
        /// The low limb of the first of `message`, range-checked; on a row of inputs, that of the word
        /// that no round has first.
        pub digits: LimbCols<T>,
        /// The output chaining value of the compression, on each of its rows, as limbs.
        pub output: [[T; 2]; 8],
        /// Four quarter-rounds on columns, four on diagonals, two halves each.
        pub halves: [[HalfCols<T>; 2]; 8],
    }
}

crate::columns! {
    /// One row of the table with its interface: 1,156 columns.
    pub struct NarrowTableCols<T> {
        /// The row.
        pub row: NarrowCols<T>,
        /// One if the row, one of inputs, sends its message.
        pub is_real: T,
    }
}
