#![doc = include_str!("README.md")]

mod air;
mod chain;
mod columns;
mod places;
#[cfg(test)]
mod tests;
mod trace;

pub use air::BabyBearTable;
pub use columns::{BabyBearCols, LOOKUPS};
pub use trace::PADDING_PAIRS;
