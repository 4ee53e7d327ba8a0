//! Generates EVM contracts that verify proofs of the recursion machine.
//!
//! - [`assembler`]: code of the EVM from statements, without a compiler.
//! - [`field`]: the base field and the challenge field on words of 256 bits.
//! - [`transcript`]: challenges from what was observed.
//! - [`gkr`]: the verifier of sums of fractions.
//! - [`constraints`]: constraints and messages of tables at a point.
//! - [`zerocheck`]: constraints are zero, and the fractions are those of the messages.
//! - [`merkle`]: opened leaves are those of a commitment.
//! - [`rows`]: weighted sums of opened leaves.
//! - [`selection`]: weights of queried points.
//! - [`opening`]: openings of the columns, by WHIR.
//! - [`calldata`]: the bytes of a proof.
//! - [`phase`]: what a verifier is doing when it reverts.
//! - [`digest`]: keys, claims and statements as bytes.
//! - [`poseidon16`]: the permutation, claims and statements.
//! - [`registry`]: contracts that accept leaf roots, and open them; one that keeps a root, which
//!   folds advance.
//! - `chain`, with the feature `revm`: a chain to run contracts on.
//!
//! The README says how elements, memory and calls are laid out.

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout))]

pub mod assembler;
pub mod calldata;
#[cfg(feature = "revm")]
pub mod chain;
pub mod constraints;
pub mod contract;
pub mod digest;
#[cfg(test)]
mod dishonest;
pub mod field;
pub mod gkr;
#[cfg(test)]
mod machine;
pub mod merkle;
pub mod opening;
pub mod phase;
pub mod poseidon16;
pub mod registry;
pub mod rows;
pub mod selection;
pub mod transcript;
pub mod zerocheck;
