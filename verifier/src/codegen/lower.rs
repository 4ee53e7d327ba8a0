//! Turns a graph of expressions into one polynomial: the constraints folded by the challenge.

use droste_native::field::BaseField;
use smallvec::smallvec;

use super::Input;
use super::cells::element;
use super::expression::{Leaf, Node};
use super::polynomial::{Arena, Atoms, Monomial, Polynomial};

/// Largest number of terms of a sum that is copied into each of its users instead of being computed
/// once.
const MAX_INLINED: usize = 64;

/// How to treat a sum that several constraints use, but only linearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Compute it once.
    Share,
    /// Copy its terms into every user, so that what multiplies each of its atoms in the folded sum
    /// becomes a polynomial in the challenge alone. Rounds of a hash that end in the same linear
    /// layer share these polynomials, so the layer's transpose is evaluated once for all rounds.
    Transpose,
}

/// Folds `n` constraints: `sum over k of alpha^(n-1-k) * constraints[k]`. Challenges have this
/// degree.
pub(super) fn fold<K: BaseField>(
    nodes: &[Node],
    constraints: &[usize],
    degree: usize,
    strategy: Strategy,
    arena: &mut Arena<K>,
) -> Polynomial<K> {
    let mut lowering = Lowering::new(nodes, constraints, degree, strategy, arena);
    lowering.run();
    let mut folded = Vec::new();
    for (k, &constraint) in constraints.iter().enumerate() {
        let power = u32::try_from(constraints.len() - 1 - k).expect("fewer than 2^32 constraints");
        for (monomial, coefficient) in lowering.take(constraint).terms {
            let atoms = monomial.atoms;
            folded.push((Monomial { power, atoms }, coefficient));
        }
    }
    Polynomial::sum(folded)
}

struct Lowering<'a, K> {
    nodes: &'a [Node],
    degree: usize,
    arena: &'a mut Arena<K>,
    /// How often each node is used, by other nodes and as a constraint.
    uses: Vec<usize>,
    /// Nodes that reach constraints only through additions and constant factors.
    linear_only: Vec<bool>,
    /// Nodes that are a factor of a product.
    multiplied: Vec<bool>,
    strategy: Strategy,
    polynomials: Vec<Option<Polynomial<K>>>,
}

impl<'a, K: BaseField> Lowering<'a, K> {
    fn new(
        nodes: &'a [Node],
        constraints: &[usize],
        degree: usize,
        strategy: Strategy,
        arena: &'a mut Arena<K>,
    ) -> Self {
        let mut uses = vec![0; nodes.len()];
        let mut linear_only = vec![true; nodes.len()];
        let mut multiplied = vec![false; nodes.len()];
        for &constraint in constraints {
            uses[constraint] += 1;
        }
        let is_constant = |node: usize| matches!(nodes[node], Node::Constant(_));
        for (i, node) in nodes.iter().enumerate().rev() {
            if uses[i] == 0 {
                continue;
            }
            let linear = match *node {
                Node::Mul(x, y) => is_constant(x) || is_constant(y),
                _ => true,
            };
            for operand in node.operands() {
                uses[operand] += 1;
                linear_only[operand] &= linear && linear_only[i];
                multiplied[operand] |= !linear;
            }
        }
        Self {
            nodes,
            degree,
            arena,
            uses,
            linear_only,
            multiplied,
            strategy,
            polynomials: vec![None; nodes.len()],
        }
    }

    fn run(&mut self) {
        for (i, &node) in self.nodes.iter().enumerate() {
            if self.uses[i] == 0 {
                continue;
            }
            let mut polynomial = match node {
                Node::Constant(c) => Polynomial::constant(element(c)),
                Node::Leaf(Leaf::Input(input)) => Polynomial::atom(self.arena.input(input)),
                Node::Leaf(Leaf::Permutation { next, column }) => self.recompose(next, column),
                Node::Add(x, y) => {
                    let (x, y) = (self.take(x), self.take(y));
                    x.add_scaled(K::ONE, y)
                }
                Node::Sub(x, y) => {
                    let (x, y) = (self.take(x), self.take(y));
                    x.add_scaled(K::NEG_ONE, y)
                }
                Node::Neg(x) => self.take(x).scaled(K::NEG_ONE),
                Node::Mul(x, y) => {
                    let (x, y) = (self.take(x), self.take(y));
                    self.product(x, y)
                }
            };
            if self.uses[i] > 1 && !self.is_inlined(i, &polynomial) {
                // The constant of a sum that is only added to other sums is kept separate, so that
                // it merges with their constants.
                let mut constant = K::ZERO;
                if !self.multiplied[i] {
                    constant = polynomial.take_constant();
                }
                polynomial = self.shared(polynomial);
                polynomial.add(Monomial::default(), constant);
            }
            self.polynomials[i] = Some(polynomial);
        }
    }

    /// Returns the polynomial of a node; the last use moves it out.
    fn take(&mut self, id: usize) -> Polynomial<K> {
        self.uses[id] -= 1;
        let slot = &mut self.polynomials[id];
        let polynomial = if self.uses[id] == 0 {
            slot.take()
        } else {
            slot.clone()
        };
        polynomial.expect("operands are lowered before their users")
    }

    /// Whether a node with several users is copied into each.
    fn is_inlined(&self, node: usize, polynomial: &Polynomial<K>) -> bool {
        let keep_constant = self.multiplied[node];
        let terms = polynomial.terms.iter().map(|(m, _)| m);
        let mut terms = terms.filter(|m| keep_constant || !m.atoms.is_empty());
        match (terms.next(), terms.next()) {
            (None, _) => true,
            // The polynomial is a multiple of an atom, plus a constant.
            (Some(monomial), None) => monomial.atoms.len() <= 1,
            _ => {
                self.strategy == Strategy::Transpose
                    && self.linear_only[node]
                    && polynomial.len() <= MAX_INLINED
            }
        }
    }

    fn shared(&mut self, polynomial: Polynomial<K>) -> Polynomial<K> {
        if polynomial.as_constant().is_some() {
            return polynomial;
        }
        let (scale, atom) = self.arena.share(polynomial);
        Polynomial::atom(atom).scaled(scale)
    }

    /// Expands a product if that adds no term, and otherwise multiplies shared sums. Factoring the
    /// sum later finds common factors again that are expanded here.
    fn product(&mut self, x: Polynomial<K>, y: Polynomial<K>) -> Polynomial<K> {
        let (short, long) = if x.len() <= y.len() { (x, y) } else { (y, x) };
        if let [(monomial, coefficient)] = &short.terms[..] {
            return long.times(*coefficient, monomial);
        }
        if short.len() == 0 {
            return short;
        }
        let (short, long) = (self.shared(short), self.shared(long));
        let (monomial, coefficient) = short.terms.first().expect("a shared sum is one term");
        long.times(*coefficient, monomial)
    }

    /// The extension column `sum over i of X^i * flat column i`, computed once.
    fn recompose(&mut self, next: bool, column: usize) -> Polynomial<K> {
        let mut terms = Vec::with_capacity(self.degree);
        for i in 0..self.degree {
            let mut atoms: Atoms = smallvec![self.arena.input(Input::Permutation {
                next,
                column: self.degree * column + i,
            })];
            if i > 0 {
                atoms.push(self.arena.input(Input::Basis(i)));
            }
            atoms.sort_unstable();
            terms.push((Monomial { power: 0, atoms }, K::ONE));
        }
        self.shared(Polynomial::sum(terms))
    }
}
