//! Verification of a proof whose program the caller has.
//!
//! A proof states the parameters of its key, and these determine how much work it is to compute the
//! program's key: a file of 16 KB can ask for the commitment to 2^24 rows. So the work is bounded,
//! and done last, once the proof has been found valid.

use droste_native::{F, HashSuite};

use super::{Report, Verifier, VerifyError, VerifyOptions};
use crate::heights::{min_log_height, padded_log_height};
use crate::isa::Program;
use crate::key::{KeyHeights, ProvingKey};
use crate::machine::Provable;
use crate::prover::Proof;

/// Verifies that `proof` is of `program` with the parameters that the proof states, that its
/// statement begins with `expected`, and what `options` ask for.
///
/// Checks are made in the order of their cost: that a key with these parameters exists, the
/// heights, the limit of the program's rows, the proven bits, the proof under the key that it
/// carries, and last that this key is the program's.
///
/// # Errors
/// Why the proof is rejected.
pub fn verify_program<H: HashSuite, T: Provable<H>>(
    program: impl AsRef<Program>,
    expected: &[F],
    options: VerifyOptions,
    proof: &Proof<H>,
) -> Result<Report, VerifyError> {
    let program = program.as_ref();
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
    let limit = options.limit;
    if rows > limit {
        return Err(VerifyError::Limit { rows, limit });
    }
    let report = verifier.verify(expected, options, proof)?;
    let key = ProvingKey::<H, T>::new(program, stated.settings, stated.chosen_heights());
    let key = key.map_err(VerifyError::ProgramKey)?;
    if key.key() != stated {
        return Err(VerifyError::Key {
            expected: key.key().digest(),
            found: report.key,
        });
    }
    Ok(report)
}
