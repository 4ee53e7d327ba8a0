//! Why a fold is refused, or cannot be made.

use droste_native::F;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyError;
use thiserror::Error;

use super::{MAX_BLOCKS, MAX_RULES};
use crate::aggregate::BitsError;
use crate::keys::{DigestKind, MAX_BITS, mistaken};

#[cfg(feature = "prover")]
mod making;
#[cfg(feature = "prover")]
pub use making::{FoldError, LeafKindError};

/// Why a fold is refused.
#[derive(Debug, Error)]
pub enum RefusedFold {
    /// The list of rules has another digest than the caller's.
    #[error("the fold key is {found}, expected {expected}{}", other_key(*.is))]
    Key {
        /// Fold key that the caller gave.
        expected: KeyDigest,
        /// Fold key of the list.
        found: KeyDigest,
        /// What the file has with the digest that the caller gave, if anything.
        is: Option<DigestKind>,
    },
    /// There is no such list of rules.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// A counter is out of its range.
    #[error("the counter `{what}` is {found}, expected {least} to {most}")]
    Counter {
        /// Name of the counter.
        what: &'static str,
        /// The counter.
        found: u32,
        /// The least that it may be.
        least: u32,
        /// The most that it may be.
        most: u32,
    },
    /// No state has so many blocks.
    #[error("the state has {0} blocks, expected 1 to {MAX_BLOCKS}")]
    Blocks(usize),
    /// The proof is of a program that is no rule of the fold.
    #[error("the proof has the key {0}, which is that of no rule of the fold")]
    Rule(KeyDigest),
    /// The statement of the proof is the digest of something else.
    #[error("the proof does not say these counters and this state")]
    Statement,
    /// The state is not the caller's.
    #[error(
        "the state is another one than expected, first in block {block}: lane {lane} is {found}, \
         expected {expected}"
    )]
    State {
        /// Number of the first block that differs, from 0.
        block: usize,
        /// Number of its first element that differs, from 0.
        lane: usize,
        /// The element.
        found: F,
        /// The element that the caller expects.
        expected: F,
    },
    /// The state has another length than the caller's.
    #[error("the state has {found} blocks, expected {expected}")]
    StateLength {
        /// Number of its blocks.
        found: usize,
        /// Number of blocks that the caller expects.
        expected: usize,
    },
    /// The state has no block of a number for which the caller expects one.
    #[error("the state has {found} blocks, counted from 0, but block {block} is expected")]
    NoBlock {
        /// Number of the block, from 0.
        block: usize,
        /// Number of blocks of the state.
        found: usize,
    },
    /// It stands for more proofs than the caller allows.
    #[error("{found} proofs were made for it, expected at most {expected}")]
    Proofs {
        /// Number of proofs, by its counters.
        found: u64,
        /// Largest number that the caller allows.
        expected: u64,
    },
    /// It is deeper than the caller allows.
    #[error("it is {found} levels deep, expected at most {expected}")]
    Depth {
        /// Levels of rules below the root.
        found: u32,
        /// Largest number that the caller allows.
        expected: u32,
    },
    /// It has too few proven bits.
    #[error(transparent)]
    Bits(#[from] BitsError),
    /// The proof is not valid.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

/// What the caller's digest is of the file, or why there are two fold keys of the same rules.
fn other_key(is: Option<DigestKind>) -> String {
    match is {
        Some(_) => mistaken(is),
        None => " (another preset, room, sample or source gives another key)".to_owned(),
    }
}

/// Why a list of rules is that of no fold.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FamilyError {
    /// Another number of rules.
    #[error("a fold has 1 to {MAX_RULES} rules, not {0}")]
    Rules(usize),
    /// The list is not in order.
    #[error("the keys of the rules are not in ascending order, or one is there twice")]
    Order,
    /// No proof has so many bits.
    #[error("a list of rules states {0} bits, expected at most {MAX_BITS}")]
    Bits(u16),
}
