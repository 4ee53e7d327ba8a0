//! The constraints and messages of tables at a point, from their expressions.
//!
//! With the opened values of a table's columns, the verifier of the zerocheck computes
//! (`droste_vm::whir::zerocheck`)
//!
//! ```text
//! sum_t w_t (mu_t + theta (D_t - 1)) + sum_j alpha^(1 + o + n - 1 - j) C_j
//! ```
//!
//! with messages `t` and their weights `w_t`, and constraints `C_j`. Constraints of all tables are
//! the coefficients of one polynomial in `alpha`: those of the last table come first, in order. So
//! tables are evaluated from the last to the first, and one accumulator is multiplied by `alpha`
//! for each constraint; in the end it is multiplied once more. Likewise the elements of a message
//! are the coefficients of a polynomial in `beta`, which is what `D_t` is short of a constant of
//! its bus.
//!
//! Expressions become statements (`graph`), but for the constraints of a permutation, whose rounds
//! are loops (`poseidon16`).

#[allow(
    clippy::indexing_slicing,
    reason = "nodes are of the table, which `Graph::new` checks, and lists have a place for each"
)]
mod graph;
#[allow(
    clippy::indexing_slicing,
    reason = "numbers of rows and columns are below the width"
)]
mod poseidon16;
#[cfg(test)]
mod tests;

use droste_vm::whir::expressions::{Leaf, Message, Row};
use droste_vm::whir::system::TableSystem;
use thiserror::Error;

use self::graph::Graph;
use crate::assembler::{Assembler, load, var};
use crate::field::{ELEMENT_BYTES, Element, LEFT_MAX};

/// Where an evaluator finds what it reads, and where it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The opened values of the table, in the order in which the transcript absorbs them. Their
    /// lanes are below `p`.
    pub opened: u64,
    /// The public values.
    pub public_values: u64,
    /// Three values: of the selectors of the first row, the last row, and transitions.
    pub selectors: u64,
    /// The weight of each message.
    pub weights: u64,
    /// Of each bus: `theta (alpha + (t + 1) beta^W - 1)`, with the challenge `alpha` of the
    /// lookups.
    pub buses: u64,
    /// Three challenges: `alpha` of the constraints, `beta`, `theta`.
    pub challenges: u64,
    /// Two accumulators: of the constraints, with lanes of at most [`LEFT_MAX`], and the sum over
    /// all messages.
    pub sums: u64,
    /// From here on there is nothing.
    pub registers: u64,
}

