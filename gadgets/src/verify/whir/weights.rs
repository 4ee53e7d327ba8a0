//! Weights of values that are stacked: which multiple of a cell a claim counts.

use crate::prelude::*;
use crate::verify::whir::opening::Outside;
use crate::verify::whir::opening::claims::Coordinates;
use crate::verify::whir::shape::{Columns, Shape};

/// The weights of the last coordinates, for every number of them.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Entry `m` is the equality polynomial of the last `m` coordinates and those of the opened
    /// row.
    pub same: Vec<Ext>,
    /// Entry `m` is the weight of the last `m` coordinates in the value of the next row, where the
    /// last row is its own next one.
    pub next: Vec<Ext>,
}

impl Rows {
    /// Returns the weights for the row `point`, of whose coordinates a table takes the last.
    ///
    /// From the last variable to the first, `carry` is the weight of rows whose bits so far are all
    /// zero while the point's are all one (one is still to be added to the bits before), `done`
    /// that of rows that are already the next of the point's, `ones` that of both bits being one
    /// throughout.
    pub fn new(point: &[Ext], all: &Coordinates) -> Self {
        let n = all.values.len();
        let mut same = vec![Ext::ONE];
        let mut next = vec![Ext::ONE];
        let mut carry = Ext::ONE;
        let mut done = Ext::ZERO;
        let mut ones = Ext::ONE;
        for i in 0..point.len() {
            let z = point[point.len() - 1 - i];
            let at = n - 1 - i;
            let factor = all.factor(at, z);
            same.push(same[i] * factor);
            let carried = carry * z;
            done = done * factor + (carry - carried) * all.values[at];
            carry = carried * all.complements[at];
            ones = ones * (z * all.values[at]);
            next.push(done + ones);
        }
        Self { same, next }
    }
}

/// Returns the weights, at `all`, of the claims of [`super::transcript::claims`], in the same
/// order. `rho` is the opened row, and `y` combines the values of one kind.
pub fn claims(
    shape: &Shape,
    outside: &Outside,
    rho: &[Ext],
    y: Ext,
    all: &Coordinates,
) -> Vec<Ext> {
    let mut weights = Vec::new();
    for point in &outside.points {
        weights.push(all.equality_of_powers(0, *point));
    }
    let rows = Rows::new(rho, all);
    let mut slot_bits = 0usize;
    for table in &shape.tables {
        slot_bits = slot_bits
            .max(table.main.slot_bits)
            .max(table.preprocessed.slot_bits);
    }
    let powers = powers_less_one(y, slot_bits);
    for table in &shape.tables {
        let m = table.log_height;
        for of_table in [&table.main, &table.preprocessed] {
            if !of_table.order.is_empty() {
                let bits = of_table.slot_bits;
                weights.push(columns(all, of_table, m, bits, &powers, rows.same[m]));
            }
            if of_table.next > 0 {
                let bits = of_table.next_bits;
                weights.push(columns(all, of_table, m, bits, &powers, rows.next[m]));
            }
        }
    }
    weights
}

/// Returns `y^(2^i) - 1` for each `i` below `n`.
fn powers_less_one(y: Ext, n: usize) -> Vec<Ext> {
    let mut powers = Vec::new();
    let mut power = y;
    for _i in 0..n {
        powers.push((power - Ext::ONE).pin());
        power = power * power;
    }
    powers
}

/// Returns the weight, at `all`, of the sum of the values of the first `2^bits` slots, each times
/// the power of `y` that is its number: `powers` has `y^(2^i) - 1`. `rows` is the weight of the
/// last `variables` coordinates, those of the rows.
pub fn columns(
    all: &Coordinates,
    columns: &Columns,
    variables: usize,
    bits: usize,
    powers: &[Ext],
    rows: Ext,
) -> Ext {
    let n = all.values.len();
    let mut weight = rows;
    // Bits of the slot, the lowest of which is before the rows.
    for bit in 0..columns.slot_bits {
        let at = n - variables - 1 - bit;
        if bit < bits {
            weight = weight * (powers[bit] * all.values[at] + Ext::ONE);
        } else {
            weight = weight * all.complements[at];
        }
    }
    let before = n - variables - columns.slot_bits;
    for bit in 0..before {
        let at = before - 1 - bit;
        if (columns.region >> bit) % 2 == 1 {
            weight = weight * all.values[at];
        } else {
            weight = weight * all.complements[at];
        }
    }
    weight
}

/// Returns, for each of these integers of as many bits as `point` has coordinates, the product over
/// the bits, the top one first, of the coordinate where the bit is one, and of one minus it where
/// it is zero. Products of common top bits are computed once.
pub fn selected(integers: &[usize], point: &[Ext]) -> Vec<Ext> {
    let bits = point.len();
    let mut prefixes = vec![0usize];
    let mut weights = vec![Ext::ONE];
    for bit in 0..bits {
        let complement = Ext::ONE - point[bit];
        let mut next_prefixes = Vec::new();
        let mut next_weights = Vec::new();
        for integer in integers {
            let prefix = *integer >> (bits - 1 - bit);
            if place(&next_prefixes, prefix) == next_prefixes.len() {
                let weight = weights[place(&prefixes, prefix >> 1)];
                let factor = if prefix % 2 == 1 {
                    point[bit]
                } else {
                    complement
                };
                next_prefixes.push(prefix);
                next_weights.push(weight * factor);
            }
        }
        prefixes = next_prefixes;
        weights = next_weights;
    }
    let mut selected = Vec::new();
    for integer in integers {
        selected.push(weights[place(&prefixes, *integer)]);
    }
    selected
}

/// Returns the index of an integer in a list, or the list's length.
fn place(list: &[usize], integer: usize) -> usize {
    let mut place = list.len();
    for i in 0..list.len() {
        if list[i] == integer {
            place = i;
        }
    }
    place
}
