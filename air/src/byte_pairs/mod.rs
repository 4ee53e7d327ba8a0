#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use crate::pair_counts::PAIRS;
pub use air::{BUS, BytePairMessage, BytePairsTable, DEGREE};
pub use columns::{BytePairsCols, LOW_BITS};
pub use trace::{Counts, generate_table};
