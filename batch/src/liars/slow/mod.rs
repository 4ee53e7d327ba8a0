//! The protocol from its definitions, slowly, played by a prover that may lie.
//!
//! Prover and verifier are one here: the prover knows the claim that the verifier has, and how far it
//! is from the truth. They share with the real ones the transcript, hashes, the code, values of lanes,
//! Keccak's linear map and constants, and the shapes of messages, but none of the steps.

mod algebra;
mod opening;
mod reduction;

use std::sync::OnceLock;

use p3_binary_dft::{domain_point, interleaved_encode_batch};
use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use p3_keccak::KeccakF;
use p3_symmetric::Permutation;

use self::algebra::{bit_weights, polynomial};
use self::opening::open;
use self::reduction::{columns, elements, zerocheck};
use crate::field::{F, K};
use crate::keccak::{LANES, ROUND_CONSTANTS, State, linear};
use crate::merkle::MerkleTree;
use crate::opening::{RoundSettings, Settings};
use crate::proof::{DOMAIN, Proof};
use crate::reduction::ReductionProof;
use crate::trace::Calls;
use crate::transcript::Transcript;
use crate::univariate::powers;
use crate::zerocheck::{lane_tables, lane_value};

/// A message of the prover, in the protocol's order, and the challenges that are drawn after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The commitment: weights of rows and lanes.
    Trace,
    /// The polynomial over bits.
    Bits,
    /// A round of the sum over rows.
    Row(usize),
    /// Values of lanes: the batch of lanes.
    Lanes,
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
pub struct Liar {
    /// Adds one to this element of this message, and goes on as if it were right.
    pub change: Option<(Stage, usize)>,
    /// Checks, from the first one on, that it passes by a false message before them.
    pub passes: usize,
    /// A challenge that prover and verifier take to be known before the message: the prover makes the
    /// claim after the message true.
    pub known: Option<(Stage, K)>,
}

/// A list and what the prover committed to.
pub struct Statement {
    calls: Calls,
    log_rows: usize,
    elements: Vec<K>,
    settings: Settings,
    word: Word,
    /// The powers of `t`.
    pub basis: [K; 8],
    /// The prover's round constants.
    pub constants: [u64; 24],
    extended: OnceLock<Vec<Vec<Row>>>,
}

/// Of a row: `B_l`, `A'_l`, and the constant.
type Row = ([K; LANES], [K; LANES], K);

struct Word {
    values: Vec<K>,
    tree: MerkleTree,
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
    /// The state of each row of each of the trace's calls, at `32 call + row`.
    pub fn new(calls: Calls, states: &[State]) -> Self {
        let log_rows = calls.log_rows();
        assert_eq!(states.len(), 1 << log_rows);
        let mut elements = vec![K::ZERO; 16 << log_rows];
        for (row, state) in states.iter().enumerate() {
            for (lane, &word) in state.iter().enumerate() {
                let word = K::from_repr(u128::from(word) << (64 * (lane % 2)));
                elements[((lane / 2) << log_rows) + row] += word;
            }
        }
        Self::of_elements(calls, elements)
    }

    pub fn of_elements(calls: Calls, elements: Vec<K>) -> Self {
        let log_rows = calls.log_rows();
        let settings = Settings::with_columns(log_rows + 4, 13).unwrap();
        Self {
            word: Word::new(&elements, &settings.rounds()[0]),
            log_rows,
            elements,
            settings,
            calls,
            basis: powers(),
            constants: ROUND_CONSTANTS,
            extended: OnceLock::new(),
        }
    }

    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    pub fn elements(&self) -> &[K] {
        &self.elements
    }

    fn rows(&self) -> usize {
        1 << self.log_rows
    }

    fn bit(&self, row: usize, column: usize) -> bool {
        let element = self.elements[((column / 128) << self.log_rows) + row];
        element.to_repr() >> (column % 128) & 1 == 1
    }

    fn state(&self, row: usize) -> State {
        std::array::from_fn(|lane| {
            let element = self.elements[((lane / 2) << self.log_rows) + row].to_repr();
            (element >> (64 * (lane % 2))) as u64
        })
    }

