//! Why a file is refused.

use droste_verifier::aggregate::AcceptError;
use droste_verifier::claim::ClaimError;
use droste_verifier::file::FileError;
use droste_verifier::fold::RefusedFold;
use droste_verifier::keys::KeysError;
use droste_verifier::member::MemberError;
use droste_vm::verifier::VerifyError;
use serde::Serialize;
use thiserror::Error;

/// Why a file is refused.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum Refusal {
    /// The bytes are not such a file.
    File(#[from] FileError),
    /// The aggregate is not accepted.
    Aggregate(#[from] AcceptError),
    /// The membership is not accepted.
    Member(#[from] MemberError),
    /// The fold is not accepted.
    Fold(#[from] RefusedFold),
}

/// What is wrong with a refused file, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The bytes are not such a file.
    File,
    /// The recursion keys, or the rules, are not the expected ones.
    Key,
    /// The claim is not the expected one.
    Claim,
    /// A leaf has a key that is not accepted.
    Leaf,
    /// There are too few proven bits, or too many proofs.
    Bits,
    /// The tree, or the path to a leaf, is not that of the claim.
    Tree,
    /// The proof is not valid.
    Proof,
    /// The proof is of no rule, or there is no such list of rules.
    Rule,
    /// The state is not the expected one, or the proof says another.
    State,
}

impl Kind {
    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Key => "key",
            Self::Claim => "claim",
            Self::Leaf => "leaf",
            Self::Bits => "bits",
            Self::Tree => "tree",
            Self::Proof => "proof",
            Self::Rule => "rule",
            Self::State => "state",
        }
    }
}

impl Refusal {
    /// What is wrong, in one word.
    pub fn kind(&self) -> Kind {
        match self {
            Self::File(_) => Kind::File,
            Self::Aggregate(AcceptError::Verify(_)) => Kind::Proof,
            Self::Aggregate(AcceptError::Bits(_)) => Kind::Bits,
            Self::Aggregate(AcceptError::OtherClaim { .. }) => Kind::Claim,
            Self::Aggregate(AcceptError::Keys(error)) | Self::Member(MemberError::Keys(error)) => {
                of_keys(error)
            }
            Self::Aggregate(AcceptError::Claim(error))
            | Self::Member(MemberError::Claim(error)) => of_claim(error),
            // The first level must hash to the claim, the others to their parents.
            Self::Member(MemberError::Digest(1)) => Kind::Claim,
            Self::Member(_) => Kind::Tree,
            Self::Fold(error) => of_fold(error),
        }
    }
}

const fn of_fold(error: &RefusedFold) -> Kind {
    match error {
        RefusedFold::Key { .. } => Kind::Key,
        RefusedFold::Family(_) | RefusedFold::Rule(_) => Kind::Rule,
        RefusedFold::Counter { .. }
        | RefusedFold::Blocks(_)
        | RefusedFold::Statement
        | RefusedFold::State { .. }
        | RefusedFold::StateLength { .. }
        | RefusedFold::NoBlock { .. } => Kind::State,
        RefusedFold::Proofs { .. }
        | RefusedFold::Depth { .. }
        | RefusedFold::Bits(_)
        | RefusedFold::Verify(VerifyError::Security { .. }) => Kind::Bits,
        RefusedFold::Verify(_) => Kind::Proof,
    }
}

const fn of_keys(error: &KeysError) -> Kind {
    match error {
        KeysError::Bits { .. } => Kind::Bits,
        KeysError::Digest { .. }
        | KeysError::Forged { .. }
        | KeysError::Cost { .. }
        | KeysError::Recipe { .. } => Kind::Key,
    }
}

const fn of_claim(error: &ClaimError) -> Kind {
    match error {
        ClaimError::Leaf(_) | ClaimError::NoLeafKey { .. } => Kind::Leaf,
        ClaimError::Security { .. } => Kind::Bits,
        ClaimError::Digest
        | ClaimError::Root { .. }
        | ClaimError::Recursion(_)
        | ClaimError::Hidden(_)
        | ClaimError::TooLarge { .. }
        | ClaimError::Unused(_) => Kind::Tree,
    }
}
