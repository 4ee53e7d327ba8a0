//! Linear forms in the changes of cells, and which changes are zero if given forms are.

use std::collections::HashMap;

use droste_native::F;
use p3_field::{Field, PrimeCharacteristicRing};

/// A linear form: cells with their coefficients, in ascending order of cells. No coefficient is
/// zero.
pub type Form = Vec<(usize, F)>;

/// Returns `a x + b y`.
pub fn combine((a, x): (F, &[(usize, F)]), (b, y): (F, &[(usize, F)])) -> Form {
    let mut sum = Form::with_capacity(x.len() + y.len());
    let (mut x, mut y) = (x.iter().peekable(), y.iter().peekable());
    loop {
        let at = match (x.peek(), y.peek()) {
            (Some(x), Some(y)) => x.0.min(y.0),
            (Some(next), None) | (None, Some(next)) => next.0,
            (None, None) => return sum,
        };
        let mut coefficient = F::ZERO;
        if let Some((_, value)) = x.next_if(|term| term.0 == at) {
            coefficient += a * *value;
        }
        if let Some((_, value)) = y.next_if(|term| term.0 == at) {
            coefficient += b * *value;
        }
        if !coefficient.is_zero() {
            sum.push((at, coefficient));
        }
    }
}

/// Returns, for each of `cells` cells, whether its change is zero in every solution of `forms = 0`.
///
/// Most forms have one cell that is not yet known to be zero when their turn comes, because a row
/// is computed from the inputs on; these are solved first, in linear time. What remains is brought
/// to reduced row echelon form: a pivot is then zero in all solutions if its row has no other cell.
pub fn zeros(forms: &[&[(usize, F)]], cells: usize) -> Vec<bool> {
    let mut is_zero = vec![false; cells];
    substitute(forms, &mut is_zero);

    let mut pivots: HashMap<usize, Form> = HashMap::new();
    for form in forms {
        let unknown = form.iter().filter(|(cell, _)| !is_zero[*cell]);
        let mut form: Form = unknown.copied().collect();
        while let Some(&(cell, coefficient)) = form.first() {
            let Some(pivot) = pivots.get(&cell) else {
                let inverse = coefficient.inverse();
                let scaled = form.iter().map(|&(cell, x)| (cell, x * inverse));
                pivots.insert(cell, scaled.collect());
                break;
            };
            form = combine((F::ONE, &form), (-coefficient, pivot));
        }
    }
    // From the last pivot on, every row is reduced to its pivot and cells that are no pivots.
    let mut order: Vec<usize> = pivots.keys().copied().collect();
    order.sort_unstable();
    for &cell in order.iter().rev() {
        let mut reduced: Form = Vec::new();
        for &(other, coefficient) in &pivots[&cell][1..] {
            let single = [(other, F::ONE)];
            reduced = match pivots.get(&other) {
                Some(pivot) => combine((F::ONE, &reduced), (-coefficient, &pivot[1..])),
                None => combine((F::ONE, &reduced), (coefficient, &single)),
            };
        }
        is_zero[cell] = reduced.is_empty();
        reduced.insert(0, (cell, F::ONE));
        pivots.insert(cell, reduced);
    }
    is_zero
}

/// Finds the cells that forms determine one after the other: while a form has a single cell that is
/// not known to be zero, that cell is.
fn substitute(forms: &[&[(usize, F)]], is_zero: &mut [bool]) {
    let mut occurrences = vec![Vec::new(); is_zero.len()];
    for (index, form) in forms.iter().enumerate() {
        for (cell, _) in *form {
            occurrences[*cell].push(index);
        }
    }
    let mut unknown: Vec<usize> = forms.iter().map(|form| form.len()).collect();
    let mut ready: Vec<usize> = (0..forms.len())
        .filter(|&index| unknown[index] == 1)
        .collect();
    while let Some(index) = ready.pop() {
        let Some((cell, _)) = forms[index].iter().find(|(cell, _)| !is_zero[*cell]) else {
            continue;
        };
        is_zero[*cell] = true;
        for &index in &occurrences[*cell] {
            unknown[index] -= 1;
            if unknown[index] == 1 {
                ready.push(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use droste_native::F;
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    fn zeros_of(forms: &[&[i32]]) -> Vec<bool> {
        let cells = forms[0].len();
        let forms: Vec<Form> = forms
            .iter()
            .map(|form| {
                let terms = form.iter().enumerate().filter(|(_, x)| **x != 0);
                terms.map(|(cell, &x)| (cell, F::from_i32(x))).collect()
            })
            .collect();
        let forms: Vec<_> = forms.iter().map(Vec::as_slice).collect();
        zeros(&forms, cells)
    }

    #[test]
    fn single_cells_are_substituted() {
        assert_eq!(
            zeros_of(&[&[1, 2, 0, 0], &[3, 0, 0, 0], &[0, 0, 1, 1]]),
            [true, true, false, false]
        );
    }

    #[test]
    fn what_remains_is_eliminated() {
        // Two equations in two cells.
        assert_eq!(zeros_of(&[&[1, 1], &[1, -1]]), [true, true]);
        assert_eq!(zeros_of(&[&[1, 1], &[2, 2]]), [false, false]);
        // The first cell is zero because the two others cancel in the sum of the equations.
        assert_eq!(zeros_of(&[&[1, 1, 1], &[1, -1, -1]]), [true, false, false]);
        // A chain of pivots that ends in a free cell.
        assert_eq!(
            zeros_of(&[&[1, 1, 0, 0], &[0, 1, 1, 0], &[0, 0, 1, 1]]),
            [false; 4]
        );
        assert_eq!(
            zeros_of(&[&[1, 1, 0, 0], &[0, 1, 1, 0], &[0, 0, 1, 1], &[1, 0, 0, -1]]),
            [true; 4],
        );
    }
}
