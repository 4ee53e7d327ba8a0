//! What a digest stands for. All of these are eight field elements, written as 64 hexadecimal
//! digits, so one is easily given for another.

use std::fmt::{self, Display, Formatter};

use serde::{Serialize, Serializer};

/// What a digest stands for.
///
/// It is shown, and serializes, as the word that commands use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestKind {
    /// The key of what a leaf is a proof of: a program, AIRs, or a list of calls.
    ProgramKey,
    /// The key of one recursion program.
    RecursionKey,
    /// The digest of the recursion keys of an aggregate, with their bits.
    KeySet,
    /// The key of a last proof.
    ExitKey,
    /// The statement of an aggregate.
    Claim,
    /// The digest of the rules of a fold.
    FoldKey,
    /// The key of one rule.
    RuleKey,
}

impl DigestKind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProgramKey => "program key",
            Self::RecursionKey => "recursion key",
            Self::KeySet => "key set",
            Self::ExitKey => "exit key",
            Self::Claim => "claim",
            Self::FoldKey => "fold key",
            Self::RuleKey => "rule key",
        }
    }
}

impl Display for DigestKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for DigestKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Ends a message about a digest that is not the expected one, if the file has that one as something
/// else.
pub(crate) fn mistaken(expected: Option<DigestKind>) -> String {
    expected.map_or_else(String::new, |kind| {
        format!(", which this file has as a {kind}")
    })
}
