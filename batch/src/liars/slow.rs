//! The protocol from its definitions, slowly, played by a prover that may lie.
//!
//! Prover and verifier are one here: the prover knows the claim that the verifier has, and how far it
//! is from the truth. Nothing is shared with the real ones but the transcript, the hashes, the code, and
//! the shapes of messages.

use std::sync::OnceLock;

use p3_binary_dft::{domain_point, interleaved_encode_batch, subspace_polynomial};
use p3_binary_field::TowerLevel;
use p3_field::{Field, PrimeCharacteristicRing};
use p3_keccak::KeccakF;
use p3_symmetric::Permutation;

use crate::columns::ColumnsProof;
use crate::field::{F, K};
use crate::keccak::{LANES, ROUND_CONSTANTS, State, linear};
use crate::merkle::MerkleTree;
use crate::opening::{FOLDED, Message, Opening, Query, Round, RoundSettings, Settings};
use crate::proof::{DOMAIN, Proof};
use crate::reduction::ReductionProof;
use crate::trace::Calls;
use crate::transcript::Transcript;
use crate::univariate::Subfield;
use crate::zerocheck::{ZerocheckProof, lane_tables, lane_value};

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

/// `eq(point, index)`.
fn eq_at(point: &[K], index: usize) -> K {
    (point.iter().enumerate())
        .map(|(i, &x)| if index >> i & 1 == 1 { x } else { K::ONE + x })
        .product()
}

fn eq_table(point: &[K]) -> Vec<K> {
    (0..1 << point.len()).map(|i| eq_at(point, i)).collect()
}

fn dot(left: &[K], right: &[K]) -> K {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(&a, &b)| a * b).sum()
}

fn fold<const N: usize>(tables: [&mut Vec<K>; N], x: K) {
    for table in tables {
        let half = table.len() / 2;
        *table = (0..half)
            .map(|i| (K::ONE + x) * table[i] + x * table[i + half])
            .collect();
    }
}

/// Lagrange polynomials of the points `d_0..d_count`, at `x`.
fn lagrange(count: usize, x: K) -> Vec<K> {
    let points: Vec<K> = (0..count).map(domain_point).collect();
    let others = |z: usize| points.iter().enumerate().filter(move |&(k, _)| k != z);
    (0..count)
        .map(|z| {
            let numerator: K = others(z).map(|(_, &d)| x + d).product();
            let denominator: K = others(z).map(|(_, &d)| points[z] + d).product();
            numerator * denominator.inverse()
        })
        .collect()
}

/// The values at `d_64..d_127`, of what the prover's first message holds.
fn extended_weights(x: K) -> Vec<K> {
    lagrange(128, x).split_off(64)
}

fn bit_weights(x: K) -> [K; 64] {
    lagrange(64, x).try_into().unwrap()
}

/// The coefficients of a product of lines and of a polynomial.
fn multiply(left: &[K], right: &[K]) -> Vec<K> {
    let mut product = vec![K::ZERO; left.len() + right.len() - 1];
    for (i, &a) in left.iter().enumerate() {
        for (j, &b) in right.iter().enumerate() {
            product[i + j] += a * b;
        }
    }
    product
}

fn polynomial(coefficients: &[K], x: K) -> K {
    coefficients
        .iter()
        .rev()
        .fold(K::ZERO, |value, &c| value * x + c)
}

/// A table's line in its highest variable.
fn line(table: &[K], i: usize) -> [K; 2] {
    [table[i], table[i] + table[i + table.len() / 2]]
}

/// The round polynomial of the sum of products of pairs of tables.
fn products(pairs: &[(&Vec<K>, &Vec<K>)]) -> Vec<K> {
    let mut sum = vec![K::ZERO; 3];
    for (left, right) in pairs {
        for i in 0..left.len() / 2 {
            for (sum, value) in sum
                .iter_mut()
                .zip(multiply(&line(left, i), &line(right, i)))
            {
                *sum += value;
            }
        }
    }
    sum
}

