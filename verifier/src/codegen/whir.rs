//! Evaluators of tables in proofs over WHIR: constraints, and messages with their weights.

use droste_gadgets::prelude::Ext;
use droste_gadgets::verify::opened::{Challenges, Opened};
use droste_gadgets::verify::whir::constraints::{Constraints, Messages};
use droste_native::F;
use droste_vm::whir::expressions::{Expressions, Leaf, Node as Expression, Row};
use droste_vm::whir::system::{System, TableSystem};
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use super::expression::{Graph, Node, NodeId, Openings};
use super::native::{opened_table, results, row};
use super::{
    CodegenError, Input, OpenedTable, StraightLine, check_results, identity, is_identifier,
    shortest, text,
};

/// Evaluators of one table.
#[derive(Clone, Debug)]
pub struct WhirTable {
    /// Lowercase identifier: the evaluators are `eval_<name>` and `messages_<name>`.
    pub name: String,
    /// Number of constraints.
    pub num_constraints: usize,
    /// Evaluator of the folded constraints. Without constraints there is no result.
    pub constraints: StraightLine,
    /// Number of messages.
    pub num_messages: usize,
    /// Evaluator of the messages: the sum over them of the weight times
    /// `multiplicity + combiner * (denominator - 1)`. Without messages there is no result.
    pub messages: StraightLine,
}

/// Evaluators of all tables of a proof over WHIR.
#[derive(Clone, Debug)]
pub struct WhirEvaluators {
    /// Tables in the order of the proof.
    pub tables: Vec<WhirTable>,
}

impl WhirEvaluators {
    /// Generates the evaluators of a machine's tables.
    ///
    /// # Errors
    /// [`CodegenError`] for names that are no identifiers or not distinct, and messages without a
    /// bus.
    pub fn new(system: &System) -> Result<Self, CodegenError> {
        let mut names: Vec<String> = Vec::new();
        for table in system.tables() {
            let name = table.name.replace([' ', '-'], "_");
            if !is_identifier(&name) {
                return Err(CodegenError::Name(name));
            }
            if names.contains(&name) {
                return Err(CodegenError::DuplicateName(name));
            }
            names.push(name);
        }
        let tables = system.tables().par_iter().zip(names);
        let tables = tables.map(|(table, name)| WhirTable::new(table, name));
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
        })
    }

    /// The evaluators as one file of zk-DSL text.
    #[must_use]
    pub fn text(&self) -> String {
        text::whir_file(&self.tables)
    }
}

impl WhirTable {
    pub(super) fn new(table: &TableSystem, name: String) -> Result<Self, CodegenError> {
        let expressions = &table.expressions;
        let (expected, found) = (expressions.messages().len(), table.buses.len());
        if expected != found {
            return Err(CodegenError::Buses {
                table: name,
                expected,
                found,
            });
        }
        let (mut graph, nodes) = import(expressions);
        let constraints: Vec<NodeId> = expressions
            .constraints()
            .iter()
            .map(|&constraint| nodes[constraint])
            .collect();
        let mut folded = evaluator(&graph, &constraints);
        identity::add(&mut folded, expressions);
        let sum = sum(&mut graph, &nodes, table);
        let messages = evaluator(&graph, sum.as_slice());
        let (num_constraints, num_messages) = (expressions.num_constraints(), found);
        // Without constraints or messages there is no result, and zero instead.
        check_results(format!("eval_{name}"), &folded, num_constraints.min(1))?;
        check_results(format!("messages_{name}"), &messages, num_messages.min(1))?;
        Ok(Self {
            name,
            num_constraints,
            constraints: folded,
            num_messages,
            messages,
        })
    }
}

