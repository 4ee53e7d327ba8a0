//! Leaves of a plan: proofs of programs and aggregates, verified natively.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use droste_native::codec::DecodeError;
use droste_native::{F, HashId};
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::{VerifyError, VerifyOptions};
use thiserror::Error;

use super::Name;
use crate::aggregate::{AcceptError, AggregateError, BitsError, RunFigures, VerifiedProof};
use crate::circuit::{ChildShape, LeafProof};
use crate::file::FileError;
use crate::fold::RefusedFold;

/// Why a leaf is refused.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum LeafError {
    /// The bytes are no proof.
    Proof(#[from] DecodeError),
    /// The bytes are no aggregate, or no fold.
    File(#[from] FileError),
    /// The proof is not valid, or not a proof of the program, or says something else.
    Verify(#[from] VerifyError),
    /// The aggregate is not accepted.
    Accept(#[from] AcceptError),
    /// The fold is refused.
    Fold(#[from] RefusedFold),
    /// No recursion program verifies proofs of this shape.
    Aggregate(#[from] AggregateError),
    /// The aggregate has too few proven bits.
    Bits(#[from] BitsError),
}

/// A verified leaf: what a plan needs to know of it, without its proof.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Digest of its file.
    pub(super) name: Name,
    /// Keys and statements that it proves, in order: one for the proof of a program or a fold, those
    /// of the claim tree's leaves for an aggregate.
    pub(super) says: Vec<(KeyDigest, [F; 8])>,
    /// Number of nodes of its claim tree.
    pub(super) nodes: usize,
    /// Number of levels of its claim tree.
    pub(super) depth: usize,
    /// The recursion keys in its claim tree.
    pub(super) keys: Vec<KeyDigest>,
    /// Proven bits of the weakest proof in it.
    pub(super) bits: usize,
    /// Whether it is an aggregate.
    pub(super) is_aggregate: bool,
    /// The run that verifies it.
    pub(super) figures: Arc<RunFigures>,
}

impl Leaf {
    /// Digest of its file.
    pub const fn name(&self) -> Name {
        self.name
    }

    /// Keys and statements that it proves, in order.
    pub fn says(&self) -> &[(KeyDigest, [F; 8])] {
        &self.says
    }

    /// Proven bits of the weakest proof in it.
    pub const fn bits(&self) -> usize {
        self.bits
    }

    /// Whether it is an aggregate, and not the proof of a program.
    pub const fn is_aggregate(&self) -> bool {
        self.is_aggregate
    }

    /// Leaves of one class are brought to the canonical shape by the same steps.
    pub(super) fn class(&self) -> (&ChildShape, bool) {
        (&self.figures.shape, self.is_aggregate)
    }

    /// Hash in which it is committed.
    pub fn hash(&self) -> HashId {
        self.figures.shape.hash
    }
}

/// A program of which leaves are proofs. It keeps the keys that turned out to be the program's, so
/// that the program is committed to once for all proofs of one shape.
#[derive(Debug)]
pub struct LeafProgram {
    program: Program,
    keys: Mutex<BTreeSet<KeyDigest>>,
}

impl LeafProgram {
    /// A program whose keys are not known yet.
    pub fn new(program: impl Into<Program>) -> Self {
        Self {
            program: program.into(),
            keys: Mutex::new(BTreeSet::new()),
        }
    }

    /// Decodes and verifies a proof of this program.
    pub(super) fn verify<P: LeafProof>(
        &self,
        bytes: &[u8],
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<VerifiedProof<P>, LeafError> {
        let proof = P::decode(bytes)?;
        let (key, digest) = (proof.key().clone(), proof.key().digest());
        let keys = || self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is not held while a proof is verified.
        let known = keys().contains(&digest);
        if known {
            return Ok(VerifiedProof::new(proof, &key, expected, options)?);
        }
        let proof = VerifiedProof::of_program(proof, &self.program, expected, options)?;
        keys().insert(digest);
        Ok(proof)
    }
}
