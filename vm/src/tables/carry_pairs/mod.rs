#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{CarryPairsTable, lookup_bytes};
pub use columns::CarryPairsCols;
pub use trace::{count, count_bytes};