/// The graph of a table's expressions, and for each of their nodes the node of the graph.
fn import(expressions: &Expressions) -> (Graph<'static>, Vec<NodeId>) {
    let mut graph = Graph::new(Openings {
        main_next: true,
        preprocessed_next: true,
        buses: &[],
    });
    let mut nodes: Vec<NodeId> = Vec::with_capacity(expressions.nodes().len());
    for node in expressions.nodes() {
        // Sums and products of the same operands are one node, in either order.
        let node = match *node {
            Expression::Leaf(leaf) => Node::Input(input(leaf)),
            Expression::Constant(value) => Node::Constant(value),
            Expression::Add(x, y) => Node::Add(nodes[x].min(nodes[y]), nodes[x].max(nodes[y])),
            Expression::Sub(x, y) => Node::Sub(nodes[x], nodes[y]),
            Expression::Mul(x, y) => Node::Mul(nodes[x].min(nodes[y]), nodes[x].max(nodes[y])),
            Expression::Neg(x) => Node::Neg(nodes[x]),
        };
        nodes.push(graph.push(node));
    }
    (graph, nodes)
}

/// What the evaluator reads for a value that expressions read.
const fn input(leaf: Leaf) -> Input {
    match leaf {
        Leaf::Main(row, column) => Input::Main {
            next: matches!(row, Row::Next),
            column,
        },
        Leaf::Preprocessed(row, column) => Input::Preprocessed {
            next: matches!(row, Row::Next),
            column,
        },
        Leaf::Public(index) => Input::Public(index),
        Leaf::FirstRow => Input::IsFirstRow,
        Leaf::LastRow => Input::IsLastRow,
        Leaf::Transition => Input::IsTransition,
    }
}

fn evaluator(graph: &Graph<'_>, constraints: &[NodeId]) -> StraightLine {
    match constraints {
        [] => StraightLine::default(),
        _ => shortest(graph, constraints),
    }
}

/// The sum over the messages, if there are any. The elements `e_i` of a message of length `n` lead
/// to the denominator `bus - sum of beta^(n-1-i) e_i`.
fn sum(graph: &mut Graph<'_>, nodes: &[NodeId], table: &TableSystem) -> Option<NodeId> {
    let mut sum = None;
    let [one, beta, combiner] = [
        Node::Constant(F::ONE),
        Node::Input(Input::Beta),
        Node::Input(Input::Combiner),
    ]
    .map(|node| graph.push(node));
    let messages = table.expressions.messages().iter().zip(&table.buses);
    for (index, (message, &bus)) in messages.enumerate() {
        let mut combined = graph.constant(F::ZERO);
        for &element in &message.payload {
            let shifted = graph.push(Node::Mul(combined, beta));
            combined = graph.push(Node::Add(shifted, nodes[element]));
        }
        let bus = graph.push(Node::Input(Input::Bus(bus)));
        let denominator = graph.push(Node::Sub(bus, combined));
        let less_one = graph.push(Node::Sub(denominator, one));
        let scaled = graph.push(Node::Mul(combiner, less_one));
        let fraction = graph.push(Node::Add(nodes[message.multiplicity], scaled));
        let weight = graph.push(Node::Input(Input::Weight(index)));
        let term = graph.push(Node::Mul(weight, fraction));
        sum = Some(match sum {
            None => term,
            Some(sum) => graph.push(Node::Add(sum, term)),
        });
    }
    sum
}

impl Constraints for WhirEvaluators {
    fn folded(&self, table: usize, opened: &Opened, challenges: &Challenges) -> Ext {
        let opened = OpenedTable {
            alpha: challenges.alpha.into(),
            ..opened_table(opened)
        };
        let program = self.tables.get(table).map(|table| &table.constraints);
        let results = results(program, &opened);
        results.first().copied().unwrap_or(Ext::ZERO)
    }

    fn messages(&self, table: usize, opened: &Opened, sent: &Messages) -> Ext {
        let opened = OpenedTable {
            buses: row(&sent.buses),
            beta: sent.beta.into(),
            combiner: sent.combiner.into(),
            weights: row(&sent.weights),
            ..opened_table(opened)
        };
        let program = self.tables.get(table).map(|table| &table.messages);
        let results = results(program, &opened);
        results.first().copied().unwrap_or(Ext::ZERO)
    }
}
