//! Fiat-Shamir transcripts whose proof-of-work is deterministic.
//!
//! Both challengers run the transcript of Plonky3 0.8.0 to the byte, so a stock verifier accepts our
//! proofs and ours accept a stock prover's. They differ in one thing: `grind` returns the *smallest*
//! passing nonce, at any number of threads, where Plonky3 returns whichever a thread finds first.
//! Where none passes, it unwinds to [`with_grinding`], which every prover here runs in.

mod bytes;
mod field;
mod search;

pub use bytes::{ByteChallenger, ByteTranscript};
pub use field::Poseidon16Challenger;
pub use search::{NoNonce, with_grinding};
