//! The constraints of a permutation, which has too many rounds to write them down one by one.
//!
//! A full round says that the state after it is `M (x + c)^3`, and the state is in columns; a
//! partial round, that the output of its S-box, a column, is `x_0^3`. Between partial rounds the
//! state is linear in columns, and kept in memory. With constants moved through the linear layers
//! (`droste_native::hash::poseidon16`), a partial round adds one to element 0 alone.
//!
//! A state is multiplied by `M` in place. The products stay on the stack until the last one is
//! known.

use droste_native::hash::poseidon16::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH, sparse_partial_rounds,
};
use droste_vm::tables::CallTable;
use droste_vm::tables::poseidon16::Poseidon16CallTable;
use droste_vm::whir::expressions::{Leaf, Node, Row};
use droste_vm::whir::system::TableSystem;

use super::graph::Graph;
use super::{ConstraintsError, Memory, add_constraint};
use crate::assembler::{Assembler, Expr, Op, call, load, take, var};
use crate::field::{
    ELEMENT_BYTES, Element, P, VALUE_MAX, encode_base, fold_top, folded_max, lanes,
};

/// Constraints of a permutation: one for each element after a full round, one for each partial
/// round.
pub(super) const CONSTRAINTS: usize = 2 * HALF_FULL_ROUNDS * WIDTH + PARTIAL_ROUNDS;

/// Bytes of a state in memory.
const STATE: u64 = ELEMENT_BYTES * WIDTH as u64;

/// Bytes of a constant in the table of constants.
const CONSTANT: u64 = 4;

/// Largest value of a lane of an element to which the linear layer is applied: a sum of two
/// elements below `p`, or a variable.
const INPUT_MAX: u64 = 2 * (P - 1);

/// Largest value of a lane after the linear layer.
const OUTPUT_MAX: u64 = {
    let (mut sum, mut i) = (0, 0);
    while i < WIDTH {
        sum += MDS_COLUMN[i] as u64;
        i += 1;
    }
    sum * INPUT_MAX
};

const _: () = {
    assert!(VALUE_MAX <= INPUT_MAX);
    assert!(folded_max(folded_max(OUTPUT_MAX)) <= VALUE_MAX);
    assert!(folded_max(VALUE_MAX + P) <= VALUE_MAX && folded_max(INPUT_MAX) <= VALUE_MAX);
};

/// Where a permutation is in a table.
pub(super) struct Permutation {
    /// Where its values are.
    inputs: u64,
    beginning: u64,
    partial: u64,
    ending: u64,
    /// The nodes of the outputs that the table constrains.
    pub(super) outputs: Vec<usize>,
    /// Where the constants are, and behind them a state.
    constants: u64,
}

impl Permutation {
    /// The permutation of a table, if it is the one whose first columns and constraints are those
    /// of one.
    pub(super) fn of(
        table: &TableSystem,
        memory: &Memory,
    ) -> Result<Option<Self>, ConstraintsError> {
        if table.name != Poseidon16CallTable::NAME {
            return Ok(None);
        }
        // Columns as `droste_air::poseidon16::Poseidon16Cols` declares them.
        let mut column = 0;
        let mut next = |count: usize| {
            let columns = column..column + count;
            column += count;
            let places = columns.map(|column| memory.leaf(table, Leaf::Main(Row::Current, column)));
            let places: Vec<u64> = places.collect();
            let (first, last) = (*places.first()?, *places.last()?);
            let is_row = last - first == ELEMENT_BYTES * (count as u64 - 1);
            (is_row && places.is_sorted()).then_some(first)
        };
        let half = HALF_FULL_ROUNDS * WIDTH;
        let places = [WIDTH, half, PARTIAL_ROUNDS, half].map(&mut next);
        let expressions = &table.expressions;
        let last = expressions.constraints().iter().take(CONSTRAINTS);
        let last = last.skip(CONSTRAINTS - WIDTH);
        let outputs = last.filter_map(|&node| match expressions.nodes().get(node) {
            Some(&Node::Sub(_, output)) => Some(output),
            _ => None,
        });
        let outputs: Vec<usize> = outputs.collect();
        match places {
            [Some(inputs), Some(beginning), Some(partial), Some(ending)]
                if outputs.len() == WIDTH =>
            {
                Ok(Some(Self {
                    inputs,
                    beginning,
                    partial,
                    ending,
                    outputs,
                    constants: memory.registers,
                }))
            }
            _ => Err(ConstraintsError::Permutation(table.name)),
        }
    }

    /// End of what it takes of the memory.
    pub(super) fn end(&self) -> u64 {
        self.state() + STATE
    }

    fn state(&self) -> u64 {
        self.constants + (CONSTANT * constants().len() as u64).next_multiple_of(ELEMENT_BYTES)
    }

