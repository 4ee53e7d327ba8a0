//! Errors, and the Python exception for each.
//!
//! The exceptions are classes of `droste._errors`. Their texts are those of the command `droste`.

use std::fmt::Display;
use std::io;
use std::path::Path;

use droste_binary::BinaryError;
use droste_binary::paths::{PathsError, SiblingsError};
use droste_native::SettingsError;
use droste_native::codec::{DecodeError, EncodeError};
use droste_native::hash_signature::{self, StoreError as KeyStoreError};
use droste_native::stark::security::{UnknownPreset, UnsupportedBlowup};
use droste_native::stark::suite::UnknownHash;
use droste_native::whir::WhirSettingsError;
use droste_verifier::aggregate::{AcceptError, AggregateError, BitsError};
use droste_verifier::claim::ClaimError;
use droste_verifier::cost::CostError;
use droste_verifier::file::FileError;
use droste_verifier::fold::audit::CaseError;
use droste_verifier::fold::plan::{FoldPlanError, FoldRunError, FoldTaskError, LeafFileError};
use droste_verifier::fold::{FoldError, FoldLeafError, LeafKindError, RefusedFold, StateError};
use droste_verifier::keys::{KeysError, RecipeError};
use droste_verifier::leaf_root::LeafRootError;
use droste_verifier::plan::{
    self, InputError, LeafError, MalformedPlan, PlanError, StoreError, WorkError,
};
use droste_verifier::proofs::ProofError;
use droste_verifier::summary::causes;
use droste_verifier::xmss::{
    PlacesError, RegistryError, SignatureBatchError, SignatureBatchProgramError,
    SignatureFoldError, SignersError,
};
use droste_vm::compiler::CompileError;
use droste_vm::executor::RunError;
use droste_vm::key::KeyError;
use droste_vm::machine::MachineError;
use droste_vm::stack::{ProveError, UnknownStack};
use droste_vm::verifier::VerifyError;
use miette::{GraphicalReportHandler, GraphicalTheme};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// What kind of error it is: the class of `droste._errors` of this name, with `Error` at its end,
/// is raised.
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
    /// Bytes are not those of a proof, an aggregate or a fold.
    Decode,
    /// A proof, an aggregate, a fold or a path is rejected.
    Verify,
    /// Proofs cannot be wrapped, joined or folded.
    Aggregate,
    /// Nothing was measured.
    Cost,
    /// A sum over a curve cannot be computed.
    Msm,
    /// A key is not made, not opened, or does not sign.
    Sign,
    /// No thread can be started.
    Thread,
    /// A bug.
    Internal,
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

    /// Returns a function that makes an error of the file system an error about this file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| {
            let words = format!("{}: {}", path.display(), causes(&error));
            Self::new(Kind::File, words)
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
                .and_then(|module| module.getattr(format!("{:?}Error", error.kind)))
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

impl From<FoldError> for Error {
    fn from(error: FoldError) -> Self {
        match error {
            FoldError::Compile(source) | FoldError::Rule { source, .. } => source.into(),
            error => Self::new(kind_of_fold(&error), causes(&error)),
        }
    }
}

impl From<FoldPlanError> for Error {
    fn from(error: FoldPlanError) -> Self {
        match error {
            FoldPlanError::Fold(error) => error.into(),
            error => Self::new(kind_of_plan(&error), causes(&error)),
        }
    }
}

/// The kind of an error about the plan of a fold.
fn kind_of_plan(error: &FoldPlanError) -> Kind {
    match error {
        FoldPlanError::Fold(error) => kind_of_fold(error),
        FoldPlanError::Failing(_) => Kind::Run,
        FoldPlanError::Name => Kind::Internal,
        _ => Kind::Aggregate,
    }
}

