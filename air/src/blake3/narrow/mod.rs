#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{NarrowAir, NarrowTable, eval_rows, message};
pub use columns::{NarrowCols, NarrowTableCols, ROWS};
pub use trace::{generate_compressions, generate_table};
