//! The constraints and the messages of a table as one graph of expressions.
//!
//! Tables are written against Plonky3's builders, which hand them over as symbolic expressions.

use std::collections::BTreeSet;

use droste_air::End;
use droste_native::{EF, F};
use p3_air::Air;
use p3_air::symbolic::{BaseEntry, BaseLeaf};
use p3_field::Algebra;
use p3_lookup::InteractionSymbolicBuilder;
use thiserror::Error;

use crate::graph::{self, Graph};
use crate::lookups::Evaluated;
use crate::tables::{self, PolynomialIdentity, Table, constraints_after};

/// Row of a pair of consecutive rows. The last row is followed by itself ([`End::Repeat`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Row {
    /// The row itself.
    Current,
    /// The row after it.
    Next,
}

/// A value that expressions read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leaf {
    /// A cell of a main column.
    Main(Row, usize),
    /// A cell of a preprocessed column.
    Preprocessed(Row, usize),
    /// A public value.
    Public(usize),
    /// One on the first row, zero on the others.
    FirstRow,
    /// One on the last row, zero on the others.
    LastRow,
    /// Zero on the last row, one on the others.
    Transition,
}

/// A node of a table's graph.
pub type Node<L = Leaf> = graph::Node<L>;

/// The bus of a message, as its table names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BusName {
    /// A lookup within the table: its index among those of the table.
    Local(usize),
    /// A bus that tables share, by name.
    Global(String),
}

/// A message that every row sends, and how often.
#[derive(Clone, Debug)]
pub struct Message {
    /// The bus.
    pub bus: BusName,
    /// Node of the multiplicity.
    pub multiplicity: usize,
    /// Nodes of the elements, at least one.
    pub payload: Vec<usize>,
}

/// What a table has that these proofs do not support.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unsupported {
    /// Periodic columns.
    #[error("it has periodic columns")]
    PeriodicColumns,
    /// Constraints over the extension field.
    #[error("it has constraints over the extension field")]
    ExtensionConstraints,
    /// Lookups by position.
    #[error("it has indexed lookups")]
    IndexedLookups,
    /// Lookups that exclude each other: at most one of them is active.
    #[error("it has exclusive lookups")]
    ExclusiveLookups,
    /// A message without elements.
    #[error("it has a message without elements")]
    EmptyMessage,
    /// Messages of different lengths on one bus: with zeros one could be taken for another.
    #[error(
        "one of its messages on bus {bus:?} has {found} elements, expected {expected} as in the \
         first one"
    )]
    MessageLength {
        /// The bus.
        bus: BusName,
        /// Length of the bus's first message.
        expected: usize,
        /// Length of another one.
        found: usize,
    },
    /// It reads more rows than two.
    #[error("it reads rows that are not consecutive")]
    Rows,
    /// It reads a public value that it does not have.
    #[error("it reads a public value that it does not declare")]
    PublicValue,
    /// Preprocessed columns that a key cannot commit to, since their height is the prover's choice.
    #[error("it has preprocessed columns, and a height that is not fixed")]
    PreprocessedHeight,
    /// Its first constraints are not those of the identities that it declares.
    #[error("its first constraints are not those of its polynomial identities")]
    Identities,
    /// It is not sound where its last row is followed by itself.
    #[error("it does not say that it is sound where its last row is followed by itself")]
    End,
}

/// The constraints and messages of a table. Those of polynomial identities, which come first, are
/// no part of the graph.
#[derive(Clone, Debug)]
pub struct Expressions {
    identities: Vec<PolynomialIdentity>,
    nodes: Vec<Node>,
    degrees: Vec<usize>,
    constraints: Vec<usize>,
    messages: Vec<Message>,
}

impl Expressions {
    /// Evaluates the table symbolically.
    ///
    /// Messages are in order of declaration, those of lookups within the table before those on
    /// buses.
    ///
    /// # Errors
    /// If the table has anything that is not supported.
    pub fn new<T>(table: &T) -> Result<Self, Unsupported>
    where
        T: Table + Air<InteractionSymbolicBuilder<F, EF>>,
    {
        Self::of(table, &Evaluated::new(table))
    }