/// A table that cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConstraintsError {
    /// The columns of a permutation, or its constraints, are not where they are expected to be.
    #[error(
        "table {0} does not have the permutation's columns and constraints where they should be"
    )]
    Permutation(&'static str),
    /// A table has polynomial identities, for which there is no code.
    #[error("table {0} has polynomial identities, for which no code is generated")]
    Identities(&'static str),
    /// No table has this name.
    #[error("there is no table {0}")]
    Unknown(String),
    /// An expression is made of one that is not in front of it, or that does not exist.
    #[error("table {table}: node {node} of its expressions is used where it does not exist yet")]
    Node {
        /// Name of the table.
        table: &'static str,
        /// Number of the node.
        node: usize,
    },
    /// There are not as many buses as messages.
    #[error("table {table} has the buses of {found} messages, expected {expected}")]
    Buses {
        /// Name of the table.
        table: &'static str,
        /// Number of messages.
        expected: usize,
        /// Number of buses.
        found: usize,
    },
    /// The heights are not those of as many tables.
    #[error("{found} heights were given, expected {expected}: one for each table")]
    Heights {
        /// Number of tables.
        expected: usize,
        /// Number of heights.
        found: usize,
    },
}

/// Where a word of a list is.
pub(crate) const fn word(place: u64, index: usize) -> u64 {
    place + ELEMENT_BYTES * index as u64
}

impl Memory {
    /// Where the value of a leaf is.
    fn leaf(&self, table: &TableSystem, leaf: Leaf) -> u64 {
        let (main, preprocessed) = (&table.main, &table.preprocessed);
        let main_end = main.width() + main.num_next();
        match leaf {
            Leaf::Main(Row::Current, column) => word(self.opened, main.slot(column)),
            Leaf::Main(Row::Next, column) => word(self.opened, main.width() + main.slot(column)),
            Leaf::Preprocessed(row, column) => {
                let before = match row {
                    Row::Current => main_end,
                    Row::Next => main_end + preprocessed.width(),
                };
                word(self.opened, before + preprocessed.slot(column))
            }
            Leaf::Public(index) => word(self.public_values, index),
            Leaf::FirstRow => self.selectors,
            Leaf::LastRow => word(self.selectors, 1),
            Leaf::Transition => word(self.selectors, 2),
        }
    }

    fn alpha(&self) -> Element {
        Element::load(self.challenges)
    }

    fn beta(&self) -> Element {
        Element::load(word(self.challenges, 1))
    }

    fn theta(&self) -> Element {
        Element::load(word(self.challenges, 2))
    }
}

/// Multiplies the accumulator of the constraints, the variable `sum`, by the challenge, and adds a
/// constraint. The accumulator is a first factor and nothing else, so it may be as large as one.
fn add_constraint(a: &mut Assembler, memory: &Memory, constraint: Element) {
    let sum = Element::new(var("sum"), LEFT_MAX) * memory.alpha();
    let constraint = constraint.folded(LEFT_MAX - sum.max);
    a.set("sum", sum.expr + constraint.expr);
}

/// Leaves out so many constraints, at least one: multiplies the accumulator as often.
pub fn skip(a: &mut Assembler, memory: &Memory, constraints: usize) {
    a.block(|a| {
        let power = a.bind_power("power", memory.alpha(), constraints);
        let sum = Element::new(load(memory.sums), LEFT_MAX) * power;
        a.store(memory.sums, sum.expr);
    });
}

/// Adds the constraints and messages of a table to the accumulators.
///
/// # Errors
/// If the table is not as it is expected to be.
pub fn evaluate(
    a: &mut Assembler,
    table: &TableSystem,
    memory: &Memory,
) -> Result<(), ConstraintsError> {
    let expressions = &table.expressions;
    if !expressions.identities().is_empty() {
        return Err(ConstraintsError::Identities(table.name));
    }
    let (expected, found) = (expressions.messages().len(), table.buses.len());
    if expected != found {
        return Err(ConstraintsError::Buses {
            table: table.name,
            expected,
            found,
        });
    }
    let permutation = poseidon16::Permutation::of(table, memory)?;
    let (done, registers) = match &permutation {
        Some(permutation) => (poseidon16::CONSTRAINTS, permutation.end()),
        None => (0, memory.registers),
    };
    let rest = expressions.constraints().iter().skip(done);
    let messages = expressions.messages().iter();
    let of_messages =
        messages.flat_map(|message| message.payload.iter().chain([&message.multiplicity]));
    let outputs = permutation
        .iter()
        .flat_map(|permutation| &permutation.outputs);
    let roots = outputs.chain(rest.clone()).chain(of_messages);
    let mut graph = Graph::new(table, *memory, registers, roots.copied())?;
    a.comment(&format!("table {}", table.name));
    a.block(|a| {
        a.bind("sum", load(memory.sums));
        if let Some(permutation) = permutation {
            permutation.constrain(a, memory, &mut graph);
        }
        for &constraint in rest {
            graph.prepare(a, &[constraint]);
            add_constraint(a, memory, graph.element(constraint));
        }
        a.store(memory.sums, var("sum"));
    });
    a.block(|a| {
        let sum = word(memory.sums, 1);
        a.bind("sum", load(sum));
        let messages = expressions.messages().iter().zip(&table.buses);
        for (index, (message, &bus)) in messages.enumerate() {
            let weight = Element::load(word(memory.weights, index));
            let bus = Element::load(word(memory.buses, bus));
            let value = message_value(a, memory, &mut graph, message, bus);
            a.set("sum", (value * weight + Element::var("sum")).value());
        }
        a.store(sum, var("sum"));
    });
    Ok(())
}

/// The multiplicity of a message and `theta` times its denominator less one.
fn message_value(
    a: &mut Assembler,
    memory: &Memory,
    graph: &mut Graph<'_>,
    message: &Message,
    bus: Element,
) -> Element {
    let nodes = [&[message.multiplicity], &message.payload[..]].concat();
    graph.prepare(a, &nodes);
    let multiplicity = graph.element(message.multiplicity);
    let elements = message.payload.iter().map(|&node| graph.element(node));
    // The sum is evaluated first, so that the stack does not grow with the message.
    let combined = elements.reduce(|sum, element| element + sum * memory.beta());
    // A message without elements is zero.
    let combined = combined.unwrap_or_else(Element::zero);
    multiplicity + bus - combined * memory.theta()
}
