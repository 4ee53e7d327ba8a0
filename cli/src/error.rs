//! Errors of commands, and the exit code for each.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use droste_native::codec::EncodeError;
use droste_native::hash_signature;
use droste_native::stark::security::UnsupportedBlowup;
use droste_verifier::aggregate::{AcceptError, AggregateError, NotCanonical};
use droste_verifier::airs::AirError;
use droste_verifier::claim::ClaimError;
use droste_verifier::cost::CostError;
use droste_verifier::file::FileError;
use droste_verifier::fold::audit::CaseError;
use droste_verifier::fold::plan::{FoldPlanError, FoldRunError, LeafFileError};
use droste_verifier::fold::{FoldError, FoldLeafError, LeafKindError, RefusedFold, StateError};
use droste_verifier::keys::{KeysError, RecipeError};
use droste_verifier::leaf_root::LeafRootError;
use droste_verifier::member::MemberError;
use droste_verifier::plan::{self, InputError, LeafError, PlanError};
use droste_verifier::proofs::ProofError;
use droste_verifier::summary::causes;
use droste_verifier::xmss::{PlacesError, SignatureFoldError, SignersError};
use droste_vm::compiler::CompileError;
use droste_vm::executor::RunError;
use droste_vm::key::KeyError;
use droste_vm::machine::MachineError;
use droste_vm::profile::ProfileError;
use droste_vm::stack::ProveError;
use droste_vm::verifier::VerifyError;
use miette::{Diagnostic, NarratableReportHandler, SourceSpan};
use serde::Serialize;
use thiserror::Error;

use crate::output::{print_lines, tell, visible};
use crate::problem::Problem;

/// A failed command.
#[derive(Debug, Error)]
pub enum CommandError {
    /// Arguments that contradict each other or make no sense together.
    #[error("{0}")]
    Usage(String),
    /// A file that cannot be read or written.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Standard output cannot be written, for instance because it is closed.
    #[error("standard output")]
    Output(#[from] io::Error),
    /// A program that does not compile; the message shows the source lines.
    #[error("{0}")]
    Compile(Box<CompileError>),
    /// A program whose run fails; the message shows the source lines.
    #[error("{0}")]
    Run(Box<RunError>),
    /// Tests of the user's that failed: what they printed, in lines of their own.
    #[error("{0}")]
    Tests(String),
    /// The work failed, or a proof was rejected.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
    /// An error together with what it is about.
    #[error("{subject}")]
    About {
        /// A file, or a part of the work.
        subject: String,
        /// What went wrong.
        source: Box<Self>,
    },
}

impl CommandError {
    /// An error of usage.
    pub fn usage(message: impl ToString) -> Self {
        Self::Usage(message.to_string())
    }

    /// A failure whose causes are kept.
    pub fn failed(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(error.into())
    }

    /// Returns a function that adds to an error what it is about: a file, or a part of the work.
    pub fn about<E: Into<Self>>(subject: impl Display) -> impl FnOnce(E) -> Self {
        move |source| Self::About {
            subject: subject.to_string(),
            source: Box::new(source.into()),
        }
    }

    /// Returns a function that adds the file to an error of the operating system.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// Prints the error and each of its causes to standard error.
    pub fn print(self) {
        match self {
            Self::Compile(error) => tell(format_args!("{}", shown(*error))),
            Self::Run(error) => {
                print_lines(&error.said.printed);
                tell(format_args!("{}", shown(*error)));
            }
            Self::Tests(outputs) => tell(format_args!("droste: {outputs}")),
            error => tell(format_args!("droste: {}", visible(&causes(&error)))),
        }
    }

    /// Exit code of the command: 2 for wrong usage, 1 for everything else.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::About { source, .. } => source.exit_code(),
            _ => 1,
        }
    }

    /// The refusal as `--format json` prints it.
    pub fn refusal(&self) -> Refusal {
        let mut parts = vec![self.to_string()];
        let mut next = self.source();
        while let Some(cause) = next {
            parts.push(cause.to_string());
            next = cause.source();
        }
        // Errors that only pass another one on have its text.
        parts.dedup();
        Refusal {
            error: causes(self),
            causes: parts,
            exit_code: self.exit_code(),
            problems: self.problems(),
        }
    }

    /// What is wrong at which places of a source, if it is known.
    pub fn problems(&self) -> Vec<Problem> {
        match self {
            Self::Compile(error) => Problem::of_compiler(error),
            Self::Run(error) => vec![Problem::of_run(error)],
            Self::About { source, .. } => source.problems(),
            _ => vec![],
        }
    }
}

/// Last column of a line that the lines of an error can point at: their printer pads by widths of
/// 16 bits.
const LAST_COLUMN: usize = 60_000;

