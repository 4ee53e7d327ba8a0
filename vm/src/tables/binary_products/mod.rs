#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::BinaryProductsTable;
pub(super) use air::{division, lanes, lookup_carries};
pub use columns::{BITS, BinaryProductsCols, COEFFICIENTS};
pub(super) use trace::{Division, add_product, bits, count_carries};
