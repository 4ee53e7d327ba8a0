#![doc = include_str!("README.md")]

mod air;
pub mod bytes;
mod columns;
mod compression;
mod quarter;
#[cfg(test)]
mod tests;
mod trace;
mod tree;

pub use air::{BUS, Blake3Air, Blake3Table, CompressionMessage, DEGREE};
pub use columns::{Blake3Cols, Blake3TableCols, HalfCols, LastHalfCols, ROUNDS};
pub use compression::{eval_compression, message};
pub use trace::{Compression, fill_row, generate_compressions, generate_table};
pub use tree::rows_of;

pub use droste_native::hash::blake3::{CHUNK_END, CHUNK_START, IV, PARENT, ROOT};

/// For each of the words `a`, `b`, `c`, `d` of a diagonal, its offset along its row.
const DIAGONAL: [usize; 4] = [0, 1, 2, 3];

/// For each message word of a round, its position in the previous round.
const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// Order of the message words in each round; each round permutes the order of the previous one.
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
