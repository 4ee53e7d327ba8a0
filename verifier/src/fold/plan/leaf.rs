//! Leaves of a plan: proofs of accepted programs, wrapped or not, verified natively.

use droste_native::F;
use droste_native::codec::DecodeError;
use droste_vm::executor::Tape;
use droste_vm::key::KeyDigest;
use droste_vm::stack::{self, RunProof};
use droste_vm::verifier::VerifyOptions;
use thiserror::Error;

use super::super::leaf::only_path;
use super::super::{Fold, LeafKind, LeafPath};
use crate::aggregate::{AcceptError, Aggregate, VerifiedProof};
use crate::circuit::{Children, LeafProof, with_proof};
use crate::claim::AcceptedLeaves;
use crate::file::{self, FileError};
use crate::plan::Name;
use crate::proofs::{self, Known, ProofError};

/// Why a file is no leaf of a fold.
#[derive(Debug, Error)]
pub enum LeafFileError {
    /// It is no aggregate.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no proof, or not a valid one, or cannot be wrapped.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// It is an aggregate that is not accepted.
    #[error(transparent)]
    Accept(#[from] AcceptError),
    /// It is a node of a fold.
    #[error("this is a fold, expected a proof of an accepted program, or its wrap")]
    Fold,
    /// It is an aggregate of several proofs.
    #[error("it is an aggregate of {0} proofs, expected the wrap of one")]
    Tree(usize),
    /// It is a proof of another program.
    #[error(
        "it is a proof of a program with the key {found}, expected {expected}; a run of another \
         length or hash may have another key: add such a proof as a sample"
    )]
    Program {
        /// Key of its program.
        found: KeyDigest,
        /// The accepted programs with their keys.
        expected: String,
    },
    /// It is a proof of an accepted program, but of a run of another size.
    #[error(
        "it is a proof of `{name}`, but of a run of another size than the samples, so its wrap has \
         another key: add it as a sample"
    )]
    Path {
        /// Name of the program.
        name: String,
    },
}

/// A verified leaf: what a plan needs to know of it, without its proof.
#[derive(Clone, Debug)]
pub struct PlannedLeaf {
    /// Digest of its file.
    pub(super) name: Name,
    /// Number of the accepted program.
    pub(super) kind: usize,
    /// Keys of its wraps, the last one first, and of its program.
    pub(super) path: Vec<KeyDigest>,
    /// What it says.
    pub(super) statement: [F; 8],
    /// Whether it is wrapped already.
    pub(super) is_wrapped: bool,
    /// What the functions of rules need to know of it.
    pub(super) hints: Tape,
}

impl PlannedLeaf {
    /// The leaf, with hints for the function of the rule that takes it.
    #[must_use]
    pub fn with_hints(self, hints: Tape) -> Self {
        Self { hints, ..self }
    }

    /// Digest of its file.
    pub const fn name(&self) -> Name {
        self.name
    }

    /// Number of the accepted program, as in `Leaf<0>`.
    pub const fn kind(&self) -> usize {
        self.kind
    }

    /// What it says.
    pub const fn statement(&self) -> &[F; 8] {
        &self.statement
    }
}

impl Fold {
    /// Verifies the file of a leaf natively, and says of which accepted program it is.
    ///
    /// # Errors
    /// Why it is no leaf of this fold.
    pub fn leaf(&self, bytes: &[u8]) -> Result<PlannedLeaf, LeafFileError> {
        let is_wrapped = file::is_aggregate(bytes);
        let (kind, path, statement) = if is_wrapped {
            self.wrapped(&self.accepted(bytes)?)?
        } else {
            check_kind(bytes)?;
            self.proof(bytes)?
        };
        Ok(PlannedLeaf {
            name: Name::of_leaf(bytes),
            kind,
            path,
            statement,
            is_wrapped,
            hints: Tape::default(),
        })
    }