    /// Adds the constraints to the variable `sum`.
    pub(super) fn constrain(&self, a: &mut Assembler, memory: &Memory, graph: &mut Graph<'_>) {
        let bytes: Vec<u8> = constants().iter().flat_map(|c| c.to_be_bytes()).collect();
        let length = bytes.len() as u64;
        a.table("constants", bytes);
        let constants = [
            self.constants.into(),
            Expr::Data("constants".into()),
            length.into(),
        ];
        a.run(Op::CodeCopy, constants);
        define_cubes(a, self.state());
        define_mix(a, self.state());
        define_full_round(a, self.state(), memory);
        define_partial_rounds(a, self, memory);

        let of_round = CONSTANT * WIDTH as u64;
        let mut constants = self.constants;
        let mut full_round = |a: &mut Assembler, from: u64, after: u64| {
            let arguments = [from.into(), after.into(), constants.into(), var("sum")];
            a.set("sum", call("full_round", arguments));
            constants += of_round;
        };
        let rounds = HALF_FULL_ROUNDS as u64;
        let mut from = self.inputs;
        for round in 0..rounds {
            let after = self.beginning + STATE * round;
            full_round(a, from, after);
            from = after;
        }
        a.set("sum", call("partial_rounds", [from.into(), var("sum")]));
        from = self.state();
        for round in 0..rounds - 1 {
            let after = self.ending + STATE * round;
            full_round(a, from, after);
            from = after;
        }
        a.call("cubes", [from.into(), constants.into()]);
        a.call("mix", []);
        for (word, &output) in (self.state()..)
            .step_by(ELEMENT_BYTES as usize)
            .zip(&self.outputs)
        {
            graph.prepare(a, &[output]);
            let output = graph.element(output);
            add_constraint(a, memory, Element::load(word) - output);
        }
    }
}

/// The constants of all rounds: 16 for each full one; then 16 before the partial ones, and one for
/// each of them.
fn constants() -> Vec<u32> {
    let (beginning, rest) = ROUND_CONSTANTS.split_at(HALF_FULL_ROUNDS);
    let (_, ending) = rest.split_at(PARTIAL_ROUNDS);
    let partial = sparse_partial_rounds();
    let full = beginning.iter().chain(ending).flatten();
    let constants = full
        .chain(&partial.first_constants)
        .chain(&partial.constants);
    constants
        .map(|&constant| encode_base(constant) as u32)
        .collect()
}

/// The constant that a variable points to.
fn constant(pointer: &'static str) -> Expr {
    load(var(pointer)) >> (8 * (ELEMENT_BYTES - CONSTANT) as u32)
}

/// `cubes(from, constants)`: writes `(x + c)^3` for the state at `from` to `state`.
fn define_cubes(a: &mut Assembler, state: u64) {
    a.function("cubes", ["from", "constants"], |a| {
        a.bind("to", state);
        a.repeat_while(|a| {
            a.push(load(var("from")) + constant("constants"));
            fold_top(a);
            a.rename("x");
            let x = || Element::var("x");
            a.store(var("to"), (x() * x() * x()).expr);
            a.op(Op::Pop);
            a.advance("from", ELEMENT_BYTES);
            a.advance("constants", CONSTANT);
            a.advance("to", ELEMENT_BYTES);
            var("to").lt(state + STATE)
        });
        None
    });
}

/// `mix()`: multiplies the state by the matrix.
fn define_mix(a: &mut Assembler, state: u64) {
    let word = |index: usize| state + ELEMENT_BYTES * index as u64;
    a.function("mix", [], |a| {
        for row in 0..WIDTH {
            let term = |column: usize| {
                let factor = MDS_COLUMN[(WIDTH + row - column) % WIDTH];
                Element::new(load(word(column)), INPUT_MAX).times(factor as u64)
            };
            // The sum is evaluated first, so that the stack does not grow.
            let sum = (1..WIDTH).fold(term(0), |sum, column| term(column) + sum);
            a.push(sum.expr);
            fold_top(a);
            fold_top(a);
        }
        for row in (0..WIDTH).rev() {
            a.push(word(row));
            a.op(Op::MStore);
        }
        None
    });
}

/// `full_round(from, after, constants, sum)`: adds the constraints that the state `after` is that
/// after a full round on the state `from`.
fn define_full_round(a: &mut Assembler, state: u64, memory: &Memory) {
    a.function("full_round", ["from", "after", "constants", "sum"], |a| {
        a.call("cubes", [var("from"), var("constants")]);
        a.call("mix", []);
        a.bind("word", state);
        a.repeat_while(|a| {
            a.push(load(var("word")) + lanes(P) - load(var("after")));
            fold_top(a);
            a.rename("difference");
            add_constraint(a, memory, Element::new(take("difference"), VALUE_MAX));
            a.advance("after", ELEMENT_BYTES);
            a.advance("word", ELEMENT_BYTES);
            var("word").lt(state + STATE)
        });
        Some(var("sum"))
    });
}

/// `partial_rounds(from, sum)`: adds the constraints of the partial rounds after the state `from`,
/// and leaves the state after them.
fn define_partial_rounds(a: &mut Assembler, permutation: &Permutation, memory: &Memory) {
    let state = permutation.state();
    let of_full_rounds = CONSTANT * (2 * HALF_FULL_ROUNDS * WIDTH) as u64;
    let (start, outputs) = (permutation.constants + of_full_rounds, permutation.partial);
    let end = outputs + ELEMENT_BYTES * PARTIAL_ROUNDS as u64;
    a.function("partial_rounds", ["from", "sum"], |a| {
        a.bind("constants", start);
        a.bind("to", state);
        a.repeat_while(|a| {
            a.store(var("to"), load(var("from")) + constant("constants"));
            a.advance("from", ELEMENT_BYTES);
            a.advance("constants", CONSTANT);
            a.advance("to", ELEMENT_BYTES);
            var("to").lt(state + STATE)
        });
        a.bind("output", outputs);
        a.repeat_while(|a| {
            a.push(load(state));
            fold_top(a);
            a.rename("x");
            let x = || Element::var("x");
            let output = Element::new(load(var("output")), P - 1);
            add_constraint(a, memory, x() * x() * x() - output);
            a.op(Op::Pop);
            a.store(state, load(var("output")) + constant("constants"));
            a.call("mix", []);
            a.advance("output", ELEMENT_BYTES);
            a.advance("constants", CONSTANT);
            var("output").lt(end)
        });
        Some(var("sum"))
    });
}
