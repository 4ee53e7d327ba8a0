//! The shapes that an aggregator gives to proofs, and the choice among them for a run.

use droste_native::HashId;
use droste_native::stark::security::BIRTHDAY;
use droste_native::whir::settings::MAX_LOG_BLOCK;
use droste_native::whir::{Layout, MAX_ROW_VARIABLES, WhirSettings};
use droste_vm::heights::{Heights, padded_log_height};
use droste_vm::key::KeyHeights;
use droste_vm::machine::{Machine, MachineError, StandardTables, program_entry};
use droste_vm::tables::program::ProgramTable;
use droste_vm::whir::{Proof, Verifier};
use serde::Serialize;

use super::aggregator::Result;
use super::{AggregateError, Aggregator};
use crate::circuit::{ChildShape, PRECOMPILES, Run};
use crate::keys::power;

/// Settings and heights of R that a key fixes, so that all proofs under the key have one shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FixedShape {
    pub settings: WhirSettings,
    /// Logarithms of the heights, in the machine's order.
    pub log_heights: Vec<usize>,
}

/// Largest logarithm of the number of rows of a stack in an aggregator's own settings.
const FEW_ROWS: usize = 8;

/// Logarithm of the number of rows that a stack of longer rows has at most, unless there are too
/// many cells: the larger it is, the more of the next step is hashing leaves, and the smaller, the
/// more of this one is folding.
const MANY_ROWS: usize = 9;

/// These settings for a run that needs `rows` of the tables of its machine, at the least heights
/// that fit it, with longer rows of the stack if there are too many cells for these; `None` if no
/// settings make proofs of so many cells at their level.
pub(crate) fn settings_for(
    settings: WhirSettings,
    rows: &[(String, usize)],
) -> Option<WhirSettings> {
    let (tables, log_heights) = (names(rows), least_heights(rows));
    let program = *program_entry(&log_heights)?;
    let machine = Machine::<StandardTables>::named(ProgramTable::of_height(0), &tables).ok()?;
    let shapes = machine.shapes(&log_heights);
    let level = settings.security_level as f64;
    let fits = |settings: WhirSettings, most_rows: usize| {
        // Whether there is a stack of so many cells, which the sizes of the tables tell at once.
        let stack = Layout::new(&shapes, settings.log_block).ok()?;
        if stack.row_variables() > most_rows {
            return None;
        }
        // No term of the protocol is to be below the level: that of the lookups depends on the run.
        // This evaluates the constraints of all tables.
        let free = KeyHeights::Free;
        let verifier =
            Verifier::<StandardTables>::of_machine(settings, &tables, free, program).ok()?;
        let security = verifier.security(&log_heights).ok()?;
        let mut terms = security.without.terms.iter();
        let reached = terms.all(|term| term.theorem == BIRTHDAY || term.bits >= level);
        reached.then_some(settings)
    };
    let longer = |most_rows| {
        let mut log_blocks = settings.log_block + 1..=MAX_LOG_BLOCK;
        log_blocks.find_map(|log_block| fits(longer_rows(settings, log_block), most_rows))
    };
    // The stack of the verifier of a batch is half full with the table of products, and its leaves
    // are long: with more rows than few, the step after the one of 2^14 nodes of Merkle paths, at
    // level 100, would not have the canonical shape.
    let is_products = |table: &StandardTables| matches!(table, StandardTables::BinaryProducts(_));
    let has_products = machine.tables().iter().any(is_products);
    let many_rows = if has_products { FEW_ROWS } else { MANY_ROWS };
    fits(settings, FEW_ROWS)
        .or_else(|| longer(many_rows))
        .or_else(|| longer(MAX_ROW_VARIABLES))
}

/// These settings with rows of `2^log_block` cells, for stacks of many cells.
///
/// Committing to so many cells at a larger blowup than 2 takes longer than it takes the next step
/// to verify more queries, and so does committing to what is left of long rows at more than 4.
pub(crate) fn longer_rows(settings: WhirSettings, log_block: usize) -> WhirSettings {
    WhirSettings {
        log_blowup: 1,
        second_log_blowup: 2,
        ..settings.of_longer_rows(log_block)
    }
}

/// The machine R, of no program.
pub(crate) fn machine_of_r() -> Result<Machine<StandardTables>, MachineError> {
    Machine::new(ProgramTable::of_height(0), &PRECOMPILES.into())
}

/// Names of R's tables, in order.
pub(crate) fn tables_of_r() -> Result<Vec<String>, MachineError> {
    Ok(machine_of_r()?.names())
}

/// The names of the tables of which `rows` are needed.
pub(super) fn names(rows: &[(String, usize)]) -> Vec<String> {
    rows.iter().map(|(name, _)| name.clone()).collect()
}

/// Logarithms of the least heights of tables of which `rows` are needed.
pub(crate) fn least_heights(rows: &[(String, usize)]) -> Vec<usize> {
    let heights = rows.iter().map(|(_, rows)| padded_log_height(*rows));
    heights.collect()
}

