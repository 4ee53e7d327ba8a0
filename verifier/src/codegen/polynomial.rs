//! Polynomials over atoms, with the folding challenge as a distinguished variable.

use std::collections::{BTreeMap, HashMap};

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32};

use super::Input;

/// Index of an atom in an [`Arena`].
pub(super) type AtomId = u32;

/// `alpha^power` times a product of atoms (sorted, with repetition).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Monomial {
    pub power: u32,
    pub atoms: Vec<AtomId>,
}

/// Sum of monomials with nonzero base field coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Polynomial {
    pub terms: BTreeMap<Monomial, F>,
}

/// A value that appears as a factor.
#[derive(Clone, Debug)]
pub(super) enum Atom {
    Input(Input),
    /// A polynomial computed once and used as a whole.
    Shared(Polynomial),
}

/// Atoms, equal ones merged.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pub atoms: Vec<Atom>,
    inputs: HashMap<Input, AtomId>,
    shared: HashMap<Polynomial, AtomId>,
}

impl Polynomial {
    pub(super) fn constant(value: F) -> Self {
        Self::term(value, Monomial::default())
    }

    pub(super) fn atom(id: AtomId) -> Self {
        let atoms = vec![id];
        Self::term(F::ONE, Monomial { power: 0, atoms })
    }

    pub(super) fn term(coefficient: F, monomial: Monomial) -> Self {
        let mut result = Self::default();
        result.add(monomial, coefficient);
        result
    }

    pub(super) fn add(&mut self, monomial: Monomial, coefficient: F) {
        if coefficient == F::ZERO {
            return;
        }
        match self.terms.entry(monomial) {
            std::collections::btree_map::Entry::Vacant(slot) => {
                slot.insert(coefficient);
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => {
                *slot.get_mut() += coefficient;
                if *slot.get() == F::ZERO {
                    let _ = slot.remove();
                }
            }
        }
    }

    /// `self + scale * other`.
    pub(super) fn add_scaled(mut self, scale: F, mut other: Self) -> Self {
        if other.len() > self.len() && scale == F::ONE {
            std::mem::swap(&mut self, &mut other);
        }
        for (monomial, c) in other.terms {
            self.add(monomial, c * scale);
        }
        self
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The value of a polynomial without variables.
    pub(super) fn as_constant(&self) -> Option<F> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (None, _) => Some(F::ZERO),
            (Some((m, &c)), None) if *m == Monomial::default() => Some(c),
            _ => None,
        }
    }

    /// Removes the constant term.
    pub(super) fn take_constant(&mut self) -> F {
        self.terms.remove(&Monomial::default()).unwrap_or(F::ZERO)
    }

    pub(super) fn scaled(mut self, scale: F) -> Self {
        if scale == F::ZERO {
            return Self::default();
        }
        if scale != F::ONE {
            self.terms.values_mut().for_each(|c| *c *= scale);
        }
        self
    }

    /// Product with `coefficient * monomial`.
    pub(super) fn times(self, coefficient: F, monomial: &Monomial) -> Self {
        let mut result = Self::default();
        for (m, c) in self.terms {
            result.add(m.times(monomial), c * coefficient);
        }
        result
    }
}

impl Monomial {
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut atoms = self.atoms.clone();
        atoms.extend_from_slice(&other.atoms);
        atoms.sort_unstable();
        Self {
            power: self.power + other.power,
            atoms,
        }
    }

    /// Instructions that add this term to a running sum: all but one multiplication fuse with
    /// the addition, and a coefficient other than one and minus one is one more factor.
    pub(super) fn cost(&self, coefficient: F) -> usize {
        match self.atoms.len() {
            0 | 1 => 1,
            n => n - 1 + usize::from(!is_unit(coefficient)),
        }
    }

    /// Whether the term can be the addend of a fused multiply-add, at no instruction of its own.
    pub(super) fn is_addend(&self, coefficient: F) -> bool {
        self.atoms.is_empty() || (self.atoms.len() == 1 && is_unit(coefficient))
    }
}

/// Whether `c` is 1 or -1.
pub(super) fn is_unit(c: F) -> bool {
    c == F::ONE || c == F::NEG_ONE
}

