//! The transcript between the parts of a proof: what is observed and sampled, in order.

use crate::constraints::combine;
use crate::fri::power;
use crate::prelude::*;
use crate::suites::hash::{Challenger, observe_constants};
use crate::verify::whir::opening::Outside;
use crate::verify::whir::shape::Shape;

/// The opened values of a table, in the order of their slots.
#[derive(Clone, Debug)]
pub struct Values {
    /// Main columns of the row.
    pub main: Vec<Ext>,
    /// Main columns of the next row that are opened there.
    pub main_next: Vec<Ext>,
    /// Preprocessed columns of the row.
    pub preprocessed: Vec<Ext>,
    /// Preprocessed columns of the next row that are opened there.
    pub preprocessed_next: Vec<Ext>,
}

/// Observes the elements of `seed`, those of the statement, and the shape.
pub fn begin<C: Challenger>(shape: &Shape, t: &mut C, seed: &[Felt], statement: [Felt; 8]) {
    for x in seed {
        t.observe(*x);
    }
    for i in 0..8 {
        t.observe(statement[i]);
    }
    let mut heights = vec![shape.tables.len() as u32];
    for table in &shape.tables {
        heights.push(table.log_height as u32);
    }
    for _i in heights.len()..heights.len().next_multiple_of(8) {
        heights.push(0);
    }
    observe_constants(t, &heights);
}

/// Checks the proof of work before the challenges of the lookups, and samples them. Returns the one
/// that combines the elements of a message, and for each bus the one from which the combined
/// message is subtracted.
pub fn lookups<C: Challenger>(shape: &Shape, t: &mut C) -> (Ext, Vec<Ext>) {
    t.grind(shape.lookup_grinding_bits);
    let (alpha, beta) = t.sample_pair();
    let separator = power(beta, shape.message_width);
    let mut buses = Vec::new();
    let mut base = alpha;
    for _bus in 0..shape.buses {
        base = base + separator;
        buses.push(base.pin());
    }
    (beta, buses)
}

/// Reads and observes the opened values of all tables.
pub fn opened<C: Challenger>(shape: &Shape, t: &mut C) -> Vec<Values> {
    let mut values = Vec::new();
    for table in &shape.tables {
        values.push(Values {
            main: observed_or_none(t, table.main.order.len()),
            main_next: observed_or_none(t, table.main.next),
            preprocessed: observed_or_none(t, table.preprocessed.order.len()),
            preprocessed_next: observed_or_none(t, table.preprocessed.next),
        });
    }
    values
}

/// Reads and observes `n` values; nothing is observed for none.
fn observed_or_none<C: Challenger>(t: &mut C, n: usize) -> Vec<Ext> {
    if n == 0 {
        Vec::new()
    } else {
        t.read_extensions(n)
    }
}

/// Returns the claims that are opened: the values outside the domain, then for each table one for
/// each kind of its values, which is their sum, times powers of `y`. [`super::weights::claims`]
/// returns their weights.
pub fn claims(outside: &Outside, values: &[Values], y: Ext) -> Vec<Ext> {
    let mut claimed = Vec::new();
    for value in &outside.values {
        claimed.push(*value);
    }
    for of_table in values {
        for kind in [
            &of_table.main,
            &of_table.main_next,
            &of_table.preprocessed,
            &of_table.preprocessed_next,
        ] {
            if !kind.is_empty() {
                claimed.push(combine(kind, y));
            }
        }
    }
    claimed
}
