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
        let base = base.iter().map(|e| self.base(e, &mut seen)).collect();
        let extension = extension
            .iter()
            .map(|e| self.extension(e, &mut seen))
            .collect();
        (base, extension)
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

    fn base(&mut self, expression: &SymbolicExpression<F>, seen: &mut Seen) -> NodeId {
        let address: *const _ = expression;
        if let Some(&id) = seen.base.get(&address) {
            return id;
        }
        let id = match expression {
            SymbolicExpr::Leaf(leaf) => match leaf {
                BaseLeaf::Constant(c) => self.constant(*c),
                BaseLeaf::IsFirstRow => self.input(Input::IsFirstRow),
                BaseLeaf::IsLastRow => self.input(Input::IsLastRow),
                BaseLeaf::IsTransition => self.input(Input::IsTransition),
                BaseLeaf::Variable(v) => {
                    let column = v.index;
                    self.input(match v.entry {
                        BaseEntry::Main { offset } => Input::Main {
                            next: offset == 1,
                            column,
                        },
                        BaseEntry::Preprocessed { offset } => Input::Preprocessed {
                            next: offset == 1,
                            column,
                        },
                        BaseEntry::Periodic => Input::Periodic(column),
                        BaseEntry::Public => Input::Public(column),
                    })
                }
            },
            SymbolicExpr::Add { x, y, .. } => {
                let (x, y) = (self.base(x, seen), self.base(y, seen));
                self.push(Node::Add(x.min(y), x.max(y)))
            }
            SymbolicExpr::Sub { x, y, .. } => {
                let (x, y) = (self.base(x, seen), self.base(y, seen));
                self.push(Node::Sub(x, y))
            }
            SymbolicExpr::Neg { x, .. } => {
                let x = self.base(x, seen);
                self.push(Node::Neg(x))
            }
            SymbolicExpr::Mul { x, y, .. } => {
                let (x, y) = (self.base(x, seen), self.base(y, seen));
                self.push(Node::Mul(x.min(y), x.max(y)))
            }
        };
        seen.base.insert(address, id);
        id
    }

    fn extension(&mut self, expression: &SymbolicExpressionExt<F, EF>, seen: &mut Seen) -> NodeId {
        let address: *const _ = expression;
        if let Some(&id) = seen.extension.get(&address) {
            return id;
        }
        let id = match expression {
            SymbolicExpr::Leaf(ExtLeaf::Base(e)) => self.base(e, seen),
            SymbolicExpr::Leaf(ExtLeaf::ExtConstant(c)) => self.extension_constant(*c),
            SymbolicExpr::Leaf(ExtLeaf::ExtVariable(v)) => match v.entry {
                ExtEntry::Permutation { offset } => self.push(Node::Permutation {
                    next: offset == 1,
                    column: v.index,
                }),
                // Each lookup has a pair of challenges: its bus's base, and the combiner.
                ExtEntry::Challenge if v.index % 2 == 0 => {
                    let bus = self.openings.buses[v.index / 2];
                    self.input(Input::Bus(bus))
                }
                ExtEntry::Challenge => self.input(Input::Beta),
                ExtEntry::PermutationValue => self.input(Input::Terminal),
            },
            SymbolicExpr::Add { x, y, .. } => {
                let (x, y) = (self.extension(x, seen), self.extension(y, seen));
                self.push(Node::Add(x.min(y), x.max(y)))
            }
            SymbolicExpr::Sub { x, y, .. } => {
                let (x, y) = (self.extension(x, seen), self.extension(y, seen));
                self.push(Node::Sub(x, y))
            }
            SymbolicExpr::Neg { x, .. } => {
                let x = self.extension(x, seen);
                self.push(Node::Neg(x))
            }
            SymbolicExpr::Mul { x, y, .. } => {
                let (x, y) = (self.extension(x, seen), self.extension(y, seen));
                self.push(Node::Mul(x.min(y), x.max(y)))
            }
        };
        seen.extension.insert(address, id);
        id
    }

    fn extension_constant(&mut self, value: EF) -> NodeId {
        let coordinates: &[F] = value.as_basis_coefficients_slice();
        let mut sum = self.constant(coordinates[0]);
        for (i, &coordinate) in coordinates.iter().enumerate().skip(1) {
            if coordinate != F::ZERO {
                let (c, x) = (
                    self.constant(coordinate),
                    self.push(Node::Input(Input::Basis(i))),
                );
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