/// An error of the compiler or of a run, with the lines that it is about.
pub fn shown(error: impl Diagnostic + Send + Sync + 'static) -> String {
    if !is_far(&error) {
        return format!("{:?}", miette::Report::new(error));
    }
    let mut text = String::new();
    match NarratableReportHandler::new()
        .with_context_lines(0)
        .render_report(&mut text, &error)
    {
        Ok(()) => text,
        Err(_) => error.to_string(),
    }
}

/// Whether an error, or one that is shown with it, points beyond [`LAST_COLUMN`].
fn is_far(error: &dyn Diagnostic) -> bool {
    let mut labels = error.labels().into_iter().flatten();
    let mut related = error.related().into_iter().flatten();
    error.source_code().is_some_and(|source| {
        labels.any(|label| {
            let end = SourceSpan::from((label.offset() + label.len(), 0));
            let end = source.read_span(&end, 0, 0);
            end.is_ok_and(|end| end.column() > LAST_COLUMN)
        })
    }) || related.any(is_far)
}

/// Why a command failed, for programs. It is the last line of standard output.
#[derive(Debug, Serialize)]
pub struct Refusal {
    /// What is also printed to standard error.
    error: String,
    /// The error and what caused it, each by itself.
    causes: Vec<String>,
    /// The exit code: 2 for wrong usage, 1 for everything else.
    exit_code: u8,
    /// What is wrong in a program, and where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem>,
}

impl Refusal {
    /// Of arguments that cannot be parsed.
    pub fn of_usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        // What follows is how to use the command.
        let text = text.split("\n\n").next().unwrap_or_default();
        let text = text.trim_start_matches("error: ").trim_end().to_owned();
        Self {
            causes: vec![text.clone()],
            error: text,
            exit_code: 2,
            problems: vec![],
        }
    }

    /// Prints it to standard output. If that is closed, nobody reads it.
    pub fn print(&self) {
        if let Ok(text) = serde_json::to_string(self) {
            let _ = writeln!(io::stdout().lock(), "{text}");
        }
    }
}

impl From<Box<CompileError>> for CommandError {
    fn from(error: Box<CompileError>) -> Self {
        Self::Compile(error)
    }
}

impl From<FoldError> for CommandError {
    fn from(error: FoldError) -> Self {
        match error {
            FoldError::Compile(source) | FoldError::Rule { source, .. } => source.into(),
            error => Self::failed(error),
        }
    }
}

impl From<FoldPlanError> for CommandError {
    fn from(error: FoldPlanError) -> Self {
        match error {
            FoldPlanError::Fold(error) => error.into(),
            error => Self::failed(error),
        }
    }
}

impl From<RunError> for CommandError {
    fn from(error: RunError) -> Self {
        Self::Run(Box::new(error))
    }
}

/// Makes errors of the libraries failures. An `io::Error` is not among them: what it is about has
/// to be said.
macro_rules! failures {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                Self::failed(error)
            }
        }
    )+};
}

failures! {
    AcceptError, AggregateError, AirError, PlacesError, SignatureFoldError, CaseError, ClaimError, CostError,
    EncodeError, FileError, FoldLeafError, FoldRunError, InputError, KeyError, KeysError, LeafError, LeafRootError, MachineError, MemberError,
    LeafFileError, LeafKindError, NotCanonical, PlanError, ProfileError, ProofError, ProveError, RecipeError, RefusedFold,
    SignersError, StateError,
    UnsupportedBlowup, VerifyError, droste_binary::BinaryError, droste_binary::StatementError,
    droste_binary::paths::PathsError, droste_binary::paths::SiblingsError,
    droste_verifier::binary::BinaryCircuitError, droste_verifier::binary::ShapeError, hash_signature::StoreError, plan::RunError, plan::StoreError,
    serde_json::Error, shlex::QuoteError,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_in_long_lines_are_shown() {
        let spaces = " ".repeat(70_000);
        let text = format!("pub fn main() {{ {spaces} let x: u8 = 300; }}");
        let error = droste_vm::compiler::compile_file("a.rs", &text, &[]).unwrap_err();
        assert!(shown(*error).contains("300"));
    }

    #[derive(Debug, thiserror::Error)]
    #[error("the middle")]
    struct Middle(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("the cause")]
    struct Inner;

    #[derive(Debug, thiserror::Error)]
    #[error("told: {0}")]
    struct Told(#[source] Inner);

    #[test]
    fn every_cause_is_told_once() {
        let failed = CommandError::about("a.proof")(CommandError::failed(Middle(Inner)));
        assert_eq!(causes(&failed), "a.proof: the middle: the cause");
        assert_eq!(
            causes(&CommandError::failed(Told(Inner))),
            "told: the cause"
        );
        assert_eq!(causes(&CommandError::failed("no cause")), "no cause");
    }
}
