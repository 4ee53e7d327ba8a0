//! What a command can fail with, and the exit code that goes with it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use thiserror::Error;

/// A failed command.
#[derive(Debug, Error)]
pub enum CommandError {
    /// Arguments that contradict each other or make no sense together.
    #[error("{0}")]
    Usage(String),
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Standard output is closed.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// Source that does not compile or does not run, shown in place.
    #[error("{0}")]
    Diagnostic(Box<dyn miette::Diagnostic + Send + Sync>),
    /// The work itself failed, or a proof was rejected.
    #[error("{0}")]
    Failed(String),
}

impl CommandError {
    /// Wrong usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// A failure, in the words of `error`.
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// Ties a system error to its file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File {
            path: path.to_owned(),
            source,
        }
    }

    /// Says on standard error what went wrong.
    pub fn print(self) {
        match self {
            Self::Diagnostic(diagnostic) => {
                eprintln!("{:?}", miette::Report::new_boxed(diagnostic))
            }
            error => eprintln!("droste: {error}"),
        }
    }

    /// 2 for wrong usage, 1 for everything else.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            _ => ExitCode::FAILURE,
        }
    }
}