impl FixedShape {
    /// Whether a run that needs `rows` of its machine's tables fits this shape. A run that calls
    /// precompiles other than R's has more tables and does not fit.
    pub(super) fn fits(&self, rows: &[(String, usize)]) -> bool {
        // Heights that overflow fit any run here; making a key for them is refused.
        let mut tables = rows.iter().zip(&self.log_heights);
        rows.len() == self.log_heights.len()
            && tables.all(|((_, rows), &log)| *rows <= power(log))
            && tables_of_r().is_ok_and(|tables| tables == names(rows))
    }

    /// Whether proofs of this shape have it.
    pub(super) fn is_of(&self, shape: &ChildShape) -> bool {
        shape.hash == HashId::Poseidon16
            && shape.fixed
            && shape.settings == self.settings.into()
            && shape.log_heights == self.log_heights
            && tables_of_r().is_ok_and(|tables| shape.tables == tables)
    }
}

impl Aggregator {
    /// Chooses settings and heights for the proof of a run that needs `rows` of its machine's
    /// tables: those of the canonical shape if the run fits it, else of an intermediate one.
    pub(super) fn shape_of(&self, rows: &[(String, usize)]) -> Result<(WhirSettings, Heights)> {
        if self.canonical.fits(rows) {
            let heights = Heights::Exact(self.canonical.log_heights.clone());
            return Ok((self.canonical.settings, heights));
        }
        let settings = settings_for(self.intermediate, rows);
        let settings = settings.ok_or(AggregateError::TooManyCells)?;
        Ok((settings, Heights::Minimal))
    }