    /// The wrap of a leaf, which is made unless the file is one. It is a child of rules.
    ///
    /// # Errors
    /// Why it is no leaf of this fold, or not wrapped.
    pub fn wrap_leaf(&self, bytes: &[u8]) -> Result<Aggregate, LeafFileError> {
        let wrap = if file::is_aggregate(bytes) {
            self.accepted(bytes)?
        } else {
            check_kind(bytes)?;
            // Only proofs of accepted programs, by their keys.
            let _statement = self.proof(bytes)?;
            let wrap = self.wrap_proof(bytes)?;
            self.deriver().learn(wrap.keys());
            wrap
        };
        let _statement = self.wrapped(&wrap)?;
        Ok(wrap)
    }

    /// Wraps a proof under the key that it carries.
    fn wrap_proof(&self, bytes: &[u8]) -> Result<Aggregate, ProofError> {
        with_proof!(stack::stack_of(bytes), stack::hash_of(bytes)?, P => {
            let proof = VerifiedProof::under_its_own_key(P::decode(bytes)?)?;
            Ok(self.aggregator().wrap(&proof)?)
        })
    }

    /// An aggregate under derived keys.
    fn accepted(&self, bytes: &[u8]) -> Result<Aggregate, LeafFileError> {
        let aggregate = file::decode(bytes)?;
        Ok(aggregate.derive(self.deriver(), &AcceptedLeaves::Any)?)
    }

    /// Which accepted program an aggregate is a wrap of, its path, and what it says.
    pub(super) fn wrapped(
        &self,
        aggregate: &Aggregate,
    ) -> Result<(usize, Vec<KeyDigest>, [F; 8]), LeafFileError> {
        let tree = aggregate.tree();
        let found = only_path(tree);
        let (path, statement) = found.ok_or_else(|| LeafFileError::Tree(tree.leaves().len()))?;
        let known = |kind: &LeafKind| kind.paths().iter().any(|known| known.keys() == path);
        match self.leaves().iter().position(known) {
            Some(kind) => Ok((kind, path, statement)),
            None => Err(self.unknown(path.last().copied().unwrap_or(tree.key))),
        }
    }

    /// The same, of a proof that is not wrapped. It is verified under a key of that program.
    fn proof(&self, bytes: &[u8]) -> Result<(usize, Vec<KeyDigest>, [F; 8]), LeafFileError> {
        let claimed = proofs::claimed(bytes).map_err(ProofError::from)?;
        let shape = with_proof!(claimed.stack, claimed.hash, P => {
            P::decode(bytes).map(|proof| proof.shape())
        });
        let shape = shape.map_err(ProofError::from)?;
        let children = Children::Programs { shape, count: 1 };
        for (kind, leaf) in self.leaves().iter().enumerate() {
            for path in leaf.paths() {
                let keys = path.keys();
                let first = path.recipe().map(|recipe| &recipe.children);
                if path.key() == claimed.key && first == Some(&children) {
                    let (known, options) = (Known::Key(claimed.key), VerifyOptions::min_bits(0));
                    proofs::verify(bytes, known, &claimed.statement, options)?;
                    return Ok((kind, keys, claimed.statement));
                }
            }
        }
        Err(self.unknown(claimed.key))
    }

    /// That no path leads to a proof under this key.
    fn unknown(&self, found: KeyDigest) -> LeafFileError {
        let has_key = |leaf: &&LeafKind| {
            let mut paths = leaf.paths().iter();
            paths.any(|path| path.key() == found)
        };
        if let Some(leaf) = self.leaves().iter().find(has_key) {
            let name = leaf.name().to_owned();
            return LeafFileError::Path { name };
        }
        let leaves = self.leaves().iter().flat_map(|leaf| {
            let keys = leaf.paths().iter().map(LeafPath::key);
            keys.map(|key| format!("{key} of `{}`", leaf.name()))
        });
        let leaves: Vec<String> = leaves.collect();
        LeafFileError::Program {
            found,
            expected: match leaves.as_slice() {
                [] => "none".to_owned(),
                leaves => leaves.join(" or "),
            },
        }
    }
}

/// Refuses what is neither a proof nor an aggregate.
fn check_kind(bytes: &[u8]) -> Result<(), LeafFileError> {
    if file::fold::is_fold(bytes) {
        return Err(LeafFileError::Fold);
    }
    let is_proof = stack::hash_of(bytes).map(drop);
    is_proof.map_err(|error: DecodeError| ProofError::from(error).into())
}
