#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::KeccakSpongeCallTable;
pub use columns::KeccakSpongeCols;
pub(super) use trace::permutations;
