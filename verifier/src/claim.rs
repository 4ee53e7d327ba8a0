//! Claims: what a recursion proof says.
//!
//! The statement of a recursion proof is the digest of its children: for each its key digest and its
//! statement. A child that is a recursion proof itself has such a digest as its statement, so the
//! statement at the root binds a whole tree, down to the statements of ordinary programs.

use droste_native::F;
use droste_native::poseidon16::Poseidon16;
use droste_vm::key::KeyDigest;
use thiserror::Error;

/// Tag of a claim: the letters "clai", in ASCII, big-endian.
pub const CLAIM_TAG: F = F::new(0x636c_6169);

/// A proof as its parent sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimTree {
    /// Digest of its key.
    pub key: KeyDigest,
    /// What it says.
    pub claim: Claim,
}

/// What a proof says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A program's statement: public inputs, outputs, zeros.
    Statement([F; 8]),
    /// These proofs are valid, in this order.
    Children(Vec<ClaimTree>),
}

/// Why a claim tree is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ClaimError {
    /// The tree is not the one that the proof is about.
    #[error("the claim tree has another digest than the proof's statement")]
    Digest,
    /// The tree is of another key than the proof.
    #[error("the root of the claim tree names key {found}, the proof has {expected}")]
    Root {
        /// Key of the proof.
        expected: KeyDigest,
        /// Key in the tree.
        found: KeyDigest,
    },
    /// A node with children was not made by a known recursion program.
    #[error("{0} is not the key of a recursion program")]
    Recursion(KeyDigest),
    /// A leaf of an unknown program.
    #[error("{0} is not the key of an accepted program")]
    Leaf(KeyDigest),
}

impl Claim {
    /// The statement of a proof that says this.
    pub fn statement(&self) -> [F; 8] {
        match self {
            Self::Statement(statement) => *statement,
            Self::Children(children) => {
                let children: Vec<_> = children
                    .iter()
                    .map(|child| (child.key, child.claim.statement()))
                    .collect();
                claim_digest(&children)
            }
        }
    }
}

/// The statement of a proof that children with these keys and statements verify.
pub fn claim_digest(children: &[(KeyDigest, [F; 8])]) -> [F; 8] {
    let message: Vec<F> = children
        .iter()
        .flat_map(|(key, statement)| key.0.iter().chain(statement))
        .copied()
        .collect();
    Poseidon16.hash(CLAIM_TAG, &message)
}

impl ClaimTree {
    /// Checks that the tree is what a verified proof of `key` with `statement` says, that every inner
    /// node is of one of the `recursion` keys and every leaf of one of the `programs`.
    ///
    /// A recursion key is trusted to be of a program that verifies its children: the caller derives it
    /// from the program.
    ///
    /// # Errors
    /// What in the tree is not as expected.
    pub fn check(
        &self,
        key: KeyDigest,
        statement: &[F; 8],
        recursion: &[KeyDigest],
        programs: &[KeyDigest],
    ) -> Result<(), ClaimError> {
        if self.key != key {
            return Err(ClaimError::Root {
                expected: key,
                found: self.key,
            });
        }
        if self.claim.statement() != *statement {
            return Err(ClaimError::Digest);
        }
        self.check_keys(recursion, programs)
    }

    fn check_keys(
        &self,
        recursion: &[KeyDigest],
        programs: &[KeyDigest],
    ) -> Result<(), ClaimError> {
        match &self.claim {
            Claim::Statement(_) if programs.contains(&self.key) => Ok(()),
            Claim::Statement(_) => Err(ClaimError::Leaf(self.key)),
            Claim::Children(children) if recursion.contains(&self.key) => children
                .iter()
                .try_for_each(|child| child.check_keys(recursion, programs)),
            Claim::Children(_) => Err(ClaimError::Recursion(self.key)),
        }
    }
}