    /// As [`Self::new`], of a table that has been evaluated.
    pub(crate) fn of<T: Table>(table: &T, evaluated: &Evaluated) -> Result<Self, Unsupported> {
        if !table.is_sound_with(End::Repeat) {
            return Err(Unsupported::End);
        }
        if table.num_periodic_columns() > 0 {
            return Err(Unsupported::PeriodicColumns);
        }
        let builder = &evaluated.builder;
        if !evaluated.extension.is_empty() {
            return Err(Unsupported::ExtensionConstraints);
        }
        if !builder.indexed_reads().is_empty() || !builder.indexed_tables().is_empty() {
            return Err(Unsupported::IndexedLookups);
        }
        if !builder.exclusive_interactions().is_empty() {
            return Err(Unsupported::ExclusiveLookups);
        }
        // Multiplicities of lookups within the table are only handed out as copies, which must live
        // as long as nodes are found by address.
        let locals: Vec<Vec<_>> = builder
            .local_interactions()
            .iter()
            .map(|lookup| {
                let messages = lookup.tuples.iter();
                let split =
                    messages.map(|(payload, count)| (payload, count.clone().into_parts().0));
                split.collect()
            })
            .collect();

        let public_values = table.num_public_values();
        let identities = table.identities();
        let others = constraints_after(table, &identities, &evaluated.constraints);
        let others = others.ok_or(Unsupported::Identities)?;
        let read = |_: &mut Graph<'_, Leaf>, leaf: &BaseLeaf<F>| node_of(leaf, public_values);
        let mut graph = Graph::new(true);
        let constraints = graph.add_all(others, &read)?;
        let locals = locals.iter().enumerate().flat_map(|(index, local)| {
            let messages = local.iter();
            messages.map(move |(payload, count)| (BusName::Local(index), count, *payload))
        });
        let globals = builder.global_interactions().iter().map(|message| {
            let bus = BusName::Global(message.bus_name.clone());
            (bus, &message.count, &message.fields)
        });
        let mut messages = Vec::new();
        for (bus, multiplicity, payload) in locals.chain(globals) {
            if payload.is_empty() {
                return Err(Unsupported::EmptyMessage);
            }
            messages.push(Message {
                bus,
                multiplicity: graph.add(multiplicity, &read)?,
                payload: graph.add_all(payload, &read)?,
            });
        }
        Ok(Self {
            identities,
            degrees: degrees(&graph.nodes),
            nodes: graph.nodes,
            constraints,
            messages,
        })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Degree of each node in the columns and selectors, each of which has degree 1.
    pub fn degrees(&self) -> &[usize] {
        &self.degrees
    }

    /// The polynomial identities, whose constraints come before all others.
    pub fn identities(&self) -> &[PolynomialIdentity] {
        &self.identities
    }

    /// Nodes that must be zero on every row, in order of declaration: the constraints after those
    /// of the identities.
    pub fn constraints(&self) -> &[usize] {
        &self.constraints
    }

    /// Number of constraints, those of the identities counted.
    pub fn num_constraints(&self) -> usize {
        let identities = self.identities.iter();
        let identities = identities.map(PolynomialIdentity::num_coefficients);
        identities.sum::<usize>() + self.constraints.len()
    }

    /// The sum of the identities' constraints, of which the last one has the factor one, and each
    /// other one the next power of `alpha`.
    pub fn evaluate_identities<V: Algebra<F> + Copy>(
        &self,
        alpha: V,
        read: &dyn Fn(Leaf) -> V,
    ) -> V {
        let read = |column| read(cell(column));
        tables::evaluate_identities(&self.identities, alpha, &read)
    }

    /// The messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The outputs: the constraints after those of the identities, then of each message the
    /// multiplicity and the payload.
    pub fn outputs(&self) -> impl Iterator<Item = usize> {
        let messages = self.messages.iter().flat_map(|message| {
            std::iter::once(message.multiplicity).chain(message.payload.iter().copied())
        });
        self.constraints.iter().copied().chain(messages)
    }

    /// The largest degree of an output or identity.
    pub fn degree(&self) -> usize {
        let outputs = self.outputs().map(|output| self.degrees[output]);
        let identities = self.identities.iter().map(PolynomialIdentity::degree);
        outputs.chain(identities).max().unwrap_or(0)
    }

    /// The values that are read, in ascending order.
    pub fn leaves(&self) -> BTreeSet<Leaf> {
        let leaves = self.nodes.iter().filter_map(|node| match node {
            Node::Leaf(leaf) => Some(*leaf),
            _ => None,
        });
        let columns = self.identities.iter().flat_map(PolynomialIdentity::columns);
        leaves.chain(columns.map(cell)).collect()
    }

    /// Evaluates every node. How leaves are read is no type parameter, so that the arithmetic is
    /// compiled here, once for each type of values.
    pub fn evaluate<V: Algebra<F> + Copy>(&self, read: &dyn Fn(Leaf) -> V) -> Vec<V> {
        let mut values: Vec<V> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            values.push(match *node {
                Node::Leaf(leaf) => read(leaf),
                Node::Constant(constant) => constant.into(),
                Node::Add(x, y) => values[x] + values[y],
                Node::Sub(x, y) => values[x] - values[y],
                Node::Mul(x, y) => values[x] * values[y],
                Node::Neg(x) => -values[x],
            });
        }
        values
    }
}

/// The cell of a main column.
pub(super) const fn cell(column: usize) -> Leaf {
    Leaf::Main(Row::Current, column)
}

fn degrees(nodes: &[Node]) -> Vec<usize> {
    let mut degrees: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in nodes {
        degrees.push(match *node {
            Node::Leaf(Leaf::Public(_)) | Node::Constant(_) => 0,
            Node::Leaf(_) => 1,
            Node::Add(x, y) | Node::Sub(x, y) => degrees[x].max(degrees[y]),
            Node::Mul(x, y) => degrees[x] + degrees[y],
            Node::Neg(x) => degrees[x],
        });
    }
    degrees
}

/// What a leaf is, of a table that has so many public values.
fn node_of(leaf: &BaseLeaf<F>, public_values: usize) -> Result<Node, Unsupported> {
    let row = |offset| match offset {
        0 => Ok(Row::Current),
        1 => Ok(Row::Next),
        _ => Err(Unsupported::Rows),
    };
    Ok(Node::Leaf(match leaf {
        BaseLeaf::Constant(constant) => return Ok(Node::Constant(*constant)),
        BaseLeaf::IsFirstRow => Leaf::FirstRow,
        BaseLeaf::IsLastRow => Leaf::LastRow,
        BaseLeaf::IsTransition => Leaf::Transition,
        BaseLeaf::Variable(variable) => {
            let index = variable.index;
            match variable.entry {
                BaseEntry::Main { offset } => Leaf::Main(row(offset)?, index),
                BaseEntry::Preprocessed { offset } => Leaf::Preprocessed(row(offset)?, index),
                BaseEntry::Periodic => return Err(Unsupported::PeriodicColumns),
                BaseEntry::Public if index >= public_values => {
                    return Err(Unsupported::PublicValue);
                }
                BaseEntry::Public => Leaf::Public(index),
            }
        }
    }))
}
