//! The settings of an opening, and the schedule of commitments that follows from them.

use p3_field::TwoAdicField;
use p3_whir::{FoldingFactor, ProtocolParameters, SecurityAssumption, WhirConfig, WhirConfigError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::layout::MAX_ROW_VARIABLES;
use super::security::{fold_bits, sumcheck_bits};
use crate::field::{EF, F};
use crate::stark::challenger::Poseidon16Challenger;
use crate::stark::config::{MAX_GRINDING_BITS, numbers};
use crate::stark::security::{Preset, ProximityGap};
use crate::stark::suite::HashId;

/// Number of variables at which folding stops: a polynomial of so few is sent in the clear.
const VARIABLES_IN_THE_CLEAR: usize = 6;

/// Least logarithm of the number of cells of a row.
pub const MIN_LOG_BLOCK: usize = 4;

/// Largest logarithm of the number of cells of a row.
pub const MAX_LOG_BLOCK: usize = 20;

/// The parameters of WHIR (ePrint 2024/1586), of the stack and of the Merkle caps.
///
/// Numbers of queries, out-of-domain samples and grinding follow from them and from the number of
/// rows of the stack. No term of an opening needs ePrint 2026/2056 to reach the level. Settings are
/// part of a verification key: prover and verifier must use the same ones.
///
/// The first fold binds the variables that choose a row of the stack, however many there are. What
/// is left has coefficients in an extension of degree 5, so its codeword should be much shorter
/// than the rows': it has a rate of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhirSettings {
    /// Bits of security that each single error term of an opening has
    /// ([`super::Scheme::security`]), 1 to 128. Folds are ground by as many bits as they need for
    /// it.
    pub security_level: usize,
    /// Bits of grinding before queries, less than the security level, 0 to 24: there are so many
    /// fewer bits to be had by queries.
    pub grinding_bits: usize,
    /// Bits of grinding before the challenges of lookups, 0 to 24, for runs with so many lookups
    /// that the level is out of their reach without.
    pub lookup_grinding_bits: usize,
    /// Logarithm of the number of cells of a row of the stack, 4 to 20. No table may be higher.
    pub log_block: usize,
    /// Logarithm of the blowup factor of the rows' codewords, 1 to 8.
    pub log_blowup: usize,
    /// Logarithm of the blowup factor of the second commitment, that to the folded rows:
    /// `log_blowup` to `log_blowup + 11`. If there are so few rows that its domain would be larger
    /// than the first one, the blowup factor is lower.
    pub second_log_blowup: usize,
    /// Number of variables that are folded in each round after the first one, 2 to 8.
    pub later_fold: usize,
    /// What each commitment after the second adds to the logarithm of the blowup factor, less than
    /// `later_fold`.
    pub blowup_step: usize,
    /// Logarithm of the number of digests of a Merkle cap, which is the commitment, 0 to 16.
    pub cap_height: usize,
}

/// Settings with which nothing can be committed to.
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
    /// The stack has too few or too many rows.
    #[error("the stack has 2^{row_variables} rows, expected 2^1 to 2^{MAX_ROW_VARIABLES}")]
    Rows {
        /// Logarithm of the number of rows.
        row_variables: usize,
    },
    /// The stack was laid out for rows of a different length.
    #[error("the layout has rows of 2^{found} cells, the settings have 2^{expected}")]
    Block {
        /// Logarithm of the number of cells of a row of the settings.
        expected: usize,
        /// That of the layout.
        found: usize,
    },
    /// A codeword is longer than the field has roots of unity for.
    #[error("a codeword has 2^{log_leaves} elements, expected at most 2^{max}")]
    Domain {
        /// Logarithm of the length of the codeword.
        log_leaves: usize,
        /// Largest logarithm of a length.
        max: usize,
    },
    /// Folds need more bits of grinding for the security level than are possible.
    #[error("folds need {bits} bits of grinding for this security level, expected at most {max}")]
    Grinding {
        /// Bits of grinding that they need.
        bits: usize,
        /// Largest number of bits of grinding.
        max: usize,
    },
    /// There are no parameters for this number of rows.
    #[error("these WHIR settings have no parameters for 2^{row_variables} rows")]
    Parameters {
        /// Logarithm of the number of rows.
        row_variables: usize,
        /// Plonky3's reason.
        #[source]
        source: WhirConfigError,
    },
}

/// Plonky3's parameters of an opening.
pub type Parameters = WhirConfig<EF, F, Poseidon16Challenger>;

