//! Proof files, and what they show.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 4 | [`VERSION`], little-endian |
//! | 1 | the hash of trees and transcript: 0 Poseidon-16, 1 BLAKE3 |
//! | rest | the statement's digest and the proof, as [`droste_native::codec`] says |
//!
//! A file does not contain the statement; the digest only tells that it is another one. Decoding
//! refuses every file that encoding does not write, and files above [`MAX_BYTES`].

#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

use std::time::Instant;

pub use droste_native::codec::{DecodeError, EncodeError};
use droste_native::codec::{Kind, check_length, encode_body};
use droste_native::stark::security::BoundSummary;
use serde::{Deserialize, Serialize};

use crate::error::BinaryError;
use crate::proof::{Proof, verify_bound};
use crate::shape::StatementShape;
use crate::statement::Statement;
use crate::tree_hash::TreeHash;

/// First bytes of a proof file.
pub const MAGIC: [u8; 8] = *b"droste\0b";

/// Version of the format.
pub const VERSION: u32 = 4;

/// Length in bytes of the largest file that is read: 1 MiB. Decoding allocates at most 15 bytes per
/// byte plus 2 MiB, as [`droste_native::codec`] says.
pub const MAX_BYTES: usize = 1 << 20;

const KIND: Kind = Kind {
    magic: MAGIC,
    version: VERSION,
};

/// What is in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct File<H: TreeHash> {
    /// [`Statement::digest`], only to name the error if it is another one.
    pub statement: H::Digest,
    /// The proof.
    pub proof: Proof<H>,
}

impl<H: TreeHash> File<H> {
    /// The file of a proof of a statement.
    pub fn new<'a>(statement: impl Into<Statement<'a>>, proof: Proof<H>) -> Self {
        let statement = statement.into().digest::<H>();
        Self { statement, proof }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// None for proofs that a prover made.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        encode_body(KIND.header(H::ID), self)
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// If the bytes are not exactly what [`Self::encode`] writes for some file committed in `H`.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        check_length(bytes, MAX_BYTES)?;
        KIND.decode(bytes, H::ID)
    }
}

/// What a proof file shows, with the fields that the command prints.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// What the proof is about: `calls`, `paths` or `graph`.
    pub kind: &'static str,
    /// Name of the hash.
    pub hash: &'static str,
    /// Number of calls. Of paths, each node above a leaf is one.
    pub calls: usize,
    /// Number and depth, of paths.
    #[serde(flatten)]
    pub paths: Option<PathsSummary>,
    /// Proven bits, those of the sum of all terms, rounded down.
    pub proven_bits: usize,
    /// The terms.
    pub security: BoundSummary,
    /// Time to decode and to verify.
    pub verify_ms: f64,
    /// Length of the file.
    pub proof_bytes: usize,
}

/// How many paths a proof shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PathsSummary {
    /// Number of paths.
    pub paths: usize,
    /// Levels between each leaf and its root.
    pub depth: usize,
}

/// Verifies that the bytes of a file are a proof of a statement, with `min_bits` proven bits at
/// least. Below [`crate::MIN_BITS`], `min_bits` makes no difference.
///
/// # Errors
/// [`BinaryError`], for everything else.
pub fn verify_file<'a, H: TreeHash>(
    statement: impl Into<Statement<'a>>,
    bytes: &[u8],
    min_bits: usize,
) -> Result<Summary, BinaryError> {
    let (statement, start) = (statement.into(), Instant::now());
    let shape = statement.shape();
    let file = File::<H>::decode(bytes)?;
    let digest = statement.digest::<H>();
    if file.statement != digest {
        return Err(BinaryError::OtherList { expected: shape });
    }
    let security = verify_bound(statement, &digest, &file.proof)?;
    let (expected, found) = (min_bits as f64, security.sum());
    if found < expected {
        return Err(BinaryError::Bits { expected, found });
    }
    Ok(Summary {
        kind: shape.kind(),
        hash: shape.hash().name(),
        calls: shape.num_calls(),
        paths: match shape {
            StatementShape::Paths { depth, paths, .. } => Some(PathsSummary { paths, depth }),
            _ => None,
        },
        proven_bits: found as usize,
        security: BoundSummary::new(&security),
        verify_ms: start.elapsed().as_nanos() as f64 / 1e6,
        proof_bytes: bytes.len(),
    })
}

#[cfg(test)]
mod tests {
    use droste_native::codec::LIST_CONSTANT;
    use droste_native::stark::challenger::{Decommitted, Sent};
    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::calls::{Hash, HashCalls};
    use crate::field::K;
    use crate::opening::{FOLDED, Message, Opening, OpeningError, Query, Round, Settings};
    use crate::proof::prove;
    use crate::statement::tests::calls;
    use crate::tree_hash::Blake3;

    type Digest = <Blake3 as TreeHash>::Digest;

    fn example() -> (HashCalls, File<Blake3>) {
        let calls = calls(Hash::KeccakF, 1);
        let proof = prove(&calls).unwrap();
        let file = File::new(&calls, proof);
        (calls, file)
    }

    /// An opening of the shape that settings have.
    fn opening(settings: &Settings) -> Opening<Blake3> {
        let message = Sent::forged(Message {
            constant: K::ZERO,
            leading: K::ZERO,
        });
        let rounds = settings.rounds().iter().map(|round| {
            let query = Query {
                row: Decommitted::new(K::zero_vec(round.columns)),
                path: vec![Digest::default(); round.log_rows()],
            };
            Round {
                messages: [message; FOLDED],
                queries: vec![query; round.queries],
            }
        });
        let last = settings.last_variables();
        Opening {
            rounds: rounds.collect(),
            roots: vec![Sent::default(); settings.rounds().len() - 1],
            last_polynomial: Sent::forged(K::zero_vec(1 << last)),
            last_messages: vec![message; last],
        }
    }

    /// No file that a prover writes is too long to be read. What is before the opening has less
    /// than ten kilobytes.
    #[test]
    fn files_of_all_settings_are_short_enough() {
        let (_, mut file) = example();
        for variables in Settings::MIN_VARIABLES..=Settings::MAX_VARIABLES {
            file.proof.opening = opening(&Settings::new(variables).unwrap());
            let length = file.encode().unwrap().len();
            assert!(length + 10_000 < MAX_BYTES, "{variables}: {length}");
        }
    }

    /// The longest lists of the smallest elements are refused for the memory that they take, and
    /// shorter ones for their lengths, before anything is computed from them.
    #[test]
    fn files_full_of_empty_lists_are_refused() {
        let (calls, file) = example();
        let empty = Query::<Blake3> {
            row: Decommitted::default(),
            path: vec![],
        };
        let rest = file.encode().unwrap().len();
        let mut hostile = file;
        let mut refusal = |queries: usize| {
            hostile.proof.opening.rounds[0].queries = vec![empty.clone(); queries];
            let bytes = hostile.encode().unwrap();
            assert!(bytes.len() <= MAX_BYTES);
            verify_file::<Blake3>(&calls, &bytes, 0).unwrap_err()
        };
        let error = refusal((MAX_BYTES - rest) / 2);
        assert!(
            matches!(error, BinaryError::Decode(DecodeError::Malformed(_))),
            "{error}"
        );
        let error = refusal(LIST_CONSTANT / size_of::<Query<Blake3>>());
        let BinaryError::Opening(OpeningError::RoundLength { list, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!(list, "queries");
    }
}
