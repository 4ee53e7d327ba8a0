//! Turns a polynomial into a straight-line program.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use droste_native::field::BaseField;

use super::Input;
use super::factor::factor;
use super::polynomial::{Arena, Atom, AtomId, Atoms, Monomial, Polynomial, is_unit};
use super::program::{Signed, StraightLine, Value};

/// Emits instructions that evaluate `polynomial` and the shared sums it needs, as few as these
/// rules find.
pub(super) fn schedule<K: BaseField>(
    polynomial: Polynomial<K>,
    arena: Arena<K>,
) -> StraightLine<K> {
    let multipliers = multipliers(&arena);
    let mut scheduler = Scheduler {
        arena,
        program: StraightLine::default(),
        done: Vec::new(),
        powers: BTreeMap::from([(1, Value::Input(Input::Alpha))]),
        multipliers,
        begun: BTreeSet::new(),
    };
    let result = scheduler.sum(&polynomial);
    scheduler.program.finish(result);
    scheduler.program
}

struct Scheduler<K> {
    arena: Arena<K>,
    program: StraightLine<K>,
    /// By atom.
    done: Vec<Option<Signed<K>>>,
    /// Powers of the folding challenge computed so far.
    powers: BTreeMap<u32, Value<K>>,
    /// Shared polynomials in the challenge alone, without atoms.
    multipliers: Vec<(AtomId, Rc<Polynomial<K>>)>,
    /// Multipliers whose evaluation has begun.
    begun: BTreeSet<AtomId>,
}

/// Running sum; `None` before its first term.
type Sum<K> = Option<Signed<K>>;

impl<K: BaseField> Scheduler<K> {
    fn atom(&mut self, id: AtomId) -> Signed<K> {
        if let Some(value) = self.value(id) {
            return value;
        }
        let value = match self.arena.atoms[id as usize].clone() {
            Atom::Input(input) => Signed::plus(Value::Input(input)),
            Atom::Shared(polynomial) if is_multiplier(&polynomial) => {
                self.multiplier(id, &polynomial)
            }
            Atom::Shared(polynomial) => self.sum(&polynomial),
        };
        let id = id as usize;
        if id >= self.done.len() {
            self.done.resize(self.arena.atoms.len(), None);
        }
        self.done[id] = Some(value);
        value
    }

    /// The value of an atom, if it is computed.
    fn value(&self, id: AtomId) -> Option<Signed<K>> {
        self.done.get(id as usize).copied().flatten()
    }

    /// `alpha^power`.
    fn power(&mut self, power: u32) -> Value<K> {
        if let Some(&value) = self.powers.get(&power) {
            return value;
        }
        // If this power is the product of two known powers, multiply them; otherwise square the
        // power of half the exponent.
        let split = self
            .powers
            .keys()
            .find(|&&p| p < power && self.powers.contains_key(&(power - p)))
            .copied()
            .unwrap_or(power / 2);
        let (x, y) = (self.power(split), self.power(power - split));
        let value = self.program.multiply(x, y);
        self.powers.insert(power, value);
        value
    }

    /// Evaluates a polynomial by Horner's rule over the powers of the challenge.
    fn sum(&mut self, polynomial: &Polynomial<K>) -> Signed<K> {
        let polynomial = factor(polynomial, &mut self.arena);
        let groups = polynomial
            .terms
            .chunk_by(|(m, _), (n, _)| m.power == n.power);
        let mut sum: Sum<K> = None;
        let mut above = 0;
        for group in groups.rev() {
            let power = group[0].0.power;
            let group: Vec<(K, Vec<Value<K>>)> = group
                .iter()
                .map(|(m, c)| self.resolve(&m.atoms, *c))
                .collect();
            sum = Some(self.group(sum, above - power.min(above), group));
            above = power;
        }
        let sum = sum.unwrap_or(Signed::plus(Value::Constant(K::ZERO)));
        self.shift(sum, above)
    }

    fn shift(&mut self, sum: Signed<K>, power: u32) -> Signed<K> {
        if power == 0 {
            return sum;
        }
        let power = self.power(power);
        Signed {
            value: self.program.multiply(sum.value, power),
            ..sum
        }
    }

