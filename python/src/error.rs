//! Errors, and the Python exception for each.
//!
//! The exceptions are classes of `droste._errors`. Their texts are those of the command `droste`.

use std::fmt::Display;
use std::io;
use std::path::Path;

use droste_native::SettingsError;
use droste_native::hash_signature::{self, StoreError as KeyStoreError};
use droste_native::stark::security::{UnknownPreset, UnsupportedBlowup};
use droste_native::stark::suite::UnknownHash;
use droste_verifier::aggregate::AggregateError;
use droste_verifier::claim::ClaimError;
use droste_verifier::cost::CostError;
use droste_verifier::file::FileError;
use droste_verifier::keys::{KeysError, RecipeError};
use droste_verifier::plan::WorkError;
use droste_verifier::plan::{self, InputError, LeafError, MalformedPlan, PlanError, StoreError};
use droste_verifier::proofs::ProofError;
use droste_verifier::summary::causes;
use droste_verifier::xmss::{
    BatchError, BatchMemberError, BatchProgramError, BatchProofError, SignatureClaimsError,
};
use droste_vm::codec::{DecodeError, EncodeError};
use droste_vm::compiler::CompileError;
use droste_vm::executor::RunError;
use droste_vm::key::KeyError;
use droste_vm::machine::MachineError;
use droste_vm::prover::ProveError;
use droste_vm::verifier::VerifyError;
use miette::{GraphicalReportHandler, GraphicalTheme};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// What kind of error it is: which class of `droste._errors` is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Arguments out of range, or that make no sense together.
    Usage,
    /// A file cannot be read or written.
    File,
    /// A program does not compile.
    Compile,
    /// The run of a program fails.
    Run,
    /// A run cannot be proved, or a key cannot be made.
    Prove,
    /// Bytes are not those of a proof or of an aggregate.
    Decode,
    /// A proof, an aggregate or a path is rejected.
    Verify,
    /// Proofs cannot be wrapped or joined.
    Aggregate,
    /// Nothing was measured.
    Cost,
    /// A sum over a curve cannot be computed.
    Msm,
    /// A key is not made, not opened, or does not sign.
    Sign,
    /// A bug.
    Internal,
}

impl Kind {
    const fn class(self) -> &'static str {
        match self {
            Self::Usage => "UsageError",
            Self::File => "FileError",
            Self::Compile => "CompileError",
            Self::Run => "RunError",
            Self::Prove => "ProveError",
            Self::Decode => "DecodeError",
            Self::Verify => "VerifyError",
            Self::Aggregate => "AggregateError",
            Self::Cost => "CostError",
            Self::Msm => "MsmError",
            Self::Sign => "SignError",
            Self::Internal => "InternalError",
        }
    }
}

/// An error on its way to Python.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    words: String,
}

impl Error {
    /// An error with these words.
    pub fn new(kind: Kind, words: impl Into<String>) -> Self {
        let words = words.into();
        Self { kind, words }
    }

    /// Wrong usage.
    pub fn usage(words: impl Into<String>) -> Self {
        Self::new(Kind::Usage, words)
    }

    /// An error with the words of another and of its causes.
    fn of(kind: Kind, error: &dyn std::error::Error) -> Self {
        Self::new(kind, causes(error))
    }

    /// Returns a function that makes an error of the file system an error about this file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| {
            Self::new(
                Kind::File,
                format!("{}: {}", path.display(), causes(&error)),
            )
        }
    }

    /// Returns a function that adds to an error what it is about.
    pub fn about(subject: impl Display) -> impl FnOnce(Self) -> Self {
        move |error| Self {
            words: format!("{subject}: {}", error.words),
            ..error
        }
    }
}

/// Draws a diagnostic as the command does where there are no colours.
fn draw(diagnostic: &dyn miette::Diagnostic) -> String {
    let theme = GraphicalTheme::unicode_nocolor();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
    let mut text = String::new();
    match handler.render_report(&mut text, diagnostic) {
        Ok(()) => text,
        Err(_) => diagnostic.to_string(),
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        Python::attach(|py| {
            let class = py
                .import("droste._errors")
                .and_then(|module| module.getattr(error.kind.class()))
                .and_then(|class| Ok(class.cast_into::<PyType>()?));
            match class {
                Ok(class) => Self::from_type(class, error.words),
                Err(missing) => missing,
            }
        })
    }
}

impl From<Box<CompileError>> for Error {
    fn from(error: Box<CompileError>) -> Self {
        Self::new(Kind::Compile, draw(&*error))
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        Self::new(Kind::Run, draw(&error))
    }
}

