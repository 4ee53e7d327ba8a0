//! The hash functions of leaves, parents and transcripts. Nothing here depends on a proof system.
//!
//! - [`poseidon16`]: the permutation, its compression function, and hashes of slices and bytes.
//! - [`poseidon2`]: the permutations with which most Plonky3 proofs are committed.
//! - [`blake3`](mod@blake3), [`keccak`]: the byte hashes.
//! - [`encoding`]: how field elements become bytes.
//! - [`commitment`]: commitments to elements, which programs make, too.

pub mod blake3;
pub mod commitment;
pub mod encoding;
#[allow(
    clippy::indexing_slicing,
    reason = "lanes of the permutation's state of 25, bytes of one block"
)]
pub mod keccak;
pub mod poseidon2;

pub use droste_poseidon16 as poseidon16;

#[cfg(test)]
mod tests {
    pub(super) mod bytes;
    mod margins;
}
