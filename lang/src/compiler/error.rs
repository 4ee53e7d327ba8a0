//! Compile errors: a message, its place in the source, and what to write instead.

use miette::{Diagnostic, NamedSource, SourceSpan};

use super::output::{SourceFile, Span};

/// Why a program is refused: it is outside the subset, or wrong.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    #[help]
    pub help: Option<String>,
    /// The file that the span is in.
    #[source_code]
    pub source_code: NamedSource<String>,
    /// The offending text.
    #[label("here")]
    pub span: SourceSpan,
    /// The calls that lead to this place, innermost first, one line each.
    pub chain: Vec<String>,
}

/// An error to which the file's text is not attached yet.
#[derive(Clone, Debug)]
pub struct Failure {
    pub message: String,
    pub help: Option<String>,
    pub span: Span,
    /// Call expressions, innermost first.
    pub calls: Vec<(String, Span)>,
}

pub type Result<T> = std::result::Result<T, Box<Failure>>;

/// Returns an error at a place.
pub fn fail<T, E: From<Box<Failure>>>(
    span: Span,
    message: impl Into<String>,
) -> std::result::Result<T, E> {
    Err(failure(span, message).into())
}

/// Returns an error at a place, with advice.
pub fn fail_help<T, E: From<Box<Failure>>>(
    span: Span,
    message: impl Into<String>,
    help: impl Into<String>,
) -> std::result::Result<T, E> {
    let mut failure = failure(span, message);
    failure.help = Some(help.into());
    Err(failure.into())
}

pub fn failure(span: Span, message: impl Into<String>) -> Box<Failure> {
    Box::new(Failure {
        message: message.into(),
        help: None,
        span,
        calls: Vec::new(),
    })
}

impl Failure {
    /// Attaches the text of the file.
    pub fn into_error(self, files: &[SourceFile]) -> Box<CompileError> {
        let file = files.get(self.span.file as usize);
        let (path, text) = file.map_or(("", ""), |file| (file.path.as_str(), file.text.as_str()));
        let map = super::output::SourceMap {
            files: files.to_vec(),
            ..Default::default()
        };
        let chain = self.calls.iter().map(|(function, span)| {
            let (line, column) = map.line_column(*span);
            let path = map.path(*span);
            format!("in {function}, called at {path}:{line}:{column}")
        });
        Box::new(CompileError {
            chain: chain.collect(),
            message: self.message,
            help: self.help,
            source_code: NamedSource::new(path, text.to_owned()),
            span: (self.span.start as usize..self.span.end as usize).into(),
        })
    }
}
