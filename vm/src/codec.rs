//! Proof files.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FORMAT_VERSION`], little-endian |
//! | 1 | hash: 0 Poseidon-16, 1 Blake3, 2 Keccak |
//! | rest | the [`Proof`], as `bincode` 2 with variable-length integers writes it |
//!
//! Decoding refuses everything that encoding does not write: other versions, elements at or above the
//! modulus, longer forms of integers, trailing bytes. It takes memory in proportion to the bytes it
//! is given, of which it takes at most [`MAX_BYTES`], never by a length it reads: at most 16 bytes for
//! each, and 8 MiB (`serde` reserves up to 1 MiB for a list of which it has read the length alone, and
//! lists are nested less than 8 deep).

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use droste_native::{HashFamily, HashId};
use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::key::FORMAT_VERSION;
use crate::prover::Proof;

/// First bytes of a proof file.
pub const MAGIC: [u8; 8] = *b"droste\0p";

/// Largest proof that is read: 64 MiB.
pub const MAX_BYTES: usize = 1 << 26;

const HEADER: usize = MAGIC.len() + 4 + 1;

/// The limit also bounds the length that a list claims before anything is allocated for it.
const BINCODE: Configuration<LittleEndian, Varint, Limit<MAX_BYTES>> =
    bincode::config::standard().with_limit::<MAX_BYTES>();

/// Bytes that are no proof.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// More bytes than any proof has.
    #[error("{found} bytes: a proof has at most {MAX_BYTES}")]
    TooLong {
        /// Number of bytes.
        found: usize,
    },
    /// The first bytes are not those of a proof file.
    #[error("not a proof file")]
    Magic,
    /// Another version of the format.
    #[error("proof format version {found}, expected {FORMAT_VERSION}")]
    Version {
        /// Version in the file.
        found: u32,
    },
    /// No hash of this number.
    #[error("unknown hash number {found}")]
    UnknownHash {
        /// Number in the file.
        found: u8,
    },
    /// The proof is committed in another hash.
    #[error("the proof is committed in {found}, expected {expected}")]
    OtherHash {
        /// Hash asked for.
        expected: HashId,
        /// Hash of the proof.
        found: HashId,
    },
    /// The proof itself cannot be read.
    #[error("malformed proof: {0}")]
    Malformed(String),
    /// Bytes are left after the proof.
    #[error("{found} bytes after the end of the proof")]
    TrailingBytes {
        /// Number of bytes.
        found: usize,
    },
    /// The proof can be read but is not written the one way there is.
    #[error("the proof is not in canonical form")]
    NotCanonical,
}

/// The bytes of a proof file.
///
/// # Errors
/// None for proofs that a prover made; `bincode`'s text otherwise.
pub fn encode<H: HashFamily>(proof: &Proof<H>) -> Result<Vec<u8>, DecodeError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT_VERSION.to_le_bytes());
    bytes.push(number(H::ID));
    encode_body(bytes, proof)
}

/// A header followed by a value, for files of other kinds too.
///
/// # Errors
/// As [`encode`].
pub fn encode_body<T: Serialize>(mut bytes: Vec<u8>, value: &T) -> Result<Vec<u8>, DecodeError> {
    bincode::serde::encode_into_std_write(value, &mut bytes, BINCODE)
        .map_err(|error| DecodeError::Malformed(error.to_string()))?;
    Ok(bytes)
}

/// The value that follows a header of `header` bytes, if nothing follows it. Whether the bytes are
/// the one way to write it is for the caller to check.
///
/// # Errors
/// If the value cannot be read, or bytes are left after it.
pub fn decode_body<T: DeserializeOwned>(bytes: &[u8], header: usize) -> Result<T, DecodeError> {
    if bytes.len() > MAX_BYTES {
        return Err(DecodeError::TooLong { found: bytes.len() });
    }
    let body = bytes.get(header..).unwrap_or_default();
    let (value, read) = bincode::serde::decode_from_slice::<T, _>(body, BINCODE)
        .map_err(|error| DecodeError::Malformed(error.to_string()))?;
    match body.len() - read {
        0 => Ok(value),
        found => Err(DecodeError::TrailingBytes { found }),
    }
}

/// The hash in which a proof is committed.
///
/// # Errors
/// If the bytes do not begin as a proof of this version does.
pub fn hash_of(bytes: &[u8]) -> Result<HashId, DecodeError> {
    if bytes.len() > MAX_BYTES {
        return Err(DecodeError::TooLong { found: bytes.len() });
    }
    let (magic, rest) = bytes.split_first_chunk().ok_or(DecodeError::Magic)?;
    if *magic != MAGIC {
        return Err(DecodeError::Magic);
    }
    let (version, rest) = rest.split_first_chunk().ok_or(DecodeError::Magic)?;
    let found = u32::from_le_bytes(*version);
    if found != FORMAT_VERSION {
        return Err(DecodeError::Version { found });
    }
    let &found = rest.first().ok_or(DecodeError::Magic)?;
    HashId::ALL
        .into_iter()
        .find(|&id| number(id) == found)
        .ok_or(DecodeError::UnknownHash { found })
}

/// The proof of a proof file.
///
/// # Errors
/// If the bytes are not exactly what [`encode`] writes for some proof committed in hash `H`.
pub fn decode<H: HashFamily>(bytes: &[u8]) -> Result<Proof<H>, DecodeError> {
    let found = hash_of(bytes)?;
    if found != H::ID {
        return Err(DecodeError::OtherHash {
            expected: H::ID,
            found,
        });
    }
    let proof: Proof<H> = decode_body(bytes, HEADER)?;
    if encode(&proof)? != bytes {
        return Err(DecodeError::NotCanonical);
    }
    Ok(proof)
}

/// A list of at most `MAX` elements, as `#[serde(deserialize_with = "..")]` takes it: for elements that
/// have many times the size of their bytes, such as texts, of which an empty one is a byte of a file and
/// 24 of memory.
///
/// # Errors
/// The deserializer's, and if there are more elements: none is read then if the length comes first.
pub fn short_list<'de, D, T, const MAX: usize>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct ShortList<T, const MAX: usize>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ShortList<T, MAX> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MAX} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            if let Some(length) = list.size_hint()
                && length > MAX
            {
                return Err(A::Error::invalid_length(length, &self));
            }
            let mut elements = vec![];
            while let Some(element) = list.next_element()? {
                if elements.len() == MAX {
                    return Err(A::Error::invalid_length(MAX + 1, &self));
                }
                elements.push(element);
            }
            Ok(elements)
        }
    }

    deserializer.deserialize_seq(ShortList::<T, MAX>(PhantomData))
}

fn number(hash: HashId) -> u8 {
    match hash {
        HashId::Poseidon16 => 0,
        HashId::Blake3 => 1,
        HashId::Keccak => 2,
    }
}

/// Reads a file of at most [`MAX_BYTES`].
///
/// # Errors
/// Of the file system, and `InvalidData` for a longer file.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    let limit = MAX_BYTES as u64 + 1;
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_BYTES {
        let error = DecodeError::TooLong { found: bytes.len() };
        return Err(io::Error::new(io::ErrorKind::InvalidData, error));
    }
    Ok(bytes)
}

/// Writes a file whole or not at all: to a temporary name in the same folder, which is then renamed.
///
/// # Errors
/// Of the file system. A file that was there before is then untouched.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_name(path)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn temporary_name(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| {
        let message = format!("{} is not the name of a file", path.display());
        io::Error::new(io::ErrorKind::InvalidInput, message)
    })?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(temporary))
}