/// The lane to the right in its row of five.
fn right(lane: usize, by: usize) -> usize {
    5 * (lane / 5) + (lane % 5 + by) % 5
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
                elements[(lane / 2 << log_rows) + row] += word;
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
            basis: Subfield::new().basis,
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
        let element = self.elements[(column / 128 << self.log_rows) + row];
        element.to_repr() >> (column % 128) & 1 == 1
    }

    fn state(&self, row: usize) -> State {
        std::array::from_fn(|lane| {
            let element = self.elements[(lane / 2 << self.log_rows) + row].to_repr();
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

/// `sum_l e_l ((1 + B_right1) B_right2 + B_l)`.
fn constraint(lanes: &[K], mixed: &[K; LANES]) -> K {
    (0..LANES)
        .map(|l| lanes[l] * ((K::ONE + mixed[right(l, 1)]) * mixed[right(l, 2)] + mixed[l]))
        .sum()
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

/// The proof, the weights of lanes and of bits, and the point over rows.
fn zerocheck(statement: &Statement, play: &mut Play) -> (ZerocheckProof, Vec<K>, [K; 64], Vec<K>) {
    let log_rows = statement.log_rows;
    let lanes = eq_table(&play.challenges(Stage::Trace, 5))[..LANES].to_vec();
    let high = play.challenges(Stage::Trace, 2);
    let calls = play.challenges(Stage::Trace, log_rows - 5);
    let mut weights: Vec<K> = (0..1 << log_rows)
        .map(|row| match (row / 32, row % 32) {
            (call, round) if round < 24 => {
                eq_at(&calls, call) * eq_at(&high, round / 8) * statement.basis[round % 8]
            }
            _ => K::ZERO,
        })
        .collect();

    let sum = |rows: &[Row]| -> K {
        (rows
            .iter()
            .zip(&weights)
            .filter(|(_, weight)| **weight != K::ZERO))
        .map(|((mixed, next, constant), &weight)| {
            let linear = dot(&lanes, next) + lanes[0] * *constant;
            weight * (constraint(&lanes, mixed) + linear)
        })
        .sum()
    };
    let mut first: Vec<K> = statement.extended().iter().map(|rows| sum(rows)).collect();
    play.change(Stage::Bits, &mut first);
    if let Some(zeta) = play.known(Stage::Bits) {
        let weights = extended_weights(zeta);
        let error = dot(&first, &weights) + sum(&statement.lanes(&bit_weights(zeta)));
        first[0] += error * weights[0].inverse();
    }
    play.transcript.observe(&first);
    let zeta = play.challenge(Stage::Bits);
    let bits = bit_weights(zeta);
    play.claim = dot(&first, &extended_weights(zeta));

    let values = statement.lanes(&bits);
    let mut linear: Vec<K> = values
        .iter()
        .map(|(_, next, constant)| dot(&lanes, next) + lanes[0] * *constant)
        .collect();
    let mut next: Vec<K> = values
        .iter()
        .map(|(_, next, _)| dot(&lanes, next))
        .collect();
    let mut mixed: Vec<Vec<K>> = (0..LANES)
        .map(|l| values.iter().map(|(mixed, _, _)| mixed[l]).collect())
        .collect();
    let mut rounds = Vec::new();
    let mut rows = Vec::new();
    for round in 0..log_rows {
        let mut honest = vec![K::ZERO; 4];
        for i in 0..weights.len() / 2 {
            let mut inner = line(&linear, i).to_vec();
            inner.push(K::ZERO);
            for l in 0..LANES {
                let mut left = line(&mixed[right(l, 1)], i);
                left[0] += K::ONE;
                let mut term = multiply(&left, &line(&mixed[right(l, 2)], i));
                term[0] += mixed[l][i];
                term[1] += line(&mixed[l], i)[1];
                for (inner, term) in inner.iter_mut().zip(term) {
                    *inner += lanes[l] * term;
                }
            }
            for (honest, value) in honest.iter_mut().zip(multiply(&line(&weights, i), &inner)) {
                *honest += value;
            }
        }
        let (message, x) = play.round(Stage::Row(round), &honest);
        rounds.push(message.try_into().unwrap());
        rows.insert(0, x);
        fold([&mut weights, &mut linear, &mut next], x);
        mixed.iter_mut().for_each(|table| fold([table], x));
    }

    let mut message: Vec<K> = mixed
        .iter()
        .map(|table| table[0])
        .chain([next[0]])
        .collect();
    play.change(Stage::Lanes, &mut message);
    let constant: K = (0..24)
        .map(|round| {
            let bits: K = (0..64)
                .filter(|z| ROUND_CONSTANTS[round] >> z & 1 == 1)
                .map(|z| bits[z])
                .sum();
            eq_at(&rows[..5], round) * bits
        })
        .sum();
    let weight = weights[0];
    let claim = play.claim;
    let error = |message: &[K]| {
        let mixed: &[K; LANES] = message[..LANES].try_into().unwrap();
        weight * (constraint(&lanes, mixed) + message[LANES] + lanes[0] * constant) + claim
    };
    let missing = error(&message) * weight.inverse();
    if missing != K::ZERO && play.passes(Check::Constraints) {
        match play.known(Stage::Lanes) {
            // Lane 0 has a change that the next row's has, too, as the batch weighs it.
            Some(delta) => {
                let slope = lanes[0] + lanes[4] * message[1] + lanes[3] * (K::ONE + message[4]);
                let change = missing * (slope + delta).inverse();
                message[0] += change;
                message[LANES] += delta * change;
            }
            None => message[LANES] += missing,
        }
    }
    play.check(Check::Constraints, error(&message) == K::ZERO);
    let next = message.pop().unwrap();
    play.transcript.observe(&message);
    play.transcript.observe(&[next]);
    let proof = ZerocheckProof {
        bits: first,
        rounds,
        mixed: message,
        next,
    };
    (proof, lanes, bits, rows)
}

/// The proof, the point over columns, and all columns at the point over rows.
fn columns(
    statement: &Statement,
    play: &mut Play,
    lanes: &[K],
    bits: &[K; 64],
    rows: &[K],
    zerocheck: &ZerocheckProof,
) -> (ColumnsProof, Vec<K>, [Vec<K>; 2]) {
    let delta = play.challenge(Stage::Lanes);
    let powers: Vec<K> = delta.powers().skip(1).take(LANES).collect();
    play.claim = zerocheck.next + dot(&powers, &zerocheck.mixed);
    let mut weights = vec![K::ZERO; 2048];
    let mut next_weights = vec![K::ZERO; 2048];
    for column in 0..64 * LANES {
        let mut state = [0; LANES];
        state[column / 64] = 1 << (column % 64);
        for (word, &power) in linear(&state).iter().zip(&powers) {
            for z in (0..64).filter(|z| word >> z & 1 == 1) {
                weights[column] += power * bits[z];
            }
        }
        next_weights[column] = lanes[column / 64] * bits[column % 64];
    }

    let all = statement.columns(&eq_table(rows));
    let [mut own, mut next] = all.clone();
    let mut rounds = Vec::new();
    let mut point = Vec::new();
    for round in 0..11 {
        let honest = products(&[(&weights, &own), (&next_weights, &next)]);
        let (message, x) = play.round(Stage::Column(round), &honest);
        rounds.push(message.try_into().unwrap());
        point.insert(0, x);
        fold([&mut weights, &mut next_weights, &mut own, &mut next], x);
    }

    let mut values = [own[0], next[0]];
    play.change(Stage::Values, &mut values);
    let weights = [weights[0], next_weights[0]];
    let error = dot(&weights, &values) + play.claim;
    if error != K::ZERO && play.passes(Check::Values) {
        match play.known(Stage::Values) {
            // Changes that cancel in the next claim.
            Some(challenge) => {
                let change = error * (weights[0] * challenge + weights[1]).inverse();
                values[0] += challenge * change;
                values[1] += change;
            }
            None => values[0] += error * weights[0].inverse(),
        }
    }
    play.check(Check::Values, dot(&weights, &values) == play.claim);
    play.transcript.observe(&values);
    (ColumnsProof { rounds, values }, point, all)
}

/// The sums for each bit, and the weights of elements.
fn elements(
    statement: &Statement,
    play: &mut Play,
    rows: &[K],
    columns: &[K],
    [own, next]: [&[K]; 2],
    values: &[K; 2],
) -> (Vec<K>, Vec<K>) {
    let challenge = play.challenge(Stage::Values);
    play.claim = values[0] + challenge * values[1];
    let (bits, elements) = columns.split_at(7);
    let (bits, elements) = (eq_table(bits), eq_table(elements));
    let mut sums: Vec<K> = (0..128)
        .map(|u| {
            (0..16)
                .map(|g| elements[g] * (own[128 * g + u] + challenge * next[128 * g + u]))
                .sum()
        })
        .collect();
    play.change(Stage::Sums, &mut sums);
    let error = dot(&sums, &bits) + play.claim;
    if error != K::ZERO && play.passes(Check::Sums) {
        let first = bits[0].inverse();
        match play.known(Stage::Sums) {
            // If the weights of bits are known to be those of bit 0, the others may change.
            Some(_) => {
                let changes = (0..).map(|i| {
                    let second = K::from_repr(2 * i);
                    [(error + second * bits[1]) * first, second]
                });
                let even = |changes: &[K; 2]| changes[0].to_repr() & 1 == 0;
                let changes = { changes }.find(even).unwrap();
                sums[0] += changes[0];
                sums[1] += changes[1];
            }
            None => sums[0] += error * first,
        }
    }
    play.check(Check::Sums, dot(&sums, &bits) == play.claim);
    play.transcript.observe(&sums);

    let sampled: Vec<K> = (0..7)
        .scan(play.transcript.clone(), |transcript, _| {
            Some(transcript.sample())
        })
        .collect();
    let sigma = play.challenges(Stage::Sums, 7);
    let map = |sigma: &[K], value: K| -> K {
        (0..128)
            .filter(|v| value.to_repr() >> v & 1 == 1)
            .map(|v| sigma[v])
            .sum()
    };
    let [sampled, sigma] = [sampled, sigma].map(|point| eq_table(&point));
    let x = K::from_repr(2);
    let packed = |sigma: &[K]| {
        x.powers()
            .zip(&sums)
            .map(|(power, &sum)| power * map(sigma, sum))
            .sum()
    };
    play.claim = packed(&sigma);
    play.observed = packed(&sampled);
    let count = statement.rows();
    let equal = eq_table(rows);
    let mut weights: Vec<K> = (0..16 * count)
        .map(|y| {
            let [before, _] = Statement::neighbours(y % count);
            map(
                &sigma,
                elements[y / count] * (equal[y % count] + challenge * equal[before]),
            )
        })
        .collect();

    // Inputs and outputs.
    let point: Vec<K> = (0..4).map(|_| play.transcript.sample()).collect();
    let calls = eq_table(&rows[5..]);
    let sampled = play.transcript.clone().sample();
    let power = play.challenge(Stage::Public);
    let x_64 = K::from_repr(1 << 64);
    for call in 0..count / 32 {
        for (kind, state) in statement.public(call).into_iter().enumerate() {
            let weight = power.exp_u64(1 + kind as u64) * calls[call];
            let sampled = sampled.exp_u64(1 + kind as u64) * calls[call];
            for g in 0..16 {
                let lane =
                    |lane: usize| K::from_repr(u128::from(state.get(lane).copied().unwrap_or(0)));
                let value = lane(2 * g) + x_64 * lane(2 * g + 1);
                play.claim += weight * eq_at(&point, g) * value;
                play.observed += sampled * eq_at(&point, g) * value;
                weights[g * count + 32 * call + 24 * kind] += weight * eq_at(&point, g);
            }
        }
    }
    (sums, weights)
}

/// Opens: `sum_y f(y) W(y)` is the claim.
fn open(statement: &Statement, play: &mut Play, mut weights: Vec<K>) -> Opening {
    let settings = &statement.settings;
    play.transcript
        .observe_elements(&[F::from_usize(settings.num_variables())]);
    let claim = play.observed;
    play.transcript.observe(&[claim]);
    let mut values = statement.elements.clone();
    let mut next_word = None;
    let mut opening = Opening {
        rounds: Vec::new(),
        roots: Vec::new(),
        last_polynomial: Vec::new(),
        last_messages: Vec::new(),
    };
    let message = |coefficients: Vec<K>| Message {
        constant: coefficients[0],
        leading: coefficients[1],
    };
    for (i, round) in settings.rounds().iter().enumerate() {
        let mut point = Vec::new();
        let messages = std::array::from_fn(|j: usize| {
            let honest = products(&[(&values, &weights)]);
            let (coefficients, x) = play.round(Stage::Opening(i, j), &honest);
            point.insert(0, x);
            fold([&mut values, &mut weights], x);
            message(coefficients)
        });
        assert_eq!(point.len(), FOLDED);
        play.change(Stage::Word(i), &mut values);
        if let Some(gamma) = play.known(Stage::Word(i)) {
            // Element 0 is in every element of the codeword: W_j^0 is 1.
            let rows: K = gamma.powers().skip(1).take(round.queries).sum();
            let error = play.claim + dot(&values, &weights);
            values[0] += error * (weights[0] + rows).inverse();
        }
        let word = std::mem::replace(
            &mut next_word,
            settings
                .rounds()
                .get(i + 1)
                .map(|round| Word::new(&values, round)),
        );
        let word = word.as_ref().unwrap_or(&statement.word);
        match &next_word {
            Some(next) => {
                opening.roots.push(next.tree.root());
                play.transcript.observe_elements(&next.tree.root());
            }
            None => {
                opening.last_polynomial.clone_from(&values);
                play.transcript.observe(&values);
            }
        }
        let positions = play
            .transcript
            .sample_positions(round.queries, round.log_rows());
        let gamma = play.challenge(Stage::Word(i));
        let mut queries = Vec::new();
        for (position, power) in positions.into_iter().zip(gamma.powers().skip(1)) {
            let row = word.values[position * word.columns..][..word.columns].to_vec();
            let folded: K = row
                .iter()
                .enumerate()
                .map(|(c, &value)| value * eq_at(&point, c))
                .sum();
            play.claim += power * folded;
            let mut element = vec![power];
            for j in 0..round.folded_variables() {
                let factor = subspace_polynomial(j, domain_point::<K>(position));
                let high: Vec<K> = element.iter().map(|&value| value * factor).collect();
                element.extend(high);
            }
            for (weight, value) in weights.iter_mut().zip(element) {
                *weight += value;
            }
            let path = word.tree.path(position);
            queries.push(Query { row, path });
        }
        opening.rounds.push(Round { messages, queries });
    }
    for i in 0..settings.last_variables() {
        let (coefficients, x) = play.round(Stage::Last(i), &products(&[(&values, &weights)]));
        fold([&mut values, &mut weights], x);
        opening.last_messages.push(message(coefficients));
    }
    play.check(Check::Claim, play.claim == values[0] * weights[0]);
    opening
}
