//! The verifier of one proof.
//!
//! No proof and no key makes it panic. Plonky3 0.8.0 leaves some checks to its caller, and they are
//! made before Plonky3 is called: of the key, of the heights against the key, of the number of
//! digests in every commitment, and of the number of bus messages.
//!
//! Where the header of a proof determines how much work there is, the work is bounded before it
//! begins:
//!
//! | work | decided by | bound |
//! |---|---|---|
//! | decoding | lengths of lists | the bytes that are there (`codec`) |
//! | [`Verifier::new`] | names of tables, heights | the tables of the machine, each once; heights at most `2^24` over the blowup |
//! | [`Verifier::verify`] | heights, settings | ranges of `FriSettings::validate`; no loop over rows; openings are in the file |
//! | [`verify_program`]: the program's key | its height, the blowup | a limit of the caller's, checked first; computed last |

mod program;

use std::sync::OnceLock;

use droste_native::stark::security::Security;
use droste_native::stark::suite::{OpeningError, SuiteCap};
use droste_native::{Config, F, FriSettings, HashSuite, SettingsError};
use p3_batch_stark::{
    BatchTranscriptFailure, BatchVerificationError, CommonData, VerificationError,
};
use p3_fri::fold_schedule;
use p3_lookup::LookupError;
use thiserror::Error;

pub use program::{DEFAULT_LIMIT, verify_program};

use crate::heights::{MAX_LOG_HEIGHT, min_log_height};
use crate::key::{Key, KeyDigest, KeyError, KeyHeights, MachineKey, machine_of, of_machine};
use crate::lookups::total_weight;
use crate::machine::{Machine, MachineError, Provable};
use crate::prover::{Proof, public_values};
use crate::report::{TableReport, security, table_reports};
use crate::tables::LANES;

/// What an accepted proof states.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Digest of the key under which the proof was accepted.
    pub key: KeyDigest,
    /// Public inputs, then outputs, then zeros. A compiled program asserts these zeros.
    pub statement: [F; LANES],
    /// Shapes of the tables, in the machine's order.
    pub tables: Vec<TableReport>,
    /// Proven security of this proof.
    pub security: Security,
}

