//! The settings of WHIR, and the parameters that follow from them for a number of cells.

use p3_whir::{FoldingFactor, ProtocolParameters, SecurityAssumption, WhirConfig, WhirConfigError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::field::{EF, F};
use crate::stark::challenger::Poseidon16Challenger;
use crate::stark::config::MAX_GRINDING_BITS;

/// Number of variables at which folding stops: WHIR sends a polynomial of so few in the clear.
const VARIABLES_IN_THE_CLEAR: usize = 6;

/// Logarithm of the least height of a table: the prover evaluates so many rows at a time, on every
/// processor.
const LOG_ROWS_AT_A_TIME: usize = 4;

/// The parameters of WHIR (ePrint 2024/1586) and of the Merkle caps.
///
/// Numbers of queries, out-of-domain samples and grinding follow from them and from the number of
/// cells that are committed. Settings are part of a verification key: prover and verifier must use
/// the same ones.
///
/// A round folds `k` variables of a polynomial, and the domain on which its codeword is committed
/// shrinks by `2^r`. The standard choice `r = 1` suits polynomials over the field of the trace.
/// Here the first folded codeword has coefficients in an extension of degree 5, so it should be
/// much shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhirSettings {
    /// Bits of security that each single error term of an opening must have, 1 to 128. A proof has
    /// fewer: its terms are added. [`super::WhirSecurity`] says how many.
    pub security_level: usize,
    /// Largest number of bits of grinding in any step, less than the security level, 0 to 24. Steps
    /// that open queries are credited with all of them, so that there are fewer queries.
    pub grinding_bits: usize,
    /// Logarithm of the blowup factor of the tables' codewords, 1 to 8.
    pub log_blowup: usize,
    /// Number of variables that are folded first, 2 to 8. No table may have fewer rows than `2^n`.
    pub first_fold: usize,
    /// Number of variables that are folded in each later round, 2 to 8.
    pub later_fold: usize,
    /// Logarithm of the factor by which the domain shrinks in the first round, 1 to `first_fold`.
    pub first_reduction: usize,
    /// Logarithm of the factor by which the domain shrinks in each later round, 1 to `later_fold`.
    pub later_reduction: usize,
    /// Logarithm of the blowup factor of the codewords of preprocessed tables, 1 to 8. They are
    /// committed to once for all proofs, so a low rate costs the prover little and saves queries.
    pub preprocessed_log_blowup: usize,
    /// Logarithm of the number of digests of a Merkle cap, which is the commitment, 0 to 16.
    pub cap_height: usize,
}

/// Settings with which no proof can be made or verified.
#[derive(Debug, Error)]
pub enum WhirSettingsError {
    /// A field is outside its range.
    #[error("WHIR setting {field} is {value}, expected {min} to {max}")]
    OutOfRange {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: usize,
        /// Smallest allowed value.
        min: usize,
        /// Largest allowed value.
        max: usize,
    },
    /// There are no parameters for this number of cells.
    #[error("these WHIR settings have no parameters for 2^{num_variables} cells")]
    Cells {
        /// Logarithm of the number of cells.
        num_variables: usize,
        /// Plonky3's reason.
        #[source]
        source: WhirConfigError,
    },
    /// The tables have more cells than can be counted.
    #[error("the tables have too many cells to count")]
    Uncountable,
}

/// The parameters of one commitment and its opening.
pub type Parameters = WhirConfig<EF, F, Poseidon16Challenger>;

impl WhirSettings {
    /// Few queries and no grinding, for tests and examples. These settings have no security.
    pub const fn toy() -> Self {
        Self {
            security_level: 8,
            grinding_bits: 0,
            log_blowup: 2,
            first_fold: 4,
            later_fold: 4,
            first_reduction: 2,
            later_reduction: 2,
            preprocessed_log_blowup: 3,
            cap_height: 0,
        }
    }

    /// At least 100 proven bits for the recursion machine at up to 2^22 cells.
    ///
    /// Level, folds and reductions were chosen by proving joins on the recursion machine with
    /// others (docs/notes/whir.md).
    pub const fn proven_100() -> Self {
        Self {
            security_level: 103,
            grinding_bits: 16,
            log_blowup: 2,
            first_fold: 6,
            later_fold: 4,
            first_reduction: 4,
            later_reduction: 2,
            preprocessed_log_blowup: 7,
            cap_height: 0,
        }
    }

