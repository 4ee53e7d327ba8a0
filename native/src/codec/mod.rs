//! Files: how values are encoded, and decoding within bounds of memory.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`Kind::magic`] |
//! | 4 | [`Kind::version`], little-endian |
//! | 1 | hash: 0 Poseidon-16, 1 Blake3, 2 Keccak, 3 Poseidon2 |
//! | rest | the value, as `serde` takes it apart |
//!
//! A value is its parts one after the other. A list or a text has its length before it, a choice
//! its number, an optional value 0 or 1. An integer up to 250 is one byte, a larger one 2, 4 or 8,
//! little-endian, behind a byte 251, 252 or 253. (This is what `bincode` 2 calls its standard
//! configuration.) An element of the field is 4 bytes, its Montgomery form, and a digest of a byte
//! hash 32. An integer of 128 bits, which is an element of a binary field, is 16 bytes,
//! little-endian.
//!
//! Decoding refuses everything that encoding does not write: other versions, elements at or above
//! the modulus, integers encoded in more bytes than necessary, trailing bytes. A file has at most
//! [`MAX_BYTES`].
//!
//! # Memory
//!
//! An empty list is 1 byte in a file and 24 in memory, so a list's length is no bound on what its
//! elements take. Decoding therefore has a budget: the elements of all lists, and texts, may take
//! [`LIST_FACTOR`] bytes per byte of the file plus [`LIST_CONSTANT`]. A list is charged, whole,
//! when its first element is about to be read, and refused if too little is left. Apart from lists
//! and texts, values allocate nothing.
//!
//! So **decoding allocates at most 15 bytes per byte of the file plus 2 MiB**, whatever lengths the
//! file claims. `serde` reserves what a list needs, but at most 1 MiB. A longer list grows: the
//! room is doubled, and while elements move to the new room the old one exists, too, in all three
//! times what the list has been charged for. The old room is full and the list goes on, so three
//! times the budget bounds it. One list at a time is reserved and not yet charged, 1 MiB more.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;
#[cfg(feature = "prover")]
use std::io;
use std::marker::PhantomData;
#[cfg(feature = "prover")]
use std::path::Path;

use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use self::read::Reader;
use self::write::{Compare, Count, Writer};
use crate::HashId;
#[cfg(feature = "prover")]
use crate::files;

/// Length in bytes of the largest proof file that is read: 64 MiB.
pub const MAX_BYTES: usize = 1 << 26;

/// Bytes of memory that the elements of a proof's lists, and its texts, may take per byte of the
/// file. Those of honest proofs take less than 2.
pub const LIST_FACTOR: usize = 5;

/// Bytes of memory that they may take in addition: 64 KiB.
pub const LIST_CONSTANT: usize = 1 << 16;

/// Length in bytes of the header of a proof file, of either stack.
pub const HEADER: usize = 8 + 4 + 1;

/// Why bytes are not a proof file, or not one of the expected hash.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The file is longer than files of its kind may be.
    #[error("the proof file has {found} bytes, expected at most {most}")]
    TooLong {
        /// Number of bytes.
        found: usize,
        /// Largest number of bytes of such a file.
        most: usize,
    },
    /// The first bytes are not those of a proof file.
    #[error("not a proof file: it does not begin with the bytes of one")]
    Magic,
    /// The file has another version of the format.
    #[error(
        "the file has proof format version {found}, expected {expected}: make the proof again with \
         this version"
    )]
    Version {
        /// Version that is read.
        expected: u32,
        /// Version in the file.
        found: u32,
    },
    /// No hash has this number.
    #[error("the file names hash number {0}, which does not exist")]
    UnknownHash(u8),
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
    /// So many bytes are left after the proof.
    #[error("{0} bytes follow the end of the proof, expected none")]
    TrailingBytes(usize),
    /// The bytes decode to a value that [`encode_body`] writes differently.
    #[error("the proof is not in canonical form: its encoding differs from the file")]
    NotCanonical,
}

/// A value that has no encoding, with the reason. Proofs that a prover made have one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this cannot be written to a file: {0}")]
pub struct EncodeError(pub String);

/// Appends the encoding of `value` to the header `bytes`.
///
/// # Errors
/// If the value has no encoding. Proofs that a prover made have one.
pub fn encode_body<T: Serialize>(bytes: Vec<u8>, value: &T) -> Result<Vec<u8>, EncodeError> {
    let mut writer = Writer(bytes);
    value.serialize(&mut writer)?;
    Ok(writer.0)
}

