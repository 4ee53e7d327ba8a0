//! Verifying one proof.
//!
//! Nothing here panics on any proof or key. What Plonky3 0.8.0 leaves to its caller is checked
//! before it is called: the key, heights against the key, the number of digests of every
//! commitment, and the number of bus messages.
//!
//! Where the header of a proof decides how much work there is, the work is bounded before it is begun:
//!
//! | work | decided by | bound |
//! |---|---|---|
//! | decoding | lengths of lists | the bytes that are there (`codec`) |
//! | [`Verifier::new`] | names of tables, heights | the tables of the machine, each once; heights at most `2^24` over the blowup |
//! | [`Verifier::verify`] | heights, settings | ranges of `FriSettings::validate`; no loop over rows; openings are in the file |
//! | [`verify_program`]: the program's key | its height, the blowup | a limit of the caller's, checked first; computed last |

mod program;

use droste_native::family::FamilyCap;
use droste_native::security::SecurityReport;
use droste_native::{Config, F, FriSettings, HashFamily, SettingsError};
use p3_batch_stark::{BatchVerificationError, CommonData, PcsError, VerificationError};
use p3_fri::fold_schedule;
use thiserror::Error;

pub use program::{DEFAULT_LIMIT, verify_program};

use crate::heights::{MAX_LOG_HEIGHT, min_log_height};
use crate::key::{Key, KeyDigest, KeyError, KeyHeights, MachineKey, machine_of, of_machine};
use crate::lookups::total_weight;
use crate::machine::{Machine, MachineError, Provable};
use crate::prover::{Proof, public_values};
use crate::report::{TableReport, security, table_reports};
use crate::tables::LANES;

/// What an accepted proof says.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Digest of the key.
    pub key: KeyDigest,
    /// Public inputs, then outputs, then zeros: a compiled program asserts those.
    pub statement: [F; LANES],
    /// Tables, in order.
    pub tables: Vec<TableReport>,
    /// Proven security of this proof.
    pub security: SecurityReport,
}

/// Why a proof is rejected.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum VerifyError {
    /// The proof was made with another key.
    #[error("the proof was made with key {found}, expected {expected}")]
    Key {
        /// Key asked for.
        expected: KeyDigest,
        /// Key in the proof.
        found: KeyDigest,
    },
    /// The key's settings are out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The key is of no machine known here.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The key has heights that no proof can have.
    #[error("the key's heights are impossible")]
    KeyHeights,
    /// The program has no key with the proof's parameters.
    #[error("the program has no key with the proof's parameters: {0}")]
    ProgramKey(#[from] KeyError),
    /// The proof is of a longer or shorter program.
    #[error("the proof is of a program of 2^{found} rows, this program's table has 2^{expected}")]
    ProgramHeight {
        /// Logarithm of the height of the program's table.
        expected: usize,
        /// Logarithm of that height in the proof's key.
        found: usize,
    },
    /// Computing the program's key at the parameters that the proof states is more work than allowed.
    #[error(
        "the proof asks for a commitment of {rows} rows to the program, at most {limit} are allowed"
    )]
    Limit {
        /// Rows, extended by the blowup.
        rows: usize,
        /// Most that are allowed.
        limit: usize,
    },
    /// The statement is not the expected one.
    #[error("public value {index} is {found}, expected {expected}")]
    Statement {
        /// Position in the statement.
        index: usize,
        /// Value asked for.
        expected: F,
        /// Value in the proof.
        found: F,
    },
    /// More public values are expected than a statement has.
    #[error("{found} public values, a statement has {LANES}")]
    StatementLength {
        /// Number of values expected.
        found: usize,
    },
    /// A table's height is impossible, or not the key's.
    #[error("tables of heights 2^{found:?} do not fit the key")]
    Heights {
        /// Logarithms of the heights in the proof.
        found: Vec<usize>,
    },
    /// The proof is weaker than asked for.
    #[error("{found} proven bits of security, at least {expected} expected")]
    Security {
        /// Bits asked for.
        expected: usize,
        /// Bits proven.
        found: usize,
    },
    /// A commitment has the wrong number of digests.
    #[error("{commitment} commitment: {found} digests, expected {expected}")]
    CapSize {
        /// Which commitment.
        commitment: String,
        /// Digests expected.
        expected: usize,
        /// Digests found.
        found: usize,
    },
    /// More bus messages than the look-up argument can count.
    #[error("{messages} bus messages are more than the field can count")]
    TooManyMessages {
        /// Upper bound of the number of messages.
        messages: u128,
    },
    /// Some part of the proof has the wrong shape.
    #[error("malformed proof: {0}")]
    Shape(String),
    /// The constraints of a table do not hold.
    #[error("the constraints of table {table} do not hold")]
    Constraints {
        /// Its name.
        table: &'static str,
    },
    /// Buses do not balance, or their argument is malformed.
    #[error("look-up argument: {0}")]
    Lookups(String),
    /// Opened values do not belong to the commitments.
    #[error("openings: {0}")]
    Openings(String),
    /// A proof of work is wrong.
    #[error("proof of work: {0}")]
    Grinding(String),
}

