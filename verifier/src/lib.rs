//! Recursion: generates and runs programs that verify proofs, and aggregates proofs with them.
//!
//! - [`shape`]: everything about a proof that its recursive verifier takes as a constant.
//! - [`codegen`]: constraint evaluators generated from AIRs.
//! - [`program`]: the generated part of recursion programs, which call the verifier
//!   `droste_gadgets::verify`, or `droste_gadgets::verify::whir` for proofs over WHIR.
//! - [`tape`]: the hints that such a program reads, recorded while it verifies proofs natively.
//! - [`claim`]: what a recursion proof claims, and the tree of claims below it; [`keys`]: the
//!   recursion programs that a verifier accepts, derived from what they are made from.
//! - [`member`]: that a leaf is in a claim, for those who do not have the tree.
//! - [`circuit`]: such a program, compiled once, with the keys that prove its runs; it turns proofs
//!   into a proof that they are valid. [`airs`]: circuits for Plonky3 proofs of any AIRs.
//! - [`aggregate`]: wraps and joins any proofs into one; [`mod@file`]: the file format of the
//!   result.
//! - [`fold`]: recursion with the user's own logic: proofs of rules, which say what proofs mean
//!   together.
//! - [`proofs`]: proofs of programs as bytes, in whichever hash they are; [`program_keys`]: the keys
//!   of a program at other parameters.
//! - [`plan`]: aggregation of many proofs as tasks that any scheduler can run.
//! - [`binary`]: programs that verify proofs of `droste-binary` about Merkle paths or calls.
//! - [`xmss`]: who of a registry has signed a message: batches of signatures, and their fold.
//! - [`leaf_root`]: the Keccak root of an aggregate's leaves, for contracts.
//! - [`cost`]: measures what verifying a proof costs; [`summary`]: what proofs and aggregates say,
//!   as values that serialize.
//!
//! Without the feature `prover`, which is on by default, this is what verifies aggregates and
//! memberships and folds under keys that the caller pins: [`aggregate`], [`claim`],
//! [`mod@file`], [`fold`], [`keys`], [`member`].

// Input from outside (proofs, programs, arguments) ends in an error, never in a panic. Where one of
// these is right nevertheless, an attribute says why it cannot be reached.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout))]

pub mod aggregate;
#[cfg(feature = "prover")]
pub mod airs;
#[cfg(feature = "prover")]
pub mod binary;
#[cfg(feature = "prover")]
pub mod circuit;
pub mod claim;
#[cfg(feature = "prover")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "indices are positions in expressions that the same pass made, of AIRs, not of proofs"
)]
pub mod codegen;
#[cfg(feature = "prover")]
pub mod cost;
pub mod file;
pub mod fold;
pub mod keys;
#[cfg(feature = "prover")]
pub mod leaf_root;
pub mod member;
#[cfg(feature = "prover")]
pub mod plan;
#[cfg(feature = "prover")]
#[allow(
    clippy::indexing_slicing,
    reason = "text is generated from a `FriShape`, whose heights and settings are in range"
)]
pub mod program;
#[cfg(feature = "prover")]
pub mod program_keys;
#[cfg(feature = "prover")]
pub mod proofs;
#[cfg(feature = "prover")]
pub mod resources;
#[cfg(feature = "prover")]
pub mod shape;
pub mod summary;
pub mod tags;
#[cfg(feature = "prover")]
pub mod tape;
#[cfg(feature = "prover")]
pub mod xmss;
