//! Symbolic expressions as one graph.
//!
//! Plonky3's expressions share their parts by reference: as trees they can be exponentially large.
//! Here they become a list of nodes in which operands precede what is computed from them, and equal
//! expressions are one node.

use std::hash::Hash;
use std::marker::PhantomData;

use droste_native::F;
use p3_air::symbolic::{BaseLeaf, SymbolicExpr, SymbolicExpression};
use rustc_hash::FxHashMap;

/// A node of a graph. Operands are indices of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node<L> {
    /// A value that is read.
    Leaf(L),
    /// A constant.
    Constant(F),
    /// A sum.
    Add(usize, usize),
    /// The first operand less the second one.
    Sub(usize, usize),
    /// A product.
    Mul(usize, usize),
    /// A negation.
    Neg(usize),
}

/// The nodes so far, by content, and by the expression that they stand for. Expressions are
/// borrowed while the graph is made, so that no address is that of two of them. They are those of
/// known tables, so a hash that is fast is enough.
pub(crate) struct Graph<'a, L, R> {
    pub(crate) nodes: Vec<Node<L>>,
    by_content: FxHashMap<Node<L>, usize>,
    by_address: FxHashMap<*const SymbolicExpression<F>, usize>,
    /// Whether sums and products have their operands in order, so that equal ones are found.
    sorted: bool,
    /// The node of a leaf.
    read: R,
    borrowed: PhantomData<&'a SymbolicExpression<F>>,
}

impl<'a, L, R, E> Graph<'a, L, R>
where
    L: Copy + Eq + Hash,
    R: Fn(&BaseLeaf<F>) -> Result<Node<L>, E>,
{
    pub(crate) fn new(sorted: bool, read: R) -> Self {
        Self {
            nodes: vec![],
            by_content: FxHashMap::default(),
            by_address: FxHashMap::default(),
            sorted,
            read,
            borrowed: PhantomData,
        }
    }

    /// Returns the node of an expression.
    pub(crate) fn add(&mut self, expression: &'a SymbolicExpression<F>) -> Result<usize, E> {
        let address = std::ptr::from_ref(expression);
        if let Some(&index) = self.by_address.get(&address) {
            return Ok(index);
        }
        let sorted = self.sorted;
        let order = |x: usize, y: usize| if sorted { (x.min(y), x.max(y)) } else { (x, y) };
        let node = match expression {
            SymbolicExpr::Leaf(leaf) => (self.read)(leaf)?,
            SymbolicExpr::Add { x, y, .. } => {
                let (x, y) = order(self.add(x)?, self.add(y)?);
                Node::Add(x, y)
            }
            SymbolicExpr::Sub { x, y, .. } => Node::Sub(self.add(x)?, self.add(y)?),
            SymbolicExpr::Mul { x, y, .. } => {
                let (x, y) = order(self.add(x)?, self.add(y)?);
                Node::Mul(x, y)
            }
            SymbolicExpr::Neg { x, .. } => Node::Neg(self.add(x)?),
        };
        let end = self.nodes.len();
        let index = *self.by_content.entry(node).or_insert(end);
        if index == end {
            self.nodes.push(node);
        }
        self.by_address.insert(address, index);
        Ok(index)
    }

    /// Returns the nodes of expressions.
    pub(crate) fn add_all(
        &mut self,
        expressions: &'a [SymbolicExpression<F>],
    ) -> Result<Vec<usize>, E> {
        let nodes = expressions.iter().map(|expression| self.add(expression));
        nodes.collect()
    }
}
