//! The zkVM: machine tables, keys, and proving and verifying one proof. Instruction set, zk-DSL
//! compiler and executor are `droste_lang`'s, and have their names here too.

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

pub mod codec;
pub mod heights;
pub mod key;
pub mod lookups;
pub mod machine;
pub mod profile;
pub mod provable;
pub mod prover;
pub mod report;
#[allow(
    clippy::indexing_slicing,
    reason = "columns and rows of the table's own trace: its width is the column type's, its height \
              is checked against its rows by `prover::log_heights`"
)]
pub mod tables;
pub mod verifier;

pub use droste_lang::{compiler, executor, isa, precompile, record};