/// Decodes the value that follows a header of `header` bytes and extends to the end of `bytes`. The
/// caller must check that the bytes are the canonical encoding of the value.
///
/// Elements of lists, and texts, may take `factor` bytes of memory per byte, such as
/// [`LIST_FACTOR`], plus [`LIST_CONSTANT`]; decoding allocates at most three times that and 1 MiB.
///
/// # Errors
/// If the value cannot be read or its lists take more memory, or if bytes are left after it.
pub fn decode_body<T: DeserializeOwned>(
    bytes: &[u8],
    header: usize,
    factor: usize,
) -> Result<T, DecodeError> {
    check_length(bytes, MAX_BYTES)?;
    let mut reader = Reader::new(bytes.get(header..).unwrap_or_default(), factor);
    let value = T::deserialize(&mut reader);
    let value = value.map_err(|error| DecodeError::Malformed(error.to_string()))?;
    match reader.bytes.len() {
        0 => Ok(value),
        found => Err(DecodeError::TrailingBytes(found)),
    }
}

/// Whether [`encode_body`] writes a value as the bytes behind the header of a file.
pub fn is_body<T: Serialize>(value: &T, bytes: &[u8], header: usize) -> bool {
    let mut writer = Writer(Compare(bytes.get(header..).unwrap_or_default()));
    value.serialize(&mut writer).is_ok() && writer.0.0.is_empty()
}

/// Number of bytes of a file with a header of `header` bytes, as [`encode_body`] writes it.
///
/// # Errors
/// As [`encode_body`].
pub fn file_length<T: Serialize>(header: usize, value: &T) -> Result<usize, EncodeError> {
    let mut writer = Writer(Count(header));
    value.serialize(&mut writer)?;
    Ok(writer.0.0)
}

/// Checks that a file has at most `most` bytes.
///
/// # Errors
/// [`DecodeError::TooLong`].
pub const fn check_length(bytes: &[u8], most: usize) -> Result<(), DecodeError> {
    let found = bytes.len();
    if found > most {
        return Err(DecodeError::TooLong { found, most });
    }
    Ok(())
}

/// A kind of proof files: how their headers begin. A byte follows, the hash's number.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The first bytes.
    pub magic: [u8; 8],
    /// The version, little-endian.
    pub version: u32,
}

impl Kind {
    /// The header of a file whose proof is committed in `hash`.
    #[must_use]
    pub fn header(&self, hash: HashId) -> Vec<u8> {
        let mut bytes = self.magic.to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.push(hash.number());
        bytes
    }

    /// The hash in the header of a file.
    ///
    /// # Errors
    /// If the file does not begin as one of this kind.
    pub fn hash_of(&self, bytes: &[u8]) -> Result<HashId, DecodeError> {
        let (magic, rest) = bytes.split_first_chunk().ok_or(DecodeError::Magic)?;
        if *magic != self.magic {
            return Err(DecodeError::Magic);
        }
        let (version, rest) = rest.split_first_chunk().ok_or(DecodeError::Magic)?;
        let (expected, found) = (self.version, u32::from_le_bytes(*version));
        if found != expected {
            return Err(DecodeError::Version { expected, found });
        }
        let &found = rest.first().ok_or(DecodeError::Magic)?;
        HashId::ALL
            .into_iter()
            .find(|&id| id.number() == found)
            .ok_or(DecodeError::UnknownHash(found))
    }

    /// Decodes what follows the header of a file whose proof must be committed in `expected`, which
    /// must be as [`encode_body`] writes it.
    ///
    /// # Errors
    /// If the header is another one, or what follows is not exactly what [`encode_body`] writes for
    /// some value.
    pub fn decode<T: Serialize + DeserializeOwned>(
        &self,
        bytes: &[u8],
        expected: HashId,
    ) -> Result<T, DecodeError> {
        let found = self.hash_of(bytes)?;
        if found != expected {
            return Err(DecodeError::OtherHash { expected, found });
        }
        let value = decode_body(bytes, HEADER, LIST_FACTOR)?;
        if is_body(&value, bytes, HEADER) {
            Ok(value)
        } else {
            Err(DecodeError::NotCanonical)
        }
    }
}

/// Deserializes a list of at most `MAX` elements, for `#[serde(deserialize_with = "..")]`.
///
/// # Errors
/// The deserializer's errors, and one for more than `MAX` elements. If the format states the length
/// first, that error comes before any element is read.
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
            // As `serde` reserves for a list.
            let most = (1 << 20) / size_of::<T>().max(1);
            let mut elements = Vec::with_capacity(list.size_hint().unwrap_or(0).min(most));
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

/// Reads a file of at most [`MAX_BYTES`] bytes.
///
/// # Errors
/// As for [`files::read`].
#[cfg(feature = "prover")]
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    files::read(path, MAX_BYTES as u64)
}
