//! What a file is that a command is given in the place of another.

use std::fmt::{self, Display, Formatter};
use std::path::Path;

use droste_verifier::aggregate::UnverifiedAggregate;
use droste_verifier::file::{self, fold::is_fold, member::is_membership};
use droste_verifier::keys::DigestKind;
use droste_verifier::proofs;

use crate::error::CommandError;

/// Kinds of files that commands write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An aggregate.
    Aggregate,
    /// A membership.
    Membership,
    /// A fold.
    Fold,
    /// A binary proof.
    Binary,
    /// A last proof.
    Last,
    /// The proof of a program.
    Program,
}

impl FileKind {
    /// The kind of a file with these bytes, by what it says of itself: nothing is verified. `None`
    /// if it has none of these.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if file::is_aggregate(bytes) {
            Some(Self::Aggregate)
        } else if is_membership(bytes) {
            Some(Self::Membership)
        } else if is_fold(bytes) {
            Some(Self::Fold)
        } else if bytes.starts_with(&droste_binary::file::MAGIC) {
            Some(Self::Binary)
        } else {
            let claimed = proofs::claimed(bytes).ok()?;
            Some(match claimed.key_is {
                DigestKind::ExitKey => Self::Last,
                _ => Self::Program,
            })
        }
    }
}

/// What it is, and what can be done with it.
impl Display for FileKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Aggregate => "an aggregate of proofs",
            Self::Membership => "a membership: `droste verify-member` verifies it",
            Self::Fold => {
                "a fold: `droste fold verify` verifies it, `droste fold inspect` shows what it says"
            }
            Self::Binary => {
                "a binary proof of hash calls or Merkle paths: `droste hashes verify` verifies it, \
                 and `droste hashes wrap` makes an aggregate of such a list"
            }
            Self::Last => {
                "a last proof, which ends a chain: it can be verified, but not wrapped or joined"
            }
            Self::Program => "the proof of a program: `droste wrap` makes an aggregate of it",
        })
    }
}

/// Decodes an aggregate, of which nothing is verified.
///
/// # Errors
/// Names the file, and says what it is if it is of another kind.
pub fn decode_aggregate(path: &Path, bytes: &[u8]) -> Result<UnverifiedAggregate, CommandError> {
    let decoded = file::decode(bytes).map_err(|error| match FileKind::of(bytes) {
        None | Some(FileKind::Aggregate) => CommandError::from(error),
        Some(kind) => CommandError::failed(format!("not an aggregate of proofs, but {kind}")),
    });
    decoded.map_err(CommandError::about(path.display()))
}
