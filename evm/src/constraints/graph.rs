//! From a table's graph of expressions to statements.
//!
//! A node that is used once becomes part of the expression that uses it. The others are computed
//! before, as soon as they are needed, and kept in memory for as long as they are.

use std::iter::repeat;

use droste_native::{EF, F};
use droste_vm::whir::expressions::{Leaf, Node};
use droste_vm::whir::system::TableSystem;
use p3_field::PrimeField32;

use super::{ConstraintsError, Memory};
use crate::assembler::Assembler;
use crate::field::{ELEMENT_BYTES, Element, LEFT_MAX, P, VALUE_MAX};

/// Largest constant by which an element is multiplied lane by lane.
const SMALL: u64 = 1 << 16;

/// The nodes of a table while code is generated for them.
pub(super) struct Graph<'a> {
    table: &'a TableSystem,
    memory: Memory,
    /// How often a node will be used.
    uses: Vec<usize>,
    /// Nodes that are in memory: the register, and the bound of its lanes.
    kept: Vec<Option<(u64, u64)>>,
    /// Registers that are free, and those that the next statement may still read.
    free: Vec<u64>,
    unused: Vec<u64>,
    /// End of the registers.
    end: u64,
}

impl<'a> Graph<'a> {
    /// Registers are in memory from `registers` on. Each root is used once for each time it is
    /// given.
    ///
    /// # Errors
    /// If a root is not a node, or an operand is not in front of the node that it is one of.
    pub(super) fn new(
        table: &'a TableSystem,
        memory: Memory,
        registers: u64,
        roots: impl Iterator<Item = usize>,
    ) -> Result<Self, ConstraintsError> {
        let nodes = table.expressions.nodes();
        let mut pending: Vec<usize> = roots.collect();
        check(nodes, &pending).map_err(|node| ConstraintsError::Node {
            table: table.name,
            node,
        })?;
        let mut uses = vec![0; nodes.len()];
        while let Some(node) = pending.pop() {
            uses[node] += 1;
            // What is used again is computed once.
            if uses[node] == 1 {
                pending.extend(nodes[node].operands());
            }
        }
        Ok(Self {
            kept: vec![None; nodes.len()],
            table,
            memory,
            uses,
            free: vec![],
            unused: vec![],
            end: registers,
        })
    }

    /// Generates statements before the elements of nodes are used, each once.
    ///
    /// Elements that were used must be part of statements by then: what they read is not kept after
    /// that.
    pub(super) fn prepare(&mut self, a: &mut Assembler, nodes: &[usize]) {
        self.release();
        nodes.iter().for_each(|&node| self.keep(a, node));
    }

    /// Generates statements for the nodes that are kept.
    fn keep(&mut self, a: &mut Assembler, node: usize) {
        let content = self.content(node);
        if self.kept[node].is_some() || content.operands().next().is_none() {
            return;
        }
        content.operands().for_each(|operand| self.keep(a, operand));
        if self.uses[node] > 1 {
            // Factors are folded once and not at each use.
            let element = match self.computed(content) {
                element if element.max <= LEFT_MAX => element,
                element => element.folded(VALUE_MAX),
            };
            // What the expression reads is read before its value is written.
            self.release();
            let register = self.register();
            a.store(register, element.expr);
            self.kept[node] = Some((register, element.max));
        }
    }

    /// The element of a node that is prepared, for one use.
    pub(super) fn element(&mut self, node: usize) -> Element {
        let Some((register, max)) = self.kept[node] else {
            return self.computed(self.content(node));
        };
        self.uses[node] -= 1;
        if self.uses[node] == 0 {
            self.unused.push(register);
        }
        Element {
            max,
            ..Element::load(register)
        }
    }

    fn content(&self, node: usize) -> Node {
        self.table.expressions.nodes()[node]
    }

    fn leaf(&self, leaf: Leaf) -> Element {
        let element = Element::load(self.memory.leaf(self.table, leaf));
        match leaf {
            Leaf::Main(..) | Leaf::Preprocessed(..) => Element {
                max: P - 1,
                ..element
            },
            _ => element,
        }
    }

    fn computed(&mut self, node: Node) -> Element {
        match node {
            Node::Leaf(leaf) => self.leaf(leaf),
            Node::Constant(constant) => Element::constant(constant.into()),
            Node::Add(x, y) => self.element(x) + self.element(y),
            Node::Sub(x, y) => match self.content(y) {
                Node::Constant(constant) => self.element(x) + Element::constant((-constant).into()),
                _ => self.element(x) - self.element(y),
            },
            Node::Neg(x) => Element::zero() - self.element(x),
            Node::Mul(x, y) => match (self.content(x), self.content(y)) {
                (_, Node::Constant(factor)) => scaled(self.element(x), factor),
                (Node::Constant(factor), _) => scaled(self.element(y), factor),
                _ => self.element(x) * self.element(y),
            },
        }
    }

    fn register(&mut self) -> u64 {
        self.free.pop().unwrap_or_else(|| {
            self.end += ELEMENT_BYTES;
            self.end - ELEMENT_BYTES
        })
    }

    /// Frees registers that are not read any more.
    fn release(&mut self) {
        self.free.append(&mut self.unused);
    }
}

/// Checks that each operand is in front of its node, and that roots are nodes. Returns the first
/// that is not.
fn check(nodes: &[Node], roots: &[usize]) -> Result<(), usize> {
    let of_nodes = (0..).zip(nodes);
    let operands = of_nodes.flat_map(|(end, node)| node.operands().zip(repeat(end)));
    let roots = roots.iter().copied().zip(repeat(nodes.len()));
    let mut all = operands.chain(roots);
    match all.find(|(node, end)| node >= end) {
        Some((node, _)) => Err(node),
        None => Ok(()),
    }
}

/// An element times a constant.
fn scaled(element: Element, factor: F) -> Element {
    let (plus, minus) = (factor.as_canonical_u32(), (-factor).as_canonical_u32());
    match (u64::from(plus), u64::from(minus)) {
        (plus @ 0..=SMALL, _) => element.times(plus),
        (_, minus @ 0..=SMALL) => Element::zero() - element.times(minus),
        _ => element * Element::constant(EF::from(factor)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_do_not_exist_yet_are_refused() {
        let leaf = Node::Leaf(Leaf::Public(0));
        assert_eq!(
            check(&[leaf, Node::Neg(0), Node::Add(0, 1)], &[2, 0]),
            Ok(())
        );
        assert_eq!(check(&[leaf, Node::Neg(1)], &[0]), Err(1));
        assert_eq!(check(&[Node::Mul(0, 1), leaf], &[0]), Err(0));
        assert_eq!(check(&[leaf, Node::Sub(0, 7)], &[0]), Err(7));
        assert_eq!(check(&[leaf], &[1]), Err(1));
    }
}
