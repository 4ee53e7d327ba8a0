//! The protocol from its definitions, slowly, played by a prover that may lie.
//!
//! Prover and verifier are one here: the prover knows the claim that the verifier has, and how far
//! it is from the truth. They share with the real ones the transcript, hashes, the code, values of
//! words, circuits, and the shapes of messages, but none of the steps.

mod algebra;
mod opening;
mod reduction;

use std::sync::OnceLock;

use droste_native::stark::challenger::{Observe, Sent};
use p3_binary_dft::{domain_point, interleaved_encode_batch};
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;

use self::algebra::{bit_weights, polynomial};
use self::opening::open;
use self::reduction::{columns, elements, zerocheck};
use super::forms::{COLUMNS, word};
use crate::blake::{self, Blake};
use crate::calls::{Hash, HashCalls};
use crate::circuit::{Circuit, Row, WORDS};
use crate::field::K;
use crate::merkle::MerkleTree;
use crate::opening::{RoundSettings, Settings};
use crate::proof::Proof;
use crate::reduction::ReductionProof;
use crate::statement;
use crate::trace::{circuit, rows_of_call};
use crate::tree_hash::{Poseidon16, Transcript, TreeHash};
use crate::univariate::powers;

/// A message of the prover, in the protocol's order, and the challenges that are drawn after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The commitment: weights of rows and constraints.
    Trace,
    /// The polynomial over bits.
    Bits,
    /// A round of the sum over rows.
    Row(usize),
    /// Values of operands and of groups' rests: the batch of forms.
    Forms,
    /// A round of the sum over columns.
    Column(usize),
    /// Values of the trace: what next rows weigh.
    Values,
    /// Sums for each bit: what bits weigh.
    Sums,
    /// No message: what inputs and outputs weigh.
    Public,
    /// A message of a round of the opening.
    Opening(usize, usize),
    /// The next word or the last polynomial: the batch of rows.
    Word(usize),
    /// A message of a last variable.
    Last(usize),
}

/// A check of the verifier, in the protocol's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    Constraints,
    Values,
    Sums,
    Claim,
}

/// What the prover does. The default is honest but for the trace.
#[derive(Clone, Copy, Debug, Default)]
pub struct DishonestProver {
    /// Adds one to this element of this message, and goes on as if it were right.
    pub change: Option<(Stage, usize)>,
    /// Checks, from the first one on, that it passes by a false message before them.
    pub passes: usize,
    /// A challenge that prover and verifier take to be known before the message: the prover makes
    /// the claim after the message true.
    pub known: Option<(Stage, K)>,
}

/// A list and what the prover committed to.
pub struct Statement {
    calls: HashCalls,
    log_rows: usize,
    elements: Vec<K>,
    settings: Settings,
    word: Word,
    /// The powers of `t`.
    pub basis: [K; 8],
    /// The prover's constraints.
    circuit: Circuit,
    /// The verifier's.
    verified: Circuit,
    words: OnceLock<Vec<[Vec<u64>; 2]>>,
    extended: OnceLock<Vec<Vec<Values>>>,
}

/// Values of a row's words.
struct Values {
    operands: Vec<K>,
    /// The rest of each constraint, without its constants.
    rests: Vec<K>,
    /// Constants, with their constraints.
    constants: Vec<(usize, K)>,
}

struct Word {
    values: Vec<K>,
    tree: MerkleTree<Poseidon16>,
    columns: usize,
}

impl Word {
    fn new(message: &[K], settings: &RoundSettings) -> Self {
        let (variables, columns) = (settings.folded_variables(), settings.columns);
        let committed = &message[..columns << variables];
        let values = interleaved_encode_batch(committed, variables, settings.log_inv_rate).values;
        let tree = MerkleTree::new(&values, columns);
        Self {
            values,
            tree,
            columns,
        }
    }
}

impl Statement {
    /// The rows of all of the trace's calls.
    pub fn new(calls: HashCalls, rows: &[Row]) -> Self {
        let log_rows = log_calls(&calls) + circuit(calls.hash()).log_rows;
        assert_eq!(rows.len(), 1 << log_rows);
        let rows_of_call = circuit(calls.hash()).log_rows;
        let mut elements = vec![K::ZERO; 16 << log_rows];
        for (i, row) in rows.iter().enumerate() {
            for (w, &word) in row.iter().enumerate() {
                let word = K::from_repr(u128::from(word) << (64 * (w % 2)));
                elements[index(log_rows, rows_of_call, i, w / 2)] += word;
            }
        }
        Self::of_elements(calls, elements)
    }

    pub fn of_elements(calls: HashCalls, elements: Vec<K>) -> Self {
        let verified = circuit(calls.hash());
        let log_rows = log_calls(&calls) + verified.log_rows;
        let columns = match calls.hash() {
            Hash::Blake3 => 16,
            Hash::Blake2s => 12,
            Hash::KeccakF | Hash::KeccakRate => 13,
        };
        let settings = Settings::with_columns(log_rows + 4, columns).unwrap();
        Self {
            word: Word::new(&elements, &settings.rounds()[0]),
            log_rows,
            elements,
            settings,
            calls,
            basis: powers(),
            circuit: verified.clone(),
            verified,
            words: OnceLock::new(),
            extended: OnceLock::new(),
        }
    }

