//! Names of refusals, and which of them attacks are expected to reach.

use droste_native::SettingsError;
use droste_verifier::aggregate::AggregateError;
use droste_verifier::claim::ClaimError;
use droste_verifier::file::FileError;
use droste_verifier::keys::KeysError;
use droste_vm::codec::DecodeError;
use droste_vm::machine::MachineError;
use droste_vm::verifier::VerifyError;

/// Why a file or a forged proof is refused: the variants of the error, outermost first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rejection(pub String);

impl Rejection {
    /// The name of an error.
    pub fn of(error: &impl Refusal) -> Self {
        Self(chain(error))
    }
}

/// An error of which every variant has a name.
pub trait Refusal {
    /// `Type::Variant`.
    fn variant(&self) -> &'static str;

    /// The name of what caused it, if that is an error too.
    fn cause(&self) -> Option<String> {
        None
    }
}

/// The names of an error and of its causes.
pub fn chain(error: &impl Refusal) -> String {
    match error.cause() {
        Some(cause) => format!("{} > {cause}", error.variant()),
        None => error.variant().to_owned(),
    }
}

/// Whether attacks reach a variant.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// They do.
    Reached,
    /// They do not, for this reason.
    Never(&'static str),
}

/// Names the variants of error types. A variant that is added there does not compile here until it
/// is said whether attacks reach it.
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

        /// Every variant of every refusal, and whether attacks reach it.
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
        TooLong: "files of more than 64 MiB: `tampering` in `vm/tests`",
        Magic, Version, UnknownHash, OtherHash, Malformed, TrailingBytes, NotCanonical,
    } cause |error| match error {
        DecodeError::Malformed(text) => Some(heading(text)),
        _ => None,
    };
    FileError {
        Magic, Version, Decode, Tree,
        TooLarge: "trees of more than 65,536 nodes or 1,024 levels: `file::tests`",
        TooManyKeys: "more than 256 keys: `file::tests`",
        NotCanonical,
    } cause |error| match error {
        FileError::Decode(error) => Some(chain(error)),
        _ => None,
    };
    SettingsError { OutOfRange };
    MachineError {
        UnknownPrecompile: "of making keys",
        UnknownTables,
        Table: "of making keys",
        Identity, CapSize,
    };
    VerifyError {
        Key, Settings, Machine, KeyHeights,
        ProgramKey: "of callers who have the program: `proving` in `vm/tests`",
        ProgramHeight: "of callers who have the program: `proving` in `vm/tests`",
        Limit: "of callers who have the program: `allocation` in `vm/tests`",
        Statement,
        StatementLength: "the caller's mistake, not the proof's",
        Heights,
        Security: "attacks ask for no bits, so that nothing else hides behind this",
        CapSize,
        TooManyMessages: "tables so tall that heights are refused first: `lookups` in `vm/src`",
        Shape, Constraints, Lookups, Openings, Grinding,
    } cause |error| match error {
        VerifyError::Settings(error) => Some(chain(error)),
        VerifyError::Machine(error) => Some(chain(error)),
        VerifyError::Constraints { table } => Some((*table).to_owned()),
        VerifyError::Shape(text)
        | VerifyError::Lookups(text)
        | VerifyError::Openings(text)
        | VerifyError::Grinding(text) => Some(heading(text)),
        _ => None,
    };
    ClaimError {
        Digest, Root,
        Recursion: "the digest of the keys is compared first",
        Hidden: "trees cut off so that their digest is right: `aggregate` in `verifier/tests`",
        Security: "attacks ask for no bits, so that nothing else hides behind this",
        Unused: "the digest of the keys is compared first: `aggregate` in `verifier/tests`",
        Leaf: "of callers who name the leaves: `claim` in `verifier/src`",
    };
    KeysError {
        Digest,
        Forged: "of callers without a digest: `aggregate` in `verifier/tests`",
        Bits: "of callers without a digest: `aggregate` in `verifier/tests`",
        Recipe: "of callers without a digest: `aggregate` in `verifier/tests`",
        Cost: "of callers without a digest: `aggregate` in `verifier/tests`",
    };
    AggregateError {
        Recursion: "of making aggregates", Key: "of making aggregates",
        Recipe: "of making aggregates",
        Prove: "of making aggregates",
        Verify, Keys, Statement,
        Foreign: "of making aggregates", Empty: "of making aggregates",
        NotHome: "of making aggregates", MoreSteps: "of making aggregates", TooManyChildren: "of making aggregates",
        Claim,
    } cause |error| match error {
        AggregateError::Verify(error) => Some(chain(error)),
        AggregateError::Claim(error) => Some(chain(error)),
        AggregateError::Keys(error) => Some(chain(error)),
        _ => None,
    };
}

/// The variants named at the beginning of a `Debug` text, or the beginning of a message.
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
