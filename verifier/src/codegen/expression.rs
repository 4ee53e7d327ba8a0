//! Symbolic expressions as one graph in which equal subexpressions are merged.
//!
//! Plonky3 returns trees that share some nodes by pointer. Merging by structure finds all other
//! common subexpressions, across constraints and between an AIR and its lookups.

use std::collections::HashMap;

use droste_native::{EF, F};
use p3_air::symbolic::{
    BaseEntry, BaseLeaf, ExtEntry, ExtLeaf, SymbolicExpr, SymbolicExpression, SymbolicExpressionExt,
};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing};

use super::Input;

/// Index of a node in a [`Graph`].
pub(super) type NodeId = u32;

/// One operation; operands come before their users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Constant(F),
    Input(Input),
    /// Extension column of the lookup trace, still to be recomposed from its flat columns.
    Permutation {
        next: bool,
        column: usize,
    },
    Add(NodeId, NodeId),
    Sub(NodeId, NodeId),
    Neg(NodeId),
    Mul(NodeId, NodeId),
}

/// Which values of a table are opened, and how its challenges are numbered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Openings<'a> {
    /// Whether the main trace is opened at the next point.
    pub main_next: bool,
    /// Whether the preprocessed trace is opened at the next point.
    pub preprocessed_next: bool,
    /// Bus of each lookup.
    pub buses: &'a [usize],
}

/// Expressions of one table.
pub(super) struct Graph<'a> {
    pub nodes: Vec<Node>,
    index: HashMap<Node, NodeId>,
    openings: Openings<'a>,
}

/// Nodes already imported, by address. The addresses stay valid because the expressions are
/// borrowed.
#[derive(Default)]
struct Seen {
    base: HashMap<*const SymbolicExpression<F>, NodeId>,
    extension: HashMap<*const SymbolicExpressionExt<F, EF>, NodeId>,
}

/// A leaf of expressions over the base field, or over the extension.
trait ImportedLeaf: Sized {
    /// The nodes of expressions with such leaves.
    fn seen(seen: &mut Seen) -> &mut HashMap<*const SymbolicExpr<Self>, NodeId>;

    /// Adds the leaf to a graph.
    fn import(&self, graph: &mut Graph<'_>, seen: &mut Seen) -> NodeId;
}

impl ImportedLeaf for BaseLeaf<F> {
    fn seen(seen: &mut Seen) -> &mut HashMap<*const SymbolicExpr<Self>, NodeId> {
        &mut seen.base
    }

    fn import(&self, graph: &mut Graph<'_>, _: &mut Seen) -> NodeId {
        let variable = match self {
            Self::Constant(c) => return graph.constant(*c),
            Self::IsFirstRow => return graph.input(Input::IsFirstRow),
            Self::IsLastRow => return graph.input(Input::IsLastRow),
            Self::IsTransition => return graph.input(Input::IsTransition),
            Self::Variable(variable) => variable,
        };
        let column = variable.index;
        graph.input(match variable.entry {
            BaseEntry::Main { offset } => {
                let next = offset == 1;
                Input::Main { next, column }
            }
            BaseEntry::Preprocessed { offset } => {
                let next = offset == 1;
                Input::Preprocessed { next, column }
            }
            BaseEntry::Periodic => Input::Periodic(column),
            BaseEntry::Public => Input::Public(column),
        })
    }
}

impl ImportedLeaf for ExtLeaf<F, EF> {
    fn seen(seen: &mut Seen) -> &mut HashMap<*const SymbolicExpr<Self>, NodeId> {
        &mut seen.extension
    }

    fn import(&self, graph: &mut Graph<'_>, seen: &mut Seen) -> NodeId {
        let variable = match self {
            Self::Base(expression) => return graph.expression(expression, seen),
            Self::ExtConstant(c) => return graph.extension_constant(*c),
            Self::ExtVariable(variable) => variable,
        };
        match variable.entry {
            ExtEntry::Permutation { offset } => graph.push(Node::Permutation {
                next: offset == 1,
                column: variable.index,
            }),
            // Each lookup has a pair of challenges: its bus's base, and the combiner.
            ExtEntry::Challenge if variable.index % 2 == 0 => {
                let bus = graph.openings.buses[variable.index / 2];
                graph.input(Input::Bus(bus))
            }
            ExtEntry::Challenge => graph.input(Input::Beta),
            ExtEntry::PermutationValue => graph.input(Input::Terminal),
        }
    }
}

impl<'a> Graph<'a> {
    pub(super) fn new(openings: Openings<'a>) -> Self {
        Self {
            nodes: Vec::new(),
            index: HashMap::new(),
            openings,
        }
    }