impl WhirSettings {
    /// Few queries and no grinding, for tests and examples. These settings have no security.
    pub const fn toy() -> Self {
        Self {
            security_level: 4,
            grinding_bits: 0,
            lookup_grinding_bits: 0,
            log_block: 12,
            log_blowup: 1,
            second_log_blowup: 3,
            later_fold: 4,
            blowup_step: 2,
            cap_height: 0,
        }
    }

    /// At least 101 proven bits in each term, and 100 in their sum.
    pub const fn proven_100() -> Self {
        Self {
            security_level: 101,
            grinding_bits: 16,
            lookup_grinding_bits: 0,
            log_block: 16,
            log_blowup: 2,
            second_log_blowup: 4,
            later_fold: 4,
            blowup_step: 3,
            cap_height: 6,
        }
    }

    /// The settings of a preset.
    pub const fn of(preset: Preset) -> Self {
        match preset {
            Preset::Toy => Self::toy(),
            Preset::Proven100 => Self::proven_100(),
            Preset::Proven120 => Self::proven_120(),
            Preset::Proven128 => Self::proven_128(),
        }
    }

    /// The settings of a preset for the proof of a program, in a hash and with a blowup factor.
    ///
    /// A program that verifies proofs in Keccak pays for its permutations above all: each has as
    /// many cells as a hundred of Poseidon-16. So these proofs have a sixth fewer of them, by caps
    /// in place of levels of paths, and by fewer and larger folds of codewords at lower rates,
    /// which take longer to commit to. Each term has one bit more, so that the sum has the
    /// preset's.
    pub const fn of_leaf(preset: Preset, hash: HashId, log_blowup: usize) -> Self {
        let settings = Self::of(preset).at_blowup(log_blowup);
        match hash {
            HashId::Keccak => Self {
                security_level: settings.at_most_128(1),
                grinding_bits: settings.grinding_bits + 2 * (settings.grinding_bits > 0) as usize,
                second_log_blowup: settings.second_log_blowup + 2,
                later_fold: settings.later_fold + 1,
                cap_height: settings.cap_height + 2,
                ..settings
            },
            HashId::Poseidon16 | HashId::Poseidon2 | HashId::Blake3 => settings,
        }
    }

    /// The settings of a preset for the last proof of a chain, which is to be short and to need few
    /// hashes: low rates, small folds, no caps.
    ///
    /// Leaves and their paths are most of such a proof. So it is worth grinding, and codewords of
    /// up to 64 times the rows' length, to save a query. With lower rates, or rates that fall
    /// faster, folds would need more than the 24 bits of grinding, or take longer by it.
    pub const fn of_exit(preset: Preset) -> Self {
        let settings = Self::of(preset);
        let (more, grinding_bits, log_blowup, second_log_blowup, blowup_step) = match preset {
            Preset::Toy => (0, 0, 3, 5, 1),
            // So that the sum of all terms has a hundred bits, too.
            Preset::Proven100 => (2, 21, 6, 8, 2),
            Preset::Proven120 => (0, 20, 6, 8, 1),
            Preset::Proven128 => (0, 22, 5, 7, 1),
        };
        Self {
            security_level: settings.at_most_128(more),
            grinding_bits,
            log_blowup,
            second_log_blowup,
            later_fold: 3,
            blowup_step,
            cap_height: 0,
            ..settings
        }
    }

    /// At least 124 proven bits in each term, more than digests of 8 elements have, and 120 in the
    /// sum of all. There are more queries than at 100 bits. With rates that fall faster, folds
    /// would need more grinding.
    pub const fn proven_120() -> Self {
        Self {
            security_level: 124,
            blowup_step: 2,
            ..Self::proven_100()
        }
    }

    /// At least 128 proven bits in each term. Digests of 8 elements collide at 2^123.9
    /// nevertheless.
    pub const fn proven_128() -> Self {
        Self {
            security_level: 128,
            grinding_bits: 17,
            lookup_grinding_bits: 8,
            ..Self::proven_120()
        }
    }

    /// These settings with another blowup factor of the rows' codewords. That of the second
    /// commitment is raised to it if it is lower.
    #[must_use]
    pub const fn at_blowup(self, log_blowup: usize) -> Self {
        let second_log_blowup = if self.second_log_blowup < log_blowup {
            log_blowup
        } else {
            self.second_log_blowup
        };
        Self {
            log_blowup,
            second_log_blowup,
            ..self
        }
    }

