#![doc = include_str!("README.md")]

mod air;
mod columns;
mod digits;
#[cfg(test)]
pub(crate) mod tests;
mod trace;

pub use crate::pair_counts::PAIRS;
pub(crate) use air::look_up;
pub use air::{BUS, DEGREE, SpreadMessage, SpreadTable};
pub use columns::{KINDS, Kind, SpreadCols};
pub use digits::{RADIX, spread};
pub use trace::{Counts, generate_table};
