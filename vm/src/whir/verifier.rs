//! The verifier of one proof over WHIR.
//!
//! No proof and no key makes it panic, and no header of a proof determines unbounded work: tables
//! are those of the machine, heights at most `2^24`, and there is no loop over rows. What
//! `p3-multi-stark` and `p3-whir` 0.8.0 leave to their caller is checked before they are called: the
//! key, the heights, the number of digests in every commitment, the number of messages, and that
//! nothing is in the proof that is not read.

use std::sync::OnceLock;

use droste_native::F;
use droste_native::stark::suite::SuiteCap;
use droste_native::stark::whir::{
    WhirOpening, WhirScheme, WhirSecurity, WhirSettingsError, WhirStark,
};
use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

use super::key::{self, Key, KeyError, Parts, limits};
use super::provable::{Provable, StarkVerificationError, StarkVerifyingKey, Statement};
use super::prover::Proof;
use crate::key::{KeyDigest, KeyHeights};
use crate::lookups::total_weight;
use crate::machine::Machine;
use crate::prover::public_values;
use crate::tables::LANES;

/// What an accepted proof states.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Digest of the key under which the proof was accepted.
    pub key: KeyDigest,
    /// Public inputs, then outputs, then zeros. A compiled program asserts these zeros.
    pub statement: [F; LANES],
    /// Names of the tables and logarithms of their heights, in the machine's order.
    pub tables: Vec<(&'static str, usize)>,
    /// Proven security of this proof.
    pub security: WhirSecurity,
}

/// Why a proof is rejected.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The key cannot be used.
    #[error(transparent)]
    UnusableKey(#[from] KeyError),
    /// The proof was made with another key.
    #[error("the proof was made with key {found}, expected {expected}")]
    Key {
        /// Digest of the key that was expected.
        expected: KeyDigest,
        /// Digest of the proof's key.
        found: KeyDigest,
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
    /// The settings have no parameters for these heights.
    #[error(transparent)]
    Settings(#[from] WhirSettingsError),
    /// The tables take more messages from buses than the lookup argument can count.
    #[error(
        "tables of these heights can take {messages} bus messages, the lookup argument counts \
         fewer than the modulus"
    )]
    TooManyMessages {
        /// Upper bound on the number of messages.
        messages: u128,
    },
    /// The proof has fewer proven bits than required.
    #[error("the proof has {found} proven bits, {expected} are required")]
    Security {
        /// Bits required.
        expected: usize,
        /// Bits that the proof has.
        found: usize,
    },
    /// A commitment has another number of digests than its tree's cap.
    #[error("the {commitment} has {found} digests, expected {expected}")]
    CapSize {
        /// Which commitment.
        commitment: String,
        /// Number of digests expected.
        expected: usize,
        /// Number of digests found.
        found: usize,
    },
    /// The proof has a part that nothing reads.
    #[error("the {opening} has a last sumcheck, expected none")]
    Unread {
        /// Which opening.
        opening: &'static str,
    },
    /// Plonky3's verifier rejects the proof of the tables.
    #[error("the proof of the tables is not valid")]
    Stark(#[source] Box<StarkVerificationError>),
}

/// A checked key with everything that is needed to verify proofs of it.
pub struct Verifier<T> {
    key: Key,
    parts: Parts<T>,
    stark: StarkVerifyingKey,
    /// Heights and security of the first proof. Further proofs of a key mostly have the same.
    known: OnceLock<(Vec<usize>, WhirSecurity)>,
}

impl<T: Provable> Verifier<T> {
    /// Checks a key and prepares it for verifying proofs.
    ///
    /// # Errors
    /// If no proof of this key can be accepted.
    pub fn new(key: Key) -> Result<Self, VerifyError> {
        let (parts, stark) = key::check::<T>(&key)?;
        Ok(Self {
            key,
            parts,
            stark,
            known: OnceLock::new(),
        })
    }

    /// Returns the key.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.parts.machine
    }

    /// Verifies that a proof is one of this key, that it has a statement that begins with
    /// `expected`, and at least `min_bits` proven bits.
    ///
    /// The remaining elements of the statement are in the report: the outputs that the program
    /// computed, and zeros.
    ///
    /// # Errors
    /// Why the proof is rejected.
    pub fn verify(
        &self,
        expected: &[F],
        min_bits: usize,
        proof: &Proof,
    ) -> Result<Report, VerifyError> {
        if proof.key != self.key {
            return Err(VerifyError::Key {
                expected: self.key.digest(),
                found: proof.key.digest(),
            });
        }
        check_statement(expected, &proof.statement)?;
        let log_heights = &proof.log_heights;
        check_heights(&self.key, &self.parts, log_heights)?;
        let config = self.parts.config(&self.key.settings, log_heights)?;
        let security = self.security_of(&config, log_heights);
        if security.bits() < min_bits {
            return Err(VerifyError::Security {
                expected: min_bits,
                found: security.bits(),
            });
        }
        accept(&self.key, &self.parts, &self.stark, &config, proof)?;
        let tables = self.parts.machine.tables().iter();
        Ok(Report {
            key: self.key.digest(),
            statement: proof.statement,
            tables: tables
                .zip(log_heights)
                .map(|(table, &log_height)| (table.name(), log_height))
                .collect(),
            security,
        })
    }

    /// Returns the proven security of proofs of these heights.
    ///
    /// # Errors
    /// If no proof of the key can have these heights.
    pub fn security(&self, log_heights: &[usize]) -> Result<WhirSecurity, VerifyError> {
        check_heights(&self.key, &self.parts, log_heights)?;
        let config = self.parts.config(&self.key.settings, log_heights)?;
        Ok(self.security_of(&config, log_heights))
    }

    fn security_of(&self, config: &WhirStark, log_heights: &[usize]) -> WhirSecurity {
        if let Some((_, security)) = self.known.get().filter(|known| known.0 == log_heights) {
            return security.clone();
        }
        // Public values are counted, not read.
        let statements = statements(&self.parts, log_heights, &[F::ZERO; LANES]);
        let security = T::stark_security(config, &statements, &self.stark);
        // If another proof was first, this is computed anew every time.
        let _ = self.known.set((log_heights.to_vec(), security.clone()));
        security
    }
}

