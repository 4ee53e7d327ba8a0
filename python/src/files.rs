//! Reads and writes the files of proofs, aggregates, programs and signatures, with the command's
//! words.

use std::path::Path;

use droste_native::{codec, files};
use serde::de::DeserializeOwned;

use crate::error::{Error, Kind};

/// Largest text that is read, in bytes.
const LARGEST_TEXT: u64 = 1 << 28;

/// Reads the file of a proof or an aggregate.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    codec::read_file(path).map_err(Error::file(path))
}

/// Writes a file whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    files::write(path, bytes).map_err(Error::file(path))
}

/// Reads the text of a program, or JSON.
///
/// # Errors
/// If the file cannot be read, is larger than 256 MiB or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = files::read(path, LARGEST_TEXT).map_err(Error::file(path))?;
    String::from_utf8(bytes).map_err(|_| {
        let path = path.display();
        Error::new(Kind::File, format!("{path} is not text in UTF-8"))
    })
}

/// Reads JSON.
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::new(Kind::Decode, error.to_string());
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| wrong(&error))?;
    json.end().map_err(|error| wrong(&error))?;
    Ok(value)
}

/// Reads a JSON file.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    json(&read_text(path)?).map_err(Error::about(path.display()))
}
