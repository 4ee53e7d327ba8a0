//! The zkVM: tables of the machine, keys, prover and verifier of one run. Instruction set, zk-DSL
//! compiler and executor are those of `droste_lang`, re-exported here.
//!
//! Without the feature `prover`, which is on by default, this is what verifies proofs over WHIR:
//! tables, keys and the verifier.

// What comes from outside (proofs, programs, inputs, arguments) must end in an error, never in a
// panic. Where one of these calls is used nevertheless, an attribute says why it cannot panic.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout))]
// What only provers call.
#![cfg_attr(not(feature = "prover"), allow(dead_code, unused_imports))]

#[cfg(feature = "prover")]
pub mod fri;
pub mod graph;
pub mod heights;
pub mod key;
pub mod lookups;
pub mod machine;
#[cfg(feature = "prover")]
pub mod profile;
pub mod report;
pub mod stack;
#[allow(
    clippy::indexing_slicing,
    reason = "columns and rows of the table's own trace: its width is that of the column type, and \
              `prover::log_heights` checks its height against its rows"
)]
pub mod tables;
#[cfg(feature = "prover")]
mod traces;
pub mod verifier;
#[allow(
    clippy::indexing_slicing,
    reason = "nodes, registers, columns and rows of what is made here from the machine's tables; cells \
              and everything from a proof are checked to have their shape before they are indexed"
)]
pub mod whir;

#[cfg(feature = "prover")]
pub use droste_lang::compiler;
pub use droste_lang::{executor, isa, precompile, record};
