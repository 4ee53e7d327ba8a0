//! Verification of a proof whose program the caller has.
//!
//! A proof states the parameters of its key, and these determine how much work it is to compute the
//! program's key: a file of 16 KB can ask for the commitment to 2^24 rows. So the work is bounded,
//! and done last, once the proof has been found valid.

use droste_native::F;

use super::{Difference, Report, VerifyError, VerifyOptions};
use crate::heights::padded_log_height;
use crate::isa::Program;
use crate::key::KeyHeights;
use crate::stack::{Proves, RunProof, Verify};

/// Verifies that `proof` is of `program` with the parameters that the proof states, that its
/// statement begins with `expected`, and what `options` ask for.
///
/// Checks are made in the order of their cost: that a key with these parameters exists, the
/// heights, the limit of the program's rows, the proven bits, the proof under the key that it
/// carries, and last that this key is the program's.
///
/// # Errors
/// Why the proof is rejected.
pub fn verify_program<P: Proves<T>, T>(
    program: impl AsRef<Program>,
    expected: &[F],
    options: VerifyOptions,
    proof: &P::Proof,
) -> Result<Report, VerifyError> {
    verify_one::<P, T>(program.as_ref(), expected, options, proof)
}

#[inline(never)] // Linked by other crates (docs/profiles.md).
pub(crate) fn verify_one<P: Proves<T>, T>(
    program: &Program,
    expected: &[F],
    options: VerifyOptions,
    proof: &P::Proof,
) -> Result<Report, VerifyError> {
    let stated = proof.key();
    let verifier = P::verifier(stated.clone())?;
    let log_height = match &stated.heights {
        KeyHeights::Fixed(_) => stated.program_log_height,
        KeyHeights::Free => {
            let least = P::limits(&stated.settings).min;
            padded_log_height(program.instructions.len()).max(least)
        }
    };
    if log_height != stated.program_log_height {
        return Err(VerifyError::ProgramHeight {
            expected: log_height,
            found: stated.program_log_height,
        });
    }
    let rows = 1 << P::committed_log_rows(&stated.settings, log_height);
    let limit = options.limit;
    if rows > limit {
        return Err(VerifyError::Limit { rows, limit });
    }
    let report = verifier.report(expected, options, proof)?;
    let key = P::proving_key(program, stated.settings, stated.chosen_heights());
    let key = key.map_err(VerifyError::ProgramKey)?;
    let key = P::verification_key(&key);
    if key != stated {
        return Err(VerifyError::Key {
            expected: key.digest(),
            found: report.key,
            differs: Box::new(Difference(key.difference(stated))),
        });
    }
    Ok(report)
}
