#![doc = include_str!("README.md")]

mod air;
mod columns;
mod half;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{BytesTable, message};
pub use columns::{ByteHalfCols, BytesCols, PairCols, ROWS};
pub use half::LOOKUPS;
pub use trace::{count_lookups, generate_table};