/// The kind of an error about a fold. Those of the compiler are drawn, unless they are the cause of
/// another.
fn kind_of_fold(error: &FoldError) -> Kind {
    match error {
        FoldError::Read { .. } => Kind::File,
        FoldError::Compile(_) | FoldError::Rule { .. } => Kind::Compile,
        FoldError::Run { .. } => Kind::Run,
        FoldError::Stem(_)
        | FoldError::SameStem(_)
        | FoldError::TooLong(_)
        | FoldError::Rules(_)
        | FoldError::SameRule { .. }
        | FoldError::NoRule { .. }
        | FoldError::NoShape
        | FoldError::Table { .. }
        | FoldError::Version(_)
        | FoldError::Source(_) => Kind::Usage,
        FoldError::Refused { .. }
        | FoldError::Key { .. }
        | FoldError::Family(_)
        | FoldError::Recipe(_) => Kind::Verify,
        FoldError::Leaf { source, .. } | FoldError::Foreign { source, .. } => source.kind(),
        FoldError::Aggregate(error) => error.kind(),
        FoldError::Prove(error) => error.kind(),
        FoldError::Verify(error) => error.kind(),
        FoldError::Statement | FoldError::Own(_) => Kind::Internal,
        _ => Kind::Aggregate,
    }
}

/// An error of a library that is of one kind, or of several in several cases.
pub trait OfKind: std::error::Error {
    /// Its kind.
    fn kind(&self) -> Kind;
}

impl<E: OfKind> From<E> for Error {
    fn from(error: E) -> Self {
        Self::new(error.kind(), causes(&error))
    }
}

impl OfKind for AggregateError {
    fn kind(&self) -> Kind {
        match self {
            Self::Accept(error) => error.kind(),
            _ => Kind::Aggregate,
        }
    }
}

impl OfKind for LeafRootError {
    fn kind(&self) -> Kind {
        match self {
            Self::Compile(_) | Self::Run(_) | Self::Verify(_) => Kind::Internal,
            _ => Kind::Aggregate,
        }
    }
}

impl OfKind for AcceptError {
    fn kind(&self) -> Kind {
        Kind::Verify
    }
}

impl OfKind for ProofError {
    fn kind(&self) -> Kind {
        match self {
            Self::Prove(error) => error.kind(),
            Self::Encode(error) => error.kind(),
            Self::Decode(error) => error.kind(),
            Self::Verify(error) => error.kind(),
            Self::Aggregate(error) => error.kind(),
        }
    }
}

impl OfKind for LeafError {
    fn kind(&self) -> Kind {
        match self {
            Self::Proof(_) | Self::File(_) => Kind::Decode,
            Self::Verify(_)
            | Self::Accept(_)
            | Self::Fold(_)
            | Self::Aggregate(_)
            | Self::Bits(_) => Kind::Verify,
        }
    }
}

impl OfKind for InputError {
    fn kind(&self) -> Kind {
        match self {
            Self::Leaf(error) => error.kind(),
            Self::Changed { .. } | Self::Security { .. } | Self::Shape | Self::Leaves => {
                Kind::Verify
            }
        }
    }
}

impl OfKind for WorkError {
    fn kind(&self) -> Kind {
        match self {
            Self::InputCount { .. } => Kind::Usage,
            Self::Input { source, .. } => source.kind(),
            Self::Step(_) | Self::Leaves | Self::Encode(_) => Kind::Aggregate,
        }
    }
}

impl OfKind for plan::RunError {
    fn kind(&self) -> Kind {
        match self {
            Self::Plan(_) | Self::Memory { .. } => Kind::Usage,
            Self::Leaf { .. } | Self::Lost { .. } | Self::Store(_) => Kind::File,
            Self::Task { source, .. } => source.kind(),
            Self::Stopped => Kind::Aggregate,
            Self::Panicked => Kind::Internal,
        }
    }
}

impl OfKind for SiblingsError {
    fn kind(&self) -> Kind {
        match self {
            Self::Paths { .. } | Self::Depth { .. } => Kind::Usage,
            Self::Root { .. } => Kind::Prove,
        }
    }
}

impl OfKind for BinaryError {
    fn kind(&self) -> Kind {
        match self {
            Self::Decode(error) => error.kind(),
            Self::Siblings(error) => error.kind(),
            Self::FalseCall { .. } | Self::Graph(_) | Self::Witness(_) | Self::Settings(_) => {
                Kind::Prove
            }
            Self::OtherList { .. }
            | Self::Bits { .. }
            | Self::Reduction(_)
            | Self::Opening(_)
            | Self::Claim => Kind::Verify,
        }
    }
}

