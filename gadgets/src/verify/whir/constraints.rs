//! The constraints and messages of the tables, at the opened row.
//!
//! Claim: the opened values lead to the sum with which the sumcheck over the rows ended, that of
//! the constraints and of what the messages contribute to the leaves of the fractions.

use crate::fri::power;
use crate::prelude::*;
use crate::verify::opened::{Challenges, Opened};
use crate::verify::whir::gkr::Claim;
use crate::verify::whir::shape::{Columns, Shape};
use crate::verify::whir::transcript::Values;
use crate::verify::whir::weights::selected;

/// The constraints of a proof's tables. In the machine, the implementation is generated from the
/// AIRs.
pub trait Constraints {
    /// Returns the constraints of table `table`, folded by the challenge: the last one has the
    /// factor one.
    fn folded(&self, table: usize, opened: &Opened, challenges: &Challenges) -> Ext;

    /// Returns what the messages of table `table` contribute: the sum over the messages of the
    /// weight times `multiplicity + combiner * (denominator - 1)`.
    fn messages(&self, table: usize, opened: &Opened, sent: &Messages) -> Ext;
}

/// What the messages of a table depend on, beside the opened values.
#[derive(Clone, Debug)]
pub struct Messages {
    /// Combines the elements of a message.
    pub beta: Ext,
    /// For each bus, the challenge from which the combined message is subtracted in the
    /// denominator.
    pub buses: Vec<Ext>,
    /// Combines multiplicities and denominators.
    pub combiner: Ext,
    /// The weight of each message.
    pub weights: Vec<Ext>,
}

/// Returns what the sumcheck over the rows ends with if `values` are those of the row `rho`: for
/// each table, the contribution of its messages and its folded constraints.
pub fn total<A: Constraints>(
    shape: &Shape,
    constraints: &A,
    challenges: &Challenges,
    leaves: &Claim,
    rho: &[Ext],
    values: &[Values],
    statement: [Felt; 8],
) -> Ext {
    let selectors = Selectors::new(rho);
    let alpha = challenges.alpha;
    let mut total = Ext::ZERO;
    // The last constraint of a table has the power 1 plus the number of constraints before.
    let mut scale = alpha;
    for number in 0..shape.tables.len() {
        let table = &shape.tables[number];
        let mut public_values = Vec::new();
        for i in 0..table.public_values {
            public_values.push(statement[i]);
        }
        let last = selectors.last[table.log_height];
        let opened = Opened {
            main: by_column(&table.main, &values[number].main),
            main_next: by_column(&table.main, &values[number].main_next),
            preprocessed: by_column(&table.preprocessed, &values[number].preprocessed),
            preprocessed_next: by_column(&table.preprocessed, &values[number].preprocessed_next),
            permutation: Vec::new(),
            permutation_next: Vec::new(),
            terminal: Ext::ZERO,
            public_values,
            public_elements: Vec::new(),
            periodic: Vec::new(),
            is_first_row: selectors.first[table.log_height],
            is_last_row: last,
            is_transition: Ext::ONE - last,
        };
        let block = leaves.first_coordinates(leaves.point.len() - table.log_height);
        let sent = Messages {
            beta: challenges.beta,
            buses: challenges.buses.clone(),
            combiner: leaves.combiner,
            weights: selected(&table.messages, &block),
        };
        total = total + constraints.messages(number, &opened, &sent);
        if table.constraints > 0 {
            total = constraints.folded(number, &opened, challenges) * scale + total;
        }
        if number + 1 < shape.tables.len() {
            scale = scale * power(alpha, table.constraints);
        }
    }
    total
}

/// The selectors of the first and the last row, for each number of variables.
struct Selectors {
    first: Vec<Ext>,
    last: Vec<Ext>,
}

impl Selectors {
    /// Returns the selectors at `point`, of whose coordinates a table takes the last.
    fn new(point: &[Ext]) -> Self {
        let mut first = vec![Ext::ONE];
        let mut last = vec![Ext::ONE];
        for i in 0..point.len() {
            let coordinate = point[point.len() - 1 - i];
            first.push(first[i] - first[i] * coordinate);
            last.push(last[i] * coordinate);
        }
        Self { first, last }
    }
}

/// Returns the values in the order of the columns; a column without a value has zero, and is not
/// read.
fn by_column(columns: &Columns, values: &[Ext]) -> Vec<Ext> {
    let mut ordered = vec![Ext::ZERO; columns.order.len()];
    for slot in 0..values.len() {
        ordered[columns.order[slot]] = values[slot];
    }
    ordered
}
