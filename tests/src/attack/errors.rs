//! Names of the errors with which attacks are refused, and which of them attacks are expected to
//! reach.

use droste_native::SettingsError;
use droste_native::codec::DecodeError;
use droste_verifier::aggregate::AcceptError;
use droste_verifier::claim::ClaimError;
use droste_verifier::file::FileError;
use droste_verifier::fold::RefusedFold;
use droste_verifier::keys::KeysError;
use droste_verifier::member::MemberError;
use droste_vm::key::KeyError;
use droste_vm::machine::MachineError;
use droste_vm::stack::StackSettingsError;
use droste_vm::verifier::VerifyError;

/// Why a file or a forged proof is refused: names of the error's variants, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rejection(pub String);

impl Rejection {
    /// Returns the names of an error.
    pub fn of(error: &impl Refusal) -> Self {
        Self(chain(error))
    }
}

/// An error each of whose variants has a name.
pub trait Refusal {
    /// Returns the variant as `Type::Variant`.
    fn variant(&self) -> &'static str;

    /// Returns the name of the cause, if the cause is an error or a message.
    fn cause(&self) -> Option<String> {
        None
    }
}

/// Returns the names of an error and its causes.
pub fn chain(error: &impl Refusal) -> String {
    match error.cause() {
        Some(cause) => format!("{} > {cause}", error.variant()),
        None => error.variant().to_owned(),
    }
}

/// Whether attacks reach a variant of an error.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// Attacks reach it.
    Reached,
    /// Attacks do not reach it, for this reason.
    Never(&'static str),
}

/// Names the variants of error types. When a variant is added to a type, this does not compile
/// until it states whether attacks reach the variant.
macro_rules! refusals {
    ($($ty:ident { $($variant:ident $(: $never:literal)?),+ $(,)? } $(cause $cause:expr)?;)+) => {
        $(impl Refusal for $ty {
            fn variant(&self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => {
                        concat!(stringify!($ty), "::", stringify!($variant))
                    })+
                }
            }

            $(fn cause(&self) -> Option<String> {
                let cause: fn(&Self) -> Option<String> = $cause;
                cause(self)
            })?
        })+

        /// Every variant of every error, and whether attacks reach it.
        pub const EXPECTED: &[(&str, Expected)] = &[
            $($((
                concat!(stringify!($ty), "::", stringify!($variant)),
                expected!($($never)?),
            ),)+)+
        ];
    };
}

macro_rules! expected {
    () => {
        Expected::Reached
    };
    ($never:literal) => {
        Expected::Never($never)
    };
}

