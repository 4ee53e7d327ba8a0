//! Time and memory of this process, and estimates of the memory that proofs need.

mod memory;
mod process;

pub use memory::{estimated_bytes, estimated_bytes_over_whir};
pub(crate) use process::reset_peak_memory;
pub use process::{cpu_time, peak_memory};
