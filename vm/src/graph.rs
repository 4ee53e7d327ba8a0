//! Symbolic expressions as one graph.
//!
//! Plonky3's expressions share their parts by reference: as trees they can be exponentially large.
//! Here they become a list of nodes in which operands precede what is computed from them, and equal
//! expressions are one node.

use std::hash::Hash;
use std::marker::PhantomData;

use droste_native::F;
use droste_native::field::BaseField;
use p3_air::symbolic::SymbolicExpr;
use p3_field::PrimeCharacteristicRing;
use rustc_hash::FxHashMap;

/// A node of a graph. Operands are indices of earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node<L> {
    /// A value that is read.
    Leaf(L),
    /// A constant of a base field, as its [`cell`].
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

/// The canonical integer of an element, which is below the order of `F` over every base field:
/// different elements have different cells.
pub fn cell<K: BaseField>(x: K) -> F {
    F::from_u32(x.as_canonical_u32())
}

impl<L> Node<L> {
    /// The operands, in order.
    pub fn operands(self) -> impl Iterator<Item = usize> {
        let (x, y) = match self {
            Self::Add(x, y) | Self::Sub(x, y) | Self::Mul(x, y) => (Some(x), Some(y)),
            Self::Neg(x) => (Some(x), None),
            Self::Leaf(_) | Self::Constant(_) => (None, None),
        };
        x.into_iter().chain(y)
    }
}

/// The nodes so far, by content, and by the expression that they stand for unless it is a leaf.
/// Expressions are borrowed while the graph is made, so no two others have one address. They are
/// those of known tables, so a hash that is fast is enough.
pub struct Graph<'a, L> {
    /// The nodes. Each is different.
    pub nodes: Vec<Node<L>>,
    by_content: FxHashMap<Node<L>, usize>,
    by_address: FxHashMap<*const (), usize>,
    /// Whether sums and products have their operands in order, so that equal ones are found.
    sorted: bool,
    borrowed: PhantomData<&'a ()>,
}

impl<'a, L: Copy + Eq + Hash> Graph<'a, L> {
    /// A graph without nodes. `sorted` says whether [`add`](Self::add) orders the operands of sums
    /// and products, so that equal ones are found.
    pub fn new(sorted: bool) -> Self {
        Self {
            nodes: vec![],
            by_content: FxHashMap::default(),
            by_address: FxHashMap::default(),
            sorted,
            borrowed: PhantomData,
        }
    }

    /// Adds a node as it is, or returns the equal one.
    pub fn push(&mut self, node: Node<L>) -> usize {
        let end = self.nodes.len();
        let index = *self.by_content.entry(node).or_insert(end);
        if index == end {
            self.nodes.push(node);
        }
        index
    }

    /// Adds an expression, whose leaves are what `read` returns. If a leaf is another expression,
    /// `read` adds that one and returns its node.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn add<X, E>(
        &mut self,
        expression: &'a SymbolicExpr<X>,
        read: &impl Fn(&mut Self, &'a X) -> Result<Node<L>, E>,
    ) -> Result<usize, E> {
        // Leaves are half of all expressions, hardly any is shared, and to read one again takes no
        // longer than to find it.
        let is_leaf = matches!(expression, SymbolicExpr::Leaf(_));
        let address = std::ptr::from_ref(expression).cast::<()>();
        if !is_leaf && let Some(&index) = self.by_address.get(&address) {
            return Ok(index);
        }
        let sorted = self.sorted;
        let order = |x: usize, y: usize| if sorted { (x.min(y), x.max(y)) } else { (x, y) };
        let node = match expression {
            SymbolicExpr::Leaf(leaf) => read(self, leaf)?,
            SymbolicExpr::Add { x, y, .. } => {
                let (x, y) = order(self.add(x, read)?, self.add(y, read)?);
                Node::Add(x, y)
            }
            SymbolicExpr::Sub { x, y, .. } => Node::Sub(self.add(x, read)?, self.add(y, read)?),
            SymbolicExpr::Mul { x, y, .. } => {
                let (x, y) = order(self.add(x, read)?, self.add(y, read)?);
                Node::Mul(x, y)
            }
            SymbolicExpr::Neg { x, .. } => Node::Neg(self.add(x, read)?),
        };
        let index = self.push(node);
        if !is_leaf {
            self.by_address.insert(address, index);
        }
        Ok(index)
    }

    /// Adds expressions.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn add_all<X, E>(
        &mut self,
        expressions: &'a [SymbolicExpr<X>],
        read: &impl Fn(&mut Self, &'a X) -> Result<Node<L>, E>,
    ) -> Result<Vec<usize>, E> {
        let nodes = expressions.iter();
        nodes.map(|expression| self.add(expression, read)).collect()
    }
}
