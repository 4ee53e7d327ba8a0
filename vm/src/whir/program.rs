//! Straight-line programs that evaluate expressions on many rows at once.

use std::array;

use droste_native::F;
use p3_field::Algebra;

use super::expressions::{Leaf, Node};

/// One step. Operands and results are indices of values: first the inputs, then the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// `to = x + y`
    Add { to: usize, x: usize, y: usize },
    /// `to = x - y`
    Sub { to: usize, x: usize, y: usize },
    /// `to = x y`
    Mul { to: usize, x: usize, y: usize },
    /// `to = -x`
    Neg { to: usize, x: usize },
    /// `to = x + constant`
    AddConstant { to: usize, x: usize, constant: F },
    /// `to = constant - x`
    SubFromConstant { to: usize, x: usize, constant: F },
    /// `to = x constant`
    MulConstant { to: usize, x: usize, constant: F },
    /// The next output is `x`.
    Emit { x: usize },
    /// The next output is a constant.
    EmitConstant { constant: F },
}

/// A program that computes some nodes of a graph, in which registers are used again as soon as
/// nothing reads them any more.
#[derive(Clone, Debug)]
pub struct Program<L = Leaf> {
    inputs: Vec<L>,
    registers: usize,
    pub(super) operations: Vec<Operation>,
}

impl<L: Copy> Program<L> {
    /// A program with these nodes as outputs, in order.
    pub fn new(nodes: &[Node<L>], outputs: &[usize]) -> Self {
        let mut compiler = Compiler::new(nodes, outputs);
        for &output in outputs {
            compiler.emit(output);
        }
        Self {
            inputs: compiler.inputs,
            registers: compiler.registers,
            operations: compiler.operations,
        }
    }

    /// What the program reads.
    pub fn inputs(&self) -> &[L] {
        &self.inputs
    }

    /// Number of values that [`Self::run`] needs: inputs, then registers.
    pub const fn num_values(&self) -> usize {
        self.inputs.len() + self.registers
    }

    /// Runs the program on `N` values of each input at once, which begin `values`, of
    /// [`Self::num_values`] elements; and passes the outputs to `emit`, in order. Constants become
    /// elements of `C`.
    pub fn run<C: From<F>, V: Algebra<C> + Copy, const N: usize>(
        &self,
        values: &mut [[V; N]],
        mut emit: impl FnMut(&[V; N]),
    ) {
        for operation in &self.operations {
            match *operation {
                Operation::Add { to, x, y } => {
                    let (x, y) = (&values[x], &values[y]);
                    values[to] = array::from_fn(|i| x[i] + y[i]);
                }
                Operation::Sub { to, x, y } => {
                    let (x, y) = (&values[x], &values[y]);
                    values[to] = array::from_fn(|i| x[i] - y[i]);
                }
                Operation::Mul { to, x, y } => {
                    let (x, y) = (&values[x], &values[y]);
                    values[to] = array::from_fn(|i| x[i] * y[i]);
                }
                Operation::Neg { to, x } => {
                    let x = &values[x];
                    values[to] = array::from_fn(|i| -x[i]);
                }
                Operation::AddConstant { to, x, constant } => {
                    let x = &values[x];
                    values[to] = array::from_fn(|i| x[i] + C::from(constant));
                }
                Operation::SubFromConstant { to, x, constant } => {
                    let x = &values[x];
                    values[to] = array::from_fn(|i| V::from(C::from(constant)) - x[i]);
                }
                Operation::MulConstant { to, x, constant } => {
                    let x = &values[x];
                    values[to] = array::from_fn(|i| x[i] * C::from(constant));
                }
                Operation::Emit { x } => emit(&values[x]),
                Operation::EmitConstant { constant } => emit(&[C::from(constant).into(); N]),
            }
        }
    }
}

/// A node that is computed.
#[derive(Clone, Copy)]
enum Known {
    /// It is this value.
    Value(usize),
    /// It is a constant.
    Constant(F),
}

struct Compiler<'a, L> {
    nodes: &'a [Node<L>],
    known: Vec<Option<Known>>,
    /// How often each node is read from now on.
    reads: Vec<usize>,
    inputs: Vec<L>,
    registers: usize,
    free: Vec<usize>,
    pub(super) operations: Vec<Operation>,
}

