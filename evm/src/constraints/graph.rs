//! From a table's graph of expressions to statements.
//!
//! A node that is used once becomes part of the expression that uses it. The others are computed
//! before, as soon as they are needed, and kept in memory for as long as they are.

use droste_native::{EF, F};
use droste_vm::whir::expressions::{Leaf, Node};
use droste_vm::whir::system::TableSystem;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::Memory;
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
    pub(super) fn new(
        table: &'a TableSystem,
        memory: Memory,
        registers: u64,
        roots: impl Iterator<Item = usize>,
    ) -> Self {
        let nodes = table.expressions.nodes();
        let mut uses = vec![0; nodes.len()];
        let mut pending: Vec<usize> = roots.collect();
        while let Some(node) = pending.pop() {
            let Some(count) = uses.get_mut(node) else {
                continue;
            };
            *count += 1;
            // What is used again is computed once.
            if *count == 1 {
                pending.extend(nodes.get(node).into_iter().flat_map(operands));
            }
        }
        Self {
            kept: vec![None; nodes.len()],
            table,
            memory,
            uses,
            free: vec![],
            unused: vec![],
            end: registers,
        }
    }

    /// The elements of nodes, for one use of each. Statements are generated before.
    ///
    /// They must be part of statements before [`Self::release`] is called or other elements are
    /// asked for: what they read is not kept after that.
    pub(super) fn elements(&mut self, a: &mut Assembler, nodes: &[usize]) -> Vec<Element> {
        self.release();
        nodes.iter().for_each(|&node| self.prepare(a, node));
        nodes.iter().map(|&node| self.element(node)).collect()
    }

    /// Generates statements for the nodes that are kept.
    fn prepare(&mut self, a: &mut Assembler, node: usize) {
        let content = self.content(node);
        if self.is_kept(node) || operands(&content).is_empty() {
            return;
        }
        operands(&content)
            .into_iter()
            .for_each(|operand| self.prepare(a, operand));
        if self.uses.get(node).is_some_and(|&uses| uses > 1) {
            // Factors are folded once and not at each use.
            let element = match self.computed(content) {
                element if element.max <= LEFT_MAX => element,
                element => element.folded(VALUE_MAX),
            };
            // What the expression reads is read before its value is written.
            self.release();
            let register = self.register();
            a.store(register, element.expr);
            let kept = Some((register, element.max));
            self.kept
                .get_mut(node)
                .into_iter()
                .for_each(|slot| *slot = kept);
        }
    }

    /// The element of a node that is prepared.
    fn element(&mut self, node: usize) -> Element {
        let Some((register, max)) = self.kept.get(node).copied().flatten() else {
            return self.computed(self.content(node));
        };
        if let Some(uses) = self.uses.get_mut(node) {
            *uses -= 1;
            if *uses == 0 {
                self.unused.push(register);
            }
        }
        Element {
            max,
            ..Element::load(register)
        }
    }

    fn content(&self, node: usize) -> Node {
        let node = self.table.expressions.nodes().get(node);
        node.copied().unwrap_or(Node::Constant(F::ZERO))
    }

    fn is_kept(&self, node: usize) -> bool {
        self.kept.get(node).is_some_and(Option::is_some)
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

fn operands(node: &Node) -> Vec<usize> {
    match *node {
        Node::Add(x, y) | Node::Sub(x, y) | Node::Mul(x, y) => vec![x, y],
        Node::Neg(x) => vec![x],
        Node::Leaf(_) | Node::Constant(_) => vec![],
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