    /// These settings with rows of `2^log_block` cells instead of fewer, for taller tables.
    ///
    /// There are more terms of full weight in the sum than at a preset's own rows, and one
    /// commitment more if rows have more than 2^18 cells: each term gets one or two bits more, up
    /// to 128, so that the sum has the bits of the preset.
    #[must_use]
    pub const fn of_longer_rows(self, log_block: usize) -> Self {
        let more = if log_block > 18 { 2 } else { 1 };
        Self {
            log_block,
            security_level: self.at_most_128(more),
            ..self
        }
    }

    /// These settings with rows of `2^log_block` cells: longer ones ([`Self::of_longer_rows`]), or
    /// shorter ones at the same level.
    #[must_use]
    pub const fn of_rows(self, log_block: usize) -> Self {
        if log_block > self.log_block {
            self.of_longer_rows(log_block)
        } else {
            Self { log_block, ..self }
        }
    }

    /// The security level with so many bits more, up to 128.
    const fn at_most_128(self, more: usize) -> usize {
        let level = self.security_level + more;
        if level < 128 { level } else { 128 }
    }

    /// Checks every field against its range.
    ///
    /// # Errors
    /// Returns the first field that is out of range.
    pub fn validate(&self) -> Result<(), WhirSettingsError> {
        // Grinding that covered the whole level would leave no query. Ranges below rely on those
        // above: a level is at least 1, a fold at least 2.
        let max_grinding = MAX_GRINDING_BITS.min(self.security_level.saturating_sub(1));
        let max_second = self.log_blowup.saturating_add(MAX_ROW_VARIABLES);
        let max_step = self.later_fold.saturating_sub(1);
        let ranges = [
            ("security_level", self.security_level, 1, 128),
            ("grinding_bits", self.grinding_bits, 0, max_grinding),
            (
                "lookup_grinding_bits",
                self.lookup_grinding_bits,
                0,
                MAX_GRINDING_BITS,
            ),
            ("log_block", self.log_block, MIN_LOG_BLOCK, MAX_LOG_BLOCK),
            ("log_blowup", self.log_blowup, 1, 8),
            (
                "second_log_blowup",
                self.second_log_blowup,
                self.log_blowup,
                max_second,
            ),
            ("later_fold", self.later_fold, 2, 8),
            ("blowup_step", self.blowup_step, 0, max_step),
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

    numbers! {
        security_level,
        grinding_bits,
        lookup_grinding_bits,
        log_block,
        log_blowup,
        second_log_blowup,
        later_fold,
        blowup_step,
        cap_height,
    }

    /// The commitments of an opening of a stack of `2^row_variables` rows.
    ///
    /// # Errors
    /// As [`Self::parameters`].
    pub fn schedule(&self, row_variables: usize) -> Result<Schedule, WhirSettingsError> {
        Schedule::new(self, &self.parameters(row_variables)?)
    }

    /// Plonky3's parameters for a stack of `2^row_variables` rows.
    ///
    /// # Errors
    /// If the settings are out of range, or have no parameters for so many rows.
    pub fn parameters(&self, row_variables: usize) -> Result<Parameters, WhirSettingsError> {
        self.validate()?;
        if !(1..=MAX_ROW_VARIABLES).contains(&row_variables) {
            return Err(WhirSettingsError::Rows { row_variables });
        }
        let folds = self.folds(row_variables);
        let mut rates = vec![];
        // One rate for each commitment after the first; there is none after the last fold, since
        // what remains is sent in the clear. Plonky3 has no parameters for domains that grow.
        let mut rate = self.second_log_blowup.min(self.log_blowup + row_variables);
        for _ in 1..folds.len() {
            rates.push(rate);
            rate += self.blowup_step;
        }
        let parameters = ProtocolParameters {
            security_level: self.security_level,
            pow_bits: self.grinding_bits,
            round_log_inv_rates: rates,
            folding_factor: FoldingFactor::PerRound(folds),
            soundness_type: SecurityAssumption::JohnsonBound,
            starting_log_inv_rate: self.log_blowup,
        };
        let parameters =
            Parameters::new(self.log_block + row_variables, parameters).map_err(|source| {
                WhirSettingsError::Parameters {
                    row_variables,
                    source,
                }
            })?;
        // Plonky3 checks only the first domain. Indices are the low bits of one element, so longer
        // codewords could not be queried uniformly either.
        for commitment in Schedule::new(self, &parameters)?.commitments() {
            let max = F::TWO_ADICITY;
            if commitment.log_leaves > max {
                return Err(WhirSettingsError::Domain {
                    log_leaves: commitment.log_leaves,
                    max,
                });
            }
        }
        Ok(parameters)
    }

    /// Least number of bits of grinding with which a fold's first round, which is its weakest, has
    /// the level.
    fn fold_grinding_bits(
        &self,
        variables: usize,
        log_blowup: usize,
    ) -> Result<usize, WhirSettingsError> {
        let gap = fold_bits(ProximityGap::Bchks25, variables, log_blowup);
        let least = gap.min(sumcheck_bits(variables, log_blowup));
        let bits = (self.security_level as f64 - least).max(0.0).ceil() as usize;
        let max = MAX_GRINDING_BITS;
        if bits <= max {
            Ok(bits)
        } else {
            Err(WhirSettingsError::Grinding { bits, max })
        }
    }

    /// The number of variables that each round folds.
    fn folds(&self, row_variables: usize) -> Vec<usize> {
        let mut folds = vec![row_variables];
        let mut left = self.log_block;
        while left > VARIABLES_IN_THE_CLEAR {
            let fold = self.later_fold.min(left);
            folds.push(fold);
            left -= fold;
        }
        folds
    }
}

/// One commitment of an opening, and what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitmentStep {
    /// Number of variables of the polynomial.
    pub variables: usize,
    /// Number of its variables that choose a row. They are bound after the commitment.
    pub fold: usize,
    /// Logarithm of the blowup factor of the rows' codewords.
    pub log_blowup: usize,
    /// Logarithm of the number of leaves of the Merkle tree.
    pub log_leaves: usize,
    /// Number of samples outside the domain.
    pub outside: usize,
    /// Bits of grinding in each round of the sumcheck that binds the rows' variables.
    pub fold_grinding_bits: usize,
    /// Number of queries to this commitment.
    pub queries: usize,
    /// Bits of grinding before these queries.
    pub query_grinding_bits: usize,
}

/// The commitments of an opening, in order, and what is sent in the clear after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The commitment to the stack. Main and preprocessed rows have trees of their own, which are
    /// opened at the same indices.
    pub stack: CommitmentStep,
    /// The commitments to folded polynomials.
    pub folded: Vec<CommitmentStep>,
    /// Number of variables of the final polynomial.
    pub final_variables: usize,
    /// Bits of grinding in each round of the last sumcheck.
    pub final_grinding_bits: usize,
}

