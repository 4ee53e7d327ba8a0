//! Verifiers, one source for all shapes and hashes, a folder for each proof system.
//!
//! | folder | verifies |
//! |---|---|
//! | [`fri`] | proofs over FRI: p3-batch-stark and p3-uni-stark |
//! | [`whir`] | proofs over WHIR: runs of the machine, wraps and joins |
//! | [`binary`] | proofs over GF(2^128) about lists of calls, Merkle paths and what queries open |
//!
//! [`recursion`] has the entry points of recursion programs, which verify proofs and reveal a claim.

pub mod binary;
pub mod fri;
pub mod opened;
pub mod recursion;
pub mod whir;
