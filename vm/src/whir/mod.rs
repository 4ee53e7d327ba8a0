//! The second proof stack: the machine's tables proved by sumcheck, LogUp with GKR, and WHIR.
//!
//! It stands beside batch STARKs over FRI ([`crate::fri`]) and proves the same traces of the same
//! tables, committed in any of the hashes. [`droste_native::gkr`] proves the sum of the messages'
//! fractions, [`droste_native::whir`] is the commitment. [`crate::stack`] has one trait for both
//! provers and one for both verifiers. What depends on the tables is here:
//!
//! - [`expressions`]: constraints and messages of a table, from Plonky3's symbolic expressions.
//! - [`program`]: straight-line programs that evaluate them.
//! - [`system`]: a machine's tables, the order of their columns, the place of their messages.
//! - [`cells`]: committed cells, and reading them row by row.
//! - [`challenges`], [`leaves`]: the challenges and the fractions of the lookup argument.
//! - [`faults`]: what is wrong with traces that have no proof.
//! - [`zerocheck`]: from a claim about these fractions, and the claim that constraints are zero, to
//!   values of the columns at one point.
//!
//! ```
//! use droste_native::F;
//! use droste_native::whir::WhirSettings;
//! use droste_vm::compiler::compile;
//! use droste_vm::executor::{Tape, execute};
//! use droste_vm::heights::Heights;
//! use droste_vm::verifier::VerifyOptions;
//! use droste_vm::machine::StandardTables;
//! use droste_vm::stack::Prove;
//! use droste_vm::whir::{ProvingKey, Verifier};
//! use p3_field::PrimeCharacteristicRing;
//!
//! let source = "use droste_gadgets::prelude::*;
//!     pub fn main() { let x = public_input(); reveal(x * x); }";
//! let compiled = compile(source, &[])?;
//! let execution = execute(&compiled, &[F::from_u32(12)], &Tape::default(), 1 << 16)?;
//!
//! let settings = WhirSettings::toy();
//! let key =
//!     ProvingKey::<StandardTables>::new(&compiled, settings, Heights::Minimal)?;
//! let proof = key.prove_run(&execution)?;
//!
//! let verifier = Verifier::<StandardTables>::new(key.key().clone())?;
//! let (says, insecure) = ([F::from_u32(12), F::from_u32(144)], VerifyOptions::min_bits(0));
//! let report = verifier.verify(&says, insecure, &proof)?;
//! assert_eq!(report.key, key.key().digest());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What differs from FRI
//!
//! The row after the last one is the last one again, and not row 0: see [`droste_air::End`]. Every
//! table that may be proved in both stacks must be sound in both (docs/notes/whir.md lists them). A
//! table of calls keeps a row of padding at its end, because the last row cannot be the end of a
//! call of several rows ([`Table::padded_rows`](crate::tables::Table::padded_rows)).

pub mod cells;
pub mod challenges;
mod codec;
pub mod expressions;
#[cfg(feature = "prover")]
pub mod faults;
pub mod hypercube;
mod key;
#[cfg(feature = "prover")]
pub mod leaves;
#[cfg(feature = "prover")]
pub mod program;
mod proof;
#[cfg(feature = "prover")]
mod prover;
#[cfg(feature = "prover")]
mod proving_key;
mod security;
pub mod system;
#[cfg(test)]
mod tests;
mod verifier;
mod visit;
pub mod zerocheck;

pub(crate) use codec::KIND;
pub use codec::{FILE_VERSION, MAGIC, MAX_BYTES, decode, encode, encoded_length};
pub use key::{FORMAT_VERSION, KEY_TAG, Key, MACHINE_TAG, Provable, Whir};
pub use proof::{Proof, StarkProof, claims};
#[cfg(feature = "prover")]
pub use proving_key::ProvingKey;
pub use verifier::Verifier;

#[cfg(feature = "prover")]
use crate::machine::StandardTables;
#[cfg(feature = "prover")]
use crate::stack::Prove;
#[cfg(feature = "prover")]
use crate::verifier::verify_one;

#[cfg(feature = "prover")]
droste_native::compiled! {
    H: encode::<H>, encoded_length::<H>, decode::<H>,
    ProvingKey::<StandardTables, H>::with_precompiles,
    ProvingKey::<StandardTables, H>::prove_traces_with,
    <ProvingKey<StandardTables, H> as Prove>::prove_run,
    <ProvingKey<StandardTables, H> as Prove>::prove_traces,
    Verifier::<StandardTables, H>::new, Verifier::<StandardTables, H>::of_machine,
    Verifier::<StandardTables, H>::shape, Verifier::<StandardTables, H>::verify_with,
    Verifier::<StandardTables, H>::security,
    verify_one::<Whir<H>, StandardTables>,
}
