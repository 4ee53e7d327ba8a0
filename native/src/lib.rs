//! Native hashers of Droste and the proof configurations built on them.
//!
//! - `changes`, with the feature `changes`: changed values, which verifiers must refuse.
//! - [`codec`]: how proofs and other values are written to files, and read within bounds of memory.
//! - [`field`]: the base field and the challenge fields, and those of proofs over BabyBear.
//! - [`files`]: files that users name, read within limits and written whole or not at all.
//! - [`gkr`]: the GKR protocol for sums of fractions, which lookup arguments (LogUp) reduce to.
//! - [`hash`]: Poseidon-16, Poseidon2, Blake3, Keccak-256, and how field elements become bytes.
//! - [`hash_signature`]: XMSS signatures over Poseidon-16.
//! - [`stark`]: proof configurations of these hashes, their transcripts, and proven bits.
//! - [`lanes`]: elements of both fields in lanes.
//! - [`precompile`]: the native function of every precompile of the machine.
//! - `threads`, with the feature `prover`: the threads that provers share.
//! - [`visit`]: the order of the parts of a proof over WHIR.
//! - [`whir`]: the WHIR commitment to multilinear polynomials.
//!
//! Without the feature `proofs`, which `prover` turns on, there are only [`field`], [`hash`] and
//! [`precompile`]: what programs need to run.
//!
//! # Proving an AIR
//!
//! Each hash takes three lines: a configuration, made from its suite and FRI settings, a proof, and
//! its verification.
//!
//! ```
//! use droste_native::{Blake3Suite, F, FriSettings, KeccakSuite, Poseidon16Suite, config};
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
//! let blake3 = config::<Blake3Suite>(&settings, &seed)?;
//! let proof = prove(&blake3, &Doubling, trace.clone(), &public)?;
//! verify(&blake3, &Doubling, &proof, &public)?;
//!
//! let keccak = config::<KeccakSuite>(&settings, &seed)?;
//! let proof = prove(&keccak, &Doubling, trace.clone(), &public)?;
//! verify(&keccak, &Doubling, &proof, &public)?;
//!
//! let poseidon16 = config::<Poseidon16Suite>(&settings, &seed)?;
//! let proof = prove(&poseidon16, &Doubling, trace, &public)?;
//! verify(&poseidon16, &Doubling, &proof, &public)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Input from outside (proofs, programs, inputs, arguments) must lead to an error, never to a panic.
// Where one of the following is used nevertheless, an attribute says why such input cannot reach
// it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout))]

#[cfg(any(test, feature = "changes"))]
pub mod changes;
#[cfg(feature = "proofs")]
pub mod codec;
#[cfg(feature = "proofs")]
mod compiled;
pub mod field;
#[cfg(feature = "prover")]
pub mod files;
#[cfg(feature = "proofs")]
pub mod gkr;
pub mod hash;
#[cfg(feature = "prover")]
pub mod hash_signature;
#[cfg(feature = "prover")]
pub mod lanes;
mod named;
pub mod precompile;
mod processor;
#[cfg(feature = "proofs")]
pub mod stark;
#[cfg(feature = "prover")]
pub mod threads;
#[cfg(feature = "proofs")]
mod transpose;
#[cfg(feature = "proofs")]
pub mod visit;
#[cfg(feature = "proofs")]
pub mod whir;

pub use field::{
    AnyChallenge, BabyBear, BabyBear4, BaseField, Challenge, ChallengeField, DIGEST, EF, EF4, F,
};
pub use processor::{baseline_warning, kernels, log_baseline_warning, processor_features};
#[cfg(feature = "proofs")]
pub use stark::config::{FriSettings, SettingsError, config};
#[cfg(feature = "proofs")]
pub use stark::suite::{
    Blake3Suite, Commitment, Config, HashId, HashSuite, KeccakSuite, Poseidon2Suite,
    Poseidon16Suite,
};
#[cfg(feature = "proofs")]
pub use transpose::transpose;
