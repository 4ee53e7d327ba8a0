//! Native hashers of Droste and the proof configurations built on them.
//!
//! - [`field`]: the base field and the challenge field.
//! - [`poseidon16`]: the permutation, its compression function, its hashes of slices and bytes.
//! - [`poseidon24`]: a wider leaf hasher.
//! - [`blake3`](mod@blake3), [`keccak`]: the byte hashes.
//! - [`insecure`]: constructions kept to be measured, not to be used.
//! - [`family`]: one trait, three hashes: Poseidon-16, Blake3, Keccak-256, each with its Merkle trees
//!   and its transcript.
//! - [`config`](mod@config): FRI settings and the configuration Plonky3's provers take.
//! - [`challenger`]: the transcripts, with deterministic grinding.
//! - [`security`]: proven bits of a proof, and presets.
//! - [`encoding`]: how field elements become bytes.
//! - `msm`, `commit`, `poseidon_prime` (feature `curves`): multi-scalar multiplication on arkworks
//!   curves, commitments on it, Poseidon over large primes.
//! - [`precompile`]: the native function of every precompile of the machine.
//!
//! # Proving an AIR
//!
//! A configuration is a hash family and FRI settings, in three lines:
//!
//! ```
//! use droste_native::{Blake3Family, F, FriSettings, KeccakFamily, Poseidon16Family, config};
//! use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
//! use p3_field::PrimeCharacteristicRing;
//! use p3_matrix::dense::RowMajorMatrix;
//! use p3_uni_stark::{prove, verify};
//!
//! /// One column that starts at the public value and doubles from row to row.
//! struct Doubling;
//!
//! impl<T> BaseAir<T> for Doubling {
//!     fn width(&self) -> usize {
//!         1
//!     }
//!     fn num_public_values(&self) -> usize {
//!         1
//!     }
//! }
//!
//! impl<AB: AirBuilder> Air<AB> for Doubling {
//!     fn eval(&self, builder: &mut AB) {
//!         let main = builder.main();
//!         let (now, next) = (main.current_slice()[0], main.next_slice()[0]);
//!         let first = builder.public_values()[0];
//!         builder.when_first_row().assert_eq(now, first);
//!         builder.when_transition().assert_eq(next, now + now);
//!     }
//! }
//!
//! let seed = []; // a key digest, in a real protocol
//! let settings = FriSettings { num_queries: 20, ..FriSettings::toy() };
//! let trace = RowMajorMatrix::new_col((0..8).map(|i| F::from_u32(3 << i)).collect());
//! let public = [F::from_u32(3)];
//!
//! let blake3 = config::<Blake3Family>(&settings, &seed)?;
//! let proof = prove(&blake3, &Doubling, trace.clone(), &public)?;
//! verify(&blake3, &Doubling, &proof, &public)?;
//!
//! let keccak = config::<KeccakFamily>(&settings, &seed)?;
//! let proof = prove(&keccak, &Doubling, trace.clone(), &public)?;
//! verify(&keccak, &Doubling, &proof, &public)?;
//!
//! let poseidon16 = config::<Poseidon16Family>(&settings, &seed)?;
//! let proof = prove(&poseidon16, &Doubling, trace, &public)?;
//! verify(&poseidon16, &Doubling, &proof, &public)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What comes from outside (proofs, programs, inputs, arguments) ends in an error, never in a panic: where
// one of these stands nevertheless, an attribute says why it cannot be reached.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

pub mod blake3;
pub mod challenger;
#[cfg(feature = "curves")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "scalars and points are the caller's own; `srs`, which reads files, is linted"
)]
pub mod commit;
pub mod config;
pub mod encoding;
pub mod family;
pub mod field;
#[allow(
    clippy::indexing_slicing,
    reason = "positions in the permutation's state of 16"
)]
pub mod insecure;
#[allow(
    clippy::indexing_slicing,
    reason = "lanes of the permutation's state of 25, bytes of one block"
)]
pub mod keccak;
#[cfg(feature = "curves")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "scalars and points are the caller's own: nothing is read from a file"
)]
mod mont4;
#[cfg(feature = "curves")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "scalars and points are the caller's own: nothing is read from a file"
)]
pub mod msm;
#[allow(
    clippy::indexing_slicing,
    clippy::unreachable,
    reason = "positions in the permutation's state of 16 and in its constants"
)]
pub mod poseidon16;
pub mod poseidon24;
#[cfg(feature = "curves")]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "scalars and points are the caller's own: nothing is read from a file"
)]
pub mod poseidon_prime;
pub mod precompile;
pub mod security;

pub use config::{FriSettings, SettingsError, config};
pub use family::{
    Blake3Family, Commitment, Config, HashFamily, HashId, KeccakFamily, Poseidon16Family,
};
pub use field::{DIGEST, EF, F};
