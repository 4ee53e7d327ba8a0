#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout))]

pub mod bits;
pub mod blake;
pub mod calls;
pub mod circuit;
pub mod columns;
pub mod error;
pub mod field;
pub mod file;
pub mod graph;
pub mod keccak;
pub mod merkle;
pub mod native;
pub mod opening;
pub mod paths;
pub mod proof;
pub mod reduction;
pub mod ring_switch;
pub mod shape;
pub mod statement;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod tree_hash;
pub mod univariate;
pub mod witness;
#[cfg(feature = "xmss")]
pub mod xmss;
pub mod zerocheck;

pub use calls::{Hash, HashCalls, StatementError};
pub use error::BinaryError;
pub use graph::{GraphError, HashGraph, Output, Source, WitnessError};
pub use proof::{MIN_BITS, Proof, prove, prove_bound, verify, verify_bound};
pub use shape::StatementShape;
pub use statement::Statement;
pub use tree_hash::{Blake3, Poseidon16, TreeHash};
pub use witness::Witness;
