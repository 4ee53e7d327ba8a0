//! AIR tables for Poseidon-16, Blake3 and Keccak.
//!
//! One folder per hash: columns, constraints, trace. Each is usable alone with `p3-uni-stark`, or
//! with `p3-batch-stark`, where it offers its inputs and outputs as messages on a bus. The tables
//! know nothing of any machine.
//!
//! ```
//! use droste_air::keccak::{self, KeccakAir};
//! use droste_native::{Blake3Family, FriSettings, config};
//! use p3_uni_stark::{prove, verify};
//!
//! let settings = FriSettings { num_queries: 20, ..FriSettings::toy() };
//! let config = config::<Blake3Family>(&settings, &[])?;
//! let trace = keccak::generate_permutations(&[[0; 25], [7; 25]], None)?;
//! let proof = prove(&config, &KeccakAir, trace, &[])?;
//! verify(&config, &KeccakAir, &proof, &[])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blake3;
pub mod columns;
mod error;
pub mod keccak;
pub mod limb;
pub mod poseidon16;
#[cfg(any(test, feature = "test-utils"))]
pub mod test_utils;

pub use error::TraceError;
