//! Values and differentials of a table's expressions on one row.

use std::collections::HashMap;

use droste_native::{EF, F};
use p3_air::symbolic::{AirLayout, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::Matrix;

use super::linear::{Form, combine};
use crate::test_utils::Table;

/// A table whose constraints are expressions.
pub type SymbolicTable<'a> = Table<'a, F, InteractionSymbolicBuilder<F, EF>>;

/// An expression. Operands are indices of earlier ones.
enum Node {
    Leaf(BaseLeaf<F>),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Neg(usize),
}

/// Expressions, each after its operands.
#[derive(Default)]
struct Nodes {
    nodes: Vec<Node>,
    /// Expressions share their parts by reference. All outlive this list, so an address is that of
    /// one expression.
    known: HashMap<*const SymbolicExpression<F>, usize>,
}

impl Nodes {
    /// Returns the index of an expression.
    fn add(&mut self, expression: &SymbolicExpression<F>) -> usize {
        let address = std::ptr::from_ref(expression);
        if let Some(&known) = self.known.get(&address) {
            return known;
        }
        let node = match expression {
            SymbolicExpr::Leaf(leaf) => Node::Leaf(leaf.clone()),
            SymbolicExpr::Add { x, y, .. } => Node::Add(self.add(x), self.add(y)),
            SymbolicExpr::Sub { x, y, .. } => Node::Sub(self.add(x), self.add(y)),
            SymbolicExpr::Mul { x, y, .. } => Node::Mul(self.add(x), self.add(y)),
            SymbolicExpr::Neg { x, .. } => Node::Neg(self.add(x)),
        };
        self.nodes.push(node);
        self.known.insert(address, self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}

/// A message that every row sends. Expressions are given by their indices.
pub struct Message {
    /// Name of the bus; each lookup within a table has one of its own.
    pub bus: String,
    /// Number of times that the message is sent, or minus the number of times that it is received.
    pub count: usize,
    /// Elements of the message.
    pub fields: Vec<usize>,
}

/// The constraints and the messages of a table, in the order in which it declares them. Messages of
/// lookups within the table come first, exclusive ones last.
pub struct Expressions {
    nodes: Vec<Node>,
    /// Indices of expressions that are zero on every row.
    pub constraints: Vec<usize>,
    /// The messages.
    pub messages: Vec<Message>,
}

impl Expressions {
    /// Evaluates the table symbolically.
    ///
    /// # Panics
    ///
    /// If it has constraints over an extension field or indexed lookups, which are not supported.
    pub fn new(table: &SymbolicTable<'_>) -> Self {
        let preprocessed = table.preprocessed.as_ref();
        let mut builder = InteractionSymbolicBuilder::<F, EF>::new(AirLayout {
            preprocessed_width: preprocessed.map_or(0, Matrix::width),
            main_width: table.air.width(),
            num_public_values: table.air.num_public_values(),
            num_periodic_columns: table.air.num_periodic_columns(),
            ..AirLayout::default()
        });
        table.air.eval(&mut builder);
        assert!(
            builder.extension_constraints().is_empty()
                && builder.indexed_reads().is_empty()
                && builder.indexed_tables().is_empty(),
            "table {}: constraints over an extension field and indexed lookups are not supported",
            table.name
        );
        let mut messages = Vec::new();
        for (index, lookup) in builder.local_interactions().iter().enumerate() {
            messages.extend(lookup.tuples.iter().map(|(fields, count)| {
                let bus = format!("local lookup {index} of table {}", table.name);
                (bus, count.clone().into_parts().0, fields)
            }));
        }
        for message in builder.global_interactions() {
            let count = message.count.clone();
            messages.push((message.bus_name.clone(), count, &message.fields));
        }
        for message in builder.exclusive_interactions() {
            messages.extend(message.branches.iter().map(|branch| {
                let count = branch.flag.clone() * branch.count.clone();
                (message.bus_name.clone(), count, &branch.fields)
            }));
        }
        let constraints = builder.base_constraints();
        let mut nodes = Nodes::default();
        let constraints = constraints.iter().map(|constraint| nodes.add(constraint));
        let constraints = constraints.collect();
        let messages = messages.iter().map(|(bus, count, fields)| Message {
            bus: bus.clone(),
            count: nodes.add(count),
            fields: fields.iter().map(|field| nodes.add(field)).collect(),
        });
        let messages = messages.collect();
        Self {
            nodes: nodes.nodes,
            constraints,
            messages,
        }
    }

    /// Evaluates all expressions on a row of the table, by the rules for sums and products.
    /// `first_cell` is the number of the table's first cell among those of all tables.
    pub fn evaluate(
        &self,
        table: &SymbolicTable<'_>,
        first_cell: usize,
        index: usize,
    ) -> Vec<Dual> {
        let row = Row::new(table, first_cell, index);
        let mut duals: Vec<Dual> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let dual = match *node {
                Node::Leaf(ref leaf) => row.leaf(leaf),
                Node::Add(x, y) => {
                    let (x, y) = (&duals[x], &duals[y]);
                    Dual {
                        value: x.value + y.value,
                        form: combine((F::ONE, &x.form), (F::ONE, &y.form)),
                    }
                }
                Node::Sub(x, y) => {
                    let (x, y) = (&duals[x], &duals[y]);
                    Dual {
                        value: x.value - y.value,
                        form: combine((F::ONE, &x.form), (F::NEG_ONE, &y.form)),
                    }
                }
                Node::Mul(x, y) => {
                    let (x, y) = (&duals[x], &duals[y]);
                    Dual {
                        value: x.value * y.value,
                        form: combine((y.value, &x.form), (x.value, &y.form)),
                    }
                }
                Node::Neg(x) => Dual {
                    value: -duals[x].value,
                    form: combine((F::NEG_ONE, &duals[x].form), (F::ZERO, &[])),
                },
            };
            duals.push(dual);
        }
        duals
    }
}

/// A value, and by how much it changes to first order if cells change.
#[derive(Clone, Debug)]
pub struct Dual {
    /// The value.
    pub value: F,
    /// The differential: the partial derivative by each cell.
    pub form: Form,
}

/// One row of a table.
struct Row<'t> {
    table: &'t SymbolicTable<'t>,
    first_cell: usize,
    /// Indices of the row and of the one that follows it.
    rows: [usize; 2],
    periodic: Vec<F>,
}

impl<'t> Row<'t> {
    fn new(table: &'t SymbolicTable<'t>, first_cell: usize, index: usize) -> Self {
        let next = table.end.next(index, table.trace.height());
        Self {
            table,
            first_cell,
            rows: [index, next],
            periodic: table.air.periodic_values(index),
        }
    }

    fn leaf(&self, leaf: &BaseLeaf<F>) -> Dual {
        let (table, [index, next]) = (self.table, self.rows);
        let variable = match leaf {
            BaseLeaf::Variable(variable) => variable,
            BaseLeaf::IsFirstRow => return constant(F::from_bool(index == 0)),
            BaseLeaf::IsLastRow => {
                return constant(F::from_bool(index + 1 == table.trace.height()));
            }
            BaseLeaf::IsTransition => {
                return constant(F::from_bool(index + 1 < table.trace.height()));
            }
            BaseLeaf::Constant(value) => return constant(*value),
        };
        let column = variable.index;
        match variable.entry {
            BaseEntry::Main { offset } => {
                let cell = self.rows[offset] * table.trace.width() + column;
                Dual {
                    value: table.trace.values[cell],
                    form: vec![(self.first_cell + cell, F::ONE)],
                }
            }
            BaseEntry::Preprocessed { offset } => {
                let row = [index, next][offset];
                let matrix = table.preprocessed.as_ref();
                let value = matrix.and_then(|matrix| matrix.get(row, column));
                constant(value.expect("a preprocessed column that the table has"))
            }
            BaseEntry::Periodic => constant(self.periodic[column]),
            BaseEntry::Public => constant(table.public_values[column]),
        }
    }
}

fn constant(value: F) -> Dual {
    Dual {
        value,
        form: Vec::new(),
    }
}