    /// The row before and the row after, within the call.
    fn neighbours(row: usize) -> [usize; 2] {
        [31, 1].map(|step| row / 32 * 32 + (row + step) % 32)
    }

    /// The lanes of each row at `d_64..d_127`.
    fn extended(&self) -> &[Vec<Row>] {
        self.extended.get_or_init(|| {
            (64..128)
                .map(|p| self.lanes(&bit_weights(domain_point(p))))
                .collect()
        })
    }

    /// The lanes of each row with these weights of bits.
    fn lanes(&self, bits: &[K; 64]) -> Vec<Row> {
        let tables = lane_tables(bits);
        (0..self.rows())
            .map(|row| {
                let [_, next] = Self::neighbours(row);
                let value = |lane| lane_value(&tables, lane);
                let constant = self.constants.get(row % 32).map_or(K::ZERO, |&c| value(c));
                let mixed = linear(&self.state(row)).map(value);
                (mixed, self.state(next).map(value), constant)
            })
            .collect()
    }

    /// Sums over rows with these weights, of each column: of rows, and of next rows.
    fn columns(&self, weights: &[K]) -> [Vec<K>; 2] {
        let mut sums = [vec![K::ZERO; 2048], vec![K::ZERO; 2048]];
        for row in 0..self.rows() {
            let [before, _] = Self::neighbours(row);
            for column in (0..2048).filter(|&column| self.bit(row, column)) {
                sums[0][column] += weights[row];
                sums[1][column] += weights[before];
            }
        }
        sums
    }

    /// The list's inputs and outputs as the trace's rows 0 and 24 have them, by call and element.
    fn public(&self, call: usize) -> [State; 2] {
        match (
            self.calls.inputs().get(call),
            self.calls.outputs().get(call),
        ) {
            (Some(&input), Some(&output)) => [input, output],
            _ => [[0; LANES], KeccakF.permute([0; LANES])],
        }
    }
}

/// The play: what the verifier knows, and what it would refuse.
struct Play {
    liar: Liar,
    transcript: Transcript,
    claim: K,
    /// The claim of the opening by the challenges that the verifier has, which it observes.
    observed: K,
    failed: Vec<Check>,
}

impl Play {
    fn known(&self, stage: Stage) -> Option<K> {
        self.liar
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
        if let Some((at, element)) = self.liar.change
            && at == stage
        {
            message[element] += K::ONE;
        }
    }

    /// Whether the prover makes up a message that passes a check that fails otherwise.
    fn passes(&self, check: Check) -> bool {
        (check as usize) < self.liar.passes
    }

    fn check(&mut self, check: Check, holds: bool) {
        if !holds {
            self.failed.push(check);
        }
    }

    /// A round of a sum check: the polynomial without its coefficient of `X`, which the claim gives.
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
pub fn play(statement: &Statement, liar: Liar) -> (Proof, Vec<Check>) {
    let root = statement.word.tree.root();
    let mut transcript = Transcript::new(DOMAIN);
    transcript.observe_elements(&[F::from_usize(statement.calls.inputs().len())]);
    transcript.observe_elements(&statement.calls.digest());
    transcript.observe_elements(&root);
    let mut play = Play {
        liar,
        transcript,
        claim: K::ZERO,
        observed: K::ZERO,
        failed: Vec::new(),
    };
    let (zerocheck, lanes, bits, rows) = zerocheck(statement, &mut play);
    let (columns, point, [own, next]) =
        columns(statement, &mut play, &lanes, &bits, &rows, &zerocheck);
    let (sums, weights) = elements(
        statement,
        &mut play,
        &rows,
        &point,
        [&own, &next],
        &columns.values,
    );
    let opening = open(statement, &mut play, weights);
    let proof = Proof {
        root,
        reduction: ReductionProof {
            zerocheck,
            columns,
            bits: sums,
        },
        opening,
    };
    (proof, play.failed)
}
