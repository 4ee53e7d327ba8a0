//! Proofs that verify proofs: the one crate that users of Droste import.
//!
//! The crates below it do the work, and each can be used alone. This crate gathers their names by
//! topic and adds a [`prelude`] with the names that most programs need.
//!
//! | topic | what it is for |
//! |---|---|
//! | [`hash`] | the four hash suites, each with a configuration for Plonky3's provers |
//! | [`table`] | AIR tables of those hashes |
//! | [`program`] | programs in the zk-DSL: compile them, and run them in the machine and natively |
//! | [`both_ways`] | test such a program: both runs must agree, and false hints must be detected |
//! | [`machine`] | prove and verify runs; declare a machine with precompiles of your own |
//! | [`recursion`] | wrap and join proofs, and check keys and claims of the result |
//! | [`plan`] | aggregate any number of proofs, here or on many machines |
//! | [`fold`] | functions of your own, run on what proofs say while these are verified |
//! | [`signatures`] | sign with XMSS, and prove who of a registry has signed |
//! | [`cost`] | measure what verifying a proof costs in-circuit |
//! | `hashes` | proofs of lists and graphs of hash calls, and of Merkle paths (feature `hashes`) |
//! | `contracts` | contracts that verify last proofs in the EVM (feature `contracts`) |
//! | `curves` | multi-scalar multiplication and commitments (feature `curves`) |
//! | `threads` | the threads that provers share: as many as can be started |
//! | [`plonky3`] | the crates of Plonky3, at the one version that Droste is built on |
//!
//! Without the feature `prover`, which is on by default, the crate has `program`, `both_ways`, the
//! functions in `hash`, and the field in `plonky3`, which are enough to write and test programs and
//! build in about 45 s of CPU time. The feature `proofs` adds the rest of `hash` and what
//! p3-uni-stark needs.
//!
//! An error says what is wrong, and its `source` why: `causes` joins them, as the command does.
//!
//! # From a program to one proof
//!
//! Two runs of a program are proved over FRI, each proof is wrapped, and the wraps are joined. The
//! parameters are insecure. In production use [`Preset::Proven120`](hash::Preset), the default of
//! the command: a join at `Proven100` has fewer than the 100 bits that a whole tree must have by
//! default.
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
//! let aggregator = Aggregator::for_preset(Preset::Toy, 2);
//! let options = ProveOptions {
//!     settings: Preset::Toy.settings(2)?,
//!     heights: Heights::Minimal,
//! };
//! let insecure = VerifyOptions::min_bits(0);
//! let mut wraps = vec![];
//! for x in [F::from_u32(5), F::from_u32(7)] {
//!     let run = execute(&program, &[x], &Tape::default(), 1 << 16)?;
//!     let proof = prove_program::<Poseidon16Suite>(&program, &run, &options)?;
//!     let proof = VerifiedProof::of_program(proof, &program, &[x], insecure)?;
//!     wraps.push(aggregator.wrap(&proof)?);
//! }
//! let one = aggregator.join(wraps)?;
//! println!("{} proofs in one, with key {}", one.tree().leaves().len(), one.key());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The folder `examples` has a program for most topics.

pub mod both_ways;
pub mod prelude;
pub mod program;

#[cfg(feature = "prover")]
pub use droste_native::threads;
#[cfg(feature = "prover")]
pub use droste_verifier::summary::causes;

/// The four hashes, and with the feature `proofs` their suites, each with a configuration for
/// Plonky3's provers.
pub mod hash {
    pub use droste_native::hash::blake3::{Blake3, Blake3Stream};
    pub use droste_native::hash::keccak::Keccak256;
    pub use droste_native::hash::poseidon2::Constants as Poseidon2Constants;
    pub use droste_native::hash::poseidon16::Poseidon16;
    pub use droste_native::{EF, F, baseline_warning, kernels};

