#![doc = include_str!("README.md")]

mod air;
mod columns;
mod linear;
#[cfg(test)]
mod tests;
mod trace;

pub use air::BinarySquaresTable;
pub use columns::BinarySquaresCols;
