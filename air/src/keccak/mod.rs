#![doc = include_str!("README.md")]

mod air;
mod columns;
pub mod degree5;
mod permutation;
pub mod sponge;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{BUS, DEGREE, KeccakAir, KeccakTable, PermutationMessage};
pub use columns::{IOTA_BITS, KeccakCols, KeccakTableCols, LANES, LIMBS, ROUNDS, RoundBits};
pub use permutation::eval_round;
pub use trace::{State, generate_permutations, generate_table, limbs, permute, rows_of};