    /// Evaluates the atoms; their signs go into the coefficient.
    fn resolve(&mut self, atoms: &[AtomId], mut coefficient: K) -> (K, Vec<Value<K>>) {
        let values = atoms
            .iter()
            .map(|&id| {
                let Signed { negated, value } = self.atom(id);
                if negated {
                    coefficient = -coefficient;
                }
                value
            })
            .collect();
        (coefficient, values)
    }

    /// `sum * alpha^gap + group`.
    fn group(&mut self, sum: Sum<K>, gap: u32, mut group: Vec<(K, Vec<Value<K>>)>) -> Signed<K> {
        let start = best_addend(sum, &group).map(|i| group.remove(i));
        let mut sum = match (sum, start) {
            (None, Some((c, values))) => start_with(c, &values),
            (None, None) => {
                let zero = Signed::plus(Value::Constant(K::ZERO));
                let (c, values) = group.remove(0);
                self.add_term(zero, c, values)
            }
            (Some(sum), None) => self.shift(sum, gap),
            (Some(sum), Some((c, values))) => {
                let power = self.power(gap);
                self.step(sum, power, c, &values)
            }
        };
        for (c, values) in group {
            sum = self.add_term(sum, c, values);
        }
        sum
    }

    /// `sum * power + c * value`, where `value` is an addend.
    fn step(&mut self, sum: Signed<K>, power: Value<K>, c: K, values: &[Value<K>]) -> Signed<K> {
        let Signed { negated, value } = sum;
        match values {
            [] => {
                let c = Value::Constant(if negated { -c } else { c });
                let value = self.program.multiply_add(value, power, c);
                Signed { negated, value }
            }
            [addend, ..] if (c == K::NEG_ONE) == negated => {
                let value = self.program.multiply_add(value, power, *addend);
                Signed { negated, value }
            }
            [addend, ..] => {
                let result = self.program.multiply_subtract(*addend, value, power);
                result.negated_if(c == K::NEG_ONE)
            }
        }
    }

    /// `sum + c * product of values`.
    fn add_term(&mut self, sum: Signed<K>, c: K, values: Vec<Value<K>>) -> Signed<K> {
        let Signed { negated, value } = sum;
        // Compute with `value`, which is the sum or its negation.
        let c = if negated { -c } else { c };
        let Some((&last, rest)) = values.split_last() else {
            let value = self.program.add(value, Value::Constant(c));
            return Signed { negated, value };
        };
        let (a, b, minus) = match rest.split_first() {
            None => (last, Value::Constant(c), false),
            Some((&first, middle)) => {
                let mut product = first;
                for &factor in middle {
                    product = self.program.multiply(product, factor);
                }
                if is_unit(c) {
                    (product, last, c == K::NEG_ONE)
                } else {
                    let product = self.program.multiply(product, last);
                    (product, Value::Constant(c), false)
                }
            }
        };
        if b == Value::Constant(K::NEG_ONE) {
            let value = self.program.subtract(value, a);
            return Signed { negated, value };
        }
        if minus {
            let result = self.program.multiply_subtract(value, a, b);
            return result.negated_if(negated);
        }
        let value = self.program.multiply_add(a, b, value);
        Signed { negated, value }
    }

    /// Evaluates a polynomial in the challenge alone. Each row of a circulant is the row before it
    /// times the challenge, except for the two terms that wrap around, so such a neighbour is
    /// looked for first.
    fn multiplier(&mut self, id: AtomId, polynomial: &Polynomial<K>) -> Signed<K> {
        self.begun.insert(id);
        let mut best: Option<(K, AtomId, Polynomial<K>)> = None;
        for (other, known) in &self.multipliers {
            if self.begun.contains(other) && self.value(*other).is_none() {
                continue;
            }
            for ratio in ratios(polynomial, known) {
                let shift = Monomial {
                    power: 1,
                    atoms: Atoms::new(),
                };
                let shifted = Polynomial::clone(known).times(-ratio, &shift);
                let difference = polynomial.clone().add_scaled(K::ONE, shifted);
                let bound = best.as_ref().map_or(polynomial.len() / 2, |b| b.2.len());
                if difference.len() < bound {
                    best = Some((ratio, *other, difference));
                }
            }
        }
        match best {
            None => self.sum(polynomial),
            Some((ratio, neighbour, difference)) => {
                let neighbour = self.atom(neighbour);
                self.neighbour(ratio, neighbour, &difference)
            }
        }
    }

