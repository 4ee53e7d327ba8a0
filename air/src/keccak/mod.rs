#![doc = include_str!("README.md")]

mod air;
mod columns;
pub mod degree5;
mod permutation;
pub mod sponge;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{BUS, DEGREE, KeccakAir, KeccakTable, MESSAGE};
pub use columns::{IOTA_BITS, KeccakCols, KeccakTableCols, LANES, LIMBS, ROUNDS, RoundBits};
pub use permutation::eval_round;
pub use trace::{State, generate_permutations, generate_table, limbs, permute, rows_of};

/// Rotations of rho: `ROTATIONS[x][y]` (FIPS 202, table 2, modulo 64).
const ROTATIONS: [[usize; 5]; 5] = [
    [0, 36, 3, 41, 18],
    [1, 44, 10, 45, 2],
    [62, 6, 43, 15, 61],
    [28, 55, 25, 21, 56],
    [27, 20, 39, 8, 14],
];

/// Round constants of iota (FIPS 202, section 3.2.5).
const ROUND_CONSTANTS: [u64; ROUNDS] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];
