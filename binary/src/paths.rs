//! Statements about Merkle paths, whose leaves, indices and roots are public, and nothing else.
//!
//! ```
//! use droste_binary::Hash;
//! use droste_binary::paths::{MerklePaths, Path, node, prove, verify};
//!
//! let (leaf, sibling) = ([7; 32], [8; 32]);
//! let root = node(Hash::Blake3, &sibling, &leaf);
//! let statement = MerklePaths::new(Hash::Blake3, 1, vec![Path { leaf, index: 1, root }])?;
//! let proof = prove(&statement, &[vec![sibling]])?;
//! assert!(verify(&statement, &proof)?.bits > 100.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod false_openings;
#[cfg(test)]
mod liars;
#[cfg(test)]
mod openings;
#[cfg(test)]
pub(crate) mod tests;

pub use droste_batch::paths::{
    Digest, MAX_DEPTH, MerklePaths, Path, PathsError, SiblingsError, max_nodes, node,
};
pub(crate) use droste_batch::paths::{input, input_without_message, message_offset};

use crate::air::paths_trace;
use crate::proof::{assess, prove_rows, verify_rows};
use crate::public::PublicBits;
use crate::scheme::Config;
use crate::{Hash, Proof, ProveError, Security, VerifyError};

/// The bits of bytes, the low ones of each byte first.
pub(crate) fn digest_bits(bytes: &[u8]) -> impl Iterator<Item = bool> {
    let bits = bytes.iter().flat_map(|byte| (0..8).map(move |i| byte >> i));
    bits.map(|bit| bit & 1 == 1)
}

/// Proves paths, given the siblings of each from its leaf to its root.
///
/// The proof is the same at any number of threads. It does not hide the siblings.
///
/// # Errors
/// [`ProveError::Siblings`] if they do not lead to the roots.
pub fn prove(
    statement: &MerklePaths,
    siblings: &[impl AsRef<[Digest]>],
) -> Result<Proof, ProveError> {
    let inputs = statement.inputs(siblings)?;
    let public = PublicBits::of_paths(statement);
    prove_rows(statement.digest(), public, |public| {
        paths_trace(public, &padded(statement.hash(), inputs, public.log_rows()))
    })
}

/// Inputs of so many rows: the last are those of nodes whose children are zero.
pub(crate) fn padded(hash: Hash, mut inputs: Vec<u8>, log_rows: usize) -> Vec<u8> {
    let padding = input(hash, &[0; 32], &[0; 32]);
    let missing = (1 << log_rows) - inputs.len() / hash.input_bytes();
    inputs.extend(padding.repeat(missing));
    inputs
}

/// Verifies that a proof shows paths, and returns the proven bits of its settings.
///
/// # Errors
/// [`VerifyError`], for every proof that is not one of this statement.
pub fn verify(statement: &MerklePaths, proof: &Proof) -> Result<Security, VerifyError> {
    if statement.digest() != proof.statement {
        return Err(VerifyError::OtherPaths {
            hash: statement.hash(),
            depth: statement.depth(),
            paths: statement.paths().len(),
        });
    }
    verify_rows(PublicBits::of_paths(statement), proof)
}

/// The bits that a proof of paths has, at least [`crate::MIN_BITS`], before there is one.
///
/// # Errors
/// As [`verify`].
pub fn security(statement: &MerklePaths) -> Result<Security, VerifyError> {
    assess(&Config::new(PublicBits::of_paths(statement))?)
}
