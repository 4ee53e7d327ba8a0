//! Reads and writes the files of proofs, aggregates and programs, with the command's words.

use std::fs::File;
use std::io::{Error as IoError, ErrorKind, Read};
use std::path::Path;

use droste_vm::codec;

use crate::error::{Error, Kind};

/// Largest program that is read, in bytes.
const LARGEST_PROGRAM: u64 = 1 << 28;

/// Reads the file of a proof or an aggregate.
///
/// # Errors
/// If it cannot be read or is too long.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    codec::read_file(path).map_err(Error::file(path))
}

/// Writes a file whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    codec::write_file(path, bytes).map_err(Error::file(path))
}

/// Reads the text of a program.
///
/// # Errors
/// If the file cannot be read, is larger than 256 MiB or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_PROGRAM + 1).read_to_end(&mut bytes))
        .map_err(Error::file(path))?;
    if bytes.len() as u64 > LARGEST_PROGRAM {
        let message = format!("the input has more than {LARGEST_PROGRAM} bytes, the limit");
        return Err(Error::file(path)(IoError::new(
            ErrorKind::InvalidData,
            message,
        )));
    }
    String::from_utf8(bytes).map_err(|_| {
        let path = path.display();
        Error::new(Kind::File, format!("{path} is not text in UTF-8"))
    })
}
