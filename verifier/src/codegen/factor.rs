//! Factors a polynomial greedily: chooses which common factors to take out before summing.
//!
//! A sum is evaluated by Horner's rule in the folding challenge. A term costs about one instruction
//! per factor, and each power of the challenge costs one multiplication, which is free if a term of
//! one factor can be the addend. Taking a factor out of several terms saves one multiplication in
//! each; it pays if this saves more than evaluating the sum in parentheses costs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use droste_native::field::BaseField;
use smallvec::smallvec;

use super::polynomial::{
    Arena, AtomId, Atoms, Monomial, Polynomial, cost, is_addend, is_unit, magnitude,
};

/// A factor that several terms may have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Factor {
    Atom(AtomId),
    /// A coefficient, up to sign.
    Scale(u32),
}

/// Terms of one power of the challenge.
#[derive(Clone, Copy, Debug)]
struct Power {
    power: u32,
    terms: usize,
    addends: usize,
}

struct Term<K> {
    monomial: Monomial,
    coefficient: K,
    /// Index in [`Factoring::powers`].
    power: usize,
}

impl<K: BaseField> Term<K> {
    fn is_addend(&self) -> bool {
        is_addend(self.monomial.atoms.len(), is_unit(self.coefficient))
    }
}

struct Factoring<K> {
    /// Those of the polynomial in their order, which is that of their powers, and then sums in
    /// parentheses; none where a term has been taken out.
    terms: Vec<Option<Term<K>>>,
    /// What several terms have in common, in ascending order, with its part of `members`.
    factors: Vec<(Factor, Range<usize>)>,
    /// Terms that have a factor, in ascending order.
    members: Vec<u32>,
    powers: Vec<Power>,
}

/// Takes out of `polynomial` the common factors for which that pays; the sums in parentheses
/// become atoms of `arena`.
pub(super) fn factor<K: BaseField>(
    polynomial: &Polynomial<K>,
    arena: &mut Arena<K>,
) -> Polynomial<K> {
    let mut factoring = Factoring::new(polynomial);
    let mut queue: BinaryHeap<(isize, Reverse<usize>)> = (0..factoring.factors.len())
        .map(|factor| (factoring.gain(factor), Reverse(factor)))
        .filter(|&(gain, _)| gain > 0)
        .collect();
    if queue.is_empty() {
        return polynomial.clone();
    }
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
    let terms = factoring.terms.into_iter().flatten();
    Polynomial::sum(
        terms
            .map(|term| (term.monomial, term.coefficient))
            .collect(),
    )
}

impl<K: BaseField> Factoring<K> {
    fn new(polynomial: &Polynomial<K>) -> Self {
        let mut powers: Vec<Power> = Vec::new();
        let mut terms = Vec::with_capacity(polynomial.len());
        let mut having: Vec<(Factor, u32)> = Vec::with_capacity(3 * polynomial.len());
        for (i, (monomial, coefficient)) in (0..).zip(&polynomial.terms) {
            for same in monomial.atoms.chunk_by(|a, b| a == b) {
                having.push((Factor::Atom(same[0]), i));
            }
            if !is_unit(*coefficient) && !monomial.atoms.is_empty() {
                let scale = magnitude(*coefficient).0.as_canonical_u32();
                having.push((Factor::Scale(scale), i));
            }
            if powers
                .last()
                .is_none_or(|last| last.power != monomial.power)
            {
                powers.push(Power {
                    power: monomial.power,
                    terms: 0,
                    addends: 0,
                });
            }
            let term = Term {
                monomial: monomial.clone(),
                coefficient: *coefficient,
                power: powers.len() - 1,
            };
            let power = &mut powers[term.power];
            power.terms += 1;
            power.addends += usize::from(term.is_addend());
            terms.push(Some(term));
        }
        having.sort_unstable();
        let (mut factors, mut members) = (Vec::new(), Vec::new());
        for same in having.chunk_by(|(a, _), (b, _)| a == b) {
            if same.len() > 1 {
                let first = members.len();
                members.extend(same.iter().map(|&(_, term)| term));
                factors.push((same[0].0, first..members.len()));
            }
        }
        Self {
            terms,
            factors,
            members,
            powers,
        }
    }

