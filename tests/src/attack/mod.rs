//! Attacks on verifiers: changed files, proofs by a dishonest prover, false hints.
//!
//! `docs/testing.md` says how to run them and how to read their output.

pub mod errors;
pub mod files;
pub mod forge;
pub mod hints;
pub mod mutate;
pub mod padding;
pub mod run;
