//! Values and differentials of a table's expressions on one row.

use std::collections::HashMap;
use std::rc::Rc;

use p3_air::symbolic::{AirLayout, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicExpression};
use p3_field::Field;
use p3_lookup::InteractionSymbolicBuilder;
use p3_matrix::Matrix;

use super::linear::{Form, combine};
use crate::test_utils::Table;

/// A table whose constraints are expressions.
pub type SymbolicTable<'a, F> = Table<'a, F, InteractionSymbolicBuilder<F>>;

/// A message that every row sends, as expressions.
pub struct Message<F> {
    /// Name of the bus; each lookup within a table has one of its own.
    pub bus: String,
    /// Number of times that the message is sent, or minus the number of times that it is received.
    pub count: SymbolicExpression<F>,
    /// Elements of the message.
    pub fields: Vec<SymbolicExpression<F>>,
}

/// The constraints and the messages of a table, in the order in which it declares them. Messages of
/// lookups within the table come first, exclusive ones last.
pub struct Expressions<F> {
    /// Expressions that are zero on every row.
    pub constraints: Vec<SymbolicExpression<F>>,
    /// The messages.
    pub messages: Vec<Message<F>>,
}

impl<F: Field> Expressions<F> {
    /// Evaluates the table symbolically.
    ///
    /// # Panics
    ///
    /// If it has constraints over an extension field or indexed lookups, which are not supported.
    pub fn new(table: &SymbolicTable<'_, F>) -> Self {
        let preprocessed = table.preprocessed.as_ref();
        let mut builder = InteractionSymbolicBuilder::<F>::new(AirLayout {
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
            messages.extend(lookup.tuples.iter().map(|(fields, count)| Message {
                bus: format!("local lookup {index} of table {}", table.name),
                count: count.clone().into_parts().0,
                fields: fields.clone(),
            }));
        }
        for message in builder.global_interactions() {
            messages.push(Message {
                bus: message.bus_name.clone(),
                count: message.count.clone(),
                fields: message.fields.clone(),
            });
        }
        for message in builder.exclusive_interactions() {
            messages.extend(message.branches.iter().map(|branch| Message {
                bus: message.bus_name.clone(),
                count: branch.flag.clone() * branch.count.clone(),
                fields: branch.fields.clone(),
            }));
        }
        Self {
            constraints: builder.base_constraints(),
            messages,
        }
    }
}

/// A value, and by how much it changes to first order if cells change.
#[derive(Clone, Debug)]
pub struct Dual<F> {
    /// The value.
    pub value: F,
    /// The differential: the partial derivative by each cell.
    pub form: Form<F>,
}

/// One row of a table, with the expressions that have been evaluated on it.
pub struct Row<'t, F: Field> {
    table: &'t SymbolicTable<'t, F>,
    /// Number of the table's first cell among those of all tables.
    first_cell: usize,
    /// Indices of the row and of the one that follows it.
    rows: [usize; 2],
    periodic: Vec<F>,
    /// Expressions share their parts by reference. They outlive the row, so an address is that of
    /// one expression.
    known: HashMap<*const SymbolicExpression<F>, Rc<Dual<F>>>,
}

impl<'t, F: Field> Row<'t, F> {
    /// The row with this index.
    pub fn new(table: &'t SymbolicTable<'t, F>, first_cell: usize, index: usize) -> Self {
        let next = table.end.next(index, table.trace.height());
        Self {
            table,
            first_cell,
            rows: [index, next],
            periodic: table.air.periodic_values(index),
            known: HashMap::new(),
        }
    }

    /// Evaluates an expression, by the rules for sums and products.
    pub fn evaluate(&mut self, expression: &SymbolicExpression<F>) -> Rc<Dual<F>> {
        let address = std::ptr::from_ref(expression);
        if let Some(known) = self.known.get(&address) {
            return known.clone();
        }
        let dual = match expression {
            SymbolicExpr::Leaf(leaf) => self.leaf(leaf),
            SymbolicExpr::Add { x, y, .. } => {
                let (x, y) = (self.evaluate(x), self.evaluate(y));
                Dual {
                    value: x.value + y.value,
                    form: combine((F::ONE, &x.form), (F::ONE, &y.form)),
                }
            }
            SymbolicExpr::Sub { x, y, .. } => {
                let (x, y) = (self.evaluate(x), self.evaluate(y));
                Dual {
                    value: x.value - y.value,
                    form: combine((F::ONE, &x.form), (F::NEG_ONE, &y.form)),
                }
            }
            SymbolicExpr::Mul { x, y, .. } => {
                let (x, y) = (self.evaluate(x), self.evaluate(y));
                Dual {
                    value: x.value * y.value,
                    form: combine((y.value, &x.form), (x.value, &y.form)),
                }
            }
            SymbolicExpr::Neg { x, .. } => {
                let x = self.evaluate(x);
                Dual {
                    value: -x.value,
                    form: combine((F::NEG_ONE, &x.form), (F::ZERO, &[])),
                }
            }
        };
        let dual = Rc::new(dual);
        self.known.insert(address, dual.clone());
        dual
    }

    fn leaf(&self, leaf: &BaseLeaf<F>) -> Dual<F> {
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

fn constant<F>(value: F) -> Dual<F> {
    Dual {
        value,
        form: Vec::new(),
    }
}
