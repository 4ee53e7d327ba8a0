#![doc = include_str!("README.md")]

mod air;
mod columns;
mod compression;
pub mod narrow;
mod quarter;
#[cfg(test)]
mod tests;
mod trace;
mod tree;

pub use air::{BUS, Blake3Air, Blake3Table, DEGREE, MESSAGE};
pub use columns::{Blake3Cols, Blake3TableCols, HalfCols, LastHalfCols, ROUNDS};
pub use compression::{eval_compression, message};
pub use trace::{Compression, fill_row, generate_compressions, generate_table};
pub use tree::rows_of;

/// The initialisation vector: the chaining value of an unkeyed chunk or parent.
pub const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Flag of the first block of a chunk.
pub const CHUNK_START: u8 = 1;
/// Flag of the last block of a chunk.
pub const CHUNK_END: u8 = 2;
/// Flag of a parent node.
pub const PARENT: u8 = 4;
/// Flag of the compression that gives the hash.
pub const ROOT: u8 = 8;

/// How far along its row each word of a diagonal stands: `a`, `b`, `c`, `d`.
const DIAGONAL: [usize; 4] = [0, 1, 2, 3];

/// The words that each round adds, by their place in the round before.
const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// Order of the message words in each round: each round permutes the order of the one before.
const SCHEDULE: [[usize; 16]; ROUNDS] = {
    let mut schedule = [[0; 16]; ROUNDS];
    let mut round = 0;
    while round < ROUNDS {
        let mut i = 0;
        while i < 16 {
            schedule[round][i] = if round == 0 {
                i
            } else {
                schedule[round - 1][PERMUTATION[i]]
            };
            i += 1;
        }
        round += 1;
    }
    schedule
};
