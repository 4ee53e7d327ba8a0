use std::borrow::Borrow;

use droste_native::F;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, PermutationCheckBus};
use p3_matrix::dense::RowMajorMatrix;

use super::*;

crate::columns! {
    struct Cols<T> {
        value: T,
        double: T,
        unused: T,
        is_real: T,
    }
}

/// Sends or receives `(value, double)`; with `flawed`, `double` and the multiplicity are not
/// constrained.
struct Doubles {
    sends: bool,
    flawed: bool,
}

impl BaseAir<F> for Doubles {
    fn width(&self) -> usize {
        Cols::<u8>::WIDTH
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Doubles {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row: &Cols<AB::Var> = main.current_slice().borrow();
        if !self.flawed {
            builder.assert_eq(row.double, row.value * AB::Expr::TWO);
            builder.assert_bool(row.is_real);
        }
        let count = Count::bounded(row.is_real.into(), 1);
        let bus = PermutationCheckBus::new("doubles");
        if self.sends {
            bus.send(builder, [row.value, row.double], count);
        } else {
            bus.receive(builder, [row.value, row.double], count);
        }
    }
}

fn trace(rows: [[u32; 4]; 4]) -> RowMajorMatrix<F> {
    RowMajorMatrix::new(rows.concat().into_iter().map(F::from_u32).collect(), 4)
}

const ROWS: [[u32; 4]; 4] = [[1, 2, 0, 1], [3, 6, 0, 1], [4, 8, 0, 1], [0, 0, 0, 0]];

fn table(name: &str, air: &'static Doubles, rows: [[u32; 4]; 4]) -> Table<'static, F> {
    Table::new(name, air, trace(rows)).names(Cols::<u8>::names())
}

static SOUND: Doubles = Doubles {
    sends: true,
    flawed: false,
};
static FLAWED: Doubles = Doubles {
    sends: true,
    flawed: true,
};
static RECEIVER: Doubles = Doubles {
    sends: false,
    flawed: false,
};

#[test]
fn honest_tables_balance() {
    let harness = Harness::new(vec![
        table("sender", &SOUND, ROWS),
        table("receiver", &RECEIVER, ROWS),
    ]);
    assert_eq!(harness.check(), Ok(()));
}

#[test]
fn failures_come_back_as_values() {
    let mut wrong = ROWS;
    wrong[1][1] = 7;
    let failure = Harness::new(vec![table("sender", &SOUND, wrong)]).check();
    assert_eq!(
        failure,
        Err(Failure::Constraint {
            table: "sender".to_owned(),
            row: 1,
            constraint: 0
        })
    );
    let failure = Harness::new(vec![table("sender", &SOUND, ROWS)]).check();
    assert_eq!(
        failure,
        Err(Failure::Bus {
            bus: "doubles".to_owned(),
            fields: vec![1, 2],
            count: 1
        })
    );
    let mut twice = ROWS;
    twice[1][3] = 2;
    let failure = Harness::new(vec![table("sender", &FLAWED, twice)]).check();
    assert!(matches!(
        failure,
        Err(Failure::Count {
            row: 1,
            count: 2,
            ..
        })
    ));
}

#[test]
fn a_free_cell_is_found_unless_excused() {
    let harness = Harness::new(vec![table("sender", &SOUND, ROWS)]).open_bus("doubles");
    let report = harness.mutate("sender", &Rows::of(3, 4));
    assert!(report.missed().all(|outcome| outcome.column == "unused"));
    assert!(report.missed().next().is_some());
    assert!(report.caught_by_constraints("double"));
    let harness = harness.free("sender", "unused", "no constraint reads it");
    harness.mutate("sender", &Rows::of(3, 4)).expect_caught();
}

#[test]
fn a_flawed_table_is_found() {
    let harness = Harness::new(vec![table("sender", &FLAWED, ROWS)])
        .open_bus("doubles")
        .free("sender", "unused", "no constraint reads it");
    let report = harness.mutate("sender", &Rows::of(3, 4));
    // On the padding row, nothing reads the values, and the multiplicity is not boolean.
    assert!(report.missed().any(|o| o.column == "double" && o.row == 3));
    assert!(!report.caught_by_constraints("is_real"));
}

#[test]
#[should_panic(expected = "excuse nothing")]
fn a_stale_exception_is_refused() {
    let harness = Harness::new(vec![table("sender", &SOUND, ROWS)])
        .open_bus("doubles")
        .free("sender", "unused", "no constraint reads it")
        .free("sender", "double", "no longer true");
    harness.mutate("sender", &Rows::of(3, 4)).expect_caught();
}

#[test]
fn degree_is_measured() {
    assert_eq!(constraint_degree(&SOUND), 2);
}
