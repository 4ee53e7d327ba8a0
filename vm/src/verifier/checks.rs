//! What is checked of a proof before its protocol is, in either stack.

use droste_native::F;
use droste_native::stark::security::Security;

use super::{Difference, VerifyError, VerifyOptions};
use crate::key::{Key, KeyHeights, ProofSystem};
use crate::lookups::total_weight;
use crate::tables::{LANES, Table};

/// Checks that a proof has this key, and a statement that begins with `expected`.
pub(crate) fn check_claims<P: ProofSystem>(
    key: &Key<P>,
    expected: &[F],
    found: &Key<P>,
    statement: &[F; LANES],
) -> Result<(), VerifyError> {
    if found != key {
        return Err(VerifyError::Key {
            expected: key.digest(),
            found: found.digest(),
            differs: Box::new(Difference(key.difference(found))),
        });
    }
    check_statement(expected, statement)
}

/// Checks that a statement begins with `expected`.
///
/// # Errors
/// The first element that is another.
pub fn check_statement(expected: &[F], statement: &[F; LANES]) -> Result<(), VerifyError> {
    if expected.len() > LANES {
        return Err(VerifyError::StatementLength(expected.len()));
    }
    for (index, (&expected, &found)) in expected.iter().zip(statement).enumerate() {
        if expected != found {
            return Err(VerifyError::Statement {
                index,
                expected,
                found,
            });
        }
    }
    Ok(())
}

/// Checks that a proof of this security has the bits that are asked for.
pub(crate) fn check_bits(options: VerifyOptions, security: &Security) -> Result<(), VerifyError> {
    let (expected, found) = (options.min_bits, security.bits());
    if found < expected {
        Err(VerifyError::Security { expected, found })
    } else {
        Ok(())
    }
}

/// Checks the heights of a proof's tables, given as one logarithm per table: each is possible,
/// tables of fixed content have the height of that content, all heights are the key's where the key
/// fixes them, and the number of messages is below the modulus. `weights` bound the messages of a
/// row of each table ([`row_weight`](crate::lookups::row_weight)).
pub(crate) fn check_heights<P: ProofSystem, T: Table>(
    key: &Key<P>,
    tables: &[T],
    weights: impl Iterator<Item = u128>,
    log_heights: &[usize],
) -> Result<(), VerifyError> {
    let limits = P::limits(&key.settings);
    let possible = |(table, &log_height): (&T, &usize)| {
        let fixed = table.fixed_log_height();
        limits.check(log_height).is_ok() && fixed.is_none_or(|fixed| fixed == log_height)
    };
    let all_possible = log_heights.len() == tables.len()
        && match &key.heights {
            KeyHeights::Free => true,
            KeyHeights::Fixed(fixed) => fixed == log_heights,
        }
        && tables.iter().zip(log_heights).all(possible);
    if !all_possible {
        return Err(VerifyError::Heights {
            found: log_heights.to_vec(),
        });
    }
    let heights: Vec<usize> = log_heights.iter().map(|&log| 1 << log).collect();
    let messages = total_weight(weights, &heights);
    if messages < u128::from(droste_native::field::MODULUS) {
        Ok(())
    } else {
        Err(VerifyError::TooManyMessages(messages))
    }
}
