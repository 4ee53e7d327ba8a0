//! Attacks on verifiers: files changed in every field, proofs by a prover who lies, false hints.
//!
//! `docs/testing.md` says how to run them and how to read what they print.

pub mod errors;
pub mod files;
pub mod forge;
pub mod hints;
pub mod mutate;
pub mod padding;
pub mod run;
pub mod tree;