    /// Indices and terms, of those that remain, that have a factor.
    fn members(&self, factor: usize) -> impl Iterator<Item = (usize, &Term<K>)> {
        self.members[self.factors[factor].1.clone()]
            .iter()
            .map(|&i| i as usize)
            .filter_map(|i| self.terms[i].as_ref().map(|term| (i, term)))
    }

    /// Instructions saved by taking a factor out of all the terms that have it.
    fn gain(&self, factor: usize) -> isize {
        let of_atom = matches!(self.factors[factor].0, Factor::Atom(_));
        let (mut before, mut after, mut count) = (0, 0, 0);
        let mut members = self.members(factor).map(|(_, term)| term).peekable();
        while let Some(power) = members.peek().map(|term| term.power) {
            let (mut terms, mut addends, mut inner_addends) = (0, 0, 0);
            while let Some(term) = members.next_if(|term| term.power == power) {
                let (atoms, unit) = (term.monomial.atoms.len(), is_unit(term.coefficient));
                // Without an atom, or without the coefficient but for its sign.
                let (inner_atoms, inner_unit) = if of_atom {
                    (atoms - 1, unit)
                } else {
                    (atoms, true)
                };
                before += cost(atoms, unit);
                after += cost(inner_atoms, inner_unit);
                terms += 1;
                addends += usize::from(is_addend(atoms, unit));
                inner_addends += usize::from(is_addend(inner_atoms, inner_unit));
            }
            let group = self.powers[power];
            // The factored term is in the group of the lowest power.
            let remaining = group.terms - terms + usize::from(count == 0);
            before += usize::from(group.addends == 0);
            after += usize::from(remaining > 0 && group.addends == addends);
            after += usize::from(inner_addends == 0);
            count += terms;
        }
        if count < 2 {
            return 0;
        }
        // There is a term more outside, and inside the first group needs no step, or starts with
        // its addend for free: these two cancel out.
        before as isize - after as isize
    }

    fn take_out(&mut self, factor: usize, arena: &mut Arena<K>) {
        let members: Vec<usize> = self.members(factor).map(|(i, _)| i).collect();
        let factor = self.factors[factor].0;
        let taken = members.into_iter().filter_map(|i| self.terms[i].take());
        let taken: Vec<Term<K>> = taken.collect();
        let Some(first) = taken.first().map(|term| term.power) else {
            return;
        };
        let lowest = self.powers[first].power;
        let mut inner = Vec::with_capacity(taken.len());
        for mut term in taken {
            let power = &mut self.powers[term.power];
            power.terms -= 1;
            power.addends -= usize::from(term.is_addend());
            match factor {
                Factor::Atom(atom) => {
                    if let Ok(i) = term.monomial.atoms.binary_search(&atom) {
                        term.monomial.atoms.remove(i);
                    }
                }
                Factor::Scale(scale) => term.coefficient *= K::from_u32(scale).inverse(),
            }
            term.monomial.power -= lowest;
            inner.push((term.monomial, term.coefficient));
        }
        let (mut coefficient, atom) = arena.share(Polynomial::sum(inner));
        let mut atoms: Atoms = smallvec![atom];
        match factor {
            Factor::Atom(common) => atoms.push(common),
            Factor::Scale(common) => coefficient *= K::from_u32(common),
        }
        atoms.sort_unstable();
        let term = Term {
            monomial: Monomial {
                power: lowest,
                atoms,
            },
            coefficient,
            power: first,
        };
        let power = &mut self.powers[first];
        power.terms += 1;
        power.addends += usize::from(term.is_addend());
        self.terms.push(Some(term));
    }
}
