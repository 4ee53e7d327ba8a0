//! Verifies proof files, and says what they show.

use std::time::Instant;

use serde::Serialize;
use thiserror::Error;

use crate::paths::MerklePaths;
use crate::{DecodeError, Hash, HashCalls, Proof, Security, VerifyError, decode, paths, verify};

/// What a proof file shows, with the fields that the command prints.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
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
    pub security: SecuritySummary,
    /// Time to decode and to verify. The first time in a process this includes deriving what
    /// depends on the hash alone.
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

/// Bits of soundness error.
#[derive(Clone, Debug, Serialize)]
pub struct SecuritySummary {
    /// Bits of the sum of all terms.
    pub sum: f64,
    /// Each term.
    pub terms: Vec<Term>,
}

/// A source of error.
#[derive(Clone, Debug, Serialize)]
pub struct Term {
    /// The source.
    pub name: String,
    /// Bits of security against it.
    pub bits: f64,
}

/// Why a proof file was refused.
#[derive(Debug, Error)]
pub enum FileError {
    /// The bytes are not those of a proof.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The proof does not show the statement.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The proof has fewer proven bits than required.
    #[error("the proof has {found:.1} proven bits, at least {expected} are required")]
    Bits {
        /// Bits that were asked for.
        expected: usize,
        /// Bits that it has.
        found: f64,
    },
}

impl From<Security> for SecuritySummary {
    fn from(security: Security) -> Self {
        let terms = security.terms.into_iter();
        Self {
            sum: security.bits,
            terms: terms.map(|(name, bits)| Term { name, bits }).collect(),
        }
    }
}

/// Verifies that the bytes of a file are a proof of a list of calls, with `min_bits` proven bits at
/// least. Below [`crate::MIN_BITS`], `min_bits` makes no difference.
///
/// # Errors
/// [`FileError`], for everything else.
pub fn verify_file(
    statement: &HashCalls,
    bytes: &[u8],
    min_bits: usize,
) -> Result<Summary, FileError> {
    let (hash, calls) = (statement.hash(), statement.len());
    summary(hash, calls, None, bytes, min_bits, |proof| {
        verify(statement, proof)
    })
}

/// Verifies that the bytes of a file are a proof of paths, as [`verify_file`] does of calls.
///
/// # Errors
/// [`FileError`], for everything else.
pub fn verify_paths_file(
    statement: &MerklePaths,
    bytes: &[u8],
    min_bits: usize,
) -> Result<Summary, FileError> {
    let (hash, nodes) = (statement.hash(), statement.nodes());
    let shape = PathsSummary {
        paths: statement.paths().len(),
        depth: statement.depth(),
    };
    summary(hash, nodes, Some(shape), bytes, min_bits, |proof| {
        paths::verify(statement, proof)
    })
}

fn summary(
    hash: Hash,
    calls: usize,
    paths: Option<PathsSummary>,
    bytes: &[u8],
    min_bits: usize,
    verify: impl FnOnce(&Proof) -> Result<Security, VerifyError>,
) -> Result<Summary, FileError> {
    let start = Instant::now();
    let security = verify(&decode(bytes)?)?;
    let (expected, found) = (min_bits, security.bits);
    if found < expected as f64 {
        return Err(FileError::Bits { expected, found });
    }
    Ok(Summary {
        hash: hash.name(),
        calls,
        paths,
        proven_bits: found as usize,
        security: security.into(),
        verify_ms: start.elapsed().as_nanos() as f64 / 1e6,
        proof_bytes: bytes.len(),
    })
}
