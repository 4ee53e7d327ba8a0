//! The transcript of a dishonest prover of a false statement.
//!
//! The honest prover works on false inputs, and does not know that they are. Its transcript changes
//! what it says so that the next check passes: a false claim stays in the proof, or becomes a true
//! one if a challenge is one of those that the prover has hoped for. It hopes in the steps of one
//! [`Term`] alone; in all others the false claim is such that no challenge makes it true. Once a
//! claim is true, nothing more is changed.

use std::collections::BTreeMap;
use std::iter::zip;

use droste_native::field::EXTENSION_DEGREE;
use droste_native::whir::{CommitmentStep, OpenedTree, Queries};
use droste_native::{EF, F, HashSuite, Poseidon16Suite};
use droste_vm::multilinear::eq_at;
use droste_vm::multilinear::expressions::{Leaf, Row};
use droste_vm::multilinear::leaves::LookupChallenges;
use droste_vm::multilinear::tables::Slots;
use droste_vm::multilinear::zerocheck::Opened;
use droste_vm::whir::Proof;
use p3_challenger::{CanObserve, CanSample, CanSampleBits, FieldChallenger, GrindingChallenger};
use p3_commit::Mmcs;
use p3_dft::{Radix2DFTSmallBatch, TwoAdicSubgroupDft};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::few::FewChallenges;
use super::machine::{Event, Machine, Step};
use crate::liar::{Lies, block, write};

/// Where a dishonest prover hopes for a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// `beta`: two messages that differ have the same combination.
    Lookups,
    /// `lambda` of any layer: the numerators' and the denominators' lies cancel.
    Combination,
    /// The first round of any layer.
    First,
    /// The other rounds of one layer.
    Rounds(usize),
    /// The line through the values of the leaves.
    Line,
    /// What combines the leaves' numerators and denominators.
    Theta,
    /// What combines constraints.
    Constraints,
    /// The point at which constraints are checked.
    Point,
    /// Rounds of the zerocheck.
    Zerocheck,
    /// What combines the columns of a table.
    Columns,
    /// What combines claims.
    Claims,
    /// Rounds of a sumcheck of the opening.
    Sumcheck(usize),
    /// What combines a value outside the domain with the claim so far.
    Answers(usize),
    /// Two polynomials near the commitment have one value outside the domain.
    Outside,
    /// Rows that are false everywhere become a codeword when they are folded.
    Fold(usize),
    /// A codeword that is false at some of its places is not queried there.
    Queries(usize),
}

impl Term {
    /// Whether the challenge of this step is one that the prover hopes for.
    fn hopes_at(self, step: Step) -> bool {
        match (self, step) {
            (Self::Lookups, Step::Beta)
            | (Self::Combination, Step::Combination(_))
            | (Self::First, Step::First(_))
            | (Self::Line, Step::Line)
            | (Self::Theta, Step::Theta)
            | (Self::Constraints | Self::Point, Step::Constraints)
            | (Self::Zerocheck, Step::Zerocheck(_))
            | (Self::Columns, Step::Columns)
            | (Self::Claims, Step::Claims)
            | (Self::Outside, Step::Outside(0)) => true,
            (Self::Rounds(own), Step::Round(layer, _)) => own == layer,
            (Self::Sumcheck(own), Step::Sumcheck(number, _))
            | (Self::Fold(own), Step::Sumcheck(number, _))
            | (Self::Answers(own), Step::Answers(number)) => own == number,
            _ => false,
        }
    }
}

/// The cells of a block that a prover lies about.
pub const LANES: usize = 8;

/// What the prover says that is false, as differences to the truth.
#[derive(Clone, Default)]
struct Falsehood {
    /// Numerators and denominators of a layer's two points, as they are sent.
    halves: [EF; 4],
    /// A round's polynomial, constant term first.
    polynomial: Vec<EF>,
    /// The sum that a sumcheck is to prove.
    sum: EF,
    /// Numerator and denominator of the leaves.
    leaves: [EF; 2],
    /// Opened values, by table, list of values and slot.
    opened: Vec<(usize, usize, usize, EF)>,
    /// Claims about the stack, by number.
    claims: BTreeMap<usize, EF>,
    /// A value outside the domain.
    outside: EF,
}

impl Falsehood {
    fn is_none(&self) -> bool {
        let opened = self.opened.iter().map(|opened| &opened.3);
        let values = self
            .halves
            .iter()
            .chain(&self.polynomial)
            .chain(&self.leaves);
        let values = values.chain(opened).chain(self.claims.values());
        values.chain([&self.sum, &self.outside]).all(EF::is_zero)
    }
}