/// Verifies `proof` against `key`, for a statement that begins with `public`, at `min_bits` proven
/// bits or more.
///
/// The lanes of the statement after `public` are in the report: the program's outputs, which it computed,
/// and zeros. To verify many proofs, make a [`Verifier`] once.
///
/// # Errors
/// Why the proof is rejected.
pub fn verify<H: HashFamily, T: Provable<H>>(
    key: &Key<H>,
    public: &[F],
    min_bits: usize,
    proof: &Proof<H>,
) -> Result<Report, VerifyError> {
    Verifier::<H, T>::new(key.clone())?.verify(public, min_bits, proof)
}

/// Everything that verifying proofs of one key takes.
pub struct Verifier<H: HashFamily, T> {
    key: Key<H>,
    digest: KeyDigest,
    machine: Machine<T>,
    common: CommonData<Config<H>>,
}

impl<H: HashFamily, T: Provable<H>> Verifier<H, T> {
    /// Checks a key and prepares it.
    ///
    /// # Errors
    /// If no proof of this key could be verified.
    pub fn new(key: Key<H>) -> Result<Self, VerifyError> {
        key.settings.validate()?;
        let possible = |&log_height: &usize| in_range(&key, log_height);
        let heights = match &key.heights {
            KeyHeights::Free => &[][..],
            KeyHeights::Fixed(heights) if heights.len() == key.tables.len() => heights,
            KeyHeights::Fixed(_) => return Err(VerifyError::KeyHeights),
        };
        if !possible(&key.program_log_height) || !heights.iter().all(possible) {
            return Err(VerifyError::KeyHeights);
        }
        let (machine, common) = machine_of::<H, T>(&key)?;
        Ok(Self {
            digest: key.digest(),
            key,
            machine,
            common,
        })
    }

    /// What verifying proofs of all programs on one machine has in common. The key is that of no program:
    /// all digests of its commitment are zero.
    ///
    /// # Errors
    /// If no program has a key like that.
    pub fn of_machine(
        settings: FriSettings,
        tables: &[String],
        heights: KeyHeights,
        program_log_height: usize,
    ) -> Result<Self, KeyError> {
        let MachineKey {
            key,
            machine,
            common,
        } = of_machine::<H, T>(settings, tables, heights, program_log_height)?;
        Ok(Self {
            digest: key.digest(),
            key,
            machine,
            common,
        })
    }

    /// The key.
    pub fn key(&self) -> &Key<H> {
        &self.key
    }

