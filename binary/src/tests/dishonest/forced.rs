//! What constraints force: bits of rows that follow from others.
//!
//! A bit is forced by a constraint if it stands in the rest alone, and all others, those of the
//! product among them, are known. So which bits are forced does not depend on their values: what
//! one list of rows shows holds for all.

use super::forms::{COLUMNS, cells};
use crate::circuit::{BITS, Circuit, Row, WORDS};

/// A constraint of one bit: cells of the product's operands, inversion, cells of the rest,
/// constant.
struct Constraint {
    operands: [Vec<usize>; 2],
    inverted: bool,
    rest: Vec<usize>,
    constant: bool,
}

/// The constraints of row after row and the one that follows, the first of which is row
/// `indices[0]` of a call.
fn constraints(circuit: &Circuit, indices: &[usize]) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for (i, &index) in indices.iter().enumerate() {
        for group in circuit.groups.iter().filter(|g| g.rows >> index & 1 == 1) {
            for (own, form) in group.rest.iter().enumerate() {
                for z in 0..BITS {
                    let of_form = |form| -> Vec<usize> {
                        // A cell that is there twice is not there.
                        let mut sum = Vec::new();
                        for (next, column) in cells(form, z) {
                            let cell = COLUMNS * (i + usize::from(next)) + column;
                            match sum.iter().position(|&other| other == cell) {
                                Some(at) => drop(sum.swap_remove(at)),
                                None => sum.push(cell),
                            }
                        }
                        sum
                    };
                    let product = group.products.get(own);
                    let constants = group.constants.iter();
                    constraints.push(Constraint {
                        operands: product.map_or([vec![], vec![]], |product| {
                            [product.left, product.right]
                                .map(|operand| of_form(&circuit.operands[operand]))
                        }),
                        inverted: product.is_some_and(|product| product.inverted),
                        rest: of_form(form),
                        constant: constants
                            .filter(|constant| (constant.0, constant.1) == (own, index))
                            .fold(false, |sum, constant| sum ^ (constant.2 >> z & 1 == 1)),
                    });
                }
            }
        }
    }
    constraints
}

/// Fills in what is forced, with rows `indices` of a call and one more after the last of them. A
/// bit is known if it is set in `known`.
///
/// # Panics
///
/// If a constraint whose bits are all known does not hold.
pub fn force(circuit: &Circuit, indices: &[usize], rows: &mut [Row], known: &mut [Row]) {
    assert_eq!([rows.len(), known.len()], [indices.len() + 1; 2]);
    let constraints = constraints(circuit, indices);
    let mut with_cell = vec![Vec::new(); COLUMNS * rows.len()];
    for (i, constraint) in constraints.iter().enumerate() {
        let [left, right] = &constraint.operands;
        for &cell in left.iter().chain(right).chain(&constraint.rest) {
            with_cell[cell].push(i);
        }
    }
    let place = |cell: usize| {
        let (row, column) = (cell / COLUMNS, cell % COLUMNS);
        (row, column / BITS, column % BITS)
    };
    let bit = |rows: &[Row], cell: usize| {
        let (row, word, bit) = place(cell);
        rows[row][word] >> bit & 1 == 1
    };
    let sum = |rows: &[Row], cells: &[usize]| {
        cells.iter().fold(false, |sum, &cell| sum ^ bit(rows, cell))
    };
    let mut queue: Vec<usize> = (0..constraints.len()).collect();
    while let Some(constraint) = queue.pop().map(|i| &constraints[i]) {
        let [left, right] = &constraint.operands;
        if !left.iter().chain(right).all(|&cell| bit(known, cell)) {
            continue;
        }
        let mut unknown = constraint.rest.iter().filter(|&&cell| !bit(known, cell));
        let (one, other) = (unknown.next(), unknown.next());
        if other.is_some() {
            continue;
        }
        if let Some(&cell) = one {
            let (row, word, bit) = place(cell);
            rows[row][word] &= !(1 << bit);
            known[row][word] |= 1 << bit;
            queue.extend(&with_cell[cell]);
            let product = (sum(rows, left) ^ constraint.inverted) & sum(rows, right);
            let value = product ^ sum(rows, &constraint.rest) ^ constraint.constant;
            rows[row][word] |= u64::from(value) << bit;
        } else {
            let product = (sum(rows, left) ^ constraint.inverted) & sum(rows, right);
            let value = product ^ sum(rows, &constraint.rest) ^ constraint.constant;
            assert!(!value, "a constraint is violated");
        }
    }
}

/// A row of which all bits of these words are known.
pub fn known(words: impl IntoIterator<Item = usize>) -> Row {
    let mut row = [0; WORDS];
    words.into_iter().for_each(|word| row[word] = u64::MAX);
    row
}
