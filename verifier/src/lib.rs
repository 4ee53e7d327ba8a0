//! Recursion: programs that verify proofs.
//!
//! - [`shape`]: what a recursive verifier takes as constants.
//! - [`codegen`]: constraint evaluators generated from AIRs.
//! - [`program`]: what is generated of recursion programs, whose verifier is `droste_gadgets::verify`.
//! - [`tape`]: the hints that such a program reads, recorded while it verifies proofs natively.
//! - [`claim`]: what a recursion proof claims, and the tree of claims below it; [`keys`]: the
//!   recursion programs that a verifier accepts, derived from what they are made from.
//! - [`recursion`]: from proofs to a proof that they verify; [`aggregate`]: any proofs to one;
//!   [`mod@file`]: the form in which those travel.
//! - [`cost`]: what all that costs.
//! - [`driver`]: the same for Plonky3 proofs of any AIRs.

// What comes from outside (proofs, programs, inputs, arguments) ends in an error, never in a panic: where
// one of these stands nevertheless, an attribute says why it cannot be reached.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

pub mod aggregate;
pub mod claim;
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "positions in expressions that the same pass made, of AIRs, not of proofs"
)]
pub mod codegen;
pub mod cost;
pub mod driver;
pub mod file;
pub mod keys;
#[allow(
    clippy::indexing_slicing,
    reason = "text is generated from a `ProofShape`, whose heights and settings are in range"
)]
pub mod program;
pub mod recursion;
pub mod shape;
pub mod tape;
