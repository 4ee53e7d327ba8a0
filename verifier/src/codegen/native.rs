//! Runs evaluators natively, as the constraints of the native verifier.

use droste_gadgets::prelude::Ext;
use droste_gadgets::verify::fri::constraints::Constraints;
use droste_gadgets::verify::opened::{Challenges, Opened};
use droste_native::field::{AnyChallenge, ChallengeField};
use droste_native::{BabyBear4, EF, EF4, F};

use super::{FriEvaluators, OpenedTable, StraightLine};

pub(super) fn row<E: From<Ext>>(values: &[Ext]) -> Vec<E> {
    values.iter().map(|&value| value.into()).collect()
}

/// Runs a program on openings that have every value it reads.
#[allow(
    clippy::panic,
    reason = "tables and openings have the shape of the evaluators; a native run reports a panic \
              as a failure of its program"
)]
pub(super) fn results<E: AnyChallenge>(
    program: Option<&StraightLine>,
    opened: &OpenedTable<E>,
) -> Vec<Ext>
where
    Ext: From<E>,
{
    let results = match program.map(|program| program.evaluate(opened)) {
        Some(Ok(results)) => results,
        // A panic makes the run fail, so that it does not continue with wrong values.
        Some(Err(error)) => panic!("{error}"),
        None => panic!("there is no such table"),
    };
    results.into_iter().map(Ext::from).collect()
}

/// The opened values, without challenges.
pub(super) fn opened_table<E: AnyChallenge + From<Ext>>(opened: &Opened) -> OpenedTable<E> {
    OpenedTable {
        main: row(&opened.main),
        main_next: row(&opened.main_next),
        preprocessed: row(&opened.preprocessed),
        preprocessed_next: row(&opened.preprocessed_next),
        permutation: row(&opened.permutation),
        permutation_next: row(&opened.permutation_next),
        periodic: row(&opened.periodic),
        public_values: opened.public_values.iter().map(|&x| F::from(x)).collect(),
        public_elements: row(&opened.public_elements),
        is_first_row: opened.is_first_row.into(),
        is_last_row: opened.is_last_row.into(),
        is_transition: opened.is_transition.into(),
        terminal: opened.terminal.into(),
        ..OpenedTable::default()
    }
}

impl FriEvaluators {
    fn folded_in<E>(&self, table: usize, opened: &Opened, challenges: &Challenges) -> Ext
    where
        E: AnyChallenge + From<Ext>,
        Ext: From<E>,
    {
        let opened = OpenedTable::<E> {
            buses: row(&challenges.buses),
            beta: challenges.beta.into(),
            alpha: challenges.alpha.into(),
            ..opened_table(opened)
        };
        let program = self.tables.get(table).map(|table| &table.program);
        // A table without constraints has no result.
        let results = results(program, &opened);
        results.first().copied().unwrap_or(Ext::ZERO)
    }

    fn periodic_in<E>(&self, table: usize, point: Ext) -> Vec<Ext>
    where
        E: AnyChallenge + From<Ext>,
        Ext: From<E>,
    {
        let opened = OpenedTable::<E> {
            point: point.into(),
            ..OpenedTable::default()
        };
        results(self.tables.get(table).map(|table| &table.periodic), &opened)
    }
}

impl Constraints for FriEvaluators {
    fn folded(&self, table: usize, opened: &Opened, challenges: &Challenges) -> Ext {
        match self.field {
            ChallengeField::Quintic => self.folded_in::<EF>(table, opened, challenges),
            ChallengeField::Quartic => self.folded_in::<EF4>(table, opened, challenges),
            ChallengeField::BabyBear => self.folded_in::<BabyBear4>(table, opened, challenges),
        }
    }

    fn periodic(&self, table: usize, point: Ext) -> Vec<Ext> {
        match self.field {
            ChallengeField::Quintic => self.periodic_in::<EF>(table, point),
            ChallengeField::Quartic => self.periodic_in::<EF4>(table, point),
            ChallengeField::BabyBear => self.periodic_in::<BabyBear4>(table, point),
        }
    }
}
