#![doc = include_str!("README.md")]

mod air;
mod columns;
mod round;
#[cfg(test)]
mod tests;
mod trace;

pub use air::{BUS, BytesTable, DEGREE, StateMessage};
pub use columns::{BytesCols, ROWS, STATE_BYTES, SplitCols};
pub use round::LOOKUPS;
pub use trace::{Input, count_lookups, generate_table, permutation_of, rows, spread_bytes};
