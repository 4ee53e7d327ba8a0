//! The zk-DSL and the machine that runs it: instruction set, compiler and executor.
//!
//! Without the feature `compiler`, which is on by default, this is the instruction set and the
//! precompiles: all that a verifier needs.
//!
//! This crate knows no tables and no proofs, so that programs can be compiled and run without
//! building a prover. `droste_vm` proves the runs.

// What comes from outside (proofs, programs, inputs, arguments) must end in an error, never in a
// panic. Where one of these calls is used nevertheless, an attribute says why it cannot panic.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout))]
// What only the compiler and its executor call.
#![cfg_attr(not(feature = "compiler"), allow(dead_code, unused_imports))]

#[cfg(feature = "compiler")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "numbers of items, variables, areas and calls index lists that the same pass made; if \
              one were wrong, the panic of the compiler's thread would be a `CompileError`"
)]
pub mod compiler;
pub mod executor;
pub mod isa;
pub mod precompile;
pub mod record;
