//! Programs and hint files named on the command line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use droste_vm::compiler::{self, Compiled};
use droste_vm::executor::Tape;

use crate::error::CommandError;

/// Largest program or hint file that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 28;

/// Most instructions that a run may be allowed: a cycle takes 8 bytes, and memories are bounded.
pub const LARGEST_LIMIT: u64 = 1 << 30;

/// Text of the file at `path`.
///
/// # Errors
/// A file that cannot be read, is too large or is no UTF-8.
pub fn read_text(path: &Path) -> Result<String, CommandError> {
    let bytes = File::open(path)
        .and_then(|file| read_at_most(file, LARGEST_FILE))
        .map_err(CommandError::file(path))?;
    String::from_utf8(bytes).map_err(|_| {
        let path = path.display();
        CommandError::failed(format!("{path} is not text in UTF-8"))
    })
}

/// Everything there is to read, if it is at most `limit` bytes: a size that the system tells says nothing
/// of devices and pipes.
///
/// # Errors
/// Of the system, and `InvalidData` for more bytes.
pub fn read_at_most(file: impl Read, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("more than {limit} bytes, the most that are read");
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            message,
        ));
    }
    Ok(bytes)
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
