//! The zkVM: machine tables, keys, and proving and verifying one proof. Instruction set, zk-DSL
//! compiler and executor are `droste_lang`'s, and have their names here too.

pub mod codec;
pub mod heights;
pub mod key;
pub mod lookups;
pub mod machine;
pub mod profile;
pub mod provable;
pub mod prover;
pub mod report;
pub mod tables;
pub mod verifier;

pub use droste_lang::{compiler, executor, isa, precompile, record};
