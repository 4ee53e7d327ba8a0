#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::Poseidon2NarrowTable;
pub use columns::NarrowCols;
