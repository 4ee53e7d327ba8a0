//! The shapes that an aggregator gives to proofs, and the choice among them for a run.

use std::collections::BTreeSet;

use droste_native::whir::settings::MAX_LOG_BLOCK;
use droste_native::whir::{MAX_ROW_VARIABLES, WhirSettings};
use droste_native::{HashId, Poseidon16Suite};
use droste_vm::heights::{Heights, min_log_height, padded_log_height};
use droste_vm::machine::{Machine, MachineError, MachineTables, StandardTables};
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::tables::Table;
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

/// The shape of the last proof of intermediate shape, from which one step leads to the canonical
/// shape.
#[derive(Clone, Debug, Serialize)]
pub(super) enum LastIntermediate {
    /// This one.
    Fixed(FixedShape),
    /// R over WHIR, at the least heights that a run fits. What verifying such a proof takes hardly
    /// depends on its heights.
    OverWhir(WhirSettings),
}

/// Largest logarithm of the number of rows of a stack in an aggregator's own settings.
const FEW_ROWS: usize = 8;

/// Logarithm of the number of rows that a stack of longer rows has at most, unless there are too
/// many cells: the larger it is, the more of the next step is hashing leaves, and the smaller, the
/// more of this one is folding.
const MANY_ROWS: usize = 9;

/// These settings for a run that fills `rows` of the tables of its machine, at the least heights
/// that fit it, with longer rows of the stack if there are too many cells for these; `None` if no
/// proofs over WHIR fit.
fn settings_over_whir(settings: WhirSettings, rows: &[(String, usize)]) -> Option<WhirSettings> {
    let log_heights = least_heights(&settings.into(), rows)?;
    let tables = tables_of_run(Stack::Whir, rows).ok()?;
    // Whether there is a stack of so many cells, and the machine has these tables.
    let fits = |settings: WhirSettings, most_rows: usize| {
        let shape = ChildShape {
            hash: HashId::Poseidon16,
            settings: settings.into(),
            tables: tables.clone(),
            log_heights: log_heights.clone(),
            fixed: false,
        };
        let verifier = shape.verifier_over_whir::<Poseidon16Suite>(settings).ok()?;
        let (scheme, _) = verifier.shape(&log_heights).ok()?;
        (scheme.layout().row_variables() <= most_rows).then_some(settings)
    };
    let longer = |most_rows| {
        let mut log_blocks = settings.log_block + 1..=MAX_LOG_BLOCK;
        log_blocks.find_map(|log_block| fits(longer_rows(settings, log_block), most_rows))
    };
    fits(settings, FEW_ROWS)
        .or_else(|| longer(MANY_ROWS))
        .or_else(|| longer(MAX_ROW_VARIABLES))
}

/// These settings with rows of `2^log_block` cells, for stacks of many cells.
///
/// Committing to so many cells at a larger blowup than 2 takes longer than it takes the next step
/// to verify more queries, and so does committing to what is left of long rows at more than 4. There
/// are more terms of full weight in the sum than at the preset's own settings, and one commitment
/// more if rows have more than 2^18 cells: each term gets one or two bits more, as far as there are
/// settings with as many.
fn longer_rows(settings: WhirSettings, log_block: usize) -> WhirSettings {
    let more = 1 + usize::from(log_block > 18);
    WhirSettings {
        log_block,
        security_level: (settings.security_level + more).min(128),
        log_blowup: 1,
        second_log_blowup: 2,
        ..settings
    }
}

/// Names of R's tables in a proof stack, in order.
pub(super) fn tables_of_r(stack: Stack) -> Result<Vec<String>, MachineError> {
    tables_of_run(stack, &[])
}

/// Names of the tables of R in a proof stack and of those of which a run fills `rows`, in order.
pub(super) fn tables_of_run(
    stack: Stack,
    rows: &[(String, usize)],
) -> Result<Vec<String>, MachineError> {
    let tables = tables_with_padding(stack, rows)?;
    Ok(tables.into_iter().map(|(name, _)| name).collect())
}

/// The tables of [`tables_of_run`] with the least number of rows of padding in each: over WHIR the
/// last row of a table of calls is padding.
fn tables_with_padding(
    stack: Stack,
    rows: &[(String, usize)],
) -> Result<Vec<(String, usize)>, MachineError> {
    let mut precompiles: BTreeSet<u32> = precompiles(stack).iter().copied().collect();
    for table in StandardTables::precompile_tables() {
        if rows.iter().any(|(name, _)| *name == table.name()) {
            let served = table.precompiles().iter();
            precompiles.extend(served.map(|precompile| precompile.identity));
        }
    }
    let machine = Machine::<StandardTables>::new(ProgramTable::of_height(0), &precompiles)?;
    let tables = machine.tables().iter().map(|table| {
        let of_calls = stack == Stack::Whir && !table.precompiles().is_empty();
        (table.name().to_owned(), usize::from(of_calls))
    });
    Ok(tables.collect())
}

