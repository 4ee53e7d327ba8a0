//! Problems at places of a source, as `--format json` prints them: for editors.

use droste_vm::compiler::CompileError;
use droste_vm::executor::RunError;
use serde::Serialize;

/// A problem at a place of a source. Lines and columns are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The file; empty if the problem has no place.
    pub path: String,
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the end.
    pub end_line: usize,
    /// Column of the first character behind the end.
    pub end_column: usize,
    /// The calls that lead to this place, innermost first.
    pub chain: Vec<String>,
}

impl Problem {
    /// The problems that the compiler found.
    pub fn of_compiler(error: &CompileError) -> Vec<Self> {
        let first = std::iter::once(error);
        first.chain(&error.others).map(Self::from).collect()
    }

    /// Why a run failed.
    pub fn of_run(error: &RunError) -> Self {
        let place = error.places.first();
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        let source = error.source_code.as_ref().zip(error.span);
        let text = source.and_then(|(source, span)| {
            let text = source.inner();
            text.get(span.offset()..span.offset() + span.len())
        });
        let last = text.unwrap_or_default().rsplit('\n').next();
        let last = last.unwrap_or_default().len();
        let (end_line, end_column) = match text.unwrap_or_default().matches('\n').count() {
            0 => (line, column + last),
            more => (line + more, last + 1),
        };
        let message = error.reason();
        let said = place.and_then(|place| place.message.as_deref());
        Self {
            message: said.map_or(message.clone(), |said| format!("{message}: {said}")),
            help: None,
            path: place.map_or(String::new(), |place| place.path.clone()),
            line,
            column,
            end_line,
            end_column,
            chain: error
                .places
                .iter()
                .skip(1)
                .map(ToString::to_string)
                .collect(),
        }
    }
}

impl From<&CompileError> for Problem {
    fn from(error: &CompileError) -> Self {
        let [(line, column), (end_line, end_column)] = error.place();
        Self {
            message: error.message.clone(),
            help: error.help.clone(),
            path: error.source_code.name().to_owned(),
            line,
            column,
            end_line,
            end_column,
            chain: error.chain.clone(),
        }
    }
}