impl OfKind for KeyStoreError {
    fn kind(&self) -> Kind {
        match self {
            Self::Io { .. } => Kind::File,
            _ => Kind::Sign,
        }
    }
}

impl OfKind for SignatureBatchError {
    fn kind(&self) -> Kind {
        match self {
            Self::Signature { .. } => Kind::Verify,
            _ => Kind::Usage,
        }
    }
}

impl OfKind for SignatureFoldError {
    fn kind(&self) -> Kind {
        match self {
            Self::Compile(_)
            | Self::Run(_)
            | Self::Slots(_)
            | Self::Sign(_)
            | Self::Registry(_) => Kind::Internal,
            Self::Key(_) | Self::Prove(_) | Self::Encode(_) => Kind::Prove,
            Self::Store(_) => Kind::File,
            Self::Leaf(error) => error.kind(),
            Self::Batch(error) => error.kind(),
            Self::Proofs(..) => Kind::Usage,
            Self::OtherBatch(_) => Kind::Verify,
            Self::Signers(error) => error.kind(),
            Self::Plan(error) => kind_of_plan(error),
            Self::Fold(error) => kind_of_fold(error),
        }
    }
}

impl OfKind for LeafKindError {
    fn kind(&self) -> Kind {
        match self {
            Self::OtherProgram { .. } | Self::Recipe(_) | Self::Accept(_) => Kind::Verify,
            _ => Kind::Aggregate,
        }
    }
}

impl OfKind for LeafFileError {
    fn kind(&self) -> Kind {
        match self {
            Self::File(error) => error.kind(),
            Self::Proof(error) => error.kind(),
            Self::Fold => Kind::Decode,
            Self::Tree(_) => Kind::Aggregate,
            Self::Accept(_) | Self::Program { .. } | Self::Path { .. } => Kind::Verify,
        }
    }
}

impl OfKind for CaseError {
    fn kind(&self) -> Kind {
        match self {
            Self::Rule(error) => kind_of_fold(error),
            _ => Kind::Usage,
        }
    }
}

impl OfKind for FoldTaskError {
    fn kind(&self) -> Kind {
        match self {
            Self::InputCount { .. } | Self::Foreign(_) => Kind::Usage,
            Self::File { source, .. } => source.kind(),
            Self::Leaf { source, .. } => source.kind(),
            Self::Refused { .. } | Self::Says => Kind::Verify,
            Self::Fold(error) => kind_of_fold(error),
            Self::Encode(_) => Kind::Prove,
        }
    }
}

impl OfKind for FoldRunError {
    fn kind(&self) -> Kind {
        match self {
            Self::Plan(_) => Kind::Usage,
            Self::Leaf { .. } | Self::Lost { .. } | Self::Store(_) => Kind::File,
            Self::Task { source, .. } => source.kind(),
            Self::Stopped => Kind::Aggregate,
        }
    }
}

/// Gives each type of error its kind.
macro_rules! kinds {
    ($($kind:ident: $($error:ty),+;)+) => {$($(
        impl OfKind for $error {
            fn kind(&self) -> Kind {
                Kind::$kind
            }
        }
    )+)+};
}

kinds! {
    Usage: SettingsError, WhirSettingsError, UnknownPreset, UnsupportedBlowup, UnknownHash,
        UnknownStack, MalformedPlan, SignatureBatchProgramError, RegistryError, PlacesError, plan::NotAName,
        StateError, droste_binary::StatementError, PathsError;
    File: StoreError;
    Prove: ProveError, KeyError, EncodeError;
    Decode: DecodeError, FileError, hash_signature::DecodeError;
    Verify: VerifyError, BitsError, ClaimError, FoldLeafError, KeysError, RecipeError, RefusedFold,
        SignersError;
    Aggregate: MachineError, PlanError;
    Cost: CostError;
}