impl FixedShape {
    /// What a key of this shape is made with.
    fn settings_and_heights(&self) -> (StackSettings, Heights) {
        (self.settings, Heights::Exact(self.log_heights.clone()))
    }

    /// Whether a run that fills `rows` of its machine's tables fits this shape. A run that calls
    /// precompiles other than R's has more tables and does not fit.
    pub(super) fn fits(&self, rows: &[(String, usize)]) -> bool {
        let Ok(tables) = tables_with_padding(self.settings.stack(), &[]) else {
            return false;
        };
        tables.len() == self.log_heights.len()
            && rows.iter().all(|(name, rows)| {
                let mut heights = tables.iter().zip(&self.log_heights);
                let found = heights.find(|((table, _), _)| table == name);
                found.is_some_and(|((_, padding), &log_height)| {
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
    /// `rows` of its machine's tables. What [`Size::Minimal`] asks for is over FRI: the machine may
    /// have any tables.
    pub(super) fn shape_of(
        &self,
        hash: HashId,
        rows: &[(String, usize)],
        size: Size,
    ) -> (StackSettings, Heights) {
        let over_fri = ((*self.intermediate_settings(hash)).into(), Heights::Minimal);
        if size == Size::Minimal {
            return over_fri;
        }
        if self.canonical.fits(rows) {
            return self.canonical.settings_and_heights();
        }
        match &self.last_intermediate {
            Some(LastIntermediate::Fixed(shape)) if shape.fits(rows) => {
                shape.settings_and_heights()
            }
            Some(LastIntermediate::OverWhir(settings)) => settings_over_whir(*settings, rows)
                .map_or(over_fri, |settings| (settings.into(), Heights::Minimal)),
            _ => over_fri,
        }
    }

    /// Whether the proof of this run, which verified `before`, would again have the shape of
    /// `before`. Then further steps would not lead to the canonical shape either.
    pub(super) fn repeats(&self, before: &RecursionProof, run: &Run) -> bool {
        if self.canonical.fits(run.filled_rows()) {
            return false;
        }
        let hash = run.circuit().hash();
        let (settings, heights) = self.shape_of(hash, run.filled_rows(), Size::Canonical);
        let log_heights = log_heights(&settings, &heights, run.filled_rows());
        settings == before.settings() && log_heights == before.log_heights()
    }
}

/// Logarithms of the heights that the proof of a run with these rows has; empty if there is none.
pub(super) fn log_heights(
    settings: &StackSettings,
    heights: &Heights,
    rows: &[(String, usize)],
) -> Vec<usize> {
    match heights {
        Heights::Exact(log_heights) => log_heights.clone(),
        Heights::Uniform(log_height) => vec![*log_height; rows.len()],
        Heights::Minimal => least_heights(settings, rows).unwrap_or_default(),
    }
}

/// Logarithms of the least heights that fit a run which fills `rows` of the tables of its machine
/// over FRI. `None` over WHIR if there is no machine with these tables.
fn least_heights(settings: &StackSettings, rows: &[(String, usize)]) -> Option<Vec<usize>> {
    match settings {
        StackSettings::Fri(settings) => {
            let least = min_log_height(settings);
            let height = |(_, rows): &(String, usize)| padded_log_height(*rows).max(least);
            Some(rows.iter().map(height).collect())
        }
        StackSettings::Whir(_) => {
            let tables = tables_with_padding(Stack::Whir, rows).ok()?;
            let is_known = |name: &String| tables.iter().any(|(table, _)| table == name);
            let known = rows.iter().all(|(name, _)| is_known(name));
            let height = |(table, padding): &(String, usize)| {
                let rows = rows.iter().find(|(name, _)| name == table);
                padded_log_height(rows.map_or(0, |(_, rows)| *rows) + padding)
            };
            known.then(|| tables.iter().map(height).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use droste_native::FriSettings;
    use droste_native::stark::security::Preset;
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
        // Over WHIR R has a table that runs over FRI lack.
        let over_whir = shape(WhirSettings::toy().into(), &whir);
        for tables in [&fri, &whir] {
            assert!(over_whir.fits(&rows(tables, 8)) && !over_whir.fits(&rows(tables, 9)));
        }
        // A table of calls has a last row of padding there.
        let calls = |rows: usize| vec![("ext".to_owned(), rows)];
        assert!(over_fri.fits(&calls(8)) && !over_fri.fits(&calls(9)));
        assert!(over_whir.fits(&calls(7)) && !over_whir.fits(&calls(8)));
        let other = [rows(&fri, 0), vec![("keccak".to_owned(), 0)]].concat();
        assert!(!over_fri.fits(&other) && !over_whir.fits(&other));
    }

    #[test]
    fn settings_over_whir_follow_the_rows() {
        let settings = WhirSettings::proven_100();
        let tables = tables_of_r(Stack::Whir).unwrap();
        let of = |rows: usize| -> Vec<(String, usize)> {
            tables.iter().map(|name| (name.clone(), rows)).collect()
        };
        assert_eq!(settings_over_whir(settings, &of(1000)), Some(settings));
        let table = |name: &str, rows: usize| vec![(name.to_owned(), rows)];
        let blocks = |rows: usize| table("blocks", rows);
        let full = settings_over_whir(settings, &blocks(1 << 16));
        assert_eq!(full, Some(settings));
        let longer = |log_block| longer_rows(settings, log_block);
        // One row of a table of calls is padding.
        for over in [blocks((1 << 16) + 1), table("ext", 1 << 16)] {
            assert_eq!(settings_over_whir(settings, &over), Some(longer(17)));
        }
        assert_eq!(longer(17).log_blowup, 1);
        assert_eq!([18, 19].map(|log| longer(log).security_level), [102, 103]);
        // All tables at this height have more than 2^8 columns.
        let full = settings_over_whir(settings, &of((1 << 16) - 1));
        assert_eq!(full, Some(longer(17)));
        let tallest = settings_over_whir(settings, &blocks(1 << 20));
        assert_eq!(tallest, Some(longer(20)));
        let over = settings_over_whir(settings, &blocks((1 << 20) + 1));
        assert_eq!(over, None);
        assert_eq!(settings_over_whir(settings, &table("unknown", 1)), None);
        // The tables of Keccak, which have thousands of columns, take more rows than there are long
        // before they are as tall as a row is long.
        let keccak = |rows| settings_over_whir(settings, &table("keccak", rows));
        assert_eq!(keccak(1), Some(settings));
        assert_eq!(keccak((1 << 13) + 1), Some(longer(18)));
        // Fewer than 2^11 rows are not enough.
        assert_eq!(keccak((1 << 17) - 1), Some(longer(19)));
        assert_eq!(keccak((1 << 18) - 1), Some(longer(20)));
        assert_eq!(keccak(1 << 18), None);
    }

    /// Stacks of longer rows have the bits of their preset in the sum of all terms, however many
    /// rows they have.
    #[test]
    fn longer_rows_have_the_bits_of_their_preset() {
        for preset in [Preset::Proven100, Preset::Proven120] {
            let settings = WhirSettings::of(preset);
            for log_height in [11, 14, 15, 17] {
                for table in ["blake3", "keccak", "blocks", "ext"] {
                    let rows = [
                        (table, (1 << log_height) - 2),
                        ("poseidon16", (1 << 14) - 1),
                    ];
                    let rows = rows.map(|(name, rows)| (name.to_owned(), rows));
                    let settings = settings_over_whir(settings, &rows).unwrap();
                    let log_heights = least_heights(&settings.into(), &rows).unwrap();
                    let tables = tables_of_run(Stack::Whir, &rows).unwrap();
                    for log_block in settings.log_block..=MAX_LOG_BLOCK {
                        let settings = match log_block == settings.log_block {
                            true => settings,
                            false => longer_rows(WhirSettings::of(preset), log_block),
                        };
                        let shape = ChildShape {
                            hash: HashId::Poseidon16,
                            settings: settings.into(),
                            tables: tables.clone(),
                            log_heights: log_heights.clone(),
                            fixed: false,
                        };
                        let verifier = shape.verifier_over_whir::<Poseidon16Suite>(settings);
                        let security = verifier.unwrap().security(&log_heights).unwrap();
                        assert!(
                            preset.is_reached_by(&security),
                            "{preset}, {table} 2^{log_height}, {log_block}: {:.2}",
                            security.without.sum()
                        );
                    }
                }
            }
        }
    }
}
