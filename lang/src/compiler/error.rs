//! Compile errors: a message, its place in the source, and what to write instead.

use std::fmt::Display;
use std::iter;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};

use super::output::{self, SourceFile, Span};
use super::resolve::STD;

/// Largest number of calls that an error lists.
const MAX_CALLS: usize = 8;

/// Why a program is refused: it is outside the subset, or wrong.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}{}", lines(chain))]
pub struct CompileError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The file that the span is in.
    pub source_code: NamedSource<String>,
    /// The offending text.
    pub span: SourceSpan,
    /// The calls that lead to this place, innermost first, one line each.
    pub chain: Vec<String>,
    /// Whether the program fails there whenever it runs, natively as well: an assertion that is
    /// false, an overflow.
    pub certain: bool,
    /// What is wrong with other items.
    pub others: Vec<Self>,
}

// By hand: the crate that derives it would make two builds of most others, one for the tests of a
// program and one for its native runs, which do without.
impl Diagnostic for CompileError {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        let help = self.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source_code)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let here = LabeledSpan::new_with_span(Some("here".to_owned()), self.span);
        Some(Box::new(iter::once(here)))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let others = self.others.iter();
        Some(Box::new(others.map(|other| other as &dyn Diagnostic)))
    }
}

impl CompileError {
    /// Returns the first and the last place of the offending text, each as line and column from 1.
    pub fn place(&self) -> [(usize, usize); 2] {
        let text = self.source_code.inner();
        let (start, length) = (self.span.offset(), self.span.len());
        [start, start + length].map(|at| output::line_column(text, at))
    }
}

/// Returns the text of a chain of calls, which begins a new line.
fn lines(chain: &[String]) -> String {
    chain.iter().map(|call| format!("\n  {call}")).collect()
}

/// An error to which the file's text is not attached yet.
#[derive(Clone, Debug)]
pub struct Failure {
    pub message: String,
    pub help: Option<String>,
    pub span: Span,
    /// Call expressions, innermost first.
    pub calls: Vec<(String, Span)>,
    /// Whether the program fails there whenever it runs.
    pub certain: bool,
    /// What is wrong with other items.
    pub others: Vec<Self>,
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
        certain: false,
        others: Vec::new(),
    })
}

/// Returns an error at a place where the program fails whenever it runs.
pub fn fail_certain<T, E: From<Box<Failure>>>(
    span: Span,
    message: impl Into<String>,
) -> std::result::Result<T, E> {
    let mut failure = failure(span, message);
    failure.certain = true;
    Err(failure.into())
}

impl Failure {
    /// Attaches the text of the file.
    pub fn into_error(self, files: &[SourceFile]) -> Box<CompileError> {
        Box::new(self.with_text(files))
    }

    fn with_text(mut self, files: &[SourceFile]) -> CompileError {
        let file = |span: Span| files.get(span.file as usize);
        let is_std = |span: Span| file(span).is_some_and(|file| file.path.starts_with(STD));
        // What std's own functions do is not the program's business: the call of them is.
        if is_std(self.span)
            && let Some(outer) = self.calls.iter().position(|(_, span)| !is_std(*span))
        {
            self.span = self
                .calls
                .drain(..=outer)
                .next_back()
                .map_or(self.span, |call| call.1);
        }
        self.calls.retain(|(_, span)| !is_std(*span));
        let left_out = self.calls.len().saturating_sub(MAX_CALLS);
        let calls = self.calls.iter().take(MAX_CALLS).map(|(function, span)| {
            let file = file(*span);
            let (line, column) = file.map_or((0, 0), |file| file.line_column(*span));
            let path = file.map_or("", |file| &file.path);
            format!("in {function}, called at {path}:{line}:{column}")
        });
        let mut chain: Vec<String> = calls.collect();
        if left_out > 0 {
            chain.push(format!("and {left_out} calls around it"));
        }
        let (path, text) =
            file(self.span).map_or(("", ""), |file| (file.path.as_str(), file.text.as_str()));
        let others = self.others.into_iter();
        CompileError {
            chain,
            certain: self.certain,
            others: others.map(|other| other.with_text(files)).collect(),
            message: self.message,
            help: self.help,
            source_code: NamedSource::new(path, text.to_owned()),
            span: (self.span.start as usize..self.span.end as usize).into(),
        }
    }
}

/// Names of Rust that the language does not have, and what to write instead.
const WANTED: &[(&str, &str)] = &[
    ("Box", "a value is inline: write its type without `Box`"),
    (
        "Rc Arc Cow",
        "a value may be cloned: write its type, or pass `&value`",
    ),
    (
        "RefCell Cell Mutex RwLock OnceCell",
        "write `let mut` and pass `&mut value` to functions",
    ),
    (
        "String format to_string to_owned to_uppercase to_lowercase",
        "text is `&str` that is known while compiling: keep it so, or push bytes to a `Vec<u8>`",
    ),
    (
        "HashMap BTreeMap IndexMap",
        "write a `Vec` of pairs, or two arrays, and find the key by `position`",
    ),
    (
        "HashSet BTreeSet BinaryHeap",
        "write a `Vec`, which `sort` and `contains` know",
    ),
    (
        "VecDeque LinkedList",
        "write a `Vec`: `remove(0)` takes the first element",
    ),
    (
        "f32 f64",
        "write `Felt` for arithmetic in the field, or an integer type",
    ),
    (
        "println print eprintln eprint write writeln",
        "to see a value, write `dbg!(value)`, or let an `assert_eq!` fail: its error has both sides",
    ),
    (
        "thread rand fs env io spawn",
        "a program reads only `public_input()` and hints such as `hint_felt()`",
    ),
    (
        "as_deref_mut get_or_insert_default",
        "`match` the value, and write a new one to its place: `place = Some(..)`",
    ),
    (
        "unsafe transmute MaybeUninit get_unchecked",
        "write it without: what the compiler evaluates costs nothing when it runs",
    ),
    (
        "async await",
        "write an ordinary function: a program runs from its start to its end",
    ),
];

/// Returns what the language has instead of something of Rust.
pub fn wanted(name: &str) -> Option<&'static str> {
    let found = WANTED
        .iter()
        .find(|(names, _)| names.split(' ').any(|one| one == name));
    found.map(|(_, help)| *help)
}
