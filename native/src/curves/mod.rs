//! Arithmetic on elliptic curves and over large primes (feature `curves`).
//!
//! - [`msm`]: multi-scalar multiplication on arkworks curves.
//! - [`commit`]: Pedersen, KZG and IPA commitments, built on it.
//! - [`poseidon_prime`]: Poseidon over large primes.

pub mod commit;
mod mont4;
pub mod msm;
pub mod poseidon_prime;
