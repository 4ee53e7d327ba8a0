//! Reads the programs and hint files that the command line names.

use std::path::Path;

use clap::{Args, value_parser};
use droste_native::{F, files};
use droste_vm::compiler::Compiled;
use droste_vm::executor::{Tape, execute};
use droste_vm::record::Execution;
use serde::de::DeserializeOwned;

use crate::calling::{Calls, Loaded};
use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::print_lines;
use crate::paths::{Input, Output};
use crate::progress::note;
use crate::recording;
use crate::sources::Sources;

/// Largest program, list or hint file that is read, in bytes.
pub const LARGEST_FILE: u64 = 1 << 28;

/// Largest limit of instructions that a run can be given. A cycle takes 8 bytes, so a run's cycles
/// take at most 8 GiB.
pub const LARGEST_LIMIT: u64 = 1 << 30;

/// A program, and what it is run with.
#[derive(Debug, Args)]
pub struct Execute {
    /// File of the zk-DSL program, or folder of its cargo package.
    file: Input,
    /// Public inputs: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// JSON file of hints, in the order in which the program reads them: a list of `{"felt": x}`,
    /// `{"ext": [..5]}` and `{"slice": [[..8], ..]}`.
    #[arg(long)]
    hints: Option<Input>,
    /// File to write the hints of the run to. The program runs natively first: what it advises need
    /// not be in `--hints`.
    #[arg(long, value_name = "JSON", conflicts_with = "calls")]
    record: Option<Output>,
    #[command(flatten)]
    calls: Calls,
    /// Largest number of instructions that the program may execute.
    #[arg(long, default_value_t = 1 << 24, value_parser = value_parser!(u64).range(..=LARGEST_LIMIT))]
    limit: u64,
}

impl Execute {
    /// Compiles and executes the program. Returns the public inputs, too.
    ///
    /// # Errors
    /// If a file cannot be read, or the program does not compile or fails; the message then shows
    /// the source lines.
    pub fn run(&self) -> Result<(Loaded, Vec<F>, Execution), CommandError> {
        let public = field_list(&self.public)?;
        let compiled = self.calls.compile(&self.file)?;
        note_unchecked(&self.file);
        let mut tape = tape(self.hints.as_deref())?;
        if let Some(path) = &self.record {
            tape = recording::record(&self.file, &public, &tape)?;
            let text = serde_json::to_string(&tape)?;
            files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
        }
        let execution = execute(&compiled, &public, &tape, self.limit)?;
        print_lines(&execution.printed);
        Ok((compiled, public, execution))
    }
}

/// Reads the file at `path` as text.
///
/// # Errors
/// If the file cannot be read, is larger than 256 MiB or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, CommandError> {
    text_of(
        path,
        files::read(path, LARGEST_FILE).map_err(CommandError::file(path))?,
    )
}

/// The bytes that were read at `path` as text.
///
/// # Errors
/// If they are not UTF-8.
pub fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, CommandError> {
    String::from_utf8(bytes).map_err(|_| {
        let path = path.display();
        CommandError::failed(format!("{path} is not text in UTF-8"))
    })
}

/// Says of a program that compiles, but is in no package, that rustc has not checked it.
pub fn note_unchecked(path: &Path) {
    let whole = path.canonicalize();
    let mut folders = whole.as_deref().unwrap_or(path).ancestors();
    if !folders.any(|folder| folder.join("Cargo.toml").is_file()) {
        let path = path.display();
        note(format_args!(
            "{path} is in no cargo package, and only rustc checks all types: `droste new` \
             writes one, `droste fold new` one with rules"
        ));
    }
}

/// Reads the JSON file at `path`.
///
/// # Errors
/// If it cannot be read, or is something else; the message says where in the text.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, CommandError> {
    let text = read_text(path)?;
    let mut json = serde_json::Deserializer::from_str(&text);
    let value = serde_path_to_error::deserialize(&mut json)
        .map_err(CommandError::failed)
        .and_then(|value| Ok(json.end().map(|()| value)?));
    value.map_err(CommandError::about(path.display()))
}

/// Compiles the program at `path` with its modules and the gadget library.
pub fn compile(path: &Path) -> Result<Compiled, CommandError> {
    Sources::read(path, &[])?.compile()
}

/// Reads hints from a JSON file; without a file there are none.
pub fn tape(path: Option<&Path>) -> Result<Tape, CommandError> {
    let Some(path) = path else {
        return Ok(Tape::default());
    };
    let what = "a tape of hints, such as [{\"felt\": 3}]";
    from_json(path, read_text(path)?.as_bytes(), what)
}

/// What a JSON file has.
///
/// # Errors
/// If these bytes of it are not `what` it must be.
pub fn from_json<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    what: &str,
) -> Result<T, CommandError> {
    let subject = format!("{} is not {what}, in JSON", path.display());
    serde_json::from_slice(bytes).map_err(CommandError::about(subject))
}