impl From<AggregateError> for Error {
    fn from(error: AggregateError) -> Self {
        let kind = match &error {
            AggregateError::Verify(_)
            | AggregateError::Keys(_)
            | AggregateError::OtherClaim { .. }
            | AggregateError::Bits(_)
            | AggregateError::Claim(_) => Kind::Verify,
            _ => Kind::Aggregate,
        };
        Self::of(kind, &error)
    }
}

impl From<ProofError> for Error {
    fn from(error: ProofError) -> Self {
        match error {
            ProofError::Prove(error) => error.into(),
            ProofError::Encode(error) => error.into(),
            ProofError::Decode(error) => error.into(),
            ProofError::Verify(error) => error.into(),
            ProofError::Aggregate(error) => error.into(),
        }
    }
}

impl From<LeafError> for Error {
    fn from(error: LeafError) -> Self {
        let kind = match &error {
            LeafError::Proof(_) | LeafError::File(_) => Kind::Decode,
            LeafError::Verify(_) | LeafError::Aggregate(_) | LeafError::Bits(_) => Kind::Verify,
        };
        Self::of(kind, &error)
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::of(kind_of_input(&error), &error)
    }
}

const fn kind_of_input(error: &InputError) -> Kind {
    match error {
        InputError::Proof(_) | InputError::File(_) => Kind::Decode,
        InputError::Changed { .. }
        | InputError::Verify(_)
        | InputError::Aggregate(_)
        | InputError::Security { .. }
        | InputError::Shape
        | InputError::Leaves => Kind::Verify,
    }
}

impl From<WorkError> for Error {
    fn from(error: WorkError) -> Self {
        Self::of(kind_of_work(&error), &error)
    }
}

const fn kind_of_work(error: &WorkError) -> Kind {
    match error {
        WorkError::InputCount { .. } => Kind::Usage,
        WorkError::Input { source, .. } => kind_of_input(source),
        WorkError::Step(_) | WorkError::Leaves | WorkError::Encode(_) => Kind::Aggregate,
    }
}

impl From<plan::RunError> for Error {
    fn from(error: plan::RunError) -> Self {
        use plan::RunError;
        let kind = match &error {
            RunError::Plan(_) | RunError::Memory { .. } => Kind::Usage,
            RunError::Leaf { .. } | RunError::Lost { .. } | RunError::Store(_) => Kind::File,
            RunError::Task { source, .. } => kind_of_work(source),
            RunError::Stopped => Kind::Aggregate,
            RunError::Panicked => Kind::Internal,
        };
        Self::of(kind, &error)
    }
}

impl From<KeyStoreError> for Error {
    fn from(error: KeyStoreError) -> Self {
        let kind = match &error {
            KeyStoreError::Io { .. } => Kind::File,
            _ => Kind::Sign,
        };
        Self::of(kind, &error)
    }
}

impl From<BatchError> for Error {
    fn from(error: BatchError) -> Self {
        Self::of(kind_of_batch(&error), &error)
    }
}

const fn kind_of_batch(error: &BatchError) -> Kind {
    match error {
        BatchError::Signature { .. } => Kind::Verify,
        BatchError::Signatures { .. } => Kind::Usage,
    }
}

impl From<BatchProofError> for Error {
    fn from(error: BatchProofError) -> Self {
        let kind = match &error {
            BatchProofError::Batch(error) => kind_of_batch(error),
            BatchProofError::Write { .. } => Kind::File,
            BatchProofError::Compile(_) | BatchProofError::Run(_) => Kind::Internal,
            BatchProofError::Key(_)
            | BatchProofError::Prove(_)
            | BatchProofError::Tables(_)
            | BatchProofError::Encode(_) => Kind::Prove,
        };
        Self::of(kind, &error)
    }
}

/// Gives each type of error its kind.
macro_rules! kinds {
    ($($kind:ident: $($error:ty),+;)+) => {$($(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::of(Kind::$kind, &error)
            }
        }
    )+)+};
}

kinds! {
    Usage: SettingsError, UnknownPreset, UnsupportedBlowup, UnknownHash, MalformedPlan,
        BatchProgramError, plan::NotAName;
    File: StoreError;
    Prove: ProveError, KeyError, EncodeError;
    Decode: DecodeError, FileError, hash_signature::DecodeError;
    Verify: VerifyError, ClaimError, KeysError, RecipeError, SignatureClaimsError,
        BatchMemberError;
    Aggregate: MachineError, PlanError;
    Cost: CostError;
}
