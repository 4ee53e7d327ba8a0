use std::borrow::Borrow;

use droste_native::{EF, F};
use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, InteractionSymbolicBuilder};
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::End;
use crate::test_utils::Table;

crate::columns! {
    /// Running sums of squares, from the first row on.
    struct Cols<T> {
        root: T,
        square: T,
        total: T,
        is_real: T,
    }
}

/// Offers `(root, total)` on a bus while `is_real` is one.
struct Sums;

impl BaseAir<F> for Sums {
    fn width(&self) -> usize {
        Cols::<u8>::WIDTH
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Sums {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row: &Cols<AB::Var> = main.current_slice().borrow();
        let next: &Cols<AB::Var> = main.next_slice().borrow();
        builder.assert_bool(row.is_real);
        builder.assert_eq(row.square, row.root * row.root);
        builder.when_first_row().assert_eq(row.total, row.square);
        builder
            .when_transition()
            .assert_eq(next.total, row.total + next.square);
        let count = Count::bounded(row.is_real.into(), 1);
        builder.push_interaction("sums", [row.root, row.total], count);
    }
}

fn sums() -> Table<'static, F, InteractionSymbolicBuilder<F, EF>> {
    let rows = [[3, 9, 9, 1], [4, 16, 25, 1], [5, 25, 50, 1], [0, 0, 50, 0]];
    let values = rows.concat().into_iter().map(F::from_u32).collect();
    Table::new("sums", &Sums, RowMajorMatrix::new(values, 4)).names(Cols::<u8>::names())
}

fn listed(cells: &[Cell]) -> Vec<(&str, usize)> {
    cells
        .iter()
        .map(|cell| (cell.column.as_str(), cell.row))
        .collect()
}

#[test]
fn inputs_determine_the_rest() {
    // Nothing is given: the roots are free, and the squares and sums with them.
    let report = Rigidity::new(vec![sums()]).open_bus("other").check();
    assert!(matches!(report, Err(Failure::Bus { .. })));
    for end in [End::Ring, End::Repeat] {
        let rigidity = || Rigidity::new(vec![sums().end(end)]);
        // Roots and sums of three rows are messages. The root of the last row is given.
        let open = rigidity().open_bus("sums").given("sums", "root", [3]);
        open.check().unwrap().expect_rigid();
        // On the last row nothing else determines the root, and the square is not even free to
        // first order, because the root is zero.
        let report = rigidity().open_bus("sums").check().unwrap();
        assert_eq!(listed(&report.free), [("root", 3)]);
        rigidity()
            .open_bus("sums")
            .free("sums", "root", [3], "padding")
            .check()
            .unwrap()
            .expect_rigid();
        // A cell that is listed although it is not free.
        let report = rigidity()
            .open_bus("sums")
            .free("sums", "root", [2, 3], "padding")
            .check()
            .unwrap();
        assert_eq!(listed(&report.not_free), [("root", 2)]);
    }
}

#[test]
fn what_is_left_out_frees_cells() {
    let rigidity = Rigidity::new(vec![sums()])
        .open_bus("sums")
        .given("sums", "root", [0, 1, 2, 3]);
    let removals = rigidity.removals("sums").unwrap();
    let freed: Vec<_> = removals
        .iter()
        .map(|(part, cells)| (*part, listed(cells)))
        .collect();
    let [boolean, square, first, transition, message] = freed.as_slice() else {
        panic!("four constraints and a message")
    };
    // Flags that are one are counts of messages that are different.
    assert_eq!(*boolean, (Part::Constraint(0), vec![]));
    assert_eq!(square.0, Part::Constraint(1));
    assert_eq!(square.1, [("square", 3), ("total", 3)]);
    assert_eq!(first.1, []);
    assert_eq!(transition.1, [("total", 3)]);
    assert_eq!(*message, (Part::Message(0), vec![]));
}
