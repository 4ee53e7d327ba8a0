//! Settings of proofs of batches.

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use thiserror::Error;

use super::SignatureBatchProgram;
use crate::aggregate::longer_rows;

/// Logarithm of the largest number of rows, blowup included, of the commitment to a program of
/// batches. Whoever checks claims makes this commitment: so many rows take some 200 MiB.
pub const MAX_LOG_ROWS: usize = 21;

/// Settings with which committing to the program takes too much work.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("committing to the program takes 2^{0} rows, expected at most 2^{MAX_LOG_ROWS}")]
pub struct TooManyRows(pub usize);

impl TooManyRows {
    /// Checks the number of rows before anything is committed to.
    pub(super) fn check(settings: &WhirSettings) -> Result<(), Self> {
        let log_rows = settings.log_block.saturating_add(settings.log_blowup);
        if log_rows <= MAX_LOG_ROWS {
            Ok(())
        } else {
            Err(Self(log_rows))
        }
    }
}

impl SignatureBatchProgram {
    /// The settings of proofs at a security level: a row of the stack has as many cells as the
    /// table of hashes has rows for a full batch.
    pub fn settings(&self, preset: Preset, log_blowup: usize) -> WhirSettings {
        let settings = WhirSettings::of(preset);
        // A table of calls ends in a row of padding.
        let rows = (self.rows() << self.log_keys()) + 1;
        let log_block = rows.next_power_of_two().ilog2() as usize;
        let log_block = log_block.max(settings.log_block);
        longer_rows(settings, log_block).at_blowup(log_blowup)
    }
}
