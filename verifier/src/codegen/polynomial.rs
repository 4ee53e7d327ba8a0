//! Polynomials over atoms, with the folding challenge as a distinguished variable.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use droste_native::field::BaseField;
use smallvec::{SmallVec, smallvec};

use super::Input;

/// Index of an atom in an [`Arena`].
pub(super) type AtomId = u32;

/// Factors of a product, sorted, with repetition: seldom more than the degree of a constraint.
pub(super) type Atoms = SmallVec<[AtomId; 4]>;

/// `alpha^power` times a product of atoms.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Monomial {
    pub power: u32,
    pub atoms: Atoms,
}

/// Sum of monomials, in ascending order, with nonzero base field coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial<K> {
    pub terms: Vec<(Monomial, K)>,
}

/// A value that appears as a factor.
#[derive(Clone, Debug)]
pub(super) enum Atom<K> {
    Input(Input),
    /// A polynomial computed once and used as a whole.
    Shared(Rc<Polynomial<K>>),
}

/// The atoms, in which equal ones are merged.
#[derive(Debug, Default)]
pub(super) struct Arena<K> {
    pub atoms: Vec<Atom<K>>,
    inputs: HashMap<Input, AtomId>,
    shared: HashMap<Rc<Polynomial<K>>, AtomId>,
}

/// The standard hasher takes far longer over each number of a large polynomial.
impl<K: BaseField> Hash for Polynomial<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut folded = 0_u64;
        let mut fold = |number: u32| {
            folded = (folded.rotate_left(5) ^ u64::from(number)).wrapping_mul(MULTIPLIER);
        };
        for (monomial, coefficient) in &self.terms {
            fold(monomial.power);
            monomial.atoms.iter().for_each(|&atom| fold(atom));
            fold(coefficient.as_canonical_u32());
        }
        state.write_u64(folded);
    }
}

/// An odd number near 2^64 over the golden ratio, by which hashes are mixed.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl<K: BaseField> Polynomial<K> {
    pub(super) fn constant(value: K) -> Self {
        Self::term(value, Monomial::default())
    }

    pub(super) fn atom(id: AtomId) -> Self {
        let atoms = smallvec![id];
        Self::term(K::ONE, Monomial { power: 0, atoms })
    }

    pub(super) fn term(coefficient: K, monomial: Monomial) -> Self {
        Self::sum(vec![(monomial, coefficient)])
    }

    /// The sum of terms in any order, monomials among them that are equal or have no coefficient.
    pub(super) fn sum(mut terms: Vec<(Monomial, K)>) -> Self {
        terms.sort_by(|(a, _), (b, _)| a.cmp(b));
        terms.dedup_by(|(next, more), (monomial, coefficient)| {
            let equal = next == monomial;
            if equal {
                *coefficient += *more;
            }
            equal
        });
        terms.retain(|&(_, c)| c != K::ZERO);
        Self { terms }
    }

    fn position(&self, monomial: &Monomial) -> Result<usize, usize> {
        self.terms.binary_search_by(|(m, _)| m.cmp(monomial))
    }

    /// The coefficient of a monomial, if it is not zero.
    pub(super) fn coefficient(&self, monomial: &Monomial) -> Option<K> {
        self.position(monomial).ok().map(|i| self.terms[i].1)
    }

    pub(super) fn add(&mut self, monomial: Monomial, coefficient: K) {
        if coefficient == K::ZERO {
            return;
        }
        match self.position(&monomial) {
            Err(i) => self.terms.insert(i, (monomial, coefficient)),
            Ok(i) => {
                self.terms[i].1 += coefficient;
                if self.terms[i].1 == K::ZERO {
                    let _ = self.terms.remove(i);
                }
            }
        }
    }

    /// `self + scale * other`.
    pub(super) fn add_scaled(mut self, scale: K, mut other: Self) -> Self {
        if other.len() > self.len() && scale == K::ONE {
            std::mem::swap(&mut self, &mut other);
        }
        let more = other.terms.into_iter().map(|(m, c)| (m, c * scale));
        if more.len() < self.len() / 8 {
            more.for_each(|(m, c)| self.add(m, c));
            return self;
        }
        self.terms.extend(more);
        Self::sum(self.terms)
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The value of a constant polynomial.
    pub(super) fn as_constant(&self) -> Option<K> {
        match &self.terms[..] {
            [] => Some(K::ZERO),
            [(m, c)] if *m == Monomial::default() => Some(*c),
            _ => None,
        }
    }

    /// Removes and returns the constant term.
    pub(super) fn take_constant(&mut self) -> K {
        match self.terms.first() {
            Some((m, _)) if *m == Monomial::default() => self.terms.remove(0).1,
            _ => K::ZERO,
        }
    }

    pub(super) fn scaled(mut self, scale: K) -> Self {
        if scale == K::ZERO {
            return Self::default();
        }
        if scale != K::ONE {
            self.terms.iter_mut().for_each(|(_, c)| *c *= scale);
        }
        self
    }

    /// Multiplies by `coefficient * monomial`.
    pub(super) fn times(self, coefficient: K, monomial: &Monomial) -> Self {
        let terms = self.terms.into_iter();
        Self::sum(
            terms
                .map(|(m, c)| (m.times(monomial), c * coefficient))
                .collect(),
        )
    }
}

impl Clone for Monomial {
    fn clone(&self) -> Self {
        Self {
            power: self.power,
            // Copies them at once, which the vector's own `clone` does not.
            atoms: Atoms::from_slice(&self.atoms),
        }
    }
}