/// Why a proof is rejected.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The proof was made with another key.
    #[error("the proof was made with key {found}, expected {expected}")]
    Key {
        /// Digest of the key that was expected.
        expected: KeyDigest,
        /// Digest of the proof's key.
        found: KeyDigest,
    },
    /// The key's settings are out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The key belongs to no machine known here.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The key fixes heights that no proof can have.
    #[error("the key fixes heights that no proof can have with its settings")]
    KeyHeights,
    /// The program has no key with the parameters that the proof states.
    #[error("the program has no key with the parameters that the proof states")]
    ProgramKey(#[from] KeyError),
    /// The program of the proof has a table of another height, so it is another program.
    #[error(
        "the proof is of a program whose table has 2^{found} rows, this program's table has \
         2^{expected}"
    )]
    ProgramHeight {
        /// Logarithm of the height of this program's table.
        expected: usize,
        /// Logarithm of the program table's height in the proof's key.
        found: usize,
    },
    /// Committing to the program with the parameters that the proof states is more work than
    /// allowed.
    #[error(
        "the proof asks for a commitment to the program of {rows} rows, at most {limit} are allowed"
    )]
    Limit {
        /// Number of rows, extended by the blowup.
        rows: usize,
        /// Largest number of rows allowed.
        limit: usize,
    },
    /// An element of the statement is not the expected one.
    #[error("element {index} of the statement is {found}, expected {expected}")]
    Statement {
        /// Index of the element.
        index: usize,
        /// Value that was expected.
        expected: F,
        /// Value in the proof.
        found: F,
    },
    /// More elements were expected than a statement has.
    #[error("{found} elements of the statement were expected, it has {LANES}")]
    StatementLength {
        /// Number of elements expected.
        found: usize,
    },
    /// A table has an impossible height, or one that is not the key's.
    #[error(
        "the logarithms of the tables' heights, {found:?}, are impossible or not those that the \
         key fixes"
    )]
    Heights {
        /// Logarithms of the heights in the proof.
        found: Vec<usize>,
    },
    /// The proof has fewer proven bits than required.
    #[error("the proof has {found} proven bits, at least {expected} are required")]
    Security {
        /// Bits required.
        expected: usize,
        /// Bits proven.
        found: usize,
    },
    /// A commitment has the wrong number of digests.
    #[error("the {commitment} commitment has {found} digests, expected {expected}")]
    CapSize {
        /// Name of the commitment.
        commitment: String,
        /// Digests expected.
        expected: usize,
        /// Digests found.
        found: usize,
    },
    /// Tables of these heights could take more messages from buses than the lookup argument can
    /// count.
    #[error(
        "tables of these heights can take {messages} bus messages, the lookup argument counts \
         fewer than the modulus"
    )]
    TooManyMessages {
        /// Upper bound on the number of messages.
        messages: u128,
    },
    /// Some part of the proof has the wrong shape.
    #[error("the proof is malformed")]
    Shape(#[source] Box<VerificationError<OpeningError>>),
    /// The constraints of a table do not hold.
    #[error("the constraints of table {table} do not hold")]
    Constraints {
        /// Name of the table.
        table: &'static str,
    },
    /// Buses do not balance, or the lookup argument is malformed.
    #[error("the lookup argument is wrong: a bus does not balance, or its data are malformed")]
    Lookups(#[source] Box<LookupError>),
    /// Opened values are not those that were committed to, or the low-degree test fails.
    #[error("the openings are wrong: an opened value or the low-degree test was refused")]
    Openings(#[source] Box<OpeningError>),
    /// The nonce of a proof of work is wrong.
    #[error("a proof of work is wrong")]
    Grinding(#[source] BatchTranscriptFailure),
}

/// Verifies `proof` against `key`: that it has a statement that begins with `expected`, and at
/// least `min_bits` proven bits.
///
/// The remaining elements of the statement are in the report: the outputs that the program
/// computed, and zeros. To verify many proofs of one key, make a [`Verifier`] once.
///
/// # Errors
/// Why the proof is rejected.
pub fn verify<H: HashSuite, T: Provable<H>>(
    key: &Key<H>,
    expected: &[F],
    min_bits: usize,
    proof: &Proof<H>,
) -> Result<Report, VerifyError> {
    Verifier::<H, T>::new(key.clone())?.verify(expected, min_bits, proof)
}

/// A checked key with everything that is needed to verify proofs of it.
pub struct Verifier<H: HashSuite, T> {
    key: Key<H>,
    /// Digest of the key, computed when it is needed: it absorbs the whole commitment to the
    /// program, which may be megabytes in a key from outside, and cheaper checks come before.
    digest: OnceLock<KeyDigest>,
    machine: Machine<T>,
    common: CommonData<Config<H>>,
}

impl<H: HashSuite, T: Provable<H>> Verifier<H, T> {
    /// Checks a key and prepares it for verifying proofs.
    ///
    /// # Errors
    /// If no proof of this key can be accepted.
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
            digest: OnceLock::new(),
            key,
            machine,
            common,
        })
    }

    /// Prepares what verifying proofs of all programs on one machine has in common. Its key is that
    /// of no program: the digests of its commitment are all zero.
    ///
    /// # Errors
    /// If no program can have such a key.
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
            digest: OnceLock::new(),
            key,
            machine,
            common,
        })
    }

    /// Returns the key.
    pub fn key(&self) -> &Key<H> {
        &self.key
    }

    fn digest(&self) -> KeyDigest {
        *self.digest.get_or_init(|| self.key.digest())
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.machine
    }

    /// Returns Plonky3's form of the key.
    pub fn common(&self) -> &CommonData<Config<H>> {
        &self.common
    }

    /// Verifies one proof; see [`verify`].
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn verify(
        &self,
        expected: &[F],
        min_bits: usize,
        proof: &Proof<H>,
    ) -> Result<Report, VerifyError> {
        if proof.key != self.key {
            return Err(VerifyError::Key {
                expected: self.digest(),
                found: proof.key.digest(),
            });
        }
        check_statement(expected, &proof.statement)?;
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
            key: self.digest(),
            statement: proof.statement,
            tables,
            security,
        })
    }

    /// Returns the tables and the proven security of proofs of these heights.
    ///
    /// # Errors
    /// See [`Self::check_heights`].
    pub fn shape(
        &self,
        log_heights: &[usize],
    ) -> Result<(Vec<TableReport>, Security), VerifyError> {
        self.check_heights(log_heights)?;
        let tables = table_reports(self.machine.tables(), &self.common.lookups, log_heights);
        let security = security::<H>(&self.key.settings, &tables);
        Ok((tables, security))
    }

    /// Checks the heights of a proof's tables, given as one logarithm per table: each is possible,
    /// tables of fixed content have the height of that content, all heights are the key's where the
    /// key fixes them, and the number of messages is below the modulus.
    ///
    /// # Errors
    /// If no proof of the key can have these heights.
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

    /// Checks that every commitment has exactly as many digests as its tree has. Plonky3 0.8.0
    /// accepts more, absorbs them and never compares them with anything.
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
            check("lookup", commitment.digests(), tallest)?;
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
        let config = droste_native::config::<H>(&self.key.settings, &self.digest().0)?;
        T::verify_batch(&config, tables, &proof.batch, &public_values, &self.common)
            .map_err(|error| self.rejection(error))
    }

    fn rejection(&self, error: BatchVerificationError<OpeningError>) -> VerifyError {
        match error {
            BatchVerificationError::Verification(error) => match error {
                VerificationError::OodEvaluationMismatch { index } => VerifyError::Constraints {
                    table: index
                        .and_then(|index| self.machine.tables().get(index))
                        .map_or("unknown", |table| table.name()),
                },
                VerificationError::InvalidOpeningArgument(error) => {
                    VerifyError::Openings(Box::new(error))
                }
                error => VerifyError::Shape(Box::new(error)),
            },
            BatchVerificationError::Lookup(error) => VerifyError::Lookups(Box::new(error)),
            BatchVerificationError::Transcript(error) => VerifyError::Grinding(error),
        }
    }
}

fn in_range<H: HashSuite>(key: &Key<H>, log_height: usize) -> bool {
    let max = MAX_LOG_HEIGHT.saturating_sub(key.settings.log_blowup);
    (min_log_height(&key.settings)..=max).contains(&log_height)
}

fn check_statement(expected: &[F], statement: &[F; LANES]) -> Result<(), VerifyError> {
    if expected.len() > LANES {
        return Err(VerifyError::StatementLength {
            found: expected.len(),
        });
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
