//! Verifying a proof of a program that the caller has.
//!
//! A proof states the parameters of its key, and with them how much work it is to compute the program's
//! key: a file of 16 KB can ask for the commitment of 2^24 rows. So the work is bounded, and done last,
//! for a proof that has been found valid.

use droste_native::HashFamily;

use super::{Report, Verifier, VerifyError};
use crate::heights::{Heights, min_log_height, padded_log_height};
use crate::isa::Program;
use crate::key::{Key, KeyHeights, ProvingKey};
use crate::machine::Provable;
use crate::prover::Proof;

/// Most rows of a program's table, extended by the blowup, that [`verify_program`] commits for a caller
/// who says nothing else: some 100 MiB, and two seconds in Poseidon-16.
pub const DEFAULT_LIMIT: usize = 1 << 20;

/// Verifies that `proof` is of `program`, with the parameters that it states, for a statement that begins
/// with `public`, at `min_bits` proven bits or more.
///
/// Checks in the order of what they cost: that a key with these parameters exists, its heights, its
/// bits, `limit` (rows of the program's commitment, extended by the blowup; [`DEFAULT_LIMIT`]), the
/// proof under the key that it carries, and last that this is the program's.
///
/// # Errors
/// Why the proof is rejected.
pub fn verify_program<H: HashFamily, T: Provable<H>>(
    program: &Program,
    public: &[droste_native::F],
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
    let report = verifier.verify(public, min_bits, proof)?;
    let key = key_of::<H, T>(program, stated)?;
    if key != *stated {
        return Err(VerifyError::Key {
            expected: key.digest(),
            found: report.key,
        });
    }
    Ok(report)
}

/// The key of `program` with the parameters of another.
fn key_of<H: HashFamily, T: Provable<H>>(
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
