#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::BinaryProductsTable;
pub use columns::{BITS, BinaryProductsCols};
