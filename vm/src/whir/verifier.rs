//! The verifier of one proof over WHIR.
//!
//! No proof and no key makes it panic, and no header of a proof determines unbounded work: tables
//! are those of the machine, heights at most `2^log_block`, and there is no loop over rows. It checks key,
//! statement and heights, then what each part of the protocol checks (docs/notes/whir-protocol.md):
//!
//! - [`droste_native::gkr::verify`]: the fractions of all messages add up to zero;
//! - [`crate::multilinear::zerocheck`]: constraints are zero, and the fractions are the messages';
//! - [`droste_native::whir::Scheme::verify`]: the opened values are those of the columns.

use std::sync::OnceLock;

use droste_native::F;
use droste_native::gkr::{self, GkrError};
use droste_native::stark::challenger::{Poseidon16Challenger, Transcript};
use droste_native::stark::security::Security;
use droste_native::whir::settings::WhirSettingsError;
use droste_native::whir::{LayoutError, OpeningError, Scheme, WhirSettings};
use thiserror::Error;

use super::key::{self, Key, KeyError, Parts, Provable, SchemeError, limits};
use super::proof::{claims, observe_opened, observe_shape};
use super::prover::Proof;
use super::security::security;
use crate::key::{KeyDigest, KeyHeights};
use crate::lookups::total_weight;
use crate::machine::Machine;
use crate::multilinear::leaves::LookupChallenges;
use crate::multilinear::tables::{Shape, ShapeError, System};
use crate::multilinear::zerocheck::{self, LeafClaim, ZerocheckError};
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
    /// `w * h * log2(h)`, summed over the tables, where `w` counts main columns: there are no others
    /// that the prover commits to.
    pub fft_cost: u64,
    /// Proven security of this proof.
    pub security: Security,
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
    /// The tables cannot be stacked.
    #[error(transparent)]
    Stack(#[from] LayoutError),
    /// There are no proofs for tables of these heights.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The sum of the messages' fractions is not shown to be zero.
    #[error("the messages are not shown to balance")]
    Fractions(#[from] GkrError),
    /// The constraints are not shown to be zero.
    #[error("the constraints are not shown to hold")]
    Constraints(#[from] ZerocheckError),
    /// The opened values are not shown to be those of the columns.
    #[error("the opening of the columns is not valid")]
    Opening(#[from] OpeningError),
}

impl From<SchemeError> for VerifyError {
    fn from(error: SchemeError) -> Self {
        match error {
            SchemeError::Settings(error) => Self::Settings(error),
            SchemeError::Stack(error) => Self::Stack(error),
        }
    }
}

/// A checked key with everything that is needed to verify proofs of it.
pub struct Verifier<T> {
    key: Key,
    parts: Parts<T>,
    /// Heights and security of the first proof. Further proofs of a key mostly have the same.
    known: OnceLock<(Vec<usize>, Security)>,
}

impl<T: Provable> Verifier<T> {
    /// Checks a key and prepares it for verifying proofs.
    ///
    /// # Errors
    /// If no proof of this key can be accepted.
    pub fn new(key: Key) -> Result<Self, VerifyError> {
        let parts = key::check::<T>(&key)?;
        Ok(Self {
            key,
            parts,
            known: OnceLock::new(),
        })
    }

    /// The verifier of a machine without a program: its shapes, bits and constraints are those of all
    /// keys on a machine with these settings, tables and heights. Its key commits to no program, so
    /// no proof has it.
    ///
    /// # Errors
    /// If there are no such keys.
    pub fn of_machine(
        settings: WhirSettings,
        tables: &[String],
        heights: KeyHeights,
        program_log_height: usize,
    ) -> Result<Self, KeyError> {
        let (key, parts) = key::of_machine::<T>(settings, tables, heights, program_log_height)?;
        Ok(Self {
            key,
            parts,
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

    /// Returns what is proved of the machine's tables.
    pub fn system(&self) -> &System {
        &self.parts.system
    }

    /// Returns the commitment scheme and the shape of proofs of these heights.
    ///
    /// # Errors
    /// If no proof of the key can have these heights.
    pub fn shape(&self, log_heights: &[usize]) -> Result<(Scheme, Shape), VerifyError> {
        check_heights(&self.key, &self.parts, log_heights)
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
        self.verify_with(
            expected,
            min_bits,
            proof,
            &mut Poseidon16Challenger::default(),
        )
    }

    /// Verifies with this transcript, which has observed nothing. With any but a new
    /// [`Poseidon16Challenger`] nothing is proved: this is for tests, whose transcripts have few
    /// challenges.
    ///
    /// # Errors
    /// Why the proof is rejected.
    #[doc(hidden)]
    pub fn verify_with<C: Transcript>(
        &self,
        expected: &[F],
        min_bits: usize,
        proof: &Proof,
        challenger: &mut C,
    ) -> Result<Report, VerifyError> {
        if proof.key != self.key {
            return Err(VerifyError::Key {
                expected: self.key.digest(),
                found: proof.key.digest(),
            });
        }
        check_statement(expected, &proof.statement)?;
        let log_heights = &proof.log_heights;
        let security = self.security(log_heights)?;
        if security.bits() < min_bits {
            return Err(VerifyError::Security {
                expected: min_bits,
                found: security.bits(),
            });
        }
        accept(&self.key, &self.parts, proof, challenger)?;
        let tables = self.parts.machine.tables().iter();
        Ok(Report {
            key: self.key.digest(),
            statement: proof.statement,
            tables: tables
                .zip(log_heights)
                .map(|(table, &log_height)| (table.name(), log_height))
                .collect(),
            fft_cost: self.fft_cost(log_heights),
            security,
        })
    }

    /// Returns `w * h * log2(h)`, summed over tables of these heights, where `w` counts main columns.
    pub fn fft_cost(&self, log_heights: &[usize]) -> u64 {
        let tables = self.parts.machine.tables().iter().zip(log_heights);
        let cost = |(table, &log_height): (&T, &usize)| {
            let cells = (table.width() as u64).checked_shl(log_height as u32);
            cells.unwrap_or(u64::MAX).saturating_mul(log_height as u64)
        };
        tables.map(cost).fold(0, u64::saturating_add)
    }

    /// Returns the proven security of proofs of these heights.
    ///
    /// # Errors
    /// If no proof of the key can have these heights.
    pub fn security(&self, log_heights: &[usize]) -> Result<Security, VerifyError> {
        if let Some((_, security)) = self.known.get().filter(|known| known.0 == log_heights) {
            return Ok(security.clone());
        }
        let (scheme, shape) = check_heights(&self.key, &self.parts, log_heights)?;
        let security = security(&self.parts.system, &shape, &scheme);
        // If another proof was first, this is computed anew every time.
        let _ = self.known.set((log_heights.to_vec(), security.clone()));
        Ok(security)
    }
}

/// Checks the heights of a proof's tables: each is possible, tables of fixed content have the
/// height of that content, all heights are the key's where the key fixes them, and the number of
/// messages is below the modulus. Returns the commitment scheme and the shape for these heights.
pub(super) fn check_heights<T: Provable>(
    key: &Key,
    parts: &Parts<T>,
    log_heights: &[usize],
) -> Result<(Scheme, Shape), VerifyError> {
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
    let shape = Shape::new(&parts.system, log_heights)?;
    Ok((parts.scheme(&key.settings, log_heights)?, shape))
}

/// Verifies the proof of the tables with a new transcript. Key and statement must have been checked.
pub(super) fn accept<T: Provable, C: Transcript>(
    key: &Key,
    parts: &Parts<T>,
    proof: &Proof,
    challenger: &mut C,
) -> Result<(), VerifyError> {
    let (statement, log_heights) = (&proof.statement, &proof.log_heights);
    let (system, stark) = (&parts.system, &proof.stark);
    let (scheme, shape) = check_heights(key, parts, log_heights)?;
    observe_shape(key, statement, log_heights, challenger);
    challenger.observe(stark.commitment.clone());
    let mut claims_of = scheme.sample_outside(&stark.outside, challenger)?;
    let challenges = LookupChallenges {
        alpha: challenger.sample_algebra_element(),
        beta: challenger.sample_algebra_element(),
    };
    let claim = gkr::verify(&stark.fractions, shape.log_leaves(), challenger)?;
    let claim = LeafClaim::from(claim);
    let reduction = zerocheck::verify(system, &shape, &claim, &stark.zerocheck, challenger)?;
    zerocheck::check(
        system,
        &shape,
        &claim,
        &challenges,
        statement,
        &reduction,
        &stark.opened,
    )?;
    observe_opened(&stark.opened, challenger);
    let y = challenger.sample_algebra_element();
    claims_of.extend(claims(system, &scheme, &reduction.point, &stark.opened, y));
    scheme.verify(
        &stark.commitment,
        Some(&key.commitment()),
        &claims_of,
        &stark.opening,
        challenger,
    )?;
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
