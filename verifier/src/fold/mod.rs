//! Folds: recursion with the user's own logic.
//!
//! A *fold* is a family of *rules* with one type of state. A rule is a function of the user's in
//! the zk-DSL, from proofs to the state: of the same fold, of accepted programs (*leaves*), or of
//! another fold. The proof of a rule, a *node*, says: somebody has valid proofs on whose states
//! this function returns this state. So one proof of constant size says what any number of proofs
//! mean together, and is verified against a constant key.
//!
//! # Construction
//!
//! Each rule is a program of the recursion machine R, around the user's function
//! (`droste_gadgets::fold`). Its runs are proved at the fold's one shape, so every rule takes the
//! proofs of every rule as children. A run
//!
//! - reads the list of the rules' keys ([`Family`]) as a hint, and hashes it to the *fold key*;
//! - verifies each child under a key of which it knows all but the commitment to the program;
//! - of a child that is a node: requires that its key is in the list, and that its statement is the
//!   digest of the same fold key, of counters in their ranges, and of a state;
//! - of a child that is a leaf: requires that it is a proof of the last of the wraps that the rule
//!   names, and that the wraps verified a proof of the accepted program;
//! - calls the function, and reveals the digest of fold key, counters and state ([`statement`]).
//!
//! No key is a constant of its own program: the statement binds the list, and whoever verifies the
//! root compares the digest of that list with the fold key that they expect. That is
//! [`UnverifiedFold::verify`], or [`FoldVerifier`] for many folds. Whoever believes a fold key must
//! have it from the rules' source, from which anyone derives it, or from somebody whom they believe.
//!
//! # What it shows
//!
//! The counters show that there are finitely many proofs below, because those of a child are fewer
//! than its parent's, as integers, and each proof is accepted by the one above it. The bits are
//! those of all of them together, by the union bound over the counters, which are proven
//! ([`Accepted::tree_bits`]).
//!
//! Without the feature `prover`, this is what verifies folds.

#[cfg(feature = "prover")]
pub mod audit;
#[cfg(feature = "prover")]
mod build;
#[cfg(feature = "prover")]
mod circuits;
#[cfg(feature = "prover")]
mod compiled;
mod error;
#[cfg(feature = "prover")]
mod exit;
#[cfg(feature = "prover")]
mod foreign;
#[cfg(feature = "prover")]
mod instance;
mod joined;
#[cfg(feature = "prover")]
mod leaf;
#[cfg(feature = "prover")]
mod paper;
#[cfg(feature = "prover")]
pub mod plan;
#[cfg(feature = "prover")]
mod prove;
#[cfg(feature = "prover")]
mod recipe;
#[cfg(feature = "prover")]
mod shape;
#[cfg(feature = "prover")]
mod source;
mod statement;
#[cfg(feature = "prover")]
mod tape;
mod verified;
mod verifier;

#[cfg(feature = "prover")]
pub use build::{Fold, FoldBuilder};
pub use error::{FamilyError, RefusedFold};
#[cfg(feature = "prover")]
pub use error::{FoldError, LeafKindError};
#[cfg(feature = "prover")]
pub use exit::FoldExit;
#[cfg(feature = "prover")]
pub use foreign::ForeignFold;
pub use joined::{FoldClaim, FoldLeafError};
#[cfg(feature = "prover")]
pub use leaf::{LeafKind, LeafPath, LeafProgram, MAX_PATHS, Wrap};
#[cfg(feature = "prover")]
pub use paper::{Paper, PaperChild, PaperRun};
#[cfg(feature = "prover")]
pub use prove::{Child, ForeignChild};
#[cfg(feature = "prover")]
pub use recipe::{
    FamilyRecipe, ForeignRecipe, LeafRecipe, PathRecipe, RECIPE_VERSION, RuleInfo, SourceDigest,
};
#[cfg(feature = "prover")]
pub use shape::{Room, TableRoom};
#[cfg(feature = "prover")]
pub use source::{RuleSignature, Slot, Source};
pub use statement::{
    Counters, Family, MAX_BLOCKS, MAX_COUNT, MAX_RULES, StateError, state_of, statement,
};
pub use verified::{Accepted, Folded, Options, UnverifiedFold};
pub use verifier::FoldVerifier;

/// Largest number of children of a rule. That counters of so many do not reach the modulus when
/// they are added is a part of the argument that a fold is finite.
pub const MAX_SLOTS: usize = 16;

/// Largest number of bytes of the files of a fold's rules together: 1 MiB. It bounds the work of
/// compiling them.
#[cfg(feature = "prover")]
pub const MAX_SOURCE: usize = 1 << 20;
