//! From proofs to the hints of the program that verifies them.
//!
//! The program runs natively, on the same source as in the machine, and what it reads is recorded:
//! most hints it advises itself, and [`Answers`] gives the rest, the parts of the proofs. So
//! writing a tape verifies the proofs, by a verifier beside Plonky3's.

mod family;
mod parts;
mod proof;
mod queries;

use std::collections::VecDeque;

use droste_gadgets::record::{Prover, RecordError, record};
use droste_gadgets::{Failure, Hint, Tape};
use droste_native::config::SettingsError;
use droste_native::family::FamilyCap;
use droste_native::field::EXTENSION_DEGREE;
use droste_native::{Commitment, F};
use droste_vm::executor::TapeItem;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

pub use family::TapeFamily;
pub use parts::ProofParts;

use crate::shape::ProofShape;
use proof::ProofAnswers;

/// Why a proof cannot be written to a tape.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TapeError {
    /// A part of the proof has not the length that the shape gives it.
    #[error("{part}: {found}, expected {expected}")]
    Shape {
        /// What has a wrong length.
        part: String,
        /// Its length.
        found: usize,
        /// The length in the shape.
        expected: usize,
    },
    /// An opening does not authenticate against its commitment.
    #[error("openings of the proof: {0}")]
    Opening(String),
    /// The opened values do not fold to the final polynomial's length.
    #[error("fold of query {query}: {reason}")]
    Fold {
        /// The query.
        query: usize,
        /// What p3 says.
        reason: String,
    },
    /// A nonce where none is asked for is not zero.
    #[error("the nonce of {site} is {nonce}, and nothing is asked of it")]
    Nonce {
        /// Where.
        site: &'static str,
        /// The nonce.
        nonce: F,
    },
    /// The verifier, run natively, rejects the proof.
    #[error("the verifier rejects the proof: {0}")]
    Rejected(#[from] Failure),
    /// The shape's settings are out of range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

pub(crate) fn expect_length(part: &str, found: usize, expected: usize) -> Result<(), TapeError> {
    if found == expected {
        return Ok(());
    }
    Err(TapeError::Shape {
        part: part.to_owned(),
        found,
        expected,
    })
}

/// The blocks of a commitment's digests.
pub fn commitment_blocks<H: TapeFamily>(commitment: &Commitment<H>) -> Vec<[F; 8]> {
    commitment
        .digests()
        .iter()
        .flat_map(H::digest_blocks)
        .collect()
}

/// The tape as the machine's executor takes it.
pub fn machine_tape(tape: &Tape) -> droste_vm::executor::Tape {
    let items = tape
        .hints
        .iter()
        .map(|hint| match hint {
            Hint::Felt(x) => TapeItem::Felt(*x),
            Hint::Ext(x) => {
                let mut coefficients = [F::ZERO; EXTENSION_DEGREE];
                coefficients.copy_from_slice(x.as_basis_coefficients_slice());
                TapeItem::Ext(coefficients)
            }
            Hint::Slice(blocks) => TapeItem::Slice(blocks.clone()),
        })
        .collect();
    droste_vm::executor::Tape { items }
}

/// The lanes of the blocks of a commitment's digests.
pub fn commitment_lanes<H: TapeFamily>(commitment: &Commitment<H>) -> Vec<F> {
    commitment_blocks::<H>(commitment).concat()
}

/// Public values by table, in order, padded with zeros to whole blocks.
pub fn public_lanes(public_values: &[Vec<F>]) -> Vec<F> {
    let mut lanes = public_values.concat();
    lanes.resize(lanes.len().next_multiple_of(8), F::default());
    lanes
}

enum Answer<'a, H: TapeFamily> {
    Message(Vec<F>),
    Proof(Box<ProofAnswers<'a, H>>),
}

/// What a prover answers, in order: messages, and the parts of proofs.
pub struct Answers<'a, H: TapeFamily> {
    rest: VecDeque<Answer<'a, H>>,
}

impl<H: TapeFamily> Default for Answers<'_, H> {
    fn default() -> Self {
        Self {
            rest: VecDeque::new(),
        }
    }
}

impl<'a, H: TapeFamily> Answers<'a, H> {
    /// Adds a message.
    pub fn message(&mut self, message: Vec<F>) {
        self.rest.push_back(Answer::Message(message));
    }

    /// Adds a proof of `shape`; `preprocessed` is the commitment to the preprocessed traces, if
    /// there are any.
    ///
    /// # Errors
    /// If the proof is of another shape.
    pub fn proof(
        &mut self,
        shape: &ProofShape,
        preprocessed: Option<&Commitment<H>>,
        proof: impl Into<ProofParts<'a, H>>,
    ) -> Result<(), TapeError> {
        let proof = ProofAnswers::new(shape, preprocessed, proof.into())?;
        self.rest.push_back(Answer::Proof(Box::new(proof)));
        Ok(())
    }

    /// The tape on which the program accepts, which it must read to its end.
    ///
    /// # Errors
    /// If an opening does not authenticate, or the program rejects.
    pub fn record(mut self, program: impl FnOnce() + Send) -> Result<Tape, TapeError> {
        let (tape, _) = record(&mut self, program).map_err(|error| match error {
            RecordError::Prover(error) => error,
            RecordError::Program(failure) => TapeError::Rejected(failure),
        })?;
        match self.next()? {
            None => Ok(tape),
            Some(message) => Err(TapeError::Shape {
                part: "elements that the program does not read".into(),
                found: message.len(),
                expected: 0,
            }),
        }
    }

    fn next(&mut self) -> Result<Option<Vec<F>>, TapeError> {
        while let Some(answer) = self.rest.front_mut() {
            let message = match answer {
                Answer::Message(message) => {
                    let message = std::mem::take(message);
                    self.rest.pop_front();
                    return Ok(Some(message));
                }
                Answer::Proof(proof) => proof.next()?,
            };
            if message.is_some() {
                return Ok(message);
            }
            self.rest.pop_front();
        }
        Ok(None)
    }
}

impl<H: TapeFamily> Prover for Answers<'_, H> {
    type Error = TapeError;

    fn message(&mut self, n: usize) -> Result<Vec<F>, TapeError> {
        let message = self.next()?.unwrap_or_default();
        expect_length("elements of a message", message.len(), n)?;
        Ok(message)
    }

    fn told(&mut self, values: Vec<F>) {
        if let Some(Answer::Proof(proof)) = self.rest.front_mut() {
            proof.told(values);
        }
    }
}
