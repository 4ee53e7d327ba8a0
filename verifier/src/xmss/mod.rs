//! Aggregation of XMSS signatures: programs that verify batches of them, and what their proofs say.
//!
//! A *batch* is any number of signatures of one message in one slot. [`SignatureBatchProgram`] is the
//! program that verifies a batch: its proofs are leaves that [`crate::aggregate`] and
//! [`crate::plan`] join with any others. [`SignatureBatchClaim`] is what the proof of a batch says: these
//! keys, in this order, signed this message in this slot. Its digest is the statement of the proof.
//!
//! [`SignatureBatchProver`] makes the proofs. [`SignatureClaims`] are the claims of all batches of an
//! aggregate, which [`SignatureClaims::check`] compares with it.
//!
//! Who has the claim of an aggregate checks with [`SignatureBatchMember`] and a
//! [`crate::member::Membership`] that a key signed a message in a slot, without the other keys and
//! without any signature.

mod batch;
mod claim;
mod claims;
mod program;
mod prover;
mod settings;
#[cfg(test)]
mod tests;
mod wanted;

pub use batch::{SignatureBatch, SignatureBatchError};
pub use claim::{SignatureBatchClaim, SignatureBatchMember, SignatureBatchMemberError, key_block};
pub use claims::{SignatureClaims, SignatureClaimsError};
pub use program::{MAX_LOG_KEYS, SignatureBatchProgram, SignatureBatchProgramError};
pub use prover::{SignatureBatchProofError, SignatureBatchProver};
pub use settings::{MAX_LOG_ROWS, TooManyRows};
pub use wanted::Wanted;
