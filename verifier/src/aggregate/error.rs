//! Why an aggregate is not accepted.

use droste_native::F;
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyError;
use thiserror::Error;

use crate::claim::ClaimError;
use crate::keys::{DigestKind, KeysError, mistaken};

/// Why an aggregate is not accepted.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum AcceptError {
    /// The proof of an aggregate is not valid.
    Verify(#[from] VerifyError),
    /// The aggregate has too few proven bits.
    Bits(#[from] BitsError),
    /// The recursion keys of an aggregate are not the expected ones, or not the keys of the
    /// programs that they are listed with.
    Keys(#[from] KeysError),
    /// The claim of an aggregate is not the expected one.
    #[error("the claim is {}, expected {}{}", hex(.found), hex(.expected), mistaken(*.is))]
    OtherClaim {
        /// Claim that the caller expects.
        expected: [F; 8],
        /// Claim of the aggregate.
        found: [F; 8],
        /// What the file has with the digest that the caller expects, if anything.
        is: Option<DigestKind>,
    },
    /// The claim tree does not belong to the proof.
    Claim(#[from] ClaimError),
}

/// An aggregate or a fold with too few proven bits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BitsError {
    /// One of its proofs has.
    #[error("a proof of the tree has {found} proven bits, expected at least {expected}")]
    Proof {
        /// Bits that the caller requires.
        expected: usize,
        /// Bits of the weakest proof.
        found: usize,
    },
    /// All of them together have.
    #[error(
        "the tree has {found} proven bits of security, expected at least {expected}: proofs at \
         proven-120 leave room for this; --min-tree-bits accepts fewer"
    )]
    Tree {
        /// Bits that the caller requires.
        expected: usize,
        /// Bits by the union bound.
        found: usize,
    },
}

/// Prints claims in hexadecimal, as key digests are printed.
const fn hex(claim: &[F; 8]) -> KeyDigest {
    KeyDigest(*claim)
}