    /// `ratio * alpha * neighbour + difference`.
    fn neighbour(
        &mut self,
        ratio: K,
        neighbour: Signed<K>,
        difference: &Polynomial<K>,
    ) -> Signed<K> {
        let ratio = if neighbour.negated { -ratio } else { ratio };
        let scaled = self
            .program
            .multiply(neighbour.value, Value::Constant(ratio));
        let alpha = self.power(1);
        let constant = difference.coefficient(&Monomial::default());
        let constant = Value::Constant(constant.unwrap_or(K::ZERO));
        let mut value = self.program.multiply_add(scaled, alpha, constant);
        for (monomial, c) in &difference.terms {
            if monomial.power > 0 {
                let power = self.power(monomial.power);
                value = self.program.multiply_add(power, Value::Constant(*c), value);
            }
        }
        Signed::plus(value)
    }
}

/// Smallest number of terms of a multiplier for which a neighbour is looked for.
const MIN_MULTIPLIER: usize = 5;

/// Largest number of multipliers among which neighbours are looked for.
const MAX_MULTIPLIERS: usize = 256;

fn multipliers<K: BaseField>(arena: &Arena<K>) -> Vec<(AtomId, Rc<Polynomial<K>>)> {
    let mut found = Vec::new();
    for (id, atom) in (0..).zip(&arena.atoms) {
        if let Atom::Shared(polynomial) = atom
            && is_multiplier(polynomial)
            && polynomial.len() >= MIN_MULTIPLIER
        {
            found.push((id, polynomial.clone()));
        }
    }
    found.truncate(MAX_MULTIPLIERS);
    found
}

fn is_multiplier<K: BaseField>(polynomial: &Polynomial<K>) -> bool {
    polynomial.terms.iter().all(|(m, _)| m.atoms.is_empty())
}

/// Ratios for which `polynomial - ratio * alpha * known` may have few terms.
fn ratios<K: BaseField>(polynomial: &Polynomial<K>, known: &Polynomial<K>) -> Vec<K> {
    let mut ratios = Vec::new();
    for (monomial, c) in polynomial.terms.iter().rev() {
        let Some(power) = monomial.power.checked_sub(1) else {
            continue;
        };
        let atoms = Atoms::new();
        if let Some(k) = known.coefficient(&Monomial { power, atoms }) {
            let ratio = *c * k.inverse();
            if !ratios.contains(&ratio) {
                ratios.push(ratio);
            }
        }
        if ratios.len() == 3 {
            break;
        }
    }
    ratios
}

/// Chooses the term of a group that is the addend of the step leading to the group. Prefers terms
/// that cost more to add later.
fn best_addend<K: BaseField>(sum: Sum<K>, group: &[(K, Vec<Value<K>>)]) -> Option<usize> {
    let rank = |(c, values): &(K, Vec<Value<K>>)| match values[..] {
        [] => Some(1),
        [value] if is_unit(*c) && value.is_scalar() => match sum {
            // A scalar can be an addend, but nothing can be subtracted from it.
            Some(sum) if sum.negated != (*c == K::NEG_ONE) => None,
            _ => Some(0),
        },
        [_] if is_unit(*c) => Some(2),
        _ => None,
    };
    (0..group.len())
        .filter_map(|i| rank(&group[i]).map(|r| (r, i)))
        .min()
        .map(|(_, i)| i)
}

/// Starts a sum with one addend.
fn start_with<K: BaseField>(c: K, values: &[Value<K>]) -> Signed<K> {
    match values {
        [] => Signed::plus(Value::Constant(c)),
        [value, ..] => Signed::plus(*value).negated_if(c == K::NEG_ONE),
    }
}