/// The prover's knowledge, and its lies so far.
#[derive(Clone)]
struct Prover {
    machine: &'static Machine,
    term: Term,
    /// The challenges that there are; none for a term of queries.
    few: Vec<F>,
    rng: SmallRng,
    /// What the claimed statement has more than the true one.
    statement: [F; LANES],
    /// The statement that is claimed.
    public_values: [F; LANES],
    /// Whether the messages of the traces do not balance.
    is_unbalanced: bool,
    /// The traces that are committed to.
    traces: Vec<RowMajorMatrix<F>>,
    false_now: Falsehood,
    /// The step whose challenge has made the false claim true.
    escaped: Option<Step>,
    /// Whether a denominator is zero, which no verifier accepts.
    is_refused: bool,
    challenges: BTreeMap<Step, EF>,
    /// The point of a layer's values, and of those of the next layer as far as it is known.
    point: Vec<EF>,
    next: Vec<EF>,
    /// The challenges of the zerocheck.
    rho: Vec<EF>,
    /// The challenges of the opening.
    bound: Vec<EF>,
    /// What the first rows of [`Term::Outside`]'s polynomials differ by, as a univariate
    /// polynomial.
    other: Vec<EF>,
    /// What their values outside the domain differ by.
    first_claim: EF,
    /// The codeword that is committed to instead of the honest one, and the leaves at which it is
    /// false.
    word: Option<(usize, RowMajorMatrix<F>, Vec<usize>)>,
    /// The last challenge of a fold that makes its rows a codeword.
    fold: EF,
}

/// A transcript that observes what a dishonest prover says.
#[derive(Clone)]
pub struct Dishonest {
    transcript: FewChallenges,
    prover: Box<Prover>,
    event: usize,
    pending: Vec<F>,
    /// Number of elements observed.
    place: usize,
    lies: Lies,
    indices: Vec<usize>,
}

/// A proof, and what its prover knows.
pub struct Trial {
    pub proof: Proof,
    /// Whether a challenge that the prover has hoped for was sampled, and no query meets a false
    /// leaf.
    pub escapes: bool,
}

/// The polynomial with these roots and leading coefficient one, constant term first.
fn with_roots(roots: &[EF]) -> Vec<EF> {
    let mut polynomial = vec![EF::ONE];
    for &root in roots {
        polynomial.insert(0, EF::ZERO);
        for i in 1..polynomial.len() {
            let upper = polynomial[i];
            polynomial[i - 1] -= root * upper;
        }
    }
    polynomial
}

/// An element of the base field.
fn in_base(value: EF) -> F {
    let coefficients: &[F] = value.as_basis_coefficients_slice();
    coefficients[0]
}

fn evaluate(polynomial: &[EF], x: EF) -> EF {
    polynomial
        .iter()
        .rev()
        .fold(EF::ZERO, |sum, &c| sum * x + c)
}

impl Prover {
    /// So many different challenges.
    fn hoped(&mut self, count: usize) -> Vec<EF> {
        self.few.shuffle(&mut self.rng);
        self.few[..count].iter().map(|&e| e.into()).collect()
    }

    fn of(&self, step: Step) -> EF {
        self.challenges[&step]
    }

    /// Lies about a layer's fractions, so that their combined sum is this much more.
    fn lie_about_halves(&mut self, layer: usize, values: &[EF], lambda: EF, more: EF) -> [EF; 4] {
        let [_, d0, n1, d1] = [0, 1, 2, 3].map(|i| values[i]);
        let is_last = layer == self.machine.shape.log_leaves();
        let mut ratio = [EF::ONE; 2];
        match (self.term, is_last) {
            (Term::Combination, false) | (Term::Theta, true) => {
                // Numerator and denominator of the first fraction cancel at one combination.
                let e = self.hoped(1)[0];
                let b = more * (n1 - e * d1 + lambda * d1).inverse();
                return [-e * b, b, EF::ZERO, EF::ZERO];
            }
            (Term::First, false) => {
                // The values at 0 and 1 of a polynomial with two roots.
                let polynomial = with_roots(&self.hoped(2));
                ratio = [EF::ZERO, EF::ONE].map(|x| evaluate(&polynomial, x));
            }
            (Term::Line, true) => {
                let e = self.hoped(1)[0];
                ratio = [e, e - EF::ONE];
            }
            _ => {}
        }
        // Numerators alone.
        let scale = more * (ratio[0] * d1 + ratio[1] * d0).inverse();
        [ratio[0] * scale, EF::ZERO, ratio[1] * scale, EF::ZERO]
    }

