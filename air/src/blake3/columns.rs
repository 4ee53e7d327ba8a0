//! Columns of the Blake3 table.

use crate::limb::LimbCols;

/// Rounds of the compression function.
pub const ROUNDS: usize = 7;

crate::columns! {
    /// What half a quarter-round leaves: 68 columns.
    ///
    /// `a` and `c` are sums, needed as limbs; `d` and `b` are rotated XORs, needed as bits.
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
    /// The last half of the last four quarter-rounds, where `c` is kept as bits and `b` is not kept
    /// at all, since nothing but the output reads it: 66 columns.
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
        /// Rounds 0 to 5: four quarter-rounds on columns, four on diagonals, two halves each.
        pub rounds: [[[HalfCols<T>; 2]; 8]; ROUNDS - 1],
        /// Round 6, on columns.
        pub last_columns: [[HalfCols<T>; 2]; 4],
        /// Round 6, on diagonals, first halves.
        pub last_diagonals: [HalfCols<T>; 4],
        /// Round 6, on diagonals, second halves.
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