impl<'a, L: Copy> Compiler<'a, L> {
    fn new(nodes: &'a [Node<L>], outputs: &[usize]) -> Self {
        let mut reads = vec![0; nodes.len()];
        for &output in outputs {
            reads[output] += 1;
        }
        let mut inputs = Vec::new();
        let mut known = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate().rev() {
            if reads[index] == 0 {
                continue;
            }
            match *node {
                Node::Add(x, y) | Node::Sub(x, y) | Node::Mul(x, y) => {
                    reads[x] += 1;
                    reads[y] += 1;
                }
                Node::Neg(x) => reads[x] += 1,
                Node::Constant(constant) => known[index] = Some(Known::Constant(constant)),
                Node::Leaf(leaf) => {
                    known[index] = Some(Known::Value(inputs.len()));
                    inputs.push(leaf);
                }
            }
        }
        Self {
            nodes,
            known,
            reads,
            inputs,
            registers: 0,
            free: Vec::new(),
            operations: Vec::new(),
        }
    }

    /// Computes a node, unless it is known. Nodes are computed when they are first read, so that
    /// few registers are in use.
    fn compute(&mut self, index: usize) -> Known {
        use Known::{Constant, Value};
        if let Some(known) = self.known[index] {
            return known;
        }
        let known = match self.nodes[index] {
            Node::Leaf(_) => Value(0),
            Node::Constant(constant) => Constant(constant),
            Node::Neg(x) => match self.operand(x) {
                Constant(x) => Constant(-x),
                Value(x) => self.push(|to| Operation::Neg { to, x }),
            },
            Node::Add(x, y) => match self.operands(x, y) {
                (Constant(x), Constant(y)) => Constant(x + y),
                (Constant(constant), Value(x)) | (Value(x), Constant(constant)) => {
                    self.push(|to| Operation::AddConstant { to, x, constant })
                }
                (Value(x), Value(y)) => self.push(|to| Operation::Add { to, x, y }),
            },
            Node::Sub(x, y) => match self.operands(x, y) {
                (Constant(x), Constant(y)) => Constant(x - y),
                (Value(x), Constant(y)) => {
                    let constant = -y;
                    self.push(|to| Operation::AddConstant { to, x, constant })
                }
                (Constant(constant), Value(x)) => {
                    self.push(|to| Operation::SubFromConstant { to, x, constant })
                }
                (Value(x), Value(y)) => self.push(|to| Operation::Sub { to, x, y }),
            },
            Node::Mul(x, y) => match self.operands(x, y) {
                (Constant(x), Constant(y)) => Constant(x * y),
                (Constant(constant), Value(x)) | (Value(x), Constant(constant)) => {
                    self.push(|to| Operation::MulConstant { to, x, constant })
                }
                (Value(x), Value(y)) => self.push(|to| Operation::Mul { to, x, y }),
            },
        };
        self.known[index] = Some(known);
        known
    }

    fn operand(&mut self, x: usize) -> Known {
        let known = self.compute(x);
        self.release(x);
        known
    }

    fn operands(&mut self, x: usize, y: usize) -> (Known, Known) {
        let known = (self.compute(x), self.compute(y));
        self.release(x);
        self.release(y);
        known
    }

    /// Notes that a node was read. After the last time its register is free.
    fn release(&mut self, index: usize) {
        self.reads[index] -= 1;
        if let Some(Known::Value(at)) = self.known[index]
            && at >= self.inputs.len()
            && self.reads[index] == 0
        {
            self.free.push(at);
        }
    }

    /// A step into a free register, which may be that of an operand that is not read again: a step
    /// reads its operands before it writes.
    fn push(&mut self, operation: impl FnOnce(usize) -> Operation) -> Known {
        let to = self.free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.inputs.len() + self.registers - 1
        });
        self.operations.push(operation(to));
        Known::Value(to)
    }

    fn emit(&mut self, output: usize) {
        let operation = match self.operand(output) {
            Known::Constant(constant) => Operation::EmitConstant { constant },
            Known::Value(x) => Operation::Emit { x },
        };
        self.operations.push(operation);
    }
}
