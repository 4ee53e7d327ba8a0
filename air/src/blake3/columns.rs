//! Columns of the Blake3 table.

use crate::limb::LimbCols;

/// Number of rounds of the compression function.
pub const ROUNDS: usize = 7;

crate::columns! {
    /// Results of half a quarter-round: 68 columns.
    ///
    /// `a` and `c` are sums, which are needed as limbs; `d` and `b` are rotated XORs, which are
    /// needed as bits.
    pub struct HalfCols<T> {
        /// `a + b + m`, as 16-bit limbs, low first.
        pub a: [T; 2],
        /// `(d ^ a) >>> 16` or `>>> 8`, as bits, low first.
        pub d: [T; 32],
        /// `c + d`, as 16-bit limbs.
        pub c: [T; 2],
        /// `(b ^ c) >>> 12` or `>>> 7`, as bits.
        pub b: [T; 32],
    }
}

crate::columns! {
    /// Results of the last half of the last four quarter-rounds: 66 columns. `c` is kept as bits,
    /// and `b` is not kept, since only the output depends on it.
    pub struct LastHalfCols<T> {
        /// `a + b + m`, as 16-bit limbs.
        pub a: [T; 2],
        /// `(d ^ a) >>> 8`, as bits.
        pub d: [T; 32],
        /// `c + d`, as bits.
        pub c: [T; 32],
    }
}

crate::columns! {
    /// One compression: 8,271 columns.
    pub struct Blake3Cols<T> {
        /// The 16 message words, as range-checked limbs, low first.
        pub message: [[LimbCols<T>; 2]; 16],
        /// Words 0 to 3 of the chaining value, as range-checked limbs.
        pub chaining_low: [[LimbCols<T>; 2]; 4],
        /// Words 4 to 7 of the chaining value, as bits.
        pub chaining_high: [[T; 32]; 4],
        /// The 64-bit counter, as bits of its low and its high word.
        pub counter: [[T; 32]; 2],
        /// The block length, as 7 bits.
        pub block_length: [T; 7],
        /// The flags, as 8 bits.
        pub flags: [T; 8],
        /// Rounds 0 to 5: in each, four quarter-rounds on columns, then four on diagonals, with two
        /// halves each.
        pub rounds: [[[HalfCols<T>; 2]; 8]; ROUNDS - 1],
        /// The quarter-rounds of round 6 on columns.
        pub last_columns: [[HalfCols<T>; 2]; 4],
        /// The first halves of the quarter-rounds of round 6 on diagonals.
        pub last_diagonals: [HalfCols<T>; 4],
        /// The second halves of the quarter-rounds of round 6 on diagonals.
        pub last_halves: [LastHalfCols<T>; 4],
        /// The output chaining value, as 16-bit limbs.
        pub output: [[T; 2]; 8],
    }
}

crate::columns! {
    /// One row of the table with its interface: 8,272 columns.
    pub struct Blake3TableCols<T> {
        /// The compression.
        pub compression: Blake3Cols<T>,
        /// One if the row sends its message.
        pub is_real: T,
    }
}
