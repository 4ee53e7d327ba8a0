//! From a graph of expressions to one polynomial: the constraints folded by the challenge.

use droste_native::F;
use droste_native::field::EXTENSION_DEGREE;
use p3_field::PrimeCharacteristicRing;

use super::Input;
use super::expression::{Graph, Node, NodeId};
use super::polynomial::{Arena, AtomId, Monomial, Polynomial};

/// Largest sum that is copied into each of its users rather than computed once.
const MAX_INLINED: usize = 64;

/// What to do with a sum that several constraints use, but only linearly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Compute it once.
    Share,
    /// Copy its terms into every user, so that what multiplies each of its atoms in the folded
    /// sum becomes a polynomial in the challenge alone. Such polynomials are common to rounds of
    /// a hash that end in the same linear layer: one evaluation of the layer's transpose serves
    /// all rounds.
    Transpose,
}

/// `sum over k of alpha^(n-1-k) * constraints[k]`.
pub(super) fn fold(
    graph: &Graph<'_>,
    constraints: &[NodeId],
    strategy: Strategy,
    arena: &mut Arena,
) -> Polynomial {
    let mut lowering = Lowering::new(graph, constraints, strategy, arena);
    lowering.run();
    let mut folded = Polynomial::default();
    for (k, &constraint) in constraints.iter().enumerate() {
        let power = u32::try_from(constraints.len() - 1 - k).expect("fewer than 2^32 constraints");
        for (monomial, coefficient) in lowering.take(constraint).terms {
            let atoms = monomial.atoms;
            folded.add(Monomial { power, atoms }, coefficient);
        }
    }
    folded
}

struct Lowering<'a> {
    graph: &'a Graph<'a>,
    arena: &'a mut Arena,
    /// How often each node is used, by other nodes and as a constraint.
    uses: Vec<usize>,
    /// Nodes that reach constraints only through additions and constant factors.
    linear_only: Vec<bool>,
    /// Nodes that are a factor of a product.
    multiplied: Vec<bool>,
    strategy: Strategy,
    polynomials: Vec<Option<Polynomial>>,
}

impl<'a> Lowering<'a> {
    fn new(
        graph: &'a Graph<'a>,
        constraints: &[NodeId],
        strategy: Strategy,
        arena: &'a mut Arena,
    ) -> Self {
        let nodes = &graph.nodes;
        let mut uses = vec![0; nodes.len()];
        let mut linear_only = vec![true; nodes.len()];
        let mut multiplied = vec![false; nodes.len()];
        for &constraint in constraints {
            uses[constraint as usize] += 1;
        }
        let is_constant = |id: NodeId| matches!(nodes[id as usize], Node::Constant(_));
        for (i, node) in nodes.iter().enumerate().rev() {
            if uses[i] == 0 {
                continue;
            }
            let linear = match *node {
                Node::Mul(x, y) => is_constant(x) || is_constant(y),
                _ => true,
            };
            for operand in node.operands() {
                uses[operand as usize] += 1;
                linear_only[operand as usize] &= linear && linear_only[i];
                multiplied[operand as usize] |= !linear;
            }
        }
        Self {
            graph,
            arena,
            uses,
            linear_only,
            multiplied,
            strategy,
            polynomials: vec![None; nodes.len()],
        }
    }

    fn run(&mut self) {
        for (i, &node) in self.graph.nodes.iter().enumerate() {
            if self.uses[i] == 0 {
                continue;
            }
            let mut polynomial = match node {
                Node::Constant(c) => Polynomial::constant(c),
                Node::Input(input) => Polynomial::atom(self.arena.input(input)),
                Node::Permutation { next, column } => self.recompose(next, column),
                Node::Add(x, y) => {
                    let (x, y) = (self.take(x), self.take(y));
                    x.add_scaled(F::ONE, y)
                }
                Node::Sub(x, y) => {
                    let (x, y) = (self.take(x), self.take(y));
                    x.add_scaled(F::NEG_ONE, y)
                }
                Node::Neg(x) => self.take(x).scaled(F::NEG_ONE),
                Node::Mul(x, y) => {
                    let (x, y) = (self.take(x), self.take(y));
                    self.product(x, y)
                }
            };
            if self.uses[i] > 1 && !self.is_inlined(i, &polynomial) {
                // A constant stays outside of a sum that is only added to others, where it meets
                // their constants.
                let mut constant = F::ZERO;
                if !self.multiplied[i] {
                    constant = polynomial.take_constant();
                }
                polynomial = self.shared(polynomial);
                polynomial.add(Monomial::default(), constant);
            }
            self.polynomials[i] = Some(polynomial);
        }
    }

    /// The polynomial of a node whose users come later; moved out on the last use.
    fn take(&mut self, id: NodeId) -> Polynomial {
        let id = id as usize;
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
    fn is_inlined(&self, node: usize, polynomial: &Polynomial) -> bool {
        let keep_constant = self.multiplied[node];
        let mut terms = polynomial
            .terms
            .keys()
            .filter(|m| keep_constant || !m.atoms.is_empty());
        match (terms.next(), terms.next()) {
            (None, _) => true,
            // A multiple of an atom, plus a constant.
            (Some(monomial), None) => monomial.atoms.len() <= 1,
            _ => {
                self.strategy == Strategy::Transpose
                    && self.linear_only[node]
                    && polynomial.len() <= MAX_INLINED
            }
        }
    }

    fn shared(&mut self, polynomial: Polynomial) -> Polynomial {
        if polynomial.as_constant().is_some() {
            return polynomial;
        }
        let (scale, atom) = self.arena.share(polynomial);
        Polynomial::atom(atom).scaled(scale)
    }

    /// Expands where that adds no term, and otherwise multiplies shared sums. Factors that are
    /// expanded here and common to several terms are found again when the sum is factored.
    fn product(&mut self, x: Polynomial, y: Polynomial) -> Polynomial {
        let (short, long) = if x.len() <= y.len() { (x, y) } else { (y, x) };
        if let Some((monomial, &coefficient)) = short.terms.first_key_value()
            && short.len() == 1
        {
            return long.times(coefficient, monomial);
        }
        if short.len() == 0 {
            return short;
        }
        let (short, long) = (self.shared(short), self.shared(long));
        let (monomial, &coefficient) = short
            .terms
            .first_key_value()
            .expect("a shared sum is one term");
        long.times(coefficient, monomial)
    }

    /// `sum over i of X^i * flat column i`, one value however often it is used.
    fn recompose(&mut self, next: bool, column: usize) -> Polynomial {
        let mut sum = Polynomial::default();
        for i in 0..EXTENSION_DEGREE {
            let mut atoms: Vec<AtomId> = vec![self.arena.input(Input::Permutation {
                next,
                column: EXTENSION_DEGREE * column + i,
            })];
            if i > 0 {
                atoms.push(self.arena.input(Input::Basis(i)));
            }
            atoms.sort_unstable();
            sum.add(Monomial { power: 0, atoms }, F::ONE);
        }
        self.shared(sum)
    }
}
