//! Arithmetic on elliptic curves and over large primes, on arkworks types.
//!
//! - [`msm`]: multi-scalar multiplication.
//! - [`commit`]: Pedersen, KZG and IPA commitments, built on it.
//! - [`poseidon_prime`]: Poseidon over large primes.
//!
//! Nothing here runs in constant time, so scalars must not be secret.

// What `droste-native` warns about. `commit::srs`, which reads files, warns about it again.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "scalars and points are the caller's own; only `commit::srs` reads what others wrote"
)]

pub mod commit;
mod mont4;
pub mod msm;
pub mod poseidon_prime;
#[cfg(test)]
mod test_utils;