    /// A round's polynomial, of which the sum `weights[0] t(0) + weights[1] t(1)` is false, with as
    /// many roots among the challenges as its degree. If the prover does not hope, the polynomial
    /// is what the false sum makes of a true message.
    fn lie_about_round(&mut self, hopes: bool, degree: usize, weights: [EF; 2]) -> Vec<EF> {
        let sum = self.false_now.sum;
        let [zero, one] = [EF::ZERO, EF::ONE];
        let weighed = |polynomial: &[EF]| {
            weights[0] * evaluate(polynomial, zero) + weights[1] * evaluate(polynomial, one)
        };
        if !hopes {
            let is_plain = weights == [one; 2];
            let honest = if is_plain { vec![zero, one] } else { vec![one] };
            return honest.into_iter().map(|c| c * sum).collect();
        }
        loop {
            let polynomial = with_roots(&self.hoped(degree));
            if let Some(inverse) = weighed(&polynomial).try_inverse() {
                return polynomial.iter().map(|&c| c * sum * inverse).collect();
            }
        }
    }

    /// Lies about opened values so that the tables' polynomials have as much more as the sum
    /// claims.
    fn lie_about_opened(&mut self, values: &mut [EF]) {
        let (words, blocks) = (self.machine.table("words"), self.machine.table("blocks"));
        let slots = &self.machine.verifier.system().tables()[blocks].main;
        let (places, shares): (Vec<(usize, usize, usize)>, Vec<EF>) = match self.term {
            Term::Columns => {
                // The lanes have slots that follow each other.
                let lanes = (0..LANES).map(|lane| (blocks, 0, slots.slot(1 + lane)));
                (lanes.collect(), with_roots(&self.hoped(LANES - 1)))
            }
            Term::Claims => {
                // The addresses, here and in the next row: four claims that follow each other.
                let addresses = vec![(words, 0, 0), (words, 1, 0), (blocks, 0, 0), (blocks, 1, 0)];
                (addresses, with_roots(&self.hoped(3)))
            }
            _ => (vec![(blocks, 0, slots.slot(1))], vec![EF::ONE]),
        };
        // What the lies add is linear in them.
        let mut opened = self.unflatten(values);
        let honest = self.tables(&opened);
        for (&(table, list, slot), &share) in zip(&places, &shares) {
            list_of(&mut opened[table], list)[slot] += share;
        }
        // If a coordinate is one, nothing may depend on these values: then the sum stays false.
        let Some(inverse) = (self.tables(&opened) - honest).try_inverse() else {
            return;
        };
        let scale = self.false_now.sum * inverse;
        for (&(table, list, slot), &share) in zip(&places, &shares) {
            list_of(&mut opened[table], list)[slot] += share * (scale - EF::ONE);
            self.false_now
                .opened
                .push((table, list, slot, share * scale));
        }
        let lies = opened.iter().flat_map(Opened::values);
        zip(values, lies).for_each(|(value, lie)| *value = lie);
    }

    /// The opened values by table.
    fn unflatten(&self, values: &[EF]) -> Vec<Opened> {
        let mut values = values.iter().copied();
        let tables = self.machine.verifier.system().tables().iter();
        let opened = tables.map(|table| {
            let mut take = |n: usize| values.by_ref().take(n).collect();
            Opened {
                main: take(table.main.width()),
                main_next: take(table.main.num_next()),
                preprocessed: take(table.preprocessed.width()),
                preprocessed_next: take(table.preprocessed.num_next()),
            }
        });
        opened.collect()
    }

