//! The zk-DSL and the machine that runs it: instruction set, compiler and executor.
//!
//! Nothing here knows tables or proofs, so that a program can be compiled and run without building a
//! prover; `droste_vm` proves the runs.

pub mod compiler;
pub mod executor;
pub mod isa;
pub mod precompile;
pub mod record;
