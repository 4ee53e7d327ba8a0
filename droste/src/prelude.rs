//! The names that most programs need: `use droste::prelude::*`.
//!
//! Where several crates have a function of one name, it says here what it proves: `prove_air` is
//! p3-uni-stark's, `prove_batch` is p3-batch-stark's, and `prove_program` proves the run of a
//! zk-DSL program.
//!
//! The names that a zk-DSL program itself needs are others: `use droste_gadgets::prelude::*`.

pub use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
pub use p3_field::{PrimeCharacteristicRing, PrimeField32};
pub use p3_matrix::Matrix;
pub use p3_matrix::dense::RowMajorMatrix;
pub use p3_uni_stark::{prove as prove_air, verify as verify_air};

pub use crate::hash::{
    Blake3Family, EF, F, FriSettings, HashFamily, HashId, KeccakFamily, Poseidon16Family, Preset,
    config,
};
pub use crate::program::{Compiled, Execution, Tape, compile, execute};

#[cfg(feature = "prover")]
pub use p3_batch_stark::{StarkInstance, prove_batch, verify_batch};
#[cfg(feature = "prover")]
pub use p3_lookup::{Count, InteractionBuilder, LookupBus};

#[cfg(feature = "prover")]
pub use crate::cost::{Cost, Request, measure};
#[cfg(feature = "prover")]
pub use crate::machine::{
    DEFAULT_LIMIT, Heights, KeyDigest, Proof, ProveOptions, StandardTables, prove as prove_program,
    verify as verify_proof, verify_program,
};
#[cfg(feature = "prover")]
pub use crate::recursion::{
    Aggregate, Aggregator, BatchDriver, Deriver, Seed, UniDriver, VerifiedProof,
};

#[cfg(feature = "curves")]
pub use crate::curves::{Msm, msm};