    /// The sum of all tables' polynomials of these values: step 5 of docs/notes/whir-protocol.md.
    fn tables(&self, opened: &[Opened]) -> EF {
        let (system, shape) = (self.machine.verifier.system(), &self.machine.shape);
        let lookups = LookupChallenges {
            alpha: self.of(Step::Alpha),
            beta: self.of(Step::Beta),
        };
        let (alpha, theta) = (self.of(Step::Constraints), self.of(Step::Theta));
        let mut before = 0;
        let mut total = EF::ZERO;
        for (index, table) in system.tables().iter().enumerate() {
            let height = shape.log_heights()[index];
            let point = &self.rho[self.rho.len() - height..];
            let first: EF = point.iter().map(|&r| EF::ONE - r).product();
            let last: EF = point.iter().copied().product();
            let values = table.expressions.evaluate(|leaf| match leaf {
                Leaf::Main(Row::Current, column) => opened[index].main[table.main.slot(column)],
                Leaf::Main(Row::Next, column) => opened[index].main_next[table.main.slot(column)],
                Leaf::Preprocessed(row, column) => {
                    let list = match row {
                        Row::Current => &opened[index].preprocessed,
                        Row::Next => &opened[index].preprocessed_next,
                    };
                    list[table.preprocessed.slot(column)]
                }
                Leaf::Public(i) => self.public_values[i].into(),
                Leaf::FirstRow => first,
                Leaf::LastRow => last,
                Leaf::Transition => EF::ONE - last,
            });
            let constraints = table.expressions.constraints();
            let last_power = before + constraints.len();
            for (j, &constraint) in constraints.iter().enumerate() {
                total += alpha.exp_u64((last_power - j) as u64) * values[constraint];
            }
            before = last_power;
            let (high, _) = self.point.split_at(self.point.len() - height);
            let messages = zip(table.expressions.messages(), &table.buses).enumerate();
            for (t, (message, &bus)) in messages {
                let elements = zip(lookups.factors(message.payload.len()), &message.payload);
                let combined: EF = elements.map(|(factor, &e)| factor * values[e]).sum();
                let denominator = lookups.prefix(system, bus) - combined;
                let block = eq_at(high, (shape.starts()[index] >> height) + t);
                total += block * (values[message.multiplicity] + theta * (denominator - EF::ONE));
            }
        }
        total
    }

    /// The number of the first claim about a list of a table's values, those outside the domain
    /// counted.
    fn claim_of(&self, table: usize, list: usize) -> usize {
        let tables = self.machine.verifier.system().tables();
        let count =
            |slots: &Slots| usize::from(slots.width() > 0) + usize::from(slots.num_next() > 0);
        let before = tables[..table]
            .iter()
            .map(|t| count(&t.main) + count(&t.preprocessed));
        self.machine.scheme.schedule().stack.outside + before.sum::<usize>() + list
    }

    /// The factor of `alpha'` and of the first rows that the false statement adds to the sum of
    /// tables.
    fn false_constraints(&self) -> EF {
        let system = self.machine.verifier.system();
        let blocks = self.machine.table("blocks");
        let tables = system.tables()[..=blocks].iter();
        let up_to: usize = tables.map(|t| t.expressions.constraints().len()).sum();
        // The first constraint is about the address, then there is one for each lane.
        let lanes = self.statement.iter().enumerate();
        let alpha = self.of(Step::Constraints);
        -lanes
            .map(|(lane, &lie)| alpha.exp_u64((up_to - 1 - lane) as u64) * lie)
            .sum::<EF>()
    }