    pub fn calls(&self) -> &HashCalls {
        &self.calls
    }

    pub fn elements(&self) -> &[K] {
        &self.elements
    }

    /// The prover's constraints, which are the verifier's unless they were set.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// Sets the prover's constraints, of the same shape.
    pub fn set_circuit(&mut self, circuit: Circuit) {
        self.circuit = circuit;
        (self.words, self.extended) = Default::default();
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn rows(&self) -> usize {
        1 << self.log_rows
    }

    /// The index of a row in its call.
    fn index(&self, row: usize) -> usize {
        row % (1 << self.circuit.log_rows)
    }

    /// The index of an element of a row.
    pub fn place(&self, row: usize, element: usize) -> usize {
        index(self.log_rows, self.circuit.log_rows, row, element)
    }

    fn bit(&self, row: usize, column: usize) -> bool {
        let element = self.elements[self.place(row, column / 128)];
        element.to_repr() >> (column % 128) & 1 == 1
    }

    fn row(&self, row: usize) -> Row {
        std::array::from_fn(|word| {
            let element = self.elements[self.place(row, word / 2)].to_repr();
            (element >> (64 * (word % 2))) as u64
        })
    }

    /// The row before and the row after, within the call.
    fn neighbours(&self, row: usize) -> [usize; 2] {
        let count = 1 << self.circuit.log_rows;
        [count - 1, 1].map(|step| row / count * count + (row + step) % count)
    }

    /// Operands and rests of each row.
    fn words(&self) -> &[[Vec<u64>; 2]] {
        self.words.get_or_init(|| {
            let rests = self.circuit.groups.iter().flat_map(|group| &group.rest);
            let (operands, rests) = (&self.circuit.operands, rests.collect::<Vec<_>>());
            (0..self.rows())
                .map(|row| {
                    let [_, next] = self.neighbours(row);
                    let (row, next) = (self.row(row), self.row(next));
                    [
                        operands
                            .iter()
                            .map(|form| word(form, &row, &next))
                            .collect(),
                        rests.iter().map(|form| word(form, &row, &next)).collect(),
                    ]
                })
                .collect()
        })
    }

    /// The words of each row at `d_64..d_127`.
    fn extended(&self) -> &[Vec<Values>] {
        self.extended.get_or_init(|| {
            (64..128)
                .map(|p| self.values(&bit_weights(domain_point(p))))
                .collect()
        })
    }

    /// The words of each row with these weights of bits.
    fn values(&self, bits: &[K; 64]) -> Vec<Values> {
        let tables: Vec<Vec<K>> = (bits.chunks(8))
            .map(|bits| {
                let of = |byte: usize| {
                    bits.iter()
                        .enumerate()
                        .filter(move |(z, _)| byte >> z & 1 == 1)
                };
                (0..256)
                    .map(|byte| of(byte).map(|(_, &weight)| weight).sum())
                    .collect()
            })
            .collect();
        let value = |word: u64| -> K {
            let bytes = tables.iter().zip(word.to_le_bytes());
            bytes.map(|(table, byte)| table[usize::from(byte)]).sum()
        };
        (self.words().iter().enumerate())
            .map(|(row, [operands, rests])| Values {
                operands: operands.iter().map(|&word| value(word)).collect(),
                rests: rests.iter().map(|&word| value(word)).collect(),
                constants: (self.circuit.with_first())
                    .flat_map(|(group, first)| {
                        let constants = group.constants.iter();
                        constants
                            .filter(|constant| constant.1 == self.index(row))
                            .map(move |&(own, _, word)| (first + own, word))
                    })
                    .map(|(constraint, word)| (constraint, value(word)))
                    .collect(),
            })
            .collect()
    }

    /// Sums over rows with these weights, of each column: of rows, and of next rows.
    fn columns(&self, weights: &[K]) -> [Vec<K>; 2] {
        let mut sums = [(); 2].map(|()| vec![K::ZERO; COLUMNS]);
        for row in 0..self.rows() {
            let [before, _] = self.neighbours(row);
            for column in (0..COLUMNS).filter(|&column| self.bit(row, column)) {
                sums[0][column] += weights[row];
                sums[1][column] += weights[before];
            }
        }
        sums
    }

    /// The rows of the trace that an input and an output are in, where all other words are as may
    /// be.
    fn rows_of_claim(&self, input: &[u8], output: &[u8]) -> Vec<Row> {
        let mut rows = vec![[0; WORDS]; 1 << self.circuit.log_rows];
        let hash = self.calls.hash();
        rows_of_call(hash, input, &mut rows);
        let (row, first) = match hash {
            Hash::Blake3 => (Blake::Blake3.end(), blake::OUTPUT / 2),
            Hash::Blake2s => (Blake::Blake2s.end(), blake::OUTPUT / 2),
            Hash::KeccakF | Hash::KeccakRate => (24, 0),
        };
        for (word, halves) in rows[row][first..].iter_mut().zip(words(output).chunks(2)) {
            *word = u64::from(halves[0]) | u64::from(halves[1]) << 32;
        }
        rows
    }

    /// The elements of each of the trace's calls that the list knows: call, row's number among
    /// those with such elements, row, element, value.
    fn public(&self) -> Vec<(usize, usize, usize, usize, K)> {
        let hash = self.calls.hash();
        let zero = vec![0; hash.input_bytes()];
        let zero_output = hash.apply(&zero);
        let padding = std::iter::repeat((zero.as_slice(), zero_output.as_slice()));
        let calls = self.calls.calls().chain(padding);
        let mut elements = Vec::new();
        for (call, (input, output)) in calls.take(1 << log_calls(&self.calls)).enumerate() {
            let rows = self.rows_of_claim(input, output);
            for (number, public) in self.verified.public.iter().enumerate() {
                for g in (0..16).filter(|g| public.elements >> g & 1 == 1) {
                    let [low, high] = [0, 1].map(|i| u128::from(rows[public.row][2 * g + i]));
                    let value = K::from_repr(low | high << 64);
                    elements.push((call, number, public.row, g, value));
                }
            }
        }
        elements
    }
}

/// Words of 32 bits from their bytes.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|&word| u32::from_le_bytes(word))
        .collect()
}

