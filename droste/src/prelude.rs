//! The names that most programs need: `use droste::prelude::*`.
//!
//! Several crates have a function `prove`. Here the names say what is proved: `prove_air` is
//! p3-uni-stark's, `prove_batch` is p3-batch-stark's, and `prove_program` proves the run of a
//! zk-DSL program over FRI.
//!
//! A zk-DSL program imports other names: `use droste_gadgets::prelude::*`.

pub use p3_field::{PrimeCharacteristicRing, PrimeField32};

pub use crate::hash::{EF, F};
pub use crate::program::{Compiled, Execution, Tape, compile, execute};

#[cfg(feature = "proofs")]
pub use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
#[cfg(feature = "proofs")]
pub use p3_matrix::{Matrix, dense::RowMajorMatrix};
#[cfg(feature = "proofs")]
pub use p3_uni_stark::{prove as prove_air, verify as verify_air};

#[cfg(feature = "proofs")]
pub use crate::hash::{
    Blake3Suite, FriSettings, HashId, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
    Preset, WhirSettings, config,
};

#[cfg(feature = "prover")]
pub use p3_batch_stark::{StarkInstance, prove_batch, verify_batch};
#[cfg(feature = "prover")]
pub use p3_lookup::{Count, InteractionBuilder, LookupBus};

#[cfg(feature = "prover")]
pub use crate::cost::{Cost, Request, measure};
#[cfg(feature = "prover")]
pub use crate::fold::Fold;
#[cfg(feature = "prover")]
pub use crate::machine::{
    Heights, KeyDigest, Proof, ProveOptions, StandardTables, VerifyOptions, prove as prove_program,
    verify as verify_proof, verify_program,
};
#[cfg(feature = "prover")]
pub use crate::recursion::{
    AcceptedLeaves, Aggregate, Aggregator, BatchCircuit, Deriver, Openings, Seed, UniCircuit,
    VerifiedProof,
};

#[cfg(feature = "curves")]
pub use crate::curves::{Msm, msm};
