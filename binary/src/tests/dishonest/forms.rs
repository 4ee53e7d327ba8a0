//! Forms, bit by bit.

use crate::circuit::{BITS, Form, Row};

/// Bits of a row.
pub const COLUMNS: usize = 2048;

/// The cells of which bit `z` is the sum: whether the row is the next one, and the column.
pub fn cells(form: &Form, z: usize) -> impl Iterator<Item = (bool, usize)> {
    let terms = form.0.iter().filter(move |term| term.mask >> z & 1 == 1);
    terms.map(move |term| {
        let bit = (z + BITS - term.rotation as usize) % BITS;
        (term.next, BITS * term.word + bit)
    })
}

pub fn word(form: &Form, row: &Row, next: &Row) -> u64 {
    let bit = |row: &Row, column: usize| row[column / BITS] >> (column % BITS) & 1;
    (0..BITS)
        .map(|z| {
            let cells = cells(form, z);
            cells.fold(0, |sum, (of_next, column)| {
                sum ^ bit(if of_next { next } else { row }, column)
            }) << z
        })
        .sum()
}