    /// Replaces what the honest prover says.
    fn say(&mut self, step: Step, values: &mut [EF]) {
        let before = self.false_now.clone();
        match step {
            Step::Outside(0) if !self.other.is_empty() => {
                // The other polynomial has other cells in the first row: all bits of the row's
                // number are zero.
                let layout = self.machine.scheme.layout();
                let y = self.of(step);
                let mut lie = evaluate(&self.other, y);
                for bit in layout.log_block()..layout.variables() {
                    lie *= EF::ONE - y.exp_power_of_2(bit);
                }
                values[0] += lie;
                self.first_claim = lie;
                if lie.is_zero() {
                    self.escaped = Some(step);
                }
            }
            Step::Halves(layer) => {
                let (lambda, more) = match layer {
                    // The sum of the fractions must be zero, whatever it is.
                    1 => (EF::ZERO, -(values[0] * values[3] + values[1] * values[2])),
                    _ => (self.of(Step::Combination(layer - 1)), before.sum),
                };
                self.is_refused |= layer == 1 && (values[1] * values[3]).is_zero();
                self.point = std::mem::take(&mut self.next);
                self.false_now = Falsehood::default();
                if !more.is_zero() {
                    let lies = self.lie_about_halves(layer, values, lambda, more);
                    zip(values, lies).for_each(|(value, lie)| *value += lie);
                    self.false_now.halves = lies;
                } else if layer == 1 && self.is_unbalanced {
                    self.escaped = Some(Step::Beta);
                }
            }
            Step::First(_) => {
                let [zero, one] = before.polynomial[..] else {
                    panic!("the values at 0 and 1 come first");
                };
                // In the proportion that was chosen, one root brings the other.
                let quadratic = match self.term {
                    Term::First if !before.is_none() => {
                        let few = self.few.iter().map(|&e| EF::from(e));
                        let mut fits = few.filter_map(|e| {
                            let slope = (e * (e - EF::ONE)).inverse();
                            let quadratic = -(zero + e * (one - zero)) * slope;
                            // The product of the roots.
                            let other = zero * (e * quadratic).inverse();
                            let is_one = |f: &F| EF::from(*f) == other;
                            self.few.iter().any(is_one).then_some(quadratic)
                        });
                        fits.next().unwrap()
                    }
                    _ => EF::ZERO,
                };
                values[0] += quadratic;
                self.false_now = Falsehood {
                    polynomial: vec![zero, one - zero - quadratic, quadratic],
                    ..Falsehood::default()
                };
            }
            Step::Round(layer, round) => {
                let q = self.point[round];
                let hopes = self.term == Term::Rounds(layer);
                self.say_round(hopes, [EF::ONE - q, q], values);
            }
            Step::Zerocheck(round) => {
                let (shape, rounds) = (&self.machine.shape, self.machine.shape.max_log_height());
                let tau = self.point[self.point.len() - rounds..].to_vec();
                let own = rounds - shape.log_heights()[self.machine.table("blocks")];
                if round >= own {
                    // What the honest prover leaves out: its statement is the true one.
                    let earlier: EF = self.rho[own..].iter().map(|&r| EF::ONE - r).product();
                    let later: EF = tau[round + 1..].iter().map(|&q| EF::ONE - q).product();
                    values[0] -= self.false_constraints() * earlier * later;
                }
                let hopes = self.term == Term::Zerocheck;
                self.say_round(hopes, [EF::ONE - tau[round], tau[round]], values);
            }
            Step::Opened if !before.sum.is_zero() => {
                self.false_now = Falsehood {
                    sum: before.sum,
                    ..Falsehood::default()
                };
                self.lie_about_opened(values);
                self.false_now.sum = EF::ZERO;
            }
            Step::Outside(number) if self.term == Term::Answers(number) => {
                let lie = -before.sum * self.hoped(1)[0].inverse();
                values[0] += lie;
                self.false_now.outside = lie;
            }
            Step::Sumcheck(number, _) => {
                // The verifier computes the linear coefficient.
                let hopes = self.term == Term::Sumcheck(number);
                let polynomial = self.lie_about_round(hopes, 2, [EF::ONE; 2]);
                values[0] += polynomial[0];
                values[1] += polynomial.get(2).copied().unwrap_or_default();
                self.false_now = Falsehood {
                    polynomial,
                    ..Falsehood::default()
                };
            }
            _ => {}
        }
    }

    /// Lies about a round with an equality factor, of which all coefficients but the constant one
    /// are sent.
    fn say_round(&mut self, hopes: bool, weights: [EF; 2], values: &mut [EF]) {
        let polynomial = self.lie_about_round(hopes, values.len(), weights);
        let lies = &polynomial[1..];
        zip(values, lies).for_each(|(value, &lie)| *value += lie);
        self.false_now = Falsehood {
            polynomial,
            ..Falsehood::default()
        };
    }