/// The index of an element of row `row % 2^log_rows_of_call` of call `row / 2^log_rows_of_call`.
fn index(log_rows: usize, log_rows_of_call: usize, row: usize, element: usize) -> usize {
    let (calls, count) = (1 << (log_rows - log_rows_of_call), 1 << log_rows_of_call);
    (16 * (row % count) + element) * calls + row / count
}

/// Base-two logarithm of the calls of a list's trace.
pub fn log_calls(calls: &HashCalls) -> usize {
    calls.shape().log_calls()
}

/// The play: what the verifier knows, and what it would refuse.
struct Play {
    prover: DishonestProver,
    transcript: <Poseidon16 as TreeHash>::Transcript,
    claim: K,
    /// The claim of the opening by the challenges that the verifier has, which it observes.
    observed: K,
    failed: Vec<Check>,
}

impl Play {
    fn known(&self, stage: Stage) -> Option<K> {
        self.prover
            .known
            .filter(|known| known.0 == stage)
            .map(|known| known.1)
    }

    /// The challenge after a message.
    fn challenge(&mut self, stage: Stage) -> K {
        let challenge = self.transcript.sample();
        self.known(stage).unwrap_or(challenge)
    }

    fn challenges(&mut self, stage: Stage, count: usize) -> Vec<K> {
        (0..count).map(|_| self.challenge(stage)).collect()
    }

    fn change(&self, stage: Stage, message: &mut [K]) {
        if let Some((at, element)) = self.prover.change
            && at == stage
        {
            message[element] += K::ONE;
        }
    }

    /// Whether the prover makes up a message that passes a check that fails otherwise.
    fn passes(&self, check: Check) -> bool {
        (check as usize) < self.prover.passes
    }

    fn check(&mut self, check: Check, holds: bool) {
        if !holds {
            self.failed.push(check);
        }
    }

    /// A round of a sum check: the polynomial without its coefficient of `X`, which the claim
    /// gives.
    fn round(&mut self, stage: Stage, honest: &[K]) -> (Vec<K>, K) {
        let mut message = [&honest[..1], &honest[2..]].concat();
        self.change(stage, &mut message);
        let claim = self.claim;
        let value = |message: &[K], x: K| {
            let mut coefficients = message.to_vec();
            coefficients.insert(1, claim + message[1..].iter().copied().sum::<K>());
            polynomial(&coefficients, x)
        };
        if let Some(x) = self.known(stage) {
            let error = value(&message, x) + polynomial(honest, x);
            message[0] += error;
        }
        self.transcript.observe(&message);
        let x = self.challenge(stage);
        self.claim = value(&message, x);
        (message, x)
    }
}

/// Plays the protocol: the proof, and the checks that fail.
pub fn play(statement: &Statement, prover: DishonestProver) -> (Proof<Poseidon16>, Vec<Check>) {
    let root = statement.word.tree.root();
    let digest = statement::Statement::Calls(&statement.calls).digest::<Poseidon16>();
    let mut transcript = Poseidon16::transcript("droste-batch 4");
    digest.observe(&mut transcript);
    root.observe(&mut transcript);
    let mut play = Play {
        prover,
        transcript,
        claim: K::ZERO,
        observed: K::ZERO,
        failed: Vec::new(),
    };
    let (zerocheck, constraints, bits, rows) = zerocheck(statement, &mut play);
    let (columns, point, [own, next]) =
        columns(statement, &mut play, &constraints, &bits, &rows, &zerocheck);
    let (sums, weights) = elements(
        statement,
        &mut play,
        &rows,
        &point,
        [&own, &next],
        columns.values.peek(),
    );
    let opening = open(statement, &mut play, weights);
    let proof = Proof {
        root: Sent::forged(root),
        reduction: ReductionProof {
            zerocheck,
            columns,
            bits: Sent::forged(sums),
        },
        opening,
    };
    (proof, play.failed)
}
