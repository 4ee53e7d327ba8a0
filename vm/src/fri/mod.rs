//! Batch STARKs over FRI: the machine's tables proved by Plonky3's batch-STARK prover.
//!
//! The other proof stack is [`crate::whir`], the default of programs. [`crate::stack`] has one trait
//! for both provers and one for both verifiers.

mod codec;
mod key;
pub(crate) mod one_folder;
#[doc(hidden)]
pub mod point_folder;
pub mod provable;
mod prover;
mod verifier;

pub(crate) use codec::KIND;
pub use codec::{MAGIC, decode, encode};
pub use key::{FORMAT_VERSION, KEY_TAG, MACHINE_TAG, ProvingKey};
pub use prover::{Proof, ProveOptions, log_heights, prove, prove_traces, prove_with_key, traces};
pub use verifier::{Verifier, verify};