impl Monomial {
    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = self.clone();
        product.power += other.power;
        if !other.atoms.is_empty() {
            product.atoms.extend_from_slice(&other.atoms);
            product.atoms.sort_unstable();
        }
        product
    }

    /// Number of instructions that add this term, with this coefficient, to a running sum (see
    /// [`cost`]).
    pub(super) fn cost<K: BaseField>(&self, coefficient: K) -> usize {
        cost(self.atoms.len(), is_unit(coefficient))
    }
}

/// Number of instructions that add a term of `atoms` atoms to a running sum. The last
/// multiplication fuses with the addition, and a coefficient that is neither one nor minus one
/// (`unit`) counts as a factor.
pub(super) fn cost(atoms: usize, unit: bool) -> usize {
    match atoms {
        0 | 1 => 1,
        n => n - 1 + usize::from(!unit),
    }
}

/// Whether a term of so many atoms can be the addend of a fused multiply-add, at no instruction of
/// its own.
pub(super) fn is_addend(atoms: usize, unit: bool) -> bool {
    atoms == 0 || (atoms == 1 && unit)
}

/// Whether `c` is 1 or -1.
pub(super) fn is_unit<K: BaseField>(c: K) -> bool {
    c == K::ONE || c == K::NEG_ONE
}

/// Returns the smaller of `c` and `-c` as integers, and the sign that was dropped.
pub(super) fn magnitude<K: BaseField>(c: K) -> (K, K) {
    if c.as_canonical_u32() <= (-c).as_canonical_u32() {
        (c, K::ONE)
    } else {
        (-c, K::NEG_ONE)
    }
}

impl<K: BaseField> Arena<K> {
    pub(super) fn input(&mut self, input: Input) -> AtomId {
        if let Some(&id) = self.inputs.get(&input) {
            return id;
        }
        let id = self.push(Atom::Input(input));
        self.inputs.insert(input, id);
        id
    }

    /// Makes `polynomial` a shared value: returns `scale` and an atom with
    /// `polynomial = scale * atom`. Polynomials that differ by sign, or by a factor common to all
    /// terms, share their atom.
    pub(super) fn share(&mut self, polynomial: Polynomial<K>) -> (K, AtomId) {
        let scale = common_factor(&polynomial);
        let polynomial = polynomial.scaled(scale.inverse());
        if let [(monomial, c)] = &polynomial.terms[..]
            && monomial.power == 0
            && let [atom] = monomial.atoms[..]
        {
            return (scale * *c, atom);
        }
        if let Some(&id) = self.shared.get(&polynomial) {
            return (scale, id);
        }
        let polynomial = Rc::new(polynomial);
        let id = self.push(Atom::Shared(polynomial.clone()));
        self.shared.insert(polynomial, id);
        (scale, id)
    }

    /// Replaces each atom that is used only once, as a term of its own, by the terms it stands for:
    /// computing them in place saves the addition. `root` is the sum that is evaluated in the end.
    pub(super) fn inline(&mut self, root: Polynomial<K>) -> Polynomial<K> {
        let mut uses = vec![0_usize; self.atoms.len()];
        let mut pending: Vec<AtomId> = Vec::new();
        let mut count = |polynomial: &Polynomial<K>, pending: &mut Vec<AtomId>| {
            for &atom in polynomial.terms.iter().flat_map(|(m, _)| &m.atoms) {
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
        // Shared sums use only atoms made before them, so one pass in order of creation is enough.
        for id in 0..self.atoms.len() {
            if let Atom::Shared(polynomial) = &self.atoms[id] {
                self.atoms[id] = Atom::Shared(Rc::new(self.inlined(polynomial, &uses)));
            }
        }
        self.inlined(&root, &uses)
    }

    fn inlined(&self, polynomial: &Polynomial<K>, uses: &[usize]) -> Polynomial<K> {
        let mut terms = Vec::with_capacity(polynomial.len());
        for (monomial, coefficient) in &polynomial.terms {
            match monomial.atoms[..] {
                [atom] if uses[atom as usize] == 1 => match &self.atoms[atom as usize] {
                    Atom::Shared(inner) => {
                        let shift = Monomial {
                            power: monomial.power,
                            atoms: Atoms::new(),
                        };
                        let inner = inner.terms.iter();
                        terms.extend(inner.map(|(m, c)| (m.times(&shift), *c * *coefficient)));
                    }
                    Atom::Input(_) => terms.push((monomial.clone(), *coefficient)),
                },
                _ => terms.push((monomial.clone(), *coefficient)),
            }
        }
        Polynomial::sum(terms)
    }

    fn push(&mut self, atom: Atom<K>) -> AtomId {
        self.atoms.push(atom);
        AtomId::try_from(self.atoms.len() - 1).expect("fewer than 2^32 atoms")
    }
}

/// A nonzero scale such that polynomials that should share an atom are equal after division by it.
/// Its sign is the sign of the last term, which is the constant only if there is no other term.
fn common_factor<K: BaseField>(polynomial: &Polynomial<K>) -> K {
    let Some(&(_, last)) = polynomial.terms.last() else {
        return K::ONE;
    };
    let (size, sign) = magnitude(last);
    let mut terms = polynomial.terms.iter();
    let common = terms.all(|&(_, c)| magnitude(c).0 == size);
    if common { size * sign } else { sign }
}
