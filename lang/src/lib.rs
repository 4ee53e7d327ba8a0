//! The zk-DSL and the machine that runs it: instruction set, compiler and executor.
//!
//! Nothing here knows tables or proofs, so that a program can be compiled and run without building a
//! prover; `droste_vm` proves the runs.

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

#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "numbers of items, variables, areas and calls, into the lists that the same pass made; \
              should one be wrong, a panic of the compiler's thread is a `CompileError`"
)]
pub mod compiler;
pub mod executor;
pub mod isa;
pub mod precompile;
pub mod record;
