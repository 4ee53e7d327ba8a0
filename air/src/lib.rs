//! AIR tables for Poseidon-16, Poseidon2, Blake3 and Keccak.
//!
//! There is one folder per hash, with its columns, constraints and trace generation. Each table
//! that needs no other one can be proved alone with `p3-uni-stark`; with `p3-batch-stark`, its form
//! with a bus also sends its inputs and outputs as messages to other tables. The tables do not
//! depend on any machine.
//!
//! ```
//! use droste_air::keccak::{self, KeccakAir};
//! use droste_native::{Blake3Suite, FriSettings, config};
//! use p3_uni_stark::{prove, verify};
//!
//! let settings = FriSettings { num_queries: 20, ..FriSettings::toy() };
//! let config = config::<Blake3Suite>(&settings, &[])?;
//! let trace = keccak::generate_permutations(&[[0; 25], [7; 25]], None)?;
//! let proof = prove(&config, &KeccakAir, trace, &[])?;
//! verify(&config, &KeccakAir, &proof, &[])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod blake3;
pub mod byte_pairs;
pub mod columns;
#[doc(hidden)]
pub mod declare;
mod end;
mod error;
pub mod keccak;
pub mod limb;
pub mod message;
pub mod pair_counts;
pub mod poseidon16;
pub mod poseidon2;
pub mod spread;
pub mod steps;
#[cfg(any(test, feature = "test-utils"))]
pub mod test_utils;
mod trace;

pub use end::End;
pub use error::{TraceError, TraceResult};
