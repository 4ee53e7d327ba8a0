#![doc = include_str!("README.md")]

mod air;
mod columns;
#[cfg(test)]
mod tests;
mod trace;

pub use air::WordProductsTable;
pub use columns::WordProductsCols;
