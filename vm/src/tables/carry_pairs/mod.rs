#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::CarryPairsTable;
pub use columns::CarryPairsCols;
pub use trace::count;
