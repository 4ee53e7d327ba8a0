//! AIR tables for Poseidon-16, Blake3 and Keccak.
//!
//! One folder per hash: columns, constraints, trace. Each is usable alone with `p3-uni-stark`, or
//! with `p3-batch-stark`, where it offers its inputs and outputs as messages on a bus. The tables
//! know nothing of any machine.

pub mod blake3;
pub mod columns;
mod error;
pub mod keccak;
pub mod limb;
pub mod poseidon16;
#[cfg(any(test, feature = "test-utils"))]
pub mod test_utils;

pub use error::TraceError;