    #[cfg(feature = "proofs")]
    pub use droste_native::stark::security::{
        Preset, Security, TableShape, decimals, proven_security, smallest_queries,
    };
    #[cfg(feature = "proofs")]
    pub use droste_native::whir::WhirSettings;
    #[cfg(feature = "proofs")]
    pub use droste_native::{
        Blake3Suite, Config, FriSettings, HashId, HashSuite, KeccakSuite, Poseidon2Suite,
        Poseidon16Suite, SettingsError, config,
    };
}

/// AIR tables of the hashes, each usable alone with p3-uni-stark, and what tables of your own are
/// made of: named columns ([`columns!`](table::columns!)), ranges
/// ([`byte_pairs`](table::byte_pairs), [`limb`](table::limb)), and [`End`](table::End), what follows
/// a last row. With the feature `test-utils`, `test_utils` has harnesses that find cells which no
/// constraint binds.
#[cfg(feature = "prover")]
pub mod table {
    #[cfg(feature = "test-utils")]
    pub use droste_air::test_utils;
    pub use droste_air::{
        End, TraceError, blake3, byte_pairs, columns, keccak, limb, poseidon2, poseidon16,
    };
}

/// Proving and verifying one run of one program, over FRI or over WHIR (`whir`), and machines with
/// precompiles of your own. Where stack and hash of a proof are known only from its bytes, `proofs`
/// chooses them.
#[cfg(feature = "prover")]
pub mod machine {
    pub use droste_native::codec;
    pub use droste_verifier::{program_keys, proofs};
    pub use droste_vm::fri::{
        Proof, ProveOptions, ProvingKey, Verifier, prove, prove_with_key, verify,
    };
    pub use droste_vm::heights::Heights;
    pub use droste_vm::key::{Key, KeyDigest, KeyError};
    pub use droste_vm::machine::{
        Machine, MachineError, MachineTables, Provable, StandardTables, custom_precompiles,
    };
    pub use droste_vm::stack::{
        Parameters, Prove, ProveError, Proves, RunProof, Stack, StackSettings, Verify,
    };
    pub use droste_vm::verifier::{Report, VerifyError, VerifyOptions, verify_program};
    pub use droste_vm::{tables, whir};
    // The macros that declare a machine; the modules of these names come with them.
    pub use droste_vm::{machine, provable};
}

/// Recursion over proofs of programs, proofs of your own AIRs, and recursion proofs.
#[cfg(feature = "prover")]
pub mod recursion {
    pub use droste_verifier::aggregate::{
        AcceptError, Accepted, Aggregate, AggregateError, AggregateOptions, Aggregator, BitsError,
        Exit, Step, UnverifiedAggregate, VerifiedProof, exit_statement,
    };
    pub use droste_verifier::airs::{
        AirCircuit, AirError, AirKey, BatchAir, BatchCircuit, ConstantsError, HidingTrees, Known,
        RoundConstants, Salted, Seed, Stock, StockBatch, StockBatchAir, StockConfig, StockTrees,
        StockUni, StockUniAir, UniAir, UniCircuit,
    };
    pub use droste_verifier::circuit::{
        CircuitCache, CircuitError, CircuitKey, LeafProof, MachineProof, Openings,
        RecursionCircuit, Run,
    };
    pub use droste_verifier::claim::{AcceptedLeaves, Claim, ClaimError, ClaimTree};
    pub use droste_verifier::file;
    pub use droste_verifier::keys::{Cache, ClaimedKeys, Deriver, DigestKind, KeySet, KeysError};
    pub use droste_verifier::leaf_root;
    pub use droste_verifier::member::{Member, MemberError, Membership};
    pub use droste_verifier::tape::{FriConfig, TapeSuite, TreesId};
}

/// Aggregation of many proofs as tasks that any scheduler can run.
#[cfg(feature = "prover")]
pub mod plan {
    pub use droste_verifier::plan::*;
}

/// Folds: functions of your own, the *rules*, run on what proofs say while these are verified. One
/// proof then has one small state, whatever number of proofs is below it.
///
/// A rules file is zk-DSL ([`droste_gadgets::fold`]); [`Fold::of`](fold::Fold::of) reads it, and
/// [`both_ways::Rule`] tests it.
#[cfg(feature = "prover")]
pub mod fold {
    pub use droste_verifier::file::fold as file;
    pub use droste_verifier::fold::*;
}

