//! Programs and hint files named on the command line.

use std::fs;
use std::path::Path;

use droste_vm::compiler::{self, Compiled};
use droste_vm::executor::Tape;

use crate::error::CommandError;

/// Largest program or hint file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 28;

/// Text of the file at `path`.
///
/// # Errors
/// A file that cannot be read, is too large or is no UTF-8.
pub fn read_text(path: &Path) -> Result<String, CommandError> {
    let size = fs::metadata(path).map_err(CommandError::file(path))?.len();
    if size > LARGEST_FILE {
        let path = path.display();
        let message = format!("{path} has {size} bytes, at most {LARGEST_FILE} are read");
        return Err(CommandError::failed(message));
    }
    fs::read_to_string(path).map_err(CommandError::file(path))
}

/// Compiles the program at `path` with the gadget library.
///
/// # Errors
/// An unreadable file, or source that is outside of the zk-DSL, shown in place.
pub fn compile(path: &Path) -> Result<Compiled, CommandError> {
    let text = read_text(path)?;
    let name = path.display().to_string();
    compiler::compile_file(&name, &text, droste_gadgets::SOURCES)
        .map_err(|error| CommandError::Diagnostic(error))
}

/// Intermediate representation of the program at `path`.
///
/// # Errors
/// As [`compile`].
pub fn intermediate(path: &Path) -> Result<String, CommandError> {
    let text = read_text(path)?;
    let name = path.display().to_string();
    compiler::intermediate(&name, &text, droste_gadgets::SOURCES)
        .map_err(|error| CommandError::Diagnostic(error))
}

/// Hints from a JSON file, none without one.
///
/// # Errors
/// An unreadable file, or anything but a list of hints in canonical integers.
pub fn tape(path: Option<&Path>) -> Result<Tape, CommandError> {
    let Some(path) = path else {
        return Ok(Tape::default());
    };
    let text = read_text(path)?;
    serde_json::from_str(&text)
        .map_err(|error| CommandError::failed(format!("{}: {error}", path.display())))
}
