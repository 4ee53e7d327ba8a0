//! The hashes in which proofs are committed: digests, Merkle trees and transcripts of each.
//!
//! [`hash`] has the traits that verifiers are generic in. [`poseidon16`], [`poseidon2`], [`blake3`]
//! and [`keccak`] implement them, on the challengers of [`duplex`], for hashes of elements, and of
//! [`bytes`], for hashes of bytes. [`keccak_sponge`] is for trees only: their proofs have the
//! challenger of [`keccak`]. [`poseidon2_16`] and [`poseidon2_24`] have round constants that the
//! program gives, and are for proofs of other people's provers. [`baby_bear`] has the trees of proofs
//! over BabyBear in the hashes of bytes.

pub mod baby_bear;
pub mod blake3;
pub mod bytes;
pub mod duplex;
pub mod hash;
pub mod keccak;
pub mod keccak_sponge;
pub mod poseidon16;
pub mod poseidon2;
pub mod poseidon2_16;
pub mod poseidon2_24;