    /// Whether the proof of this run, which verified `before`, would again have the shape of
    /// `before`. Then further steps would not lead to the canonical shape either.
    pub(super) fn repeats(&self, before: &Proof, run: &Run) -> bool {
        let rows = run.needed_rows();
        !self.canonical.fits(rows)
            && settings_for(self.intermediate, rows) == Some(before.key.settings)
            && least_heights(rows) == before.log_heights
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use droste_native::stark::security::Preset;
    use droste_vm::isa::id;
    use droste_vm::precompile::BINARY_PRODUCT;

    use super::*;

    fn rows_of(tables: &[String], rows: impl Fn(&str) -> usize) -> Vec<(String, usize)> {
        let rows = |name: &String| (name.clone(), rows(name));
        tables.iter().map(rows).collect()
    }

    fn with(precompile: u32) -> Vec<String> {
        let precompiles = &BTreeSet::from(PRECOMPILES) | &BTreeSet::from([precompile]);
        let program = ProgramTable::of_height(0);
        let machine = Machine::<StandardTables>::new(program, &precompiles);
        machine.unwrap().names()
    }

    #[test]
    fn rows_and_tables_decide_what_fits() {
        let tables = tables_of_r().unwrap();
        let blocks = |tables: &[String], needed: usize| {
            rows_of(tables, |name| if name == "blocks" { needed } else { 0 })
        };
        let shape = |tables: &[String]| FixedShape {
            settings: WhirSettings::toy(),
            log_heights: vec![3; tables.len()],
        };
        let of_r = shape(&tables);
        assert!(of_r.fits(&blocks(&tables, 8)) && !of_r.fits(&blocks(&tables, 9)));
        // A machine with other tables does not fit, not even one with as many.
        let other = with(id::KECCAK_HASH);
        assert!(!of_r.fits(&blocks(&other, 0)) && !shape(&other).fits(&blocks(&other, 0)));
        let mut renamed = blocks(&tables, 0);
        renamed[1].0 = "keccak".to_owned();
        assert!(!of_r.fits(&renamed));
    }

    #[test]
    fn settings_follow_the_rows() {
        let settings = WhirSettings::proven_100();
        let tables = tables_of_r().unwrap();
        let all = |rows: usize| settings_for(settings, &rows_of(&tables, |_| rows));
        let blocks = |rows: usize| {
            let rows = rows_of(&tables, |name| if name == "blocks" { rows } else { 0 });
            settings_for(settings, &rows)
        };
        let longer = |log_block| Some(longer_rows(settings, log_block));
        assert_eq!(settings.log_block, 16);
        assert_eq!(
            (all(1000), blocks(1 << 16)),
            (Some(settings), Some(settings))
        );
        assert_eq!(blocks((1 << 16) + 1), longer(17));
        assert_eq!(longer(17).unwrap().log_blowup, 1);
        let levels = [18, 19].map(|log| longer(log).unwrap().security_level);
        assert_eq!(levels, [102, 103]);
        // All tables at this height have more than 2^8 columns.
        assert_eq!(all(1 << 16), longer(17));
        assert_eq!(blocks(1 << 20), longer(20));
        assert_eq!(blocks((1 << 20) + 1), None);
        assert_eq!(settings_for(settings, &[("unknown".to_owned(), 1)]), None);
        // The table of Keccak, which has hundreds of columns, takes more rows than there are before
        // it is as tall as a row is long.
        let keccak = |rows: usize| {
            let tables = with(id::KECCAK_HASH);
            let rows = rows_of(&tables, |name| if name == "keccak" { rows } else { 0 });
            settings_for(settings, &rows)
        };
        assert_eq!(keccak(1), Some(settings));
        assert_eq!(keccak((1 << 13) + 1), longer(17));
        assert_eq!(keccak(1 << 17), longer(19));
        // Fewer than 2^11 rows are not enough.
        assert_eq!(keccak(1 << 19), longer(19));
        assert_eq!(keccak(1 << 20), longer(20));
        assert_eq!(keccak((1 << 20) + 1), None);
        // Those of a verifier of 2^14 Keccak-f have fewer rows, which are longer.
        let products = rows_of(&with(BINARY_PRODUCT.identity), |name| match name {
            "cpu" | "ext" | "words" | "blocks" => 1 << 16,
            "poseidon16" | "program" => 1 << 15,
            "power_weights" => 1,
            _ => 1 << 14,
        });
        assert_eq!(settings_for(settings, &products), longer(18));
    }

    /// At level 128 the tables of R are first refused at heights at which all terms but that of the
    /// lookups are high enough.
    #[test]
    fn too_few_bits_of_the_lookups_alone_are_refused() {
        let settings = WhirSettings {
            lookup_grinding_bits: 0,
            ..WhirSettings::of(Preset::Proven128)
        };
        let tables = tables_of_r().unwrap();
        let low = |log_height: usize| {
            let longest = longer_rows(settings, MAX_LOG_BLOCK);
            let (free, log_heights) = (KeyHeights::Free, vec![log_height; tables.len()]);
            let verifier =
                Verifier::<StandardTables>::of_machine(longest, &tables, free, log_height);
            let security = verifier.unwrap().security(&log_heights).unwrap();
            let terms = security.without.terms.into_iter();
            let low = terms.filter(|term| term.theorem != BIRTHDAY && term.bits < 128.0);
            low.map(|term| term.name).collect::<Vec<_>>()
        };
        let fits = |log_height: &usize| {
            settings_for(settings, &rows_of(&tables, |_| 1 << log_height)).is_some()
        };
        let tallest = (10..=MAX_LOG_BLOCK).take_while(fits).last().unwrap();
        assert_eq!((tallest, low(tallest)), (19, vec![]));
        assert_eq!(low(tallest + 1), ["lookups"]);
    }

    /// Stacks of longer rows have the bits of their preset in the sum of all terms, however many
    /// rows they have.
    #[test]
    fn longer_rows_have_the_bits_of_their_preset() {
        let tables = [
            tables_of_r().unwrap(),
            with(id::KECCAK_HASH),
            with(BINARY_PRODUCT.identity),
        ];
        for preset in [Preset::Proven100, Preset::Proven120] {
            let cases = [
                ("blocks", 11),
                ("blocks", 17),
                ("keccak", 11),
                ("keccak", 15),
                ("binary_products", 14),
            ];
            for (tallest, log_height) in cases {
                let tables = match tallest {
                    "keccak" => &tables[1],
                    "binary_products" => &tables[2],
                    _ => &tables[0],
                };
                let rows = rows_of(tables, |name| match name {
                    _ if name == tallest => 1 << log_height,
                    "poseidon16" => 1 << 14,
                    _ => 1 << 10,
                });
                let log_heights = least_heights(&rows);
                let fitting = settings_for(WhirSettings::of(preset), &rows).unwrap();
                let longer = fitting.log_block..=MAX_LOG_BLOCK;
                // Those of intermediate proofs, and those of leaves.
                let longer = longer.flat_map(|log| {
                    let settings = WhirSettings::of(preset);
                    let leaf = |hash, log_blowup| {
                        let leaf = WhirSettings::of_leaf(preset, hash, log_blowup);
                        if log > leaf.log_block {
                            leaf.of_longer_rows(log)
                        } else {
                            leaf
                        }
                    };
                    [
                        longer_rows(settings, log),
                        leaf(HashId::Blake3, 2),
                        leaf(HashId::Keccak, 1),
                        leaf(HashId::Keccak, 4),
                    ]
                });
                for settings in std::iter::once(fitting).chain(longer) {
                    let program = *program_entry(&log_heights).unwrap();
                    let (free, names) = (KeyHeights::Free, names(&rows));
                    let verifier =
                        Verifier::<StandardTables>::of_machine(settings, &names, free, program);
                    let mut security = verifier.unwrap().security(&log_heights).unwrap();
                    // As in a byte hash, which has the same terms otherwise.
                    for term in &mut security.without.terms {
                        term.bits -= HashId::Keccak.sampling_loss();
                    }
                    assert!(
                        preset.is_reached_by(&security),
                        "{preset}, {tallest} 2^{log_height}, {}: {:.2}",
                        settings.log_block,
                        security.without.sum()
                    );
                }
            }
        }
    }
}
