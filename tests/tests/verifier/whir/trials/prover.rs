//! What a dishonest prover says, message by message, and what it makes of challenges.

use std::collections::BTreeMap;
use std::iter::zip;

use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing};
use p3_matrix::dense::RowMajorMatrix;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::machine::{Machine, Step};
use super::term::Term;

/// The cells of a block that a prover lies about.
pub const LANES: usize = 8;

/// What the prover says that is false, as differences to the truth.
#[derive(Clone, Default)]
pub struct Falsehood {
    /// Numerators and denominators of a layer's two points, as they are sent.
    pub halves: [EF; 4],
    /// A round's polynomial, constant term first.
    pub polynomial: Vec<EF>,
    /// The sum that a sumcheck is to prove.
    pub sum: EF,
    /// Numerator and denominator of the leaves.
    pub leaves: [EF; 2],
    /// Opened values, by table, list of values and slot.
    pub opened: Vec<(usize, usize, usize, EF)>,
    /// Claims about the stack, by number.
    pub claims: BTreeMap<usize, EF>,
    /// A value outside the domain.
    pub outside: EF,
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
pub struct Prover {
    pub machine: &'static Machine,
    pub term: Term,
    /// The challenges that there are; none for a term of queries.
    pub few: Vec<F>,
    pub rng: SmallRng,
    /// What the claimed statement has more than the true one.
    pub statement: [F; LANES],
    /// The statement that is claimed.
    pub public_values: [F; LANES],
    /// Whether the messages of the traces do not balance.
    pub is_unbalanced: bool,
    /// The traces that are committed to.
    pub traces: Vec<RowMajorMatrix<F>>,
    pub false_now: Falsehood,
    /// The step whose challenge has made the false claim true.
    pub escaped: Option<Step>,
    /// Whether a denominator is zero, which no verifier accepts.
    pub is_refused: bool,
    pub challenges: BTreeMap<Step, EF>,
    /// The point of a layer's values, and of those of the next layer as far as it is known.
    pub point: Vec<EF>,
    pub next: Vec<EF>,
    /// The challenges of the zerocheck.
    pub rho: Vec<EF>,
    /// The challenges of the opening.
    pub bound: Vec<EF>,
    /// What the first rows of [`Term::Outside`]'s polynomials differ by, as a univariate
    /// polynomial.
    pub other: Vec<EF>,
    /// What their values outside the domain differ by.
    pub first_claim: EF,
    /// The codeword that is committed to instead of the honest one, and the leaves at which it is
    /// false.
    pub word: Option<(usize, RowMajorMatrix<F>, Vec<usize>)>,
    /// The last challenge of a fold that makes its rows a codeword.
    pub fold: EF,
}

/// The polynomial with these roots and leading coefficient one, constant term first.
pub fn with_roots(roots: &[EF]) -> Vec<EF> {
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
pub fn in_base(value: EF) -> F {
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
    /// A prover who hopes in this term for some of the `few` challenges, and the statement that the
    /// library's prover is given.
    pub fn new(term: Term, few: Vec<F>, seed: usize) -> (Self, [F; LANES]) {
        let machine = Machine::shared();
        // No statement is that of another seed.
        let (mut statement, mut traces) = machine.run(2 + seed);
        let mut prover = Self {
            machine,
            term,
            few,
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
            rng: SmallRng::seed_from_u64(seed as u64),
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
        prover.traces = traces;
        (prover, statement)
    }

    /// So many different challenges.
    pub fn hoped(&mut self, count: usize) -> Vec<EF> {
        self.few.shuffle(&mut self.rng);
        self.few[..count].iter().map(|&e| e.into()).collect()
    }

    pub fn of(&self, step: Step) -> EF {
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
    pub fn say(&mut self, step: Step, values: &mut [EF]) {
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
    pub fn learn(&mut self, step: Step, r: EF) {
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
}
