//! Reads the programs and hint files that the command line names.

use std::path::Path;

use droste_vm::compiler::{self, Compiled};
use droste_vm::executor::Tape;
use droste_vm::files;

use crate::error::CommandError;

/// Largest program or hint file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 28;

/// Largest limit of instructions that a run can be given. A cycle takes 8 bytes, so a run's cycles
/// take at most 8 GiB.
pub const LARGEST_LIMIT: u64 = 1 << 30;

/// Reads the file at `path` as text.
///
/// # Errors
/// If the file cannot be read, is larger than 256 MiB or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, CommandError> {
    let bytes = files::read(path, LARGEST_FILE).map_err(CommandError::file(path))?;
    String::from_utf8(bytes).map_err(|_| {
        let path = path.display();
        CommandError::failed(format!("{path} is not text in UTF-8"))
    })
}

/// Compiles the program at `path` with the gadget library.
///
/// # Errors
/// If the file cannot be read, or the program does not compile; the message shows the source lines.
pub fn compile(path: &Path) -> Result<Compiled, CommandError> {
    let text = read_text(path)?;
    let name = path.display().to_string();
    compiler::compile_file(&name, &text, droste_gadgets::SOURCES)
        .map_err(|error| CommandError::Diagnostic(error))
}

/// Compiles the program at `path` to its intermediate representation, as text.
///
/// # Errors
/// As [`compile`].
pub fn intermediate(path: &Path) -> Result<String, CommandError> {
    let text = read_text(path)?;
    let name = path.display().to_string();
    compiler::intermediate(&name, &text, droste_gadgets::SOURCES)
        .map_err(|error| CommandError::Diagnostic(error))
}

/// Reads hints from a JSON file; without a file there are none.
///
/// # Errors
/// If the file cannot be read, or is not a JSON list of hints with canonical integers.
pub fn tape(path: Option<&Path>) -> Result<Tape, CommandError> {
    let Some(path) = path else {
        return Ok(Tape::default());
    };
    let text = read_text(path)?;
    serde_json::from_str(&text)
        .map_err(CommandError::failed)
        .map_err(CommandError::about(path.display()))
}
