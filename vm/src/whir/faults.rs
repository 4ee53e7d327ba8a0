//! What is wrong with traces of which no proof can be made. It is searched for only after the
//! prover has found that something is.

use std::collections::HashMap;

use droste_native::F;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_maybe_rayon::prelude::*;
use thiserror::Error;

use super::cells::{Cells, Rows};
use super::expressions::{BusName, Leaf};
use super::system::{Shape, System, TableSystem};

/// A constraint that is not zero.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("table {table}, row {row}: constraint {constraint} is not zero")]
pub struct ViolatedConstraint {
    /// Name of the table.
    pub table: &'static str,
    /// Row of the trace.
    pub row: usize,
    /// Position of the constraint in the order in which the table asserts them.
    pub constraint: usize,
}

/// A message that is not sent as often as it is received.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the messages of the traces do not balance on bus {bus}: {message:?} has net count {count} \
     (sent minus received), expected 0{}",
    listed(.places)
)]
pub struct UnbalancedMessage {
    /// Name of the bus.
    pub bus: String,
    /// Elements of the message.
    pub message: Vec<u32>,
    /// How often it is sent, less how often it is received.
    pub count: i64,
    /// The tables that have it, and the first row of each.
    pub places: Vec<(&'static str, usize)>,
}

fn listed(places: &[(&'static str, usize)]) -> String {
    let places = places.iter();
    let places = places.map(|(table, row)| format!("; table {table} has it on row {row}"));
    places.collect()
}

/// Returns the first constraint that is not zero, in order of tables, rows and constraints, other
/// than those of polynomial identities. The cells must have been checked.
pub fn violated_constraint(
    system: &System,
    shape: &Shape,
    cells: &[Cells<'_>],
    public_values: &[F],
) -> Option<ViolatedConstraint> {
    tables(system, shape, cells, public_values).find_map(|(table, rows)| {
        let constraints = table.expressions.constraints();
        let of_identities = table.expressions.num_constraints() - constraints.len();
        let violated = |row: usize| {
            let values = values(table, &rows, row);
            let mut constraints = constraints.iter();
            let position = constraints.position(|&node| values[node] != F::ZERO)?;
            Some(ViolatedConstraint {
                table: table.name,
                row,
                constraint: of_identities + position,
            })
        };
        let height = 1usize << rows.log_height();
        (0..height).into_par_iter().find_map_first(violated)
    })
}

/// Returns a message on the bus of this number that is not sent as often as it is received: the
/// first, in order of tables and rows, of those that are sent too often, or else of the others. The
/// cells must have been checked.
pub fn unbalanced_message(
    system: &System,
    shape: &Shape,
    cells: &[Cells<'_>],
    public_values: &[F],
    bus: usize,
) -> Option<UnbalancedMessage> {
    /// Equal messages: the sum of counts, the bus, the number of the first table, and the places.
    struct Equal<'a> {
        count: F,
        bus: &'a BusName,
        first: usize,
        places: Vec<(&'static str, usize)>,
    }
    let mut messages: HashMap<Vec<F>, Equal<'_>> = HashMap::new();
    let tables = tables(system, shape, cells, public_values).enumerate();
    for (index, (table, rows)) in tables {
        let of_table = table.expressions.messages().iter().zip(&table.buses);
        let on_bus: Vec<_> = of_table.filter(|(_, of)| **of == bus).collect();
        if on_bus.is_empty() {
            continue;
        }
        for row in 0..1usize << rows.log_height() {
            let values = values(table, &rows, row);
            for &(message, _) in &on_bus {
                let (bus, count) = (&message.bus, values[message.multiplicity]);
                if count == F::ZERO {
                    continue;
                }
                let elements = message.payload.iter().map(|&node| values[node]);
                let equal = messages.entry(elements.collect()).or_insert_with(|| Equal {
                    count: F::ZERO,
                    bus,
                    first: index,
                    places: Vec::new(),
                });
                equal.count += count;
                if equal
                    .places
                    .last()
                    .is_none_or(|(last, _)| *last != table.name)
                {
                    equal.places.push((table.name, row));
                }
            }
        }
    }
    let unbalanced = messages.into_iter();
    let unbalanced = unbalanced.filter_map(|(elements, equal)| {
        let message: Vec<u32> = elements.iter().map(F::as_canonical_u32).collect();
        let (_, row) = *equal.places.first()?;
        let order = (signed(equal.count) < 0, equal.first, row, message);
        (equal.count != F::ZERO).then_some((order, equal))
    });
    let ((_, first, _, message), equal) = unbalanced.min_by(|(a, _), (b, _)| a.cmp(b))?;
    Some(UnbalancedMessage {
        bus: match equal.bus {
            BusName::Global(name) => name.clone(),
            BusName::Local(index) => {
                let table = system.tables().get(first)?.name;
                format!("{index} within table {table}")
            }
        },
        message,
        count: signed(equal.count),
        places: equal.places,
    })
}

/// The tables with their rows.
fn tables<'a>(
    system: &'a System,
    shape: &'a Shape,
    cells: &'a [Cells<'a>],
    public_values: &'a [F],
) -> impl Iterator<Item = (&'a TableSystem, Rows<'a>)> {
    let tables = system.tables().iter().zip(cells).zip(shape.log_heights());
    tables.map(move |((table, &cells), &log_height)| {
        (table, Rows::new(table, cells, public_values, log_height))
    })
}

/// The values of all expressions on a row.
fn values(table: &TableSystem, rows: &Rows<'_>, row: usize) -> Vec<F> {
    let read = |leaf: Leaf| rows.column(leaf).packed::<F>(row);
    table.expressions.evaluate(&read)
}

/// The integer nearest to zero that is this element.
fn signed(count: F) -> i64 {
    let (sent, received) = (count.as_canonical_u32(), (-count).as_canonical_u32());
    if sent <= received {
        i64::from(sent)
    } else {
        -i64::from(received)
    }
}
