#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::LimbsTable;
pub use columns::{LimbsCols, WordCols};
