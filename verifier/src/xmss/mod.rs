//! Aggregation of XMSS signatures: who of a registry has signed a message in a slot.
//!
//! A [`Registry`] is a list of public keys. A *signature batch* is any number of signatures of one
//! message in one slot by keys of a registry. [`SignatureBatchProgram`] is the program that
//! verifies a batch, and [`SignatureBatchProver`] makes its proofs. What they say is a
//! [`SignersClaim`]: slot, message, registry, the digest of the set of [`Signers`], and their
//! number.
//!
//! [`SignatureFold`] unites batches, of one aggregator or of several: its rules count each signer
//! once, however often a signature was proved ([`crate::fold`]). Whoever verifies the fold knows
//! scheme and registry, and needs no signature, key of a proof or list of claims.

mod batch;
mod fold;
mod program;
mod prover;
mod registry;
mod signers;
#[cfg(test)]
mod tests;

pub use batch::{SignatureBatch, SignatureBatchError};
pub use fold::{DEFAULT_BATCH, SignatureFold, SignatureFoldError, SignersError, Wanted};
pub use program::{MAX_BATCH, MAX_LOG_KEYS, SignatureBatchProgram, SignatureBatchProgramError};
pub use prover::SignatureBatchProver;
pub use registry::{Registry, RegistryError, key_block};
pub use signers::{PlacesError, Signers, SignersClaim};
