//! Greedy factoring of a polynomial: which common factors to take out before summing.
//!
//! A sum is evaluated by Horner's rule in the folding challenge, so a term costs by its number of
//! factors, and each power of the challenge costs one multiplication, which is free where a term
//! of one factor can be the addend. Taking a factor out of several terms saves one multiplication
//! in each; it pays when that is more than the sum in parentheses costs of its own.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use droste_native::F;
use p3_field::{Field, PrimeField32};

use super::polynomial::{Arena, AtomId, Monomial, Polynomial, is_unit, magnitude};

/// Something common to several terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Factor {
    Atom(AtomId),
    /// Coefficients equal up to sign.
    Scale(u32),
}

/// Terms of one power of the challenge.
#[derive(Clone, Copy, Debug, Default)]
struct Power {
    terms: usize,
    addends: usize,
}

struct Factoring {
    terms: Vec<Option<(Monomial, F)>>,
    with_factor: BTreeMap<Factor, Vec<usize>>,
    powers: BTreeMap<u32, Power>,
}

/// Rewrites `polynomial` with the common factors that pay taken out; the sums in parentheses
/// become atoms of `arena`.
pub(super) fn factor(polynomial: Polynomial, arena: &mut Arena) -> Polynomial {
    if polynomial.len() < 2 {
        return polynomial;
    }
    let mut factoring = Factoring::new(polynomial);
    let mut queue: BinaryHeap<(isize, Reverse<Factor>)> = factoring
        .with_factor
        .keys()
        .map(|&f| (factoring.gain(f), Reverse(f)))
        .filter(|&(gain, _)| gain > 0)
        .collect();
    while let Some((claimed, Reverse(factor))) = queue.pop() {
        let gain = factoring.gain(factor);
        if gain <= 0 {
            continue;
        }
        if gain < claimed && queue.peek().is_some_and(|&(next, _)| next > gain) {
            queue.push((gain, Reverse(factor)));
            continue;
        }
        factoring.take_out(factor, arena);
    }
    let mut result = Polynomial::default();
    for (monomial, coefficient) in factoring.terms.into_iter().flatten() {
        result.add(monomial, coefficient);
    }
    result
}

impl Factoring {
    fn new(polynomial: Polynomial) -> Self {
        let mut with_factor: BTreeMap<Factor, Vec<usize>> = BTreeMap::new();
        let mut powers: BTreeMap<u32, Power> = BTreeMap::new();
        let mut terms = Vec::with_capacity(polynomial.len());
        for (i, (monomial, coefficient)) in polynomial.terms.into_iter().enumerate() {
            let mut atoms = monomial.atoms.clone();
            atoms.dedup();
            for atom in atoms {
                with_factor.entry(Factor::Atom(atom)).or_default().push(i);
            }
            if !is_unit(coefficient) && !monomial.atoms.is_empty() {
                let scale = magnitude(coefficient).0.as_canonical_u32();
                with_factor.entry(Factor::Scale(scale)).or_default().push(i);
            }
            let power = powers.entry(monomial.power).or_default();
            power.terms += 1;
            power.addends += usize::from(monomial.is_addend(coefficient));
            terms.push(Some((monomial, coefficient)));
        }
        with_factor.retain(|_, terms| terms.len() > 1);
        Self {
            terms,
            with_factor,
            powers,
        }
    }

    /// Remaining terms with a factor.
    fn members(&self, factor: Factor) -> impl Iterator<Item = (usize, &Monomial, F)> {
        self.with_factor[&factor]
            .iter()
            .filter_map(|&i| self.terms[i].as_ref().map(|(m, c)| (i, m, *c)))
    }

    /// Instructions saved by taking `factor` out of all the terms that have it.
    fn gain(&self, factor: Factor) -> isize {
        let mut touched: BTreeMap<u32, (Power, Power)> = BTreeMap::new();
        let (mut before, mut after, mut count) = (0, 0, 0);
        for (_, monomial, coefficient) in self.members(factor) {
            count += 1;
            let (rest, c) = divide(monomial, coefficient, factor);
            before += monomial.cost(coefficient);
            after += rest.cost(c);
            let (outer, inner) = touched.entry(monomial.power).or_default();
            outer.terms += 1;
            outer.addends += usize::from(monomial.is_addend(coefficient));
            inner.addends += usize::from(rest.is_addend(c));
        }
        if count < 2 {
            return 0;
        }
        // The factored term, in the group of the lowest power.
        after += 1;
        for (i, (power, (outer, inner))) in touched.iter().enumerate() {
            let group = self.powers[power];
            let remaining = group.terms - outer.terms + usize::from(i == 0);
            before += usize::from(group.addends == 0);
            after += usize::from(remaining > 0 && group.addends == outer.addends);
            after += usize::from(inner.addends == 0);
        }
        // Inside, the first group needs no step, or starts with its addend for free.
        before as isize - (after as isize - 1)
    }

    fn take_out(&mut self, factor: Factor, arena: &mut Arena) {
        let members: Vec<usize> = self.members(factor).map(|(i, _, _)| i).collect();
        let mut inner = Polynomial::default();
        let mut lowest = u32::MAX;
        for &i in &members {
            if let Some((monomial, _)) = &self.terms[i] {
                lowest = lowest.min(monomial.power);
            }
        }
        for i in members {
            let Some((monomial, coefficient)) = self.terms[i].take() else {
                continue;
            };
            let power = self.powers.entry(monomial.power).or_default();
            power.terms -= 1;
            power.addends -= usize::from(monomial.is_addend(coefficient));
            let (mut rest, c) = divide(&monomial, coefficient, factor);
            rest.power -= lowest;
            inner.add(rest, c);
        }
        let (scale, atom) = arena.share(inner);
        let mut atoms = vec![atom];
        let mut coefficient = scale;
        match factor {
            Factor::Atom(common) => atoms.push(common),
            Factor::Scale(common) => coefficient *= F::new(common),
        }
        atoms.sort_unstable();
        let monomial = Monomial {
            power: lowest,
            atoms,
        };
        let power = self.powers.entry(lowest).or_default();
        power.terms += 1;
        power.addends += usize::from(monomial.is_addend(coefficient));
        self.terms.push(Some((monomial, coefficient)));
    }
}

fn divide(monomial: &Monomial, coefficient: F, factor: Factor) -> (Monomial, F) {
    let mut monomial = monomial.clone();
    match factor {
        Factor::Atom(atom) => {
            if let Ok(i) = monomial.atoms.binary_search(&atom) {
                monomial.atoms.remove(i);
            }
            (monomial, coefficient)
        }
        Factor::Scale(scale) => (monomial, coefficient * F::new(scale).inverse()),
    }
}