    /// Learns a challenge.
    fn learn(&mut self, step: Step, r: EF) {
        self.challenges.insert(step, r);
        let before = self.false_now.clone();
        let sum = |sum: EF| Falsehood {
            sum,
            ..Falsehood::default()
        };
        match step {
            Step::Combination(_) => {
                let [a, b, c, d] = before.halves;
                self.false_now.polynomial = vec![a + r * b, c + r * d];
                self.false_now.halves = [EF::ZERO; 4];
            }
            Step::First(_) | Step::Round(..) => {
                self.next.push(r);
                self.false_now = sum(evaluate(&before.polynomial, r));
            }
            Step::Line => {
                let [a, b, c, d] = before.halves;
                self.point.insert(0, r);
                self.false_now = Falsehood {
                    leaves: [a + r * (c - a), b + r * (d - b)],
                    ..Falsehood::default()
                };
            }
            Step::Theta => self.false_now = sum(before.leaves[0] + r * before.leaves[1]),
            Step::Constraints if self.statement != [F::ZERO; LANES] => {
                let height = self.machine.shape.log_heights()[self.machine.table("blocks")];
                let tau = &self.point[self.point.len() - height..];
                let first: EF = tau.iter().map(|&q| EF::ONE - q).product();
                self.false_now = sum(-self.false_constraints() * first);
                if self.false_now.is_none() {
                    self.escaped = Some(step);
                }
            }
            Step::Zerocheck(_) => {
                self.rho.push(r);
                self.false_now = sum(evaluate(&before.polynomial, r));
            }
            Step::Columns => {
                let mut claims = BTreeMap::from([(0, self.first_claim)]);
                for &(table, list, slot, lie) in &before.opened {
                    let claim = claims.entry(self.claim_of(table, list)).or_default();
                    *claim += r.exp_u64(slot as u64) * lie;
                }
                self.false_now = Falsehood {
                    claims,
                    ..Falsehood::default()
                };
            }
            Step::Claims => {
                let claims = before.claims.iter();
                let claims = claims.map(|(&number, &lie)| r.exp_u64(number as u64) * lie);
                self.false_now = sum(claims.sum());
            }
            Step::Answers(_) => self.false_now = sum(before.sum + r * before.outside),
            Step::Sumcheck(number, round) => {
                self.bound.push(r);
                self.false_now = sum(evaluate(&before.polynomial, r));
                if self.term == Term::Fold(number) {
                    let rounds = self.machine.commitments()[number].fold;
                    if round + 1 == rounds && r == self.fold {
                        self.escaped = Some(step);
                    }
                }
            }
            _ => {}
        }
        if !before.is_none() && self.false_now.is_none() {
            self.escaped = Some(step);
        }
    }

    /// Another word than the honest one, if the prover commits to one here.
    fn commit(&mut self, number: usize, cap: &mut [F]) {
        let is_other = match self.term {
            Term::Queries(of) | Term::Fold(of) => of == number,
            Term::Outside => number == 0,
            _ => false,
        };
        if !is_other {
            return;
        }
        let step = self.machine.commitments()[number];
        let mut word = match number {
            0 => encode(&self.machine.main_cells(&self.traces), &step),
            _ => self.folded_rows(&step),
        };
        let length = 1 << step.log_leaves;
        let mut places: Vec<usize> = (0..length).collect();
        places.shuffle(&mut self.rng);
        match self.term {
            Term::Fold(_) => {
                places.clear();
                self.spoil_two_rows(number, &mut word);
            }
            Term::Outside => {
                // The codewords agree at some places.
                let other = self.rows_of_other(&step);
                places.retain(|&place| *other.row_slice(place).unwrap() != *word.row_mut(place));
                places.truncate(length / DISTANCE);
                for &place in &places {
                    let leaf = other.row_slice(place).unwrap();
                    word.row_mut(place).copy_from_slice(&leaf);
                }
            }
            _ => {
                places.truncate(length / DISTANCE);
                for &place in &places {
                    word.row_mut(place).fill_with(|| self.rng.random());
                }
            }
        }
        let (said, _) = Poseidon16Suite::val_mmcs(0).commit_matrix(word.clone());
        cap.copy_from_slice(said.roots().as_flattened());
        self.word = Some((number, word, places));
    }

    /// Changes rows 0 and 1 of all leaves so that the change cancels when they are folded by one
    /// challenge, the last one of the fold.
    fn spoil_two_rows(&mut self, number: usize, word: &mut RowMajorMatrix<F>) {
        self.fold = self.hoped(1)[0];
        let root = in_base(self.fold);
        let second = match number {
            0 => 1,
            _ => EXTENSION_DEGREE,
        };
        assert_eq!(self.machine.scheme.layout().main_rows()[..2], [0, 1]);
        for leaf in word.rows_mut() {
            let scale: F = self.rng.random();
            leaf[0] += scale * root;
            leaf[second] += scale * (root - F::ONE);
        }
    }

    /// The rows of the polynomial whose value outside the domain [`Term::Outside`]'s prover says:
    /// the first one has other cells.
    fn rows_of_other(&mut self, step: &CommitmentStep) -> RowMajorMatrix<F> {
        let layout = self.machine.scheme.layout();
        assert_eq!(layout.main_rows()[0], 0);
        self.other = with_roots(&self.hoped(OUTSIDE_ROOTS));
        // From coefficients to values on the hypercube.
        let mut values = self.other.clone();
        values.resize(1 << layout.log_block(), EF::ZERO);
        for bit in 0..layout.log_block() {
            for i in (0..values.len()).filter(|i| i >> bit & 1 == 1) {
                let below = values[i ^ (1 << bit)];
                values[i] += below;
            }
        }
        let mut cells = self.machine.main_cells(&self.traces);
        for (cell, value) in zip(&mut cells, &values) {
            *cell += in_base(*value);
        }
        encode(&cells, step)
    }