/// The smaller of `c` and `-c` as integers, and the sign that was dropped.
pub(super) fn magnitude(c: F) -> (F, F) {
    if c.as_canonical_u32() <= (-c).as_canonical_u32() {
        (c, F::ONE)
    } else {
        (-c, F::NEG_ONE)
    }
}

impl Arena {
    pub(super) fn input(&mut self, input: Input) -> AtomId {
        if let Some(&id) = self.inputs.get(&input) {
            return id;
        }
        let id = self.push(Atom::Input(input));
        self.inputs.insert(input, id);
        id
    }

    /// Makes `polynomial` a value of its own: returns `scale` and the atom with
    /// `polynomial = scale * atom`. Polynomials that differ by sign, or by a factor common to
    /// all terms, share their atom.
    pub(super) fn share(&mut self, polynomial: Polynomial) -> (F, AtomId) {
        let scale = common_factor(&polynomial);
        let polynomial = polynomial.scaled(scale.inverse());
        if let Some((monomial, &c)) = polynomial.terms.first_key_value()
            && polynomial.len() == 1
            && monomial.power == 0
            && let [atom] = monomial.atoms[..]
        {
            return (scale * c, atom);
        }
        if let Some(&id) = self.shared.get(&polynomial) {
            return (scale, id);
        }
        let id = self.push(Atom::Shared(polynomial.clone()));
        self.shared.insert(polynomial, id);
        (scale, id)
    }

    /// Replaces each atom that is used once, as a term of its own, by the terms it stands for:
    /// computing them in place saves the addition. `root` is the sum that everything serves.
    pub(super) fn inline(&mut self, root: Polynomial) -> Polynomial {
        let mut uses = vec![0_usize; self.atoms.len()];
        let mut pending: Vec<AtomId> = Vec::new();
        let mut count = |polynomial: &Polynomial, pending: &mut Vec<AtomId>| {
            for &atom in polynomial.terms.keys().flat_map(|m| &m.atoms) {
                uses[atom as usize] += 1;
                if uses[atom as usize] == 1 {
                    pending.push(atom);
                }
            }
        };
        count(&root, &mut pending);
        while let Some(atom) = pending.pop() {
            if let Atom::Shared(polynomial) = &self.atoms[atom as usize] {
                count(polynomial, &mut pending);
            }
        }
        // Shared sums use only atoms made before them, so one pass in order of creation does.
        for id in 0..self.atoms.len() {
            if let Atom::Shared(polynomial) = &self.atoms[id] {
                self.atoms[id] = Atom::Shared(self.inlined(polynomial, &uses));
            }
        }
        self.inlined(&root, &uses)
    }

    fn inlined(&self, polynomial: &Polynomial, uses: &[usize]) -> Polynomial {
        let mut result = Polynomial::default();
        for (monomial, &coefficient) in &polynomial.terms {
            match monomial.atoms[..] {
                [atom] if uses[atom as usize] == 1 => match &self.atoms[atom as usize] {
                    Atom::Shared(inner) => {
                        let power = monomial.power;
                        let atoms = Vec::new();
                        let terms = inner.clone().times(coefficient, &Monomial { power, atoms });
                        result = result.add_scaled(F::ONE, terms);
                    }
                    Atom::Input(_) => result.add(monomial.clone(), coefficient),
                },
                _ => result.add(monomial.clone(), coefficient),
            }
        }
        result
    }

    fn push(&mut self, atom: Atom) -> AtomId {
        self.atoms.push(atom);
        AtomId::try_from(self.atoms.len() - 1).expect("fewer than 2^32 atoms")
    }
}

/// A nonzero scale that makes equal the polynomials we want to share. The sign is that of the
/// last term, which is never the constant unless it is alone.
fn common_factor(polynomial: &Polynomial) -> F {
    let Some((_, &last)) = polynomial.terms.last_key_value() else {
        return F::ONE;
    };
    let (size, sign) = magnitude(last);
    let common = polynomial.terms.values().all(|&c| magnitude(c).0 == size);
    if common { size * sign } else { sign }
}
