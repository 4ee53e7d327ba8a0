//! Turns proofs into the hints of the program that verifies them.
//!
//! The program is run natively, from the same source as in the machine, and every hint that it
//! reads is recorded. Most hints the program computes itself; [`Answers`] supplies the rest, which
//! are the parts of the proofs. Writing a tape therefore also verifies the proofs, with a second
//! verifier beside Plonky3's.

mod config;
pub mod opened;
mod parts;
mod proof;
mod queries;
mod suite;
mod whir;

use std::collections::VecDeque;

use droste_binary::BinaryError;
use droste_gadgets::record::{Prover, RecordError, record_changed};
use droste_gadgets::verify::binary::grid::layout::Grid;
use droste_gadgets::verify::whir::shape::Shape as WhirShape;
use droste_gadgets::{Failure, Hint, NativeTape};
use droste_native::F;
use droste_native::field::{BaseField, EXTENSION_DEGREE};
use droste_native::stark::config::SettingsError;
use droste_native::stark::suite::{OpeningError, SuiteCap};
use droste_native::whir::Scheme;
use droste_vm::executor::TapeItem;
use droste_vm::whir::StarkProof;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};
use p3_merkle_tree::MerkleTreeError;

pub(crate) use config::sealed;
pub use config::{Cap, FriConfig, TreesId};
pub use parts::{OpeningArgument, ProofParts};
use proof::ProofAnswers;
pub use suite::TapeSuite;
use whir::WhirAnswers;
pub use whir::observed;

use crate::shape::FriShape;

/// Why a proof cannot be written to a tape.
#[derive(Debug, thiserror::Error)]
pub enum TapeError {
    /// The length of a part of the proof is not the one that the shape requires.
    #[error("{part}: found {found}, expected {expected}")]
    Shape {
        /// The part.
        part: String,
        /// Its length.
        found: usize,
        /// The length that the shape requires.
        expected: usize,
    },
    /// The field has no evaluation domain for a table of this height, given as a logarithm.
    #[error("the field has no evaluation domain for a table of height 2^{0}")]
    Domain(usize),
    /// An opening does not authenticate against its commitment.
    #[error("the openings of the proof do not match its commitments")]
    Opening(#[source] Box<OpeningError>),
    /// The rows of a folding round do not authenticate against its commitment.
    #[error("the openings of folding round {round} do not match its commitment")]
    FoldingOpening {
        /// Index of the round.
        round: usize,
        /// Why they do not match.
        source: MerkleTreeError,
    },
    /// An authentication path does not have the length that its tree requires.
    #[error("an authentication path has the wrong shape")]
    Path(#[from] MerkleTreeError),
    /// The opened values do not fold to the final polynomial's length.
    #[error("the openings of query {query} cannot be folded")]
    Fold {
        /// Index of the query.
        query: usize,
        /// Why they cannot be folded.
        source: Box<OpeningError>,
    },
    /// The openings cannot be proved in a batch.
    #[error("the openings of the proof cannot be proved in a batch")]
    Batch(#[source] Box<BinaryError>),
    /// A nonce is not zero although no work is required.
    #[error("the nonce of {site} is {nonce}, expected 0: no proof of work is required there")]
    Nonce {
        /// Where the nonce is used.
        site: &'static str,
        /// The nonce.
        nonce: F,
    },
    /// The verifier, run natively, rejects the proof.
    #[error("the recursive verifier, run natively, rejects the proof")]
    Rejected {
        /// The first assertion that failed.
        #[source]
        failure: Failure,
        /// The hints up to there. With them, the compiled program fails at the same assertion, and
        /// says where it is.
        tape: NativeTape,
    },
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

/// Converts the tape of a native run into one for the machine's executor.
pub fn machine_tape(tape: &NativeTape) -> droste_vm::executor::Tape {
    let items = tape.hints.iter().map(|hint| match hint {
        Hint::Felt(x) => TapeItem::Felt(*x),
        Hint::Ext(x) => {
            let mut coefficients = [F::ZERO; EXTENSION_DEGREE];
            coefficients.copy_from_slice(x.as_basis_coefficients_slice());
            TapeItem::Ext(coefficients)
        }
        Hint::Slice(blocks) => TapeItem::Slice(blocks.clone()),
    });
    let items = items.collect();
    droste_vm::executor::Tape { items }
}

/// The digests of a commitment, as the lanes of their blocks.
pub fn commitment_lanes<V: FriConfig>(commitment: &Cap<V>) -> Vec<F> {
    let digests = commitment.digests().iter();
    digests.flat_map(V::digest_blocks).flatten().collect()
}

/// Public values by table, in order, as [`lanes`] and padded with zeros to whole blocks.
pub fn public_lanes<K: BaseField>(public_values: &[Vec<K>]) -> Vec<F> {
    let mut lanes = lanes(public_values.iter().flatten());
    lanes.resize(lanes.len().next_multiple_of(8), F::default());
    lanes
}

/// Elements as a program reads them where it hashes or observes them: those of [`F`] as they are,
/// others as the limbs of the words that Plonky3 hashes ([`BaseField::lanes`]).
pub fn lanes<'a, K: BaseField>(elements: impl IntoIterator<Item = &'a K>) -> Vec<F> {
    let of = |element: &K| {
        let (lanes, number) = element.lanes();
        lanes.into_iter().take(number)
    };
    elements.into_iter().flat_map(of).collect()
}

/// The parts of a proof over WHIR, of which only hash suites have any.
trait WhirParts {
    /// Returns the next message.
    fn next(&mut self) -> Result<Option<Vec<F>>, TapeError>;

    /// Receives what the program tells.
    fn told(&mut self, values: &[F]);
}

impl<H: TapeSuite> WhirParts for WhirAnswers<'_, H> {
    fn next(&mut self) -> Result<Option<Vec<F>>, TapeError> {
        self.next()
    }

    fn told(&mut self, values: &[F]) {
        self.told(values);
    }
}

enum Answer<'a, V: FriConfig> {
    Message(Vec<F>),
    Proof(Box<ProofAnswers<'a, V>>),
    Whir(Box<dyn WhirParts + 'a>),
}

/// What the prover supplies when the program asks for a hint, in order: messages, and the parts of
/// proofs.
pub struct Answers<'a, V: FriConfig> {
    rest: VecDeque<Answer<'a, V>>,
}

impl<V: FriConfig> Default for Answers<'_, V> {
    fn default() -> Self {
        Self {
            rest: VecDeque::new(),
        }
    }
}

impl<'a, H: TapeSuite> Answers<'a, H> {
    /// Adds a proof of `shape`, whose openings are in a batch if there is a `grid` of them;
    /// `preprocessed` is the commitment to the preprocessed traces, if there are any.
    ///
    /// # Errors
    /// If the proof is of another shape.
    pub fn proof(
        &mut self,
        shape: &FriShape,
        grid: Option<&Grid>,
        preprocessed: Option<&Cap<H>>,
        proof: impl Into<ProofParts<'a, H>>,
    ) -> Result<(), TapeError> {
        let opener = H::val_mmcs(shape.settings.cap_height);
        self.proof_in(shape, grid, opener, preprocessed, proof)
    }

