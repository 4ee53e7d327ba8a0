#![doc = include_str!("README.md")]

mod air;
mod columns;
mod partial;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{
    BUS, DEGREE, PermutationMessage, Poseidon16Air, Poseidon16Table, eval_poseidon16,
    eval_poseidon16_outputs,
};
pub use columns::{Poseidon16Cols, Poseidon16TableCols};
pub use trace::{Mode, fill_row, generate_permutations, generate_table, rows_of};