/// XMSS signatures, and folds that show who of a registry has signed.
#[cfg(feature = "prover")]
pub mod signatures {
    pub use droste_native::hash_signature::{
        KeyFiles, Parameters, PublicKey, SecretKey, Signature, SignedMessage, StoreError,
        StoredKey, VerifyError, Xmss,
    };
    pub use droste_verifier::xmss::{
        DEFAULT_BATCH, MAX_BATCH, MAX_LOG_KEYS, PlacesError, Registry, RegistryError,
        SignatureBatch, SignatureBatchError, SignatureBatchProgram, SignatureBatchProgramError,
        SignatureBatchProver, SignatureFold, SignatureFoldError, Signers, SignersClaim,
        SignersError, Wanted,
    };
}

/// What verifying a proof costs in-circuit.
#[cfg(feature = "prover")]
pub mod cost {
    pub use droste_verifier::cost::{
        Cost, CostError, Leaf, OpeningsCost, Permutations, Request, TableCost, WrapCost,
        WrapRequest, calls_at_queries, cheaper_openings, is_batch_cheaper, leaf, measure,
        measure_file, measure_wrap,
    };
}

/// Proofs of lists and graphs of calls of BLAKE3, BLAKE2s and Keccak-f, and of Merkle paths in
/// these hashes. They are over GF(2^128), with trees and transcript in BLAKE3 or Poseidon-16.
///
/// A proof of calls or of paths in Poseidon-16 can be wrapped: a `BinaryCircuit` makes the run that
/// [`Aggregator::wrap_run`](recursion::Aggregator::wrap_run) takes. The others stand alone.
#[cfg(feature = "hashes")]
pub mod hashes {
    pub use droste_binary::file::{
        DecodeError, EncodeError, File, MAX_BYTES, PathsSummary, Summary, verify_file,
    };
    pub use droste_binary::{
        BinaryError, Blake3, GraphError, Hash, HashCalls, HashGraph, MIN_BITS, Output, Poseidon16,
        Proof, Source, Statement, StatementError, StatementShape, TreeHash, Witness, WitnessError,
        prove, verify,
    };
    pub use droste_native::stark::security::{BoundSummary, SecurityBound, SecurityTerm};

    /// Statements about Merkle paths.
    pub mod paths {
        pub use droste_binary::paths::{
            Digest, MAX_DEPTH, MerklePaths, Path, PathsError, SiblingsError, node,
        };
    }

    #[cfg(feature = "prover")]
    pub use droste_verifier::binary::{
        BinaryCircuit, BinaryCircuitError, CallingError, CallingProgram, CallsProverError,
        ShapeError, statement,
    };
    #[cfg(feature = "prover")]
    pub use droste_verifier::circuit::{BinaryShape, CallsShape, PathsShape};
}

/// Contracts that verify last proofs ([`recursion::Exit`]) in the EVM, and registries of their
/// leaves.
#[cfg(feature = "contracts")]
pub mod contracts {
    pub use droste_evm::{calldata, contract, registry};
}

/// Multi-scalar multiplication and commitments over elliptic curves, and the arkworks crates of
/// those curves.
#[cfg(feature = "curves")]
pub mod curves {
    pub use droste_curves::commit::{CommitError, ipa, kzg, pedersen, srs};
    pub use droste_curves::msm::{Msm, MsmCurve, MsmError, msm, msm_batch, msm_bigint};
    pub use {ark_bls12_381, ark_bn254, ark_ec, ark_ff, ark_grumpkin, ark_pallas, ark_vesta};
}

/// The crates of Plonky3, at the one version that Droste is built on.
pub mod plonky3 {
    pub use p3_field;
    #[cfg(feature = "proofs")]
    pub use {p3_air, p3_matrix, p3_uni_stark};
    #[cfg(feature = "prover")]
    pub use {p3_batch_stark, p3_lookup};
}
