//! The shapes that an aggregator gives to proofs, and the choice among them for a run.

use droste_native::HashId;
use droste_vm::heights::{Heights, min_log_height, padded_log_height};
use droste_vm::machine::{Machine, MachineError, StandardTables};
use droste_vm::multilinear::MIN_LOG_HEIGHT;
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::tables::program::ProgramTable;
use serde::Serialize;

use super::Aggregator;
use crate::circuit::{ChildShape, RecursionProof, Run, precompiles};

/// Settings and heights of R that a key fixes, so that all proofs under the key have one shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FixedShape {
    pub settings: StackSettings,
    /// Logarithms of the heights, in the machine's order.
    pub log_heights: Vec<usize>,
}

/// Names of R's tables in a proof stack, in order.
pub(super) fn tables_of_r(stack: Stack) -> Result<Vec<String>, MachineError> {
    let precompiles = precompiles(stack).iter().copied().collect();
    let machine = Machine::<StandardTables>::new(ProgramTable::of_height(0), &precompiles)?;
    Ok(machine.names())
}

impl FixedShape {
    /// Whether a run that fills `rows` of its machine's tables fits this shape. A run that calls
    /// precompiles other than R's has more tables and does not fit.
    pub(super) fn fits(&self, rows: &[(String, usize)]) -> bool {
        let stack = self.settings.stack();
        let Ok(tables) = tables_of_r(stack) else {
            return false;
        };
        let height = |name: &String| {
            let index = tables.iter().position(|table| table == name)?;
            self.log_heights.get(index)
        };
        // Over WHIR the last row of a table of calls is padding.
        let padding = usize::from(stack == Stack::Whir);
        tables.len() == self.log_heights.len()
            && rows.iter().all(|(name, rows)| {
                height(name).is_some_and(|&log_height| {
                    // Heights that overflow fit any run here; making a key for them is refused.
                    let height = 1_usize.checked_shl(u32::try_from(log_height).unwrap_or(u32::MAX));
                    height.is_none_or(|height| rows + padding <= height)
                })
            })
    }

    /// Whether proofs of this shape have it.
    pub(super) fn is_of(&self, shape: &ChildShape) -> bool {
        shape.hash == HashId::Poseidon16
            && shape.fixed
            && shape.settings == self.settings
            && shape.log_heights == self.log_heights
            && tables_of_r(self.settings.stack()).is_ok_and(|tables| shape.tables == tables)
    }
}

/// How a step chooses the shape of its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// The canonical shape if the run fits it, else an intermediate one.
    Canonical,
    /// The smallest heights that fit the run.
    Minimal,
}

impl Aggregator {
    /// Chooses settings and heights for the proof of a run that verified proofs in `hash` and fills
    /// `rows` of its machine's tables. Proofs at minimal heights are over FRI: their machines may have
    /// any tables.
    pub(super) fn shape_of(
        &self,
        hash: HashId,
        rows: &[(String, usize)],
        size: Size,
    ) -> (StackSettings, Heights) {
        let fixed = match size {
            Size::Canonical => [Some(&self.canonical), self.last_intermediate.as_ref()],
            Size::Minimal => [None, None],
        };
        match fixed.into_iter().flatten().find(|shape| shape.fits(rows)) {
            Some(shape) => (shape.settings, Heights::Exact(shape.log_heights.clone())),
            None => ((*self.intermediate_settings(hash)).into(), Heights::Minimal),
        }
    }

    /// Whether the proof of this run, which verified `before`, would again have the shape of
    /// `before`. Then further steps would not lead to the canonical shape either.
    pub(super) fn repeats(&self, before: &RecursionProof, run: &Run) -> bool {
        if self.canonical.fits(run.rows()) {
            return false;
        }
        let hash = run.circuit().hash();
        let (settings, heights) = self.shape_of(hash, run.rows(), Size::Canonical);
        let log_heights = log_heights(&settings, &heights, run.rows());
        settings == before.settings() && log_heights == before.log_heights()
    }
}

/// Logarithms of the heights that the proof of a run with these rows has.
pub(super) fn log_heights(
    settings: &StackSettings,
    heights: &Heights,
    rows: &[(String, usize)],
) -> Vec<usize> {
    let (least, padding) = match settings {
        StackSettings::Fri(settings) => (min_log_height(settings), 0),
        StackSettings::Whir(_) => (MIN_LOG_HEIGHT, 1),
    };
    let least = |&(_, rows): &(String, usize)| padded_log_height(rows + padding).max(least);
    match heights {
        Heights::Exact(log_heights) => log_heights.clone(),
        Heights::Uniform(log_height) => vec![*log_height; rows.len()],
        Heights::Minimal => rows.iter().map(least).collect(),
    }
}

#[cfg(test)]
mod tests {
    use droste_native::FriSettings;
    use droste_native::whir::WhirSettings;

    use super::*;

    #[test]
    fn rows_and_tables_decide_what_fits() {
        let rows = |tables: &[String], of_blocks: usize| -> Vec<(String, usize)> {
            let rows = |name: &String| if name == "blocks" { of_blocks } else { 0 };
            tables
                .iter()
                .map(|name| (name.clone(), rows(name)))
                .collect()
        };
        let tables = |stack| tables_of_r(stack).unwrap();
        let (fri, whir) = (tables(Stack::Fri), tables(Stack::Whir));
        let shape = |settings, tables: &[String]| FixedShape {
            settings,
            log_heights: vec![3; tables.len()],
        };
        let over_fri = shape(FriSettings::toy().into(), &fri);
        assert!(over_fri.fits(&rows(&fri, 8)) && !over_fri.fits(&rows(&fri, 9)));
        // A machine with other tables does not fit.
        assert!(!over_fri.fits(&rows(&whir, 0)));
        // Over WHIR R has a table that runs over FRI lack, and a last row of padding.
        let over_whir = shape(WhirSettings::toy().into(), &whir);
        for tables in [&fri, &whir] {
            assert!(over_whir.fits(&rows(tables, 7)) && !over_whir.fits(&rows(tables, 8)));
        }
        let other = [rows(&fri, 0), vec![("keccak".to_owned(), 0)]].concat();
        assert!(!over_fri.fits(&other) && !over_whir.fits(&other));
    }
}
