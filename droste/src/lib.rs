//! Proofs that verify proofs: everything a user of Droste imports, in one crate.
//!
//! The work is done in the crates below, each of which can be used alone; this one gathers their
//! names by topic and adds a [`prelude`] with the names that most programs need.
//!
//! | topic | what it is for |
//! |---|---|
//! | [`hash`] | the three hashes, and the proof configuration that each gives Plonky3's provers |
//! | [`table`] | AIR tables of those hashes |
//! | [`program`] | programs in the zk-DSL: compile them, and run them in the machine and natively |
//! | [`both_ways`] | test such a program: both runs must agree, and no hint may be false unnoticed |
//! | [`machine`] | prove and verify runs; declare a machine with precompiles of your own |
//! | [`recursion`] | verify proofs inside proofs: wrap, join, and the keys and claims of what results |
//! | [`cost`] | measure what verifying a proof costs in-circuit |
//! | `curves` | multi-scalar multiplication and commitments (feature `curves`) |
//! | [`plonky3`] | the crates of Plonky3, at the one version that Droste is built on |
//!
//! Without the feature `prover`, which is on by default, there are `hash`, `program`, `both_ways` and
//! `plonky3`: enough to write and test programs, and built in seconds.
//!
//! # From a program to one proof
//!
//! A program is proved twice, each proof is verified in a proof, and those are joined. The parameters
//! are insecure; [`Preset::Proven100`](hash::Preset) is for use.
//!
#![cfg_attr(feature = "prover", doc = "```no_run")]
#![cfg_attr(not(feature = "prover"), doc = "```ignore")]
//! use droste::prelude::*;
//!
//! let text = "
//!     use droste_gadgets::prelude::*;
//!     pub fn main() {
//!         let x = public_input();
//!         reveal(x * x);
//!     }";
//! let program = compile(text)?;
//! let aggregator = Aggregator::for_preset(Preset::Toy, 2)?;
//! let options = ProveOptions {
//!     settings: *aggregator.settings(),
//!     heights: Heights::Minimal,
//! };
//! let mut wraps = vec![];
//! for x in [F::from_u32(5), F::from_u32(7)] {
//!     let run = execute(&program, &[x], &Tape::default(), 1 << 16)?;
//!     let proof = prove_program::<Poseidon16Family>(&program.program, &run, &options)?;
//!     let proof = VerifiedProof::of_program(proof, &program.program, &[x], 0, DEFAULT_LIMIT)?;
//!     wraps.push(aggregator.wrap(&proof, |_| ())?);
//! }
//! let one = aggregator.join(wraps)?;
//! println!("{} proofs in one, with key {}", one.tree().leaves().len(), one.key());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` has one program for each topic.

pub mod both_ways;
pub mod prelude;
pub mod program;

/// The three hashes, and the proof configuration that each gives Plonky3's provers.
pub mod hash {
    pub use droste_native::blake3::{Blake3, Blake3Stream};
    pub use droste_native::keccak::Keccak256;
    pub use droste_native::poseidon16::Poseidon16;
    pub use droste_native::security::{
        Preset, SecurityReport, TableShape, proven_security, smallest_queries,
    };
    pub use droste_native::{
        Blake3Family, Config, EF, F, FriSettings, HashFamily, HashId, KeccakFamily,
        Poseidon16Family, SettingsError, config,
    };
}

/// AIR tables of the hashes, each usable alone with p3-uni-stark.
#[cfg(feature = "prover")]
pub mod table {
    pub use droste_air::{TraceError, blake3, keccak, poseidon16};
}

/// Proving and verifying one run of one program, and machines with precompiles of one's own.
#[cfg(feature = "prover")]
pub mod machine {
    pub use droste_vm::codec;
    pub use droste_vm::heights::Heights;
    pub use droste_vm::key::{Key, KeyDigest, KeyError, ProvingKey};
    pub use droste_vm::machine::{
        Machine, MachineError, MachineTables, Provable, StandardTables, custom_precompiles,
    };
    pub use droste_vm::prover::{Proof, ProveError, ProveOptions, prove, prove_with_key};
    pub use droste_vm::tables;
    pub use droste_vm::verifier::{
        DEFAULT_LIMIT, Report, Verifier, VerifyError, verify, verify_program,
    };
    // The macros that declare a machine; the modules of these names come with them.
    pub use droste_vm::{machine, provable};
}

/// Proofs that verify proofs: of programs, of your own AIRs, and of such proofs again.
#[cfg(feature = "prover")]
pub mod recursion {
    pub use droste_verifier::aggregate::{
        Accepted, Aggregate, AggregateError, Aggregator, Run, Step, UnverifiedAggregate,
        VerifiedProof,
    };
    pub use droste_verifier::claim::{Claim, ClaimError, ClaimTree};
    pub use droste_verifier::driver::{
        AirKey, AirProgram, BatchAir, BatchDriver, DriverError, Seed, UniAir, UniDriver,
    };
    pub use droste_verifier::file;
    pub use droste_verifier::keys::{Cache, ClaimedKeys, Deriver, KeySet, KeysError};
    pub use droste_verifier::recursion::{Recursion, RecursionError};
    pub use droste_verifier::tape::TapeFamily;
}

/// What verifying a proof costs in-circuit.
#[cfg(feature = "prover")]
pub mod cost {
    pub use droste_verifier::cost::{
        Cost, CostError, Leaf, Permutations, Request, TableCost, leaf, measure,
    };
}

/// Multi-scalar multiplication and commitments over elliptic curves, and the arkworks crates of
/// those curves.
#[cfg(feature = "curves")]
pub mod curves {
    pub use droste_native::commit::{CommitError, ipa, kzg, pedersen, srs};
    pub use droste_native::msm::{Msm, MsmCurve, MsmError, msm, msm_batch, msm_bigint};
    pub use {ark_bls12_381, ark_bn254, ark_ec, ark_ff, ark_grumpkin, ark_pallas, ark_vesta};
}

/// The crates of Plonky3, at the one version that Droste is built on.
pub mod plonky3 {
    pub use {p3_air, p3_field, p3_matrix, p3_uni_stark};
    #[cfg(feature = "prover")]
    pub use {p3_batch_stark, p3_lookup};
}