    /// Imports the constraints over the base field and those over the extension; returns their
    /// nodes.
    pub(super) fn import(
        &mut self,
        base: &[SymbolicExpression<F>],
        extension: &[SymbolicExpressionExt<F, EF>],
    ) -> (Vec<NodeId>, Vec<NodeId>) {
        let mut seen = Seen::default();
        let base = base.iter().map(|e| self.expression(e, &mut seen)).collect();
        let extension = extension.iter().map(|e| self.expression(e, &mut seen));
        (base, extension.collect())
    }

    /// Adds a node, or returns the equal one.
    pub(super) fn push(&mut self, node: Node) -> NodeId {
        let nodes = &mut self.nodes;
        *self.index.entry(node).or_insert_with(|| {
            nodes.push(node);
            NodeId::try_from(nodes.len() - 1).expect("fewer than 2^32 expressions")
        })
    }

    pub(super) fn constant(&mut self, value: F) -> NodeId {
        self.push(Node::Constant(value))
    }

    /// An input; or zero for a next row that is not opened, as in Plonky3's verifier.
    fn input(&mut self, input: Input) -> NodeId {
        match input {
            Input::Main { next: true, .. } if !self.openings.main_next => self.constant(F::ZERO),
            Input::Preprocessed { next: true, .. } if !self.openings.preprocessed_next => {
                self.constant(F::ZERO)
            }
            _ => self.push(Node::Input(input)),
        }
    }

    /// Adds an expression.
    fn expression<L: ImportedLeaf>(
        &mut self,
        expression: &SymbolicExpr<L>,
        seen: &mut Seen,
    ) -> NodeId {
        let address: *const _ = expression;
        if let Some(&id) = L::seen(seen).get(&address) {
            return id;
        }
        let mut operand = |operand: &SymbolicExpr<L>| self.expression(operand, seen);
        let id = match expression {
            SymbolicExpr::Leaf(leaf) => leaf.import(self, seen),
            SymbolicExpr::Add { x, y, .. } => {
                let (x, y) = (operand(x), operand(y));
                self.push(Node::Add(x.min(y), x.max(y)))
            }
            SymbolicExpr::Sub { x, y, .. } => {
                let (x, y) = (operand(x), operand(y));
                self.push(Node::Sub(x, y))
            }
            SymbolicExpr::Neg { x, .. } => {
                let x = operand(x);
                self.push(Node::Neg(x))
            }
            SymbolicExpr::Mul { x, y, .. } => {
                let (x, y) = (operand(x), operand(y));
                self.push(Node::Mul(x.min(y), x.max(y)))
            }
        };
        L::seen(seen).insert(address, id);
        id
    }

    fn extension_constant(&mut self, value: EF) -> NodeId {
        let coordinates: &[F] = value.as_basis_coefficients_slice();
        let mut sum = self.constant(coordinates[0]);
        for (i, &coordinate) in coordinates.iter().enumerate().skip(1) {
            if coordinate != F::ZERO {
                let c = self.constant(coordinate);
                let x = self.push(Node::Input(Input::Basis(i)));
                let term = self.push(Node::Mul(c, x));
                sum = self.push(Node::Add(sum, term));
            }
        }
        sum
    }
}

impl Node {
    pub(super) fn operands(self) -> impl Iterator<Item = NodeId> {
        let (x, y) = match self {
            Self::Add(x, y) | Self::Sub(x, y) | Self::Mul(x, y) => (Some(x), Some(y)),
            Self::Neg(x) => (Some(x), None),
            Self::Constant(_) | Self::Input(_) | Self::Permutation { .. } => (None, None),
        };
        x.into_iter().chain(y)
    }
}
