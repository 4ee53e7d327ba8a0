//! The hints of a program that verifies a proof about Merkle paths or calls: the list and the
//! proof's messages, in the order of reading. The program itself computes the others.

use std::collections::VecDeque;

use droste_binary::calls::ELEMENT_BYTES;
use droste_binary::field::K;
use droste_binary::opening::{Message, Opening};
use droste_binary::paths::Path;
use droste_binary::statement::Statement;
use droste_binary::{Poseidon16, Proof, TreeHash};
use droste_gadgets::record::{Prover, RecordError, record};
use droste_gadgets::verify::binary::statement::LOG_GROUP;
use droste_gadgets::{Failure, NativeTape};
use droste_native::F;
use droste_native::precompile::{BINARY_LANES, binary_to_block};
use droste_native::stark::challenger::Sent;
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use thiserror::Error;

use super::BinaryProgram;

/// Why a proof has no tape.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BinaryTapeError {
    /// A part of proof or list does not have the length that the shape says.
    #[error("message {message} of the proof has {found} elements, expected {expected}")]
    Length {
        /// Its number.
        message: usize,
        /// Its length.
        found: usize,
        /// What the program reads.
        expected: usize,
    },
    /// There are more messages than the program reads.
    #[error("the proof has {0} messages more than the program reads")]
    Left(usize),
    /// The program rejects the proof.
    #[error("the verifier in the zk-DSL, run natively, rejects the proof")]
    Rejected {
        /// The first assertion that failed.
        #[source]
        failure: Failure,
        /// The hints up to there.
        tape: NativeTape,
    },
}

/// Writes the tape of a proof, while the program verifies it natively.
///
/// # Errors
/// If list or proof are of another shape, or the program rejects them.
pub fn tape<'a>(
    program: &BinaryProgram,
    statement: impl Into<Statement<'a>>,
    proof: &Proof<Poseidon16>,
) -> Result<NativeTape, BinaryTapeError> {
    let mut messages = Messages::new(statement.into(), proof);
    let recorded = record(&mut messages, || {
        program.verify();
    });
    let (tape, _) = recorded.map_err(|error| match error {
        RecordError::Prover(error) => error,
        RecordError::Program { failure, tape } => BinaryTapeError::Rejected { failure, tape },
    })?;
    messages.finish()?;
    Ok(tape)
}

/// The messages of a proof whose program has its list from elsewhere.
pub(crate) fn messages(proof: &Proof<Poseidon16>) -> VecDeque<Vec<F>> {
    let mut messages = Messages::default();
    messages.proof(proof);
    messages.rest
}

/// The messages that are left.
#[derive(Default)]
pub(super) struct Messages {
    rest: VecDeque<Vec<F>>,
    read: usize,
}

impl Prover for Messages {
    type Error = BinaryTapeError;

    fn message(&mut self, expected: usize) -> Result<Vec<F>, BinaryTapeError> {
        let own = self.rest.pop_front().unwrap_or_default();
        let (message, found) = (self.read, own.len());
        self.read += 1;
        if found == expected {
            Ok(own)
        } else {
            Err(BinaryTapeError::Length {
                message,
                found,
                expected,
            })
        }
    }

    fn told(&mut self, _values: Vec<F>) {}
}

/// Five lanes for each element.
pub(super) fn lanes(elements: &[K]) -> Vec<F> {
    let blocks = elements.iter().map(|&x| binary_to_block(x));
    let lanes = blocks.flat_map(|block| block.into_iter().take(BINARY_LANES));
    lanes.collect()
}

/// The elements of bytes, the last one filled up with zeros.
pub(super) fn elements(bytes: &[u8]) -> Vec<K> {
    let (whole, rest) = bytes.as_chunks::<ELEMENT_BYTES>();
    let mut last = [0; ELEMENT_BYTES];
    last.iter_mut().zip(rest).for_each(|(to, &from)| *to = from);
    let last = (!rest.is_empty()).then_some(last);
    let all = whole.iter().copied().chain(last);
    all.map(K::from_le_bytes).collect()
}

/// The elements of an entry of a list of paths.
fn path(path: &Path) -> Vec<K> {
    let index = K::from_repr(path.index.into());
    [elements(&path.leaf), vec![index], elements(&path.root)].concat()
}

impl Messages {
    /// Checks that none are left.
    pub(super) fn finish(&self) -> Result<(), BinaryTapeError> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(BinaryTapeError::Left(left)),
        }
    }

    pub(super) fn new(statement: Statement<'_>, proof: &Proof<Poseidon16>) -> Self {
        let mut messages = Self::default();
        messages.list(&match statement {
            Statement::Paths(paths) => paths.paths().iter().map(path).collect(),
            Statement::Calls(calls) => (calls.calls())
                .map(|(input, output)| [elements(input), elements(output)].concat())
                .collect(),
            // No program verifies those.
            Statement::Graph(_) => Vec::new(),
        });
        messages.proof(proof);
        messages
    }

    /// Those of the proof itself.
    fn proof(&mut self, proof: &Proof<Poseidon16>) {
        self.push(proof.root.peek().to_vec());
        let reduction = &proof.reduction;
        let zerocheck = &reduction.zerocheck;
        self.elements(zerocheck.bits.peek());
        for round in &zerocheck.rounds {
            self.elements(round.peek());
        }
        self.elements(zerocheck.operands.peek());
        self.elements(zerocheck.rests.peek());
        for round in &reduction.columns.rounds {
            self.sumcheck(round);
        }
        self.elements(reduction.columns.values.peek());
        self.elements(reduction.bits.peek());
        self.opening(&proof.opening);
    }

    fn push(&mut self, message: Vec<F>) {
        self.rest.push_back(message);
    }

    /// Elements that the transcript observes, in a block each.
    fn elements(&mut self, elements: &[K]) {
        self.push(elements.iter().flat_map(|&x| binary_to_block(x)).collect());
    }

    /// A message of a sumcheck.
    fn sumcheck(&mut self, message: &Sent<Message>) {
        let message = message.peek();
        self.elements(&[message.constant, message.leading]);
    }

    /// The entries, and the roots of their groups.
    fn list(&mut self, entries: &[Vec<K>]) {
        self.push(lanes(&entries.concat()));
        let mut layer: Vec<[F; 8]> = (entries.iter())
            .map(|entry| {
                let mut digest = [[F::ZERO; 8]];
                Poseidon16::hash_rows(entry, entry.len(), &mut digest);
                let [digest] = digest;
                digest
            })
            .collect();
        for _ in 0..LOG_GROUP.min(entries.len().max(1).ilog2() as usize) {
            let pairs = layer.as_chunks::<2>().0;
            let mut parents = vec![[F::ZERO; 8]; pairs.len()];
            Poseidon16::compress(pairs, &mut parents);
            layer = parents;
        }
        self.push(layer.concat());
    }

    /// The opening. The program reads all rows at its end, those of a round from the last query on.
    fn opening(&mut self, opening: &Opening<Poseidon16>) {
        for (i, round) in opening.rounds.iter().enumerate() {
            for message in &round.messages {
                self.sumcheck(message);
            }
            match opening.roots.get(i) {
                Some(root) => self.push(root.peek().to_vec()),
                None => self.elements(opening.last_polynomial.peek()),
            }
        }
        for message in &opening.last_messages {
            self.sumcheck(message);
        }
        for query in (opening.rounds.iter()).flat_map(|round| round.queries.iter().rev()) {
            self.push(lanes(query.row.peek()));
            self.push(query.path.concat());
        }
    }
}
