//! Proof configurations: a hash suite and FRI settings, in the form that Plonky3's provers take.
//!
//! - [`suite`]: one trait for the four hashes, Poseidon-16, Poseidon2, Blake3 and Keccak-256, each
//!   with its Merkle trees and its transcript.
//! - [`config`](mod@config): FRI settings and the configuration that Plonky3's provers take.
//! - [`challenger`]: the transcripts, with deterministic grinding.
//! - [`security`]: proven bits of a proof, and presets.

pub mod challenger;
pub mod config;
pub mod security;
pub mod suite;
