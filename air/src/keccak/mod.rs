#![doc = include_str!("README.md")]

mod air;
pub mod bytes;
mod columns;
pub mod degree5;
mod permutation;
pub mod sponge;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{DEGREE, KeccakAir};
pub use columns::{IOTA_BITS, KeccakCols, LANES, LIMBS, ROUNDS, RoundBits};
pub use permutation::eval_round;
pub use trace::{State, generate_permutations, limbs, permute, rows_of};