    /// The machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.machine
    }

    /// Plonky3's form of the key.
    pub fn common(&self) -> &CommonData<Config<H>> {
        &self.common
    }

    /// Verifies one proof; see [`verify`].
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        &self,
        public: &[F],
        min_bits: usize,
        proof: &Proof<H>,
    ) -> Result<Report, VerifyError> {
        if proof.key != self.key {
            return Err(VerifyError::Key {
                expected: self.digest,
                found: proof.key.digest(),
            });
        }
        check_statement(public, &proof.statement)?;
        let (tables, security) = self.shape(&proof.batch.degree_bits)?;
        if security.bits() < min_bits {
            return Err(VerifyError::Security {
                expected: min_bits,
                found: security.bits(),
            });
        }
        self.check_caps(proof)?;
        self.verify_batch(proof)?;
        Ok(Report {
            key: self.digest,
            statement: proof.statement,
            tables,
            security,
        })
    }

    /// Tables and proven security of proofs of these heights.
    ///
    /// # Errors
    /// As [`Self::check_heights`].
    pub fn shape(
        &self,
        log_heights: &[usize],
    ) -> Result<(Vec<TableReport>, SecurityReport), VerifyError> {
        self.check_heights(log_heights)?;
        let tables = table_reports(self.machine.tables(), &self.common.lookups, log_heights);
        let security = security::<H>(&self.key.settings, &tables);
        Ok((tables, security))
    }

    /// Checks the logarithms of a proof's heights, one a table: they are possible, those of tables of
    /// fixed content are right, and so are all where the key fixes them; and no number of messages can
    /// reach the modulus.
    ///
    /// # Errors
    /// If no proof of the key has these heights.
    pub fn check_heights(&self, log_heights: &[usize]) -> Result<(), VerifyError> {
        let tables = self.machine.tables();
        let wrong = || {
            Err(VerifyError::Heights {
                found: log_heights.to_vec(),
            })
        };
        if log_heights.len() != tables.len() {
            return wrong();
        }
        if matches!(&self.key.heights, KeyHeights::Fixed(fixed) if fixed != log_heights) {
            return wrong();
        }
        for (table, &log_height) in tables.iter().zip(log_heights) {
            let fixed = table.fixed_log_height();
            if !in_range(&self.key, log_height) || fixed.is_some_and(|fixed| fixed != log_height) {
                return wrong();
            }
        }
        let heights: Vec<usize> = log_heights.iter().map(|&log| 1 << log).collect();
        let messages = total_weight(&self.common.lookups, &heights);
        if messages >= u128::from(droste_native::field::MODULUS) {
            return Err(VerifyError::TooManyMessages { messages });
        }
        Ok(())
    }

    /// Every commitment has exactly the digests of its tree: Plonky3 0.8.0 accepts more, which it
    /// absorbs but never compares with anything.
    fn check_caps(&self, proof: &Proof<H>) -> Result<(), VerifyError> {
        let settings = &self.key.settings;
        let commitments = &proof.batch.commitments;
        let mut log_heights: Vec<usize> = proof
            .batch
            .degree_bits
            .iter()
            .map(|log_height| log_height + settings.log_blowup)
            .collect();
        log_heights.sort_unstable_by(|a, b| b.cmp(a));
        log_heights.dedup();
        let tallest = log_heights.first().copied().unwrap_or(0);
        let check = |name: &str, digests: &[H::Digest], log_height: usize| {
            let expected = 1 << settings.cap_height.min(log_height);
            if digests.len() == expected {
                return Ok(());
            }
            Err(VerifyError::CapSize {
                commitment: name.to_owned(),
                expected,
                found: digests.len(),
            })
        };
        check("main", commitments.main.digests(), tallest)?;
        check("quotient", commitments.quotient_chunks.digests(), tallest)?;
        if let Some(commitment) = &commitments.permutation {
            check("look-up", commitment.digests(), tallest)?;
        }
        let schedule = fold_schedule(
            &log_heights,
            settings.log_blowup + settings.log_final_poly_len,
            settings.max_log_arity,
        );
        let mut log_height = tallest;
        let rounds = &proof.batch.opening_proof.commit_phase_commits;
        for (round, (commitment, log_arity)) in rounds.iter().zip(schedule).enumerate() {
            log_height -= log_arity;
            check(
                &format!("folding round {round}"),
                commitment.digests(),
                log_height,
            )?;
        }
        Ok(())
    }

    fn verify_batch(&self, proof: &Proof<H>) -> Result<(), VerifyError> {
        let tables = self.machine.tables();
        let public_values: Vec<Vec<F>> = tables
            .iter()
            .map(|table| public_values(table, &proof.statement))
            .collect();
        let config = droste_native::config::<H>(&self.key.settings, &self.digest.0)?;
        T::verify_batch(&config, tables, &proof.batch, &public_values, &self.common)
            .map_err(|error| self.rejection(error))
    }

    fn rejection(&self, error: BatchVerificationError<PcsError<Config<H>>>) -> VerifyError {
        match error {
            BatchVerificationError::Verification(error) => match error {
                VerificationError::OodEvaluationMismatch { index } => VerifyError::Constraints {
                    table: index
                        .and_then(|index| self.machine.tables().get(index))
                        .map_or("unknown", |table| table.name()),
                },
                VerificationError::InvalidOpeningArgument(error) => {
                    VerifyError::Openings(format!("{error:?}"))
                }
                error => VerifyError::Shape(format!("{error:?}")),
            },
            BatchVerificationError::Lookup(error) => VerifyError::Lookups(error.to_string()),
            BatchVerificationError::Transcript(error) => VerifyError::Grinding(error.to_string()),
        }
    }
}

fn in_range<H: HashFamily>(key: &Key<H>, log_height: usize) -> bool {
    let max = MAX_LOG_HEIGHT.saturating_sub(key.settings.log_blowup);
    (min_log_height(&key.settings)..=max).contains(&log_height)
}

fn check_statement(public: &[F], statement: &[F; LANES]) -> Result<(), VerifyError> {
    if public.len() > LANES {
        return Err(VerifyError::StatementLength {
            found: public.len(),
        });
    }
    for (index, (&expected, &found)) in public.iter().zip(statement).enumerate() {
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
