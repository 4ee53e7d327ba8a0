//! The zkVM: instruction set, zk-DSL compiler, executor, machine tables, keys, and proving and
//! verifying one proof.

pub mod codec;
pub mod compiler;
pub mod executor;
pub mod heights;
pub mod isa;
pub mod key;
pub mod lookups;
pub mod machine;
pub mod precompile;
pub mod profile;
pub mod provable;
pub mod prover;
pub mod record;
pub mod report;
pub mod tables;
pub mod verifier;