impl Schedule {
    /// Takes numbers of queries and samples from Plonky3's parameters. These would grind folds as
    /// if ePrint 2026/2056 held, and queries by no more than the level needs.
    pub(super) fn new(
        settings: &WhirSettings,
        parameters: &Parameters,
    ) -> Result<Self, WhirSettingsError> {
        let rounds = parameters.round_parameters();
        let terminal = parameters.terminal();
        // The queries to a commitment are made in the round after it.
        let mut queries = rounds
            .iter()
            .map(|round| round.num_queries)
            .chain([terminal.num_queries]);
        let mut step = |variables, fold, log_blowup, outside| {
            Ok(CommitmentStep {
                variables,
                fold,
                log_blowup,
                log_leaves: variables - fold + log_blowup,
                outside,
                fold_grinding_bits: settings.fold_grinding_bits(variables, log_blowup)?,
                queries: queries.next().unwrap_or_default(),
                query_grinding_bits: settings.grinding_bits,
            })
        };
        let stack = step(
            parameters.num_variables(),
            parameters.round_folding_factor(0),
            parameters.starting_log_inv_rate,
            parameters.commitment_ood_samples(),
        )?;
        let folds = parameters.folding_schedule().iter().skip(1);
        let folded = rounds.iter().zip(folds).map(|(round, &fold)| {
            step(
                round.num_variables,
                fold,
                round.log_inv_rate,
                round.ood_samples,
            )
        });
        Ok(Self {
            stack,
            folded: folded.collect::<Result<_, _>>()?,
            final_variables: parameters.final_sumcheck_rounds(),
            final_grinding_bits: parameters.final_folding_pow_bits(),
        })
    }

    /// All commitments, in order.
    pub fn commitments(&self) -> impl Iterator<Item = &CommitmentStep> {
        std::iter::once(&self.stack).chain(&self.folded)
    }
}