    /// Adds a proof over WHIR of `shape`. The commitment to the program is not part of it.
    ///
    /// # Errors
    /// If the proof is of another shape.
    pub fn whir(
        &mut self,
        shape: &WhirShape,
        scheme: &'a Scheme<H>,
        proof: &'a StarkProof<H>,
    ) -> Result<(), TapeError> {
        let answers = WhirAnswers::new(shape, scheme, proof)?;
        self.rest.push_back(Answer::Whir(Box::new(answers)));
        Ok(())
    }
}

impl<'a, V: FriConfig> Answers<'a, V> {
    /// Adds a message.
    pub fn message(&mut self, message: Vec<F>) {
        self.rest.push_back(Answer::Message(message));
    }

    /// As [`Self::proof`], of a proof that is opened by `opener`.
    ///
    /// # Errors
    /// If the proof is of another shape.
    pub fn proof_in(
        &mut self,
        shape: &FriShape,
        grid: Option<&Grid>,
        opener: V::Opener,
        preprocessed: Option<&Cap<V>>,
        proof: impl Into<ProofParts<'a, V>>,
    ) -> Result<(), TapeError> {
        let proof = ProofAnswers::new(shape, grid, opener, preprocessed, proof.into())?;
        self.rest.push_back(Answer::Proof(Box::new(proof)));
        Ok(())
    }

    /// Runs the program natively and records its tape. The program must read all answers.
    ///
    /// # Errors
    /// If an opening does not authenticate, or the program rejects, or answers are left.
    pub fn record(self, program: impl FnOnce() + Send) -> Result<NativeTape, TapeError> {
        self.record_changed(|_, _| {}, program)
    }

    /// As [`Self::record`], but the program reads each hint as `change` leaves it
    /// ([`record_changed`]).
    ///
    /// # Errors
    /// As for [`Self::record`].
    pub fn record_changed(
        mut self,
        change: impl Fn(usize, &mut Hint) + Send + 'static,
        program: impl FnOnce() + Send,
    ) -> Result<NativeTape, TapeError> {
        let recorded = record_changed(&mut self, change, program);
        let (tape, _) = recorded.map_err(|error| match error {
            RecordError::Prover(error) => error,
            RecordError::Program { failure, tape } => TapeError::Rejected { failure, tape },
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
                Answer::Whir(proof) => proof.next()?,
            };
            if message.is_some() {
                return Ok(message);
            }
            self.rest.pop_front();
        }
        Ok(None)
    }
}

impl<V: FriConfig> Prover for Answers<'_, V> {
    type Error = TapeError;

    fn message(&mut self, n: usize) -> Result<Vec<F>, TapeError> {
        let message = self.next()?.unwrap_or_default();
        expect_length("elements of a message", message.len(), n)?;
        Ok(message)
    }

    fn told(&mut self, values: Vec<F>) {
        match self.rest.front_mut() {
            Some(Answer::Proof(proof)) => proof.told(values),
            Some(Answer::Whir(proof)) => proof.told(&values),
            Some(Answer::Message(_)) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use droste_native::field::BabyBear;
    use p3_field::PrimeField32;

    use super::*;

    /// The Montgomery word of an integer is 2^32 times it, modulo 2^31 - 2^27 + 1.
    fn word(integer: u64) -> [u32; 2] {
        let word = ((integer << 32) % 0x7800_0001) as u32;
        [word & 0xffff, word >> 16]
    }

    fn integers(lanes: Vec<F>) -> Vec<u32> {
        lanes.iter().map(F::as_canonical_u32).collect()
    }

    #[test]
    fn lanes_are_what_plonky3_hashes() {
        let own = [F::ONE, F::NEG_ONE];
        assert_eq!(lanes(&own), own);
        let values = [1, 2, 0x7800_0000, 0];
        let elements = values.map(BabyBear::from_u64);
        let expected = values.map(word).concat();
        assert_eq!(expected[..2], [0xfffe, 0x0fff]);
        assert_eq!(integers(lanes(&elements)), expected);

        let (one, two) = elements.split_at(1);
        let tables = [one.to_vec(), Vec::new(), two.to_vec(), vec![elements[0]]];
        let expected = [expected, word(1).to_vec(), vec![0; 6]].concat();
        assert_eq!(integers(public_lanes(&tables)), expected);
    }
}
