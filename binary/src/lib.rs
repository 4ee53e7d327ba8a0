//! Proves lists of calls of bit hashes, and Merkle paths, over GF(2^128).
//!
//! ```
//! use droste_binary::{Hash, HashCalls, prove, security, verify};
//!
//! let statement = HashCalls::of_inputs(Hash::Blake2s, [[7; 112], [8; 112]])?;
//! let proof = prove(&statement)?;
//! assert!(verify(&statement, &proof)?.bits > 100.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The README says how it is done and how many bits a proof has.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod air;
mod codec;
mod file;
#[cfg(test)]
mod liars;
#[cfg(test)]
mod malformed;
pub mod paths;
mod proof;
mod public;
mod scheme;
#[cfg(test)]
mod tests;

pub use codec::{MAGIC, MAX_BYTES, VERSION, decode, encode};
pub use droste_batch::calls::{Hash, HashCalls, StatementError};
pub use droste_vm::codec::{DecodeError, EncodeError};
pub use file::{
    FileError, PathsSummary, SecuritySummary, Summary, Term, verify_file, verify_paths_file,
};
pub use proof::{MIN_BITS, Proof, ProveError, Security, VerifyError, prove, security, verify};
pub use scheme::SettingsError;