    fn folded_rows(&self, step: &CommitmentStep) -> RowMajorMatrix<F> {
        let mut values = self.machine.stack(&self.traces);
        for &r in &self.bound {
            let (zeros, ones) = values.split_at(values.len() / 2);
            values = zip(zeros, ones)
                .map(|(&zero, &one)| zero + r * (one - zero))
                .collect();
        }
        assert_eq!(values.len(), 1 << step.variables);
        let height = values.len() >> step.fold;
        let width = EXTENSION_DEGREE << step.fold;
        let mut cells = vec![F::ZERO; width << step.log_leaves];
        for (i, value) in values.iter().enumerate() {
            let at = (i % height) * width + EXTENSION_DEGREE * (i / height);
            cells[at..at + EXTENSION_DEGREE].copy_from_slice(value.as_basis_coefficients_slice());
        }
        let matrix = RowMajorMatrix::new(cells, width);
        Radix2DFTSmallBatch::default().dft_batch(matrix)
    }
}

/// The reciprocal of the part of the leaves at which a word is false.
pub const DISTANCE: usize = 4;

/// How many challenges two polynomials have the same value at.
pub const OUTSIDE_ROOTS: usize = 8;

/// The codewords of rows of cells.
fn encode(cells: &[F], step: &CommitmentStep) -> RowMajorMatrix<F> {
    let height = 1 << (step.variables - step.fold);
    let width = cells.len() / height;
    let mut transposed = vec![F::ZERO; width << step.log_leaves];
    for (i, &cell) in cells.iter().enumerate() {
        transposed[(i % height) * width + i / height] = cell;
    }
    Radix2DFTSmallBatch::default().dft_batch(RowMajorMatrix::new(transposed, width))
}

fn list_of(opened: &mut Opened, list: usize) -> &mut Vec<EF> {
    match list {
        0 => &mut opened.main,
        _ => &mut opened.main_next,
    }
}

/// The queries to a commitment.
fn queries(proof: &mut Proof, number: usize) -> &mut Queries {
    let opening = &mut proof.stark.opening;
    match opening.rounds.get_mut(number) {
        Some(round) => &mut round.queries,
        None => &mut opening.final_queries,
    }
}

impl Dishonest {
    /// The proof of a prover who hopes in this term. `few` are the challenges there are.
    pub fn prove(term: Term, few: Vec<F>, seed: usize) -> Trial {
        let machine = Machine::shared();
        let mut rng = SmallRng::seed_from_u64(seed as u64);
        // No statement is that of another seed.
        let (mut statement, mut traces) = machine.run(2 + seed);
        let mut prover = Prover {
            machine,
            term,
            few: few.clone(),
            statement: [F::ZERO; LANES],
            public_values: statement,
            is_unbalanced: false,
            traces: vec![],
            false_now: Falsehood::default(),
            escaped: None,
            is_refused: false,
            challenges: BTreeMap::new(),
            point: vec![],
            next: vec![],
            rho: vec![],
            bound: vec![],
            other: vec![],
            first_claim: EF::ZERO,
            word: None,
            fold: EF::ZERO,
            rng: SmallRng::seed_from_u64(rng.random()),
        };
        // What is false: lanes of the statement.
        let mut lies = [F::ZERO; LANES];
        match term {
            Term::Outside | Term::Fold(_) | Term::Queries(_) => {}
            Term::Lookups | Term::Constraints => {
                let roots = prover.hoped(LANES - 1);
                for (lie, c) in zip(&mut lies, with_roots(&roots).iter().rev()) {
                    *lie = in_base(*c);
                }
            }
            _ => lies[LANES - 1] = F::ONE,
        }
        let claimed: [F; LANES] = std::array::from_fn(|lane| statement[lane] + lies[lane]);
        prover.public_values = claimed;
        let constraints = matches!(term, Term::Constraints | Term::Point);
        if constraints {
            // The tables are those of the true statement, and violate the constraints of the false
            // one.
            prover.statement = lies;
        } else {
            prover.is_unbalanced = lies != [F::ZERO; LANES];
            // The block of the statement is false, too, and is not what other tables have read.
            let blocks = &mut traces[machine.table("blocks")];
            let row = blocks.row_mut(0);
            row[1..=LANES].copy_from_slice(&claimed);
            statement = claimed;
        }
        prover.traces = traces.clone();
        let mut transcript = Self {
            transcript: FewChallenges::new(few),
            prover: Box::new(prover),
            event: 0,
            pending: vec![],
            place: 0,
            lies: Lies::new(),
            indices: vec![],
        };
        let proof = machine
            .key
            .prove_traces_with(statement, &traces, &mut transcript);
        transcript.finish(proof.unwrap())
    }

