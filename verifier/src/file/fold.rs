//! The file format of folds.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`FILE_VERSION`], little-endian |
//! | rest | the rules: bits, bits behind wraps, keys, ascending; the counters: rules, behind, depth; the blocks of the state; the proof: as `droste_native::codec` writes values |
//!
//! Decoding refuses everything that encoding does not write, and lists of rules that are none.
//! Counters and state are checked by [`UnverifiedFold::verify`]. Decoding allocates at most 15 bytes
//! per byte of the file plus 2 MiB, as for proofs, and a file has at most [`MAX_BYTES`].

use droste_native::F;
use droste_native::codec::{
    LIST_FACTOR, check_length, decode_body, encode_body, is_body, short_list,
};
use droste_vm::whir;
use serde::{Deserialize, Serialize};

use super::{FileError, version};
use crate::fold::{Counters, Family, Folded, MAX_BLOCKS, UnverifiedFold};

/// First bytes of a fold's file.
pub const MAGIC: [u8; 8] = *b"droste\0f";

/// Version of the format, raised by every change of its meaning.
pub const FILE_VERSION: u32 = 1;

/// Length of the longest file that is decoded: 4 MiB.
pub const MAX_BYTES: usize = 1 << 22;

const HEADER: usize = MAGIC.len() + 4;

/// What follows the header.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "L: Deserialize<'de>, P: Deserialize<'de>"))]
struct Content<L, P> {
    family: L,
    counters: Counters,
    #[serde(deserialize_with = "short_list::<_, _, MAX_BLOCKS>")]
    state: Vec<[F; 8]>,
    proof: P,
}

/// Whether bytes begin like the file of a fold.
pub fn is_fold(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Encodes a fold as a file. The figures of the step that made it are not stored.
///
/// # Errors
/// None for folds that verification or a rule made.
pub fn encode(folded: &Folded) -> Result<Vec<u8>, FileError> {
    encode_unverified(folded.unverified())
}

/// Encodes an unverified fold as a file, without checking its content.
///
/// # Errors
/// If its proof has no encoding. Proofs that a prover made have one.
pub fn encode_unverified(fold: &UnverifiedFold) -> Result<Vec<u8>, FileError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FILE_VERSION.to_le_bytes());
    Ok(encode_body(bytes, &listed(fold))?)
}

/// The content of a fold's file after its header, as a value whose fields can be inspected.
pub fn content(folded: &Folded) -> impl Serialize + use<'_> {
    listed(folded.unverified())
}

fn listed(fold: &UnverifiedFold) -> Content<&Family, &whir::Proof> {
    Content {
        family: &fold.family,
        counters: fold.counters,
        state: fold.state.clone(),
        proof: &fold.proof,
    }
}

/// Decodes the fold in a file. Nothing in it is verified.
///
/// # Errors
/// If the bytes are not exactly what [`encode_unverified`] writes for some fold, or its list of
/// rules is none.
pub fn decode(bytes: &[u8]) -> Result<UnverifiedFold, FileError> {
    match version(bytes, MAGIC) {
        None => return Err(FileError::FoldMagic),
        Some(FILE_VERSION) => {}
        Some(found) => return Err(FileError::FoldVersion(found)),
    }
    check_length(bytes, MAX_BYTES)?;
    let content: Content<Family, whir::Proof> = decode_body(bytes, HEADER, LIST_FACTOR)?;
    content.family.check()?;
    let fold = UnverifiedFold {
        family: content.family,
        counters: content.counters,
        state: content.state,
        proof: content.proof,
    };
    if is_body(&listed(&fold), bytes, HEADER) {
        Ok(fold)
    } else {
        Err(FileError::NotCanonical)
    }
}

#[cfg(test)]
mod tests {
    use droste_native::codec::DecodeError;
    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::claim::tests::key;
    use crate::fold::FamilyError;

    /// A file whose proof is missing: what comes before is read first.
    fn file(family: &Family, blocks: usize) -> Vec<u8> {
        let content = Content {
            family,
            counters: Counters::START,
            state: vec![[F::ONE; 8]; blocks],
            proof: (),
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FILE_VERSION.to_le_bytes());
        encode_body(bytes, &content).unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Content<Family, ()>, DecodeError> {
        decode_body(bytes, HEADER, LIST_FACTOR)
    }

    fn family(rules: u32) -> Family {
        Family {
            bits: 110,
            bits_behind: 102,
            keys: (1..=rules).map(key).collect(),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = file(&family(15), 64);
        let content = read(&bytes).unwrap();
        assert_eq!(content.family, family(15));
        assert_eq!(content.counters, Counters::START);
        assert_eq!(content.state, [[F::ONE; 8]; 64]);
        // Keys and state as elements of four bytes.
        let head = HEADER + 2 + 1;
        assert_eq!(bytes.len(), head + 15 * 32 + 3 + 1 + 64 * 32);
    }

    /// Lists are refused by their lengths, before their entries are read.
    #[test]
    fn lists_are_bounded() {
        for (rules, blocks, words) in [(16, 1, "at most 15"), (1, 65, "at most 64")] {
            let error = read(&file(&family(rules), blocks)).err().unwrap();
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn files_of_other_kinds_and_versions_are_refused() {
        let bytes = file(&family(1), 1);
        assert!(is_fold(&bytes));
        let error = |bytes: &[u8]| decode(bytes).unwrap_err();
        let with = |at: usize, byte: u8| {
            let mut changed = bytes.clone();
            changed[at] = byte;
            error(&changed)
        };
        assert_eq!(with(7, b'a'), FileError::FoldMagic);
        assert_eq!(error(&[]), FileError::FoldMagic);
        assert_eq!(error(&bytes[..HEADER - 1]), FileError::FoldMagic);
        for found in [0, 2] {
            assert_eq!(with(8, found), FileError::FoldVersion(found.into()));
        }
        let mut long = bytes;
        long.resize(MAX_BYTES + 1, 0);
        let too_long = DecodeError::TooLong {
            found: MAX_BYTES + 1,
            most: MAX_BYTES,
        };
        assert_eq!(error(&long), FileError::Decode(too_long));
        let none = FileError::from(FamilyError::Rules(0));
        assert_eq!(none.to_string(), "a fold has 1 to 15 rules, not 0");
    }
}