    /// Checks every field against the range with which a proof can be made.
    ///
    /// # Errors
    /// Returns the first field that is out of range.
    pub fn validate(&self) -> Result<(), WhirSettingsError> {
        // Grinding that covered the whole level would leave no query. Ranges below rely on those
        // above: a level is at least 1, a fold at least 2.
        let max_grinding = MAX_GRINDING_BITS.min(self.security_level.saturating_sub(1));
        let ranges = [
            ("security_level", self.security_level, 1, 128),
            ("grinding_bits", self.grinding_bits, 0, max_grinding),
            ("log_blowup", self.log_blowup, 1, 8),
            ("first_fold", self.first_fold, 2, 8),
            ("later_fold", self.later_fold, 2, 8),
            ("first_reduction", self.first_reduction, 1, self.first_fold),
            ("later_reduction", self.later_reduction, 1, self.later_fold),
            (
                "preprocessed_log_blowup",
                self.preprocessed_log_blowup,
                1,
                8,
            ),
            ("cap_height", self.cap_height, 0, 16),
        ];
        for (field, value, min, max) in ranges {
            if !(min..=max).contains(&value) {
                return Err(WhirSettingsError::OutOfRange {
                    field,
                    value,
                    min,
                    max,
                });
            }
        }
        Ok(())
    }

    /// All fields, in a fixed order, for digests.
    pub const fn numbers(&self) -> [usize; 9] {
        // Destructured, so that a new setting cannot be forgotten here.
        let Self {
            security_level,
            grinding_bits,
            log_blowup,
            first_fold,
            later_fold,
            first_reduction,
            later_reduction,
            preprocessed_log_blowup,
            cap_height,
        } = *self;
        [
            security_level,
            grinding_bits,
            log_blowup,
            first_fold,
            later_fold,
            first_reduction,
            later_reduction,
            preprocessed_log_blowup,
            cap_height,
        ]
    }

    /// Logarithm of the least height of a table.
    ///
    /// Columns of fewer than `2^first_fold` cells would be padded, and the cell after the last one
    /// would then be padding instead of the last one again.
    pub const fn min_log_height(&self) -> usize {
        if self.first_fold < LOG_ROWS_AT_A_TIME {
            LOG_ROWS_AT_A_TIME
        } else {
            self.first_fold
        }
    }

    /// The parameters for a commitment to `2^num_variables` cells at this blowup.
    pub(super) fn parameters(
        &self,
        num_variables: usize,
        log_blowup: usize,
    ) -> Result<Parameters, WhirSettingsError> {
        self.validate()?;
        // The schedule has as many entries as there are folds, so their number is bounded first.
        if num_variables >= usize::BITS as usize {
            return Err(WhirSettingsError::Uncountable);
        }
        let cells = |source| WhirSettingsError::Cells {
            num_variables,
            source,
        };
        let schedule = self.schedule(num_variables);
        let mut rates = Vec::with_capacity(schedule.len());
        let mut rate = log_blowup;
        for (round, &fold) in schedule.iter().enumerate() {
            let reduction = if round == 0 {
                self.first_reduction
            } else {
                self.later_reduction
            };
            rate += fold - reduction.min(fold);
            rates.push(rate);
        }
        // There is no codeword after the last fold: what remains is sent in the clear.
        rates.pop();
        let parameters = ProtocolParameters {
            security_level: self.security_level,
            pow_bits: self.grinding_bits,
            round_log_inv_rates: rates,
            folding_factor: FoldingFactor::PerRound(schedule),
            soundness_type: SecurityAssumption::JohnsonBound,
            starting_log_inv_rate: log_blowup,
        };
        Parameters::new(num_variables, parameters).map_err(cells)
    }

    /// The number of variables that each round folds.
    fn schedule(&self, num_variables: usize) -> Vec<usize> {
        let mut schedule = vec![];
        let mut left = num_variables;
        while schedule.is_empty() || left > VARIABLES_IN_THE_CLEAR {
            let fold = if schedule.is_empty() {
                self.first_fold
            } else {
                self.later_fold
            };
            schedule.push(fold.min(left));
            left -= fold.min(left);
        }
        schedule
    }
}