    /// Writes the lies into the honest prover's proof.
    fn finish(self, mut proof: Proof) -> Trial {
        assert_eq!(self.event, self.prover.machine.events.len());
        assert!(self.pending.is_empty());
        write(&self.lies, &mut proof);
        let term = self.prover.term;
        let escaped = self.prover.escaped;
        assert!(
            escaped.is_none_or(|step| term.hopes_at(step)),
            "{term:?}: {escaped:?}"
        );
        let mut escapes = escaped.is_some() || matches!(term, Term::Queries(_));
        escapes &= !self.prover.is_refused;
        if let Some((number, word, places)) = self.prover.word {
            let steps = self.prover.machine.commitments();
            let before: usize = steps[..number].iter().map(|step| step.queries).sum();
            let indices = &self.indices[before..][..steps[number].queries];
            let mmcs = Poseidon16Suite::val_mmcs(0);
            let (_, tree) = mmcs.commit_matrix(word);
            let (leaves, paths) = mmcs.open_multi_batch(indices, &tree);
            queries(&mut proof, number).trees[0] = OpenedTree {
                leaves: leaves.into_iter().flatten().collect(),
                paths,
            };
            escapes &= !indices.iter().any(|index| places.contains(index));
        }
        Trial { proof, escapes }
    }

    /// Observes a complete message.
    fn message(&mut self, step: Step) {
        let honest = std::mem::take(&mut self.pending);
        let mut said = honest.clone();
        let prover = &mut self.prover;
        match step {
            Step::Key | Step::Heights => {}
            Step::Statement => zip(&mut said, prover.statement).for_each(|(x, lie)| *x += lie),
            Step::Commitment(number) => prover.commit(number, &mut said),
            _ => {
                let element = |block: &[F]| {
                    EF::from_basis_coefficients_slice(&block[..EXTENSION_DEGREE]).unwrap()
                };
                let mut values: Vec<EF> = honest.chunks(8).map(element).collect();
                prover.say(step, &mut values);
                said = values.iter().flat_map(block).collect();
            }
        }
        for (&honest, &said) in zip(&honest, &said) {
            if honest != said {
                self.lies.insert(self.place, said - honest);
            }
            self.transcript.observe(said);
            self.place += 1;
        }
    }
}

impl CanObserve<F> for Dishonest {
    fn observe(&mut self, value: F) {
        let Event::Observe(step, length) = self.prover.machine.events[self.event] else {
            panic!(
                "an observation instead of {:?}",
                self.prover.machine.events[self.event]
            );
        };
        self.pending.push(value);
        if self.pending.len() == length {
            self.event += 1;
            self.message(step);
        }
    }
}

impl CanSample<F> for Dishonest {
    fn sample(&mut self) -> F {
        panic!("challenges are sampled as elements of the extension")
    }
}

impl CanSampleBits<usize> for Dishonest {
    fn sample_bits(&mut self, bits: usize) -> usize {
        let index = self.transcript.sample_bits(bits);
        self.indices.push(index);
        index
    }
}

impl FieldChallenger<F> for Dishonest {
    fn sample_algebra_element<A: BasedVectorSpace<F>>(&mut self) -> A {
        let Event::Sample(step) = self.prover.machine.events[self.event] else {
            panic!(
                "a sample instead of {:?}",
                self.prover.machine.events[self.event]
            );
        };
        self.event += 1;
        let sample: EF = self.transcript.sample_algebra_element();
        self.prover.learn(step, sample);
        let coefficients: &[F] = sample.as_basis_coefficients_slice();
        A::from_basis_coefficients_fn(|i| coefficients[i])
    }
}

impl GrindingChallenger for Dishonest {
    type Witness = F;

    fn grind(&mut self, _: usize) -> F {
        panic!("these settings have no proof of work")
    }
}