impl Key {
    /// What the transcript absorbs first: the key's digest, then the heights.
    pub(super) fn seed(&self, log_heights: &[usize]) -> Vec<F> {
        let mut seed = self.digest().0.to_vec();
        seed.push(F::from_usize(log_heights.len()));
        seed.extend(log_heights.iter().map(|&log| F::from_usize(log)));
        seed
    }
}

/// The tables of a machine, at these heights, with their public values.
pub(super) fn statements<'a, T: Provable>(
    parts: &'a Parts<T>,
    log_heights: &[usize],
    statement: &[F; LANES],
) -> Vec<Statement<'a, T>> {
    let tables = parts.tables.iter().zip(log_heights);
    tables
        .map(|(table, &log_height)| Statement {
            table,
            log_height,
            public_values: public_values(table.table(), statement),
        })
        .collect()
}

/// Checks the heights of a proof's tables: each is possible, tables of fixed content have the
/// height of that content, all heights are the key's where the key fixes them, and the number of
/// messages is below the modulus.
pub(super) fn check_heights<T: Provable>(
    key: &Key,
    parts: &Parts<T>,
    log_heights: &[usize],
) -> Result<(), VerifyError> {
    let tables = parts.machine.tables();
    let limits = limits(&key.settings);
    let is_fixed = |table: &T, log_height| {
        let fixed = table.fixed_log_height();
        fixed.is_none_or(|fixed| fixed == log_height)
    };
    let possible = log_heights.len() == tables.len()
        && tables.iter().zip(log_heights).all(|(table, &log_height)| {
            limits.check(log_height).is_ok() && is_fixed(table, log_height)
        })
        && match &key.heights {
            KeyHeights::Free => true,
            KeyHeights::Fixed(fixed) => fixed == log_heights,
        };
    if !possible {
        return Err(VerifyError::Heights {
            found: log_heights.to_vec(),
        });
    }
    let heights: Vec<usize> = log_heights.iter().map(|&log| 1 << log).collect();
    let messages = total_weight(&parts.lookups, &heights);
    if messages >= u128::from(droste_native::field::MODULUS) {
        return Err(VerifyError::TooManyMessages { messages });
    }
    Ok(())
}

/// Verifies the proof of the tables. Key, statement and heights must have been checked.
pub(super) fn accept<T: Provable>(
    key: &Key,
    parts: &Parts<T>,
    stark: &StarkVerifyingKey,
    config: &WhirStark,
    proof: &Proof,
) -> Result<(), VerifyError> {
    let main = proof.stark.commitment.digests().len();
    check_opening(key, config.main(), "main", Some(main), &proof.stark.opening)?;
    if let Some(opening) = &proof.stark.preprocessed_opening {
        check_opening(key, config.preprocessed(), "preprocessed", None, opening)?;
    }
    let statements = statements(parts, &proof.log_heights, &proof.statement);
    let mut challenger = WhirStark::challenger(&key.seed(&proof.log_heights));
    T::verify_stark(config, &statements, stark, &proof.stark, &mut challenger)
        .map_err(|error| VerifyError::Stark(error.into()))
}

/// Checks that every commitment of an opening has exactly as many digests as its tree has, which
/// Plonky3 0.8.0 does not: it accepts more, absorbs them and never compares them with anything.
/// `first` is the number of digests of the commitment that is opened, unless it is the key's. And
/// checks that there is no last sumcheck that is not read.
fn check_opening(
    key: &Key,
    scheme: &WhirScheme,
    name: &'static str,
    first: Option<usize>,
    opening: &WhirOpening,
) -> Result<(), VerifyError> {
    let sizes = scheme.cap_sizes(&key.settings);
    let rounds = opening.whir.rounds.iter();
    let rounds = rounds.map(|round| round.commitment.as_ref().map(|cap| cap.digests().len()));
    for (round, (found, expected)) in std::iter::once(first).chain(rounds).zip(sizes).enumerate() {
        if found.is_some_and(|found| found != expected) {
            return Err(VerifyError::CapSize {
                commitment: format!("{name} commitment of round {round}"),
                expected,
                found: found.unwrap_or(0),
            });
        }
    }
    if scheme.parameters().final_sumcheck_rounds() == 0 && opening.whir.final_sumcheck.is_some() {
        return Err(VerifyError::Unread { opening: name });
    }
    Ok(())
}

fn check_statement(expected: &[F], statement: &[F; LANES]) -> Result<(), VerifyError> {
    if expected.len() > LANES {
        return Err(VerifyError::StatementLength {
            found: expected.len(),
        });
    }
    let pairs = expected.iter().zip(statement).enumerate();
    for (index, (&expected, &found)) in pairs {
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
