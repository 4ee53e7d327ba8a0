//! Evaluators of tables in proofs over WHIR: constraints, and messages with their weights.

use droste_gadgets::prelude::Ext;
use droste_gadgets::verify::opened::{Challenges, Opened};
use droste_gadgets::verify::whir::constraints::{Constraints, Messages};
use droste_native::field::EXTENSION_DEGREE;
use droste_native::{EF, F};
use droste_vm::whir::expressions::{Expressions, Leaf, Node as Expression, Row};
use droste_vm::whir::system::{System, TableSystem};
use p3_field::PrimeCharacteristicRing;
use p3_maybe_rayon::prelude::*;

use super::expression::{Graph, Node};
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
        let mut graph = import(expressions);
        let mut folded = evaluator(&graph, expressions.constraints());
        identity::add(&mut folded, expressions);
        let sum = sum(&mut graph, table);
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

/// A graph of a table's expressions. They are different nodes, so each keeps its number.
fn import(expressions: &Expressions) -> Graph<'static> {
    let mut graph = Graph::new(true);
    for node in expressions.nodes() {
        graph.push(match *node {
            Expression::Leaf(leaf) => input(leaf).into(),
            Expression::Constant(value) => Node::Constant(value),
            Expression::Add(x, y) => Node::Add(x, y),
            Expression::Sub(x, y) => Node::Sub(x, y),
            Expression::Mul(x, y) => Node::Mul(x, y),
            Expression::Neg(x) => Node::Neg(x),
        });
    }
    graph
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

fn evaluator(graph: &Graph<'_>, constraints: &[usize]) -> StraightLine {
    match constraints {
        [] => StraightLine::default(),
        _ => shortest(&graph.nodes, constraints, EXTENSION_DEGREE),
    }
}

/// The sum over the messages, if there are any. The elements `e_i` of a message of length `n` lead
/// to the denominator `bus - sum of beta^(n-1-i) e_i`.
fn sum(graph: &mut Graph<'_>, table: &TableSystem) -> Option<usize> {
    let mut sum = None;
    let [one, beta, combiner] = [
        Node::Constant(F::ONE),
        Input::Beta.into(),
        Input::Combiner.into(),
    ]
    .map(|node| graph.push(node));
    let messages = table.expressions.messages().iter().zip(&table.buses);
    for (index, (message, &bus)) in messages.enumerate() {
        let mut combined = graph.push(Node::Constant(F::ZERO));
        for &element in &message.payload {
            let shifted = graph.push(Node::Mul(combined, beta));
            combined = graph.push(Node::Add(shifted, element));
        }
        let bus = graph.push(Input::Bus(bus).into());
        let denominator = graph.push(Node::Sub(bus, combined));
        let less_one = graph.push(Node::Sub(denominator, one));
        let scaled = graph.push(Node::Mul(combiner, less_one));
        let fraction = graph.push(Node::Add(message.multiplicity, scaled));
        let weight = graph.push(Input::Weight(index).into());
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
        let opened = OpenedTable::<EF> {
            alpha: challenges.alpha.into(),
            ..opened_table(opened)
        };
        let program = self.tables.get(table).map(|table| &table.constraints);
        let results = results(program, &opened);
        results.first().copied().unwrap_or(Ext::ZERO)
    }

    fn messages(&self, table: usize, opened: &Opened, sent: &Messages) -> Ext {
        let opened = OpenedTable::<EF> {
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
