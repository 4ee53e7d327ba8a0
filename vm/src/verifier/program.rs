//! Verification of a proof whose program the caller has.
//!
//! A proof states the parameters of its key, and these determine how much work it is to compute the
//! program's key: a file of 16 KB can ask for the commitment to 2^24 rows. So the work is bounded,
//! and done last, once the proof has been found valid.

use droste_native::HashSuite;

use super::{Report, Verifier, VerifyError};
use crate::heights::{Heights, min_log_height, padded_log_height};
use crate::isa::Program;
use crate::key::{Key, KeyHeights, ProvingKey};
use crate::machine::Provable;
use crate::prover::Proof;

/// Limit that callers of [`verify_program`] pass unless they have a reason for another: the most
/// rows of a program's table, extended by the blowup, to which it commits. It takes some 100 MiB,
/// and two seconds in Poseidon-16.
pub const DEFAULT_LIMIT: usize = 1 << 20;

/// Verifies that `proof` is of `program` with the parameters that the proof states, that its
/// statement begins with `expected`, and that it has at least `min_bits` proven bits.
///
/// Checks are made in the order of their cost: that a key with these parameters exists, the
/// heights, the proven bits, `limit` (rows of the program's commitment, extended by the blowup; see
/// [`DEFAULT_LIMIT`]), the proof under the key that it carries, and last that this key is the
/// program's.
///
/// # Errors
/// Why the proof is rejected.
pub fn verify_program<H: HashSuite, T: Provable<H>>(
    program: &Program,
    expected: &[droste_native::F],
    min_bits: usize,
    limit: usize,
    proof: &Proof<H>,
) -> Result<Report, VerifyError> {
    let stated = &proof.key;
    let verifier = Verifier::<H, T>::new(stated.clone())?;
    let log_height = match &stated.heights {
        KeyHeights::Fixed(_) => stated.program_log_height,
        KeyHeights::Free => {
            padded_log_height(program.instructions.len()).max(min_log_height(&stated.settings))
        }
    };
    if log_height != stated.program_log_height {
        return Err(VerifyError::ProgramHeight {
            expected: log_height,
            found: stated.program_log_height,
        });
    }
    let rows = 1 << (log_height + stated.settings.log_blowup);
    if rows > limit {
        return Err(VerifyError::Limit { rows, limit });
    }
    let report = verifier.verify(expected, min_bits, proof)?;
    let key = key_of::<H, T>(program, stated)?;
    if key != *stated {
        return Err(VerifyError::Key {
            expected: key.digest(),
            found: report.key,
        });
    }
    Ok(report)
}

/// Computes the key of `program` with the parameters of another key.
fn key_of<H: HashSuite, T: Provable<H>>(
    program: &Program,
    parameters: &Key<H>,
) -> Result<Key<H>, VerifyError> {
    let heights = match &parameters.heights {
        KeyHeights::Free => Heights::Minimal,
        KeyHeights::Fixed(heights) => Heights::Exact(heights.clone()),
    };
    let key = ProvingKey::<H, T>::new(program, parameters.settings, heights)?;
    Ok(key.key().clone())
}