refusals! {
    DecodeError {
        TooLong: "files of more than 64 MiB: `changed` in `tests/tests/vm`",
        Magic, Version, UnknownHash, OtherHash, Malformed, TrailingBytes, NotCanonical,
    } cause |error| match error {
        DecodeError::Malformed(text) => Some(heading(text)),
        _ => None,
    };
    FileError {
        Magic, Version, Decode, Tree, Key,
        TooLarge: "trees of more than 524,288 nodes or 1,024 levels: `file::tree::tests`",
        TooManyKeys: "more than 256 keys: `file::tests`",
        NotCanonical, MemberMagic, MemberVersion, FoldMagic, FoldVersion, Fold,
        Encode: "only when files are written",
    } cause |error| match error {
        FileError::Decode(error) => Some(chain(error)),
        _ => None,
    };
    SettingsError { OutOfRange };
    StackSettingsError {
        Fri,
        Whir: "over WHIR: `whir` in `tests/tests/vm`",
    } cause |error| match error {
        StackSettingsError::Fri(error) => Some(chain(error)),
        StackSettingsError::Whir(_) => None,
    };
    KeyError {
        Settings,
        Program: "only when keys are made",
        Machine, HeightCount, Height,
        FixedHeight: "only when keys are made",
        Commitment: "only when keys are made",
        Unsupported: "over WHIR: `whir` in `tests/tests/vm`",
        Scheme: "over WHIR: `whir` in `tests/tests/vm`",
    } cause |error| match error {
        KeyError::Settings(error) => Some(chain(error)),
        KeyError::Machine(error) => Some(chain(error)),
        _ => None,
    };
    MachineError {
        UnknownPrecompile: "only when keys are made",
        UnknownTables,
        Table: "only when keys are made",
        Identity, CapSize,
    };
    VerifyError {
        Key,
        UnusableKey,
        ProgramKey: "only for callers who have the program: `proving` in `tests/tests/vm`",
        ProgramHeight: "only for callers who have the program: `proving` in `tests/tests/vm`",
        Limit: "only for callers who have the program: `allocation` in `tests/tests`",
        Statement,
        StatementLength: "a mistake of the caller, not of a proof",
        Heights,
        Security: "attacks require no proven bits, since this error would hide others",
        CapSize,
        TooManyMessages: "takes heights that are refused before: `lookups` in `vm/src`",
        Shape, Constraints, Lookups, Openings, Grinding,
        Scheme: "over WHIR: `whir` in `tests/tests/vm`",
        TableHeights: "over WHIR: `whir` in `tests/tests/vm`",
        Fractions: "over WHIR: `whir` in `tests/tests/vm`",
        Zerocheck: "over WHIR: `whir` in `tests/tests/vm`",
        WhirOpening: "over WHIR: `whir` in `tests/tests/vm`",
    } cause |error| match error {
        VerifyError::UnusableKey(error) => Some(chain(error)),
        VerifyError::Constraints { table } => Some((*table).to_owned()),
        VerifyError::Shape(error) => Some(heading(&format!("{error:?}"))),
        VerifyError::Openings(error) => Some(heading(&format!("{error:?}"))),
        VerifyError::Lookups(error) => Some(heading(&error.to_string())),
        VerifyError::Grinding(error) => Some(heading(&error.to_string())),
        _ => None,
    };
    ClaimError {
        Digest, Root,
        Recursion, Hidden,
        Security: "attacks require no proven bits, since this error would hide others",
        Unused: "the digest of the keys is compared first: `aggregate` in `tests/tests`",
        TooLarge: "trees in files are counted first: `claim` in `verifier/src`",
        Leaf: "only for callers who name the leaves: `claim` in `verifier/src`",
        NoLeafKey: "only for callers who name the leaves: `leaves` in `tests/tests/aggregate`",
    };
    MemberError {
        Keys, Claim, Digest, Child, Empty,
        NoLeaf: "only when memberships are made",
    } cause |error| match error {
        MemberError::Keys(error) => Some(chain(error)),
        MemberError::Claim(error) => Some(chain(error)),
        _ => None,
    };
    KeysError {
        Digest,
        Forged: "only for callers without a digest: `aggregate` in `tests/tests`",
        Bits: "only for callers without a digest: `aggregate` in `tests/tests`",
        Recipe: "only for callers without a digest: `aggregate` in `tests/tests`",
        Cost: "only for callers without a digest: `aggregate` in `tests/tests`",
    };
    RefusedFold {
        Key,
        Family: "files with such lists are not decoded",
        Counter,
        Blocks: "states are emptied in longer runs only: `verified` in `verifier/src/fold`",
        Rule, Statement,
        State: "only for callers who name the state: `verified` in `verifier/src/fold`",
        StateLength: "only for callers who name the state: `verified` in `verifier/src/fold`",
        NoBlock: "only for callers who name the block: `verified` in `verifier/src/fold`",
        Proofs: "only for callers who bound them: `verified` in `verifier/src/fold`",
        Depth: "only for callers who bound it: `verified` in `verifier/src/fold`",
        Bits: "attacks require no proven bits, since this error would hide others",
        Verify,
    } cause |error| match error {
        RefusedFold::Verify(error) => Some(chain(error)),
        _ => None,
    };
    AcceptError {
        Verify,
        Bits: "attacks require no proven bits, since this error would hide others",
        Keys, OtherClaim, Claim,
    } cause |error| match error {
        AcceptError::Verify(error) => Some(chain(error)),
        AcceptError::Claim(error) => Some(chain(error)),
        AcceptError::Keys(error) => Some(chain(error)),
        _ => None,
    };
}

/// Returns the names of the variants at the beginning of a `Debug` text, or the beginning of a
/// message.
pub fn heading(text: &str) -> String {
    let mut names = vec![];
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
        let is_variant = name.starts_with(|c: char| c.is_ascii_uppercase())
            && (after.is_empty() || after.starts_with(['(', ')', '"']) || after.starts_with(" {"));
        if !is_variant {
            break;
        }
        names.push(name);
        match after.strip_prefix('(') {
            Some(inner) => rest = inner.trim_start_matches('"'),
            None => break,
        }
    }
    if !names.is_empty() {
        return names.join(" > ");
    }
    let message: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '#' } else { c })
        .take_while(|c| !matches!(c, ':' | '`' | '{' | '"' | ','))
        .take(48)
        .collect();
    message.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn errors_are_named_by_their_variants() {
        let cases = [
            ("InputError(RootMismatch)", "InputError > RootMismatch"),
            ("FoldMismatch { query: 3 }", "FoldMismatch"),
            ("Value is out of range", "Value is out of range"),
            ("air 3: terminal", "air #"),
            ("UnexpectedEnd { additional: 4 }", "UnexpectedEnd"),
        ];
        for (text, name) in cases {
            assert_eq!(heading(text), name);
        }
    }
}
