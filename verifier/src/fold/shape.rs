//! The shape of all proofs of a fold: settings and heights at which the verifier of a rule's
//! children fits, with room for the functions.
//!
//! The verifier depends on the shape, so a shape is a fixed point. Joins have one. Another one is
//! searched from theirs: taller tables make the verifier a little larger, so few rounds are needed.
//! Deriving keys does not search, since recipes state the shape.

use std::collections::BTreeMap;

use droste_gadgets::SOURCES;
use droste_native::field::EXTENSION_DEGREE;
use droste_native::stark::security::Preset;
use droste_native::whir::settings::MAX_LOG_BLOCK;
use droste_native::whir::{Layout, WhirSettings};
use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::{Heights, padded_log_height};
use droste_vm::key::KeyHeights;
use droste_vm::machine::{MachineError, StandardTables, program_entry};
use droste_vm::stack::Prove;
use droste_vm::whir::{Proof, ProvingKey, Verifier};
use serde::Serialize;

use super::{FoldError, MAX_RULES};
use crate::aggregate::{Aggregator, machine_of_r, permutations_of, tables_of_r};
use crate::circuit::{ChildShape, CircuitError, LeafProof, PRECOMPILES, RecursionCircuit};
use crate::keys::power;

/// Shapes that the search tries at most. Two or three are enough.
const ROUNDS: usize = 16;

/// Place of the table of permutations in R.
const POSEIDON16: usize = 2;

/// Cycles of the program whose proof stands for any.
const CYCLES: u64 = 1 << 10;

/// Rows that the functions of a fold's rules may use, beside the verifier of their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// What the joins of so many proofs leave free. Keys are found without making a proof, and the
    /// wraps and last proofs of that preset and arity serve.
    #[default]
    Joins,
    /// At least so many rows of each table, by its name.
    Least(BTreeMap<String, usize>),
    /// Whatever tables of these heights leave free, given as logarithms in the machine's order.
    Heights(Vec<usize>),
}

/// Settings of all proofs of a fold, and logarithms of their tables' heights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoldShape {
    pub settings: WhirSettings,
    pub log_heights: Vec<usize>,
}

/// The rows of a table in proofs of a fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableRoom {
    /// Name of the table.
    pub table: String,
    /// Its height.
    pub rows: usize,
    /// Rows that verifying the children takes, if a rule has as many as any of the fold.
    pub verifier: usize,
    /// Rows for the function and for what is around it.
    pub free: usize,
}

/// The shape of a fold whose rules take at most so many proofs, and whose states have so many
/// blocks.
///
/// # Errors
/// If there is no such room at the preset's security.
pub(super) fn choose(
    preset: Preset,
    slots: usize,
    blocks: usize,
    room: &Room,
) -> Result<FoldShape, FoldError> {
    let slots = slots.max(1);
    let joins = Aggregator::for_preset(preset, slots);
    match room {
        Room::Joins => Ok(FoldShape::of(&joins)),
        Room::Heights(log_heights) => {
            let settings = settings_at(preset, *joins.settings(), log_heights);
            Ok(FoldShape {
                settings: settings.ok_or(FoldError::NoShape)?,
                log_heights: log_heights.clone(),
            })
        }
        Room::Least(rows) => {
            let tables = tables_of_r()?;
            if let Some(name) = rows.keys().find(|name| !tables.contains(*name)) {
                return Err(FoldError::Table {
                    name: name.clone(),
                    tables: tables.join(", "),
                });
            }
            search(preset, &joins, slots, |shape| {
                let needed = rows_of_join(shape, slots)?.into_iter();
                let needed = needed.map(|(table, verifier)| {
                    let asked = rows.get(&table).copied().unwrap_or(0);
                    let around = verifier + glue(&table, slots, blocks);
                    around.saturating_add(asked)
                });
                Ok(needed.collect())
            })
        }
    }
}

/// The shape of joins if every table is as high as it must be, or else the cheapest one that is
/// found of those whose openings differ ([`bases`]). `needed` returns the numbers of rows at a
/// shape, for so many slots.
///
/// Fewer queries need fewer permutations, but more grinding or longer codewords. Which is cheaper
/// depends on the tables that are almost full. The cheapest shape that might do is tried first, and
/// grows if it does not; what is learned of its permutations tells which others are too low.
fn search(
    preset: Preset,
    joins: &Aggregator,
    slots: usize,
    needed: impl Fn(&FoldShape) -> Result<Vec<usize>, FoldError>,
) -> Result<FoldShape, FoldError> {
    let own = FoldShape::of(joins);
    let mut rows = needed(&own)?;
    if own.fits(&rows) {
        return Ok(own);
    }
    let mut tried = Candidate::new(preset, *joins.settings(), &own.log_heights);
    let bases = bases(joins.settings());
    let candidates = bases.filter_map(|base| Candidate::new(preset, base, &own.log_heights));
    let mut candidates: Vec<Candidate> = candidates.collect();
    for _ in 0..ROUNDS {
        if rows.iter().any(|&rows| rows > power(MAX_LOG_BLOCK)) {
            break;
        }
        let known = tried.as_ref().ok_or(FoldError::NoShape)?;
        let raised = candidates.iter().filter_map(|candidate| {
            let mut rows = rows.clone();
            let permutations = rows.get_mut(POSEIDON16)?;
            *permutations = (*permutations + slots * candidate.permutations)
                .saturating_sub(slots * known.permutations);
            let log_heights = candidate.shape.raised(&rows);
            if log_heights == candidate.shape.log_heights {
                return Some(candidate.clone());
            }
            Candidate::new(preset, candidate.base, &log_heights)
        });
        candidates = raised.collect();
        let places = candidates.iter().enumerate();
        let cheapest = places.min_by_key(|(_, candidate)| candidate.cost);
        let place = cheapest.ok_or(FoldError::NoShape)?.0;
        let cheapest = candidates.swap_remove(place);
        rows = needed(&cheapest.shape)?;
        if cheapest.shape.fits(&rows) {
            return Ok(cheapest.shape);
        }
        candidates.push(cheapest.clone());
        tried = Some(cheapest);
    }
    Err(FoldError::NoShape)
}

/// The settings of joins, and others that differ in what decides numbers of permutations: bits of
/// grinding, the rate of the second commitment, and the height of caps.
fn bases(joins: &WhirSettings) -> impl Iterator<Item = WhirSettings> {
    let bits = joins.grinding_bits;
    let grinding = [bits.saturating_sub(2), bits, bits + 1, bits + 2];
    let bases = grinding.into_iter().flat_map(|grinding_bits| {
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(rate, cap)| WhirSettings {
            grinding_bits,
            second_log_blowup: joins.second_log_blowup + rate,
            cap_height: joins.cap_height + cap,
            ..*joins
        })
    });
    bases.filter(|base| base.validate().is_ok())
}

/// A shape that is considered.
#[derive(Clone, Debug)]
struct Candidate {
    /// Its settings, but for the length of rows and what longer ones need.
    base: WhirSettings,
    shape: FoldShape,
    /// What a proof costs ([`FoldShape::cost`]).
    cost: usize,
    /// Estimated permutations with which a proof is verified.
    permutations: usize,
}

impl Candidate {
    /// The shape of these heights, if it has the bits of its preset.
    fn new(preset: Preset, base: WhirSettings, log_heights: &[usize]) -> Option<Self> {
        let shape = FoldShape {
            settings: settings_at(preset, base, log_heights)?,
            log_heights: log_heights.to_vec(),
        };
        Some(Self {
            base,
            cost: shape.cost()?,
            permutations: permutations_of(&shape.children().ok()?).ok()?,
            shape,
        })
    }
}

/// Rows of a table that a rule takes around its function, at most, for slots of its own fold and
/// leaves behind one wrap: hashes of what is said, and a few instructions for each.
fn glue(table: &str, slots: usize, blocks: usize) -> usize {
    // The list of rules, what each child says, claims of wraps, and what the rule reveals.
    let hashed = MAX_RULES + 1 + (slots + 1) * (blocks + 2) + 4 * slots;
    match table {
        "cpu" | "program" => 64 + 64 * slots + 2 * hashed,
        "ext" => 64 * (slots + 1),
        "poseidon16" => hashed,
        "words" | "blocks" => 64 * (slots + 1) + hashed,
        _ => 0,
    }
}

/// The preset's settings for proofs of R's tables at these heights, which are those of `base` with
/// rows of the stack that are long enough.
fn settings_at(preset: Preset, base: WhirSettings, log_heights: &[usize]) -> Option<WhirSettings> {
    let (tables, program) = (tables_of_r().ok()?, *program_entry(log_heights)?);
    let tallest = log_heights.iter().copied().fold(0, usize::max);
    let is_of_preset = |settings: &WhirSettings| {
        let heights = KeyHeights::Fixed(log_heights.to_vec());
        let verifier = Verifier::<StandardTables>::of_machine(*settings, &tables, heights, program);
        let security = verifier.ok().and_then(|of| of.security(log_heights).ok());
        // Without a target, the sum of all terms may be less than a bit.
        let is_enough = |of| preset.target_bits() == 0 || preset.is_reached_by(&of);
        security.is_some_and(is_enough)
    };
    let own = (tallest <= base.log_block).then_some(base);
    let longer = tallest.max(base.log_block)..=MAX_LOG_BLOCK;
    let longer = longer.map(|log_block| base.of_longer_rows(log_block));
    own.into_iter().chain(longer).find(is_of_preset)
}

/// Names of R's tables, and rows that verifying so many proofs of this shape takes of each.
fn rows_of_join(shape: &FoldShape, slots: usize) -> Result<Vec<(String, usize)>, FoldError> {
    shape.check(slots)?;
    let proof = shape.any_proof()?;
    let circuit = RecursionCircuit::of_shape(&proof.shape(), slots)?;
    let run = circuit.execute(&vec![&proof; slots])?;
    Ok(circuit.needed_rows(&run)?)
}

impl FoldShape {
    /// The canonical shape of an aggregator.
    pub fn of(aggregator: &Aggregator) -> Self {
        Self {
            settings: *aggregator.settings(),
            log_heights: aggregator.log_heights().to_vec(),
        }
    }

    /// The aggregator with this canonical shape. What it wraps, rules take as children.
    pub fn aggregator(&self, preset: Preset) -> Aggregator {
        let joins = Aggregator::for_preset(preset, 1);
        joins.of_heights(self.settings, self.log_heights.clone())
    }

    /// Proofs of this shape, as the verifier of a rule's children takes them.
    pub fn children(&self) -> Result<ChildShape, MachineError> {
        Aggregator::new(self.settings, self.log_heights.clone()).canonical_shape()
    }

    /// Whether proofs of this shape have it.
    pub fn is_of(&self, shape: &ChildShape) -> bool {
        self.children().is_ok_and(|own| own == *shape)
    }

    /// How the heights of a rule's proofs are chosen.
    pub fn heights(&self) -> Heights {
        Heights::Exact(self.log_heights.clone())
    }

    /// Refuses shapes for which compiling a rule and committing to it would take long.
    pub fn check(&self, slots: usize) -> Result<(), FoldError> {
        let joins = Aggregator::new(self.settings, self.log_heights.clone());
        let recipe = joins.join_recipe(slots.max(1))?;
        let checked = recipe.check();
        checked.map_err(|error| FoldError::Recipe(Box::new(error)))
    }

    /// What a proof of this shape costs, in permutations of Poseidon-16: an estimate by which shapes
    /// are compared. A cell of a main column takes about as long as one, a cell of a folded
    /// codeword a quarter.
    fn cost(&self) -> Option<usize> {
        let tables = machine_of_r().ok()?.shapes(&self.log_heights);
        let layout = Layout::new(&tables, self.settings.log_block).ok()?;
        let schedule = self.settings.schedule(layout.row_variables()).ok()?;
        let cells = tables.iter().map(|table| table.width << table.log_height);
        let folded = schedule.folded.iter();
        let folded = folded.map(|step| EXTENSION_DEGREE << (step.fold + step.log_leaves) >> 2);
        let ground = schedule.commitments().map(|step| {
            power(step.query_grinding_bits) + step.fold * power(step.fold_grinding_bits)
        });
        Some(cells.chain(folded).chain(ground).sum())
    }

    /// Logarithms of heights that are at least this shape's, and have room for so many rows.
    fn raised(&self, rows: &[usize]) -> Vec<usize> {
        let heights = self.log_heights.iter().zip(rows);
        heights
            .map(|(&log_height, &rows)| padded_log_height(rows).max(log_height))
            .collect()
    }

    /// Whether so many rows of each table fit.
    fn fits(&self, rows: &[usize]) -> bool {
        let mut tables = rows.iter().zip(&self.log_heights);
        tables.all(|(rows, &log_height)| *rows <= power(log_height))
    }

    /// A proof of this shape, of a program that does nothing.
    fn any_proof(&self) -> Result<Proof, FoldError> {
        let text = "use droste_gadgets::prelude::*;\n\n\
                    pub fn main() {\n    reveal(Felt::ZERO);\n}\n";
        let compiled = compile_file("any.rs", text, SOURCES).map_err(FoldError::Compile)?;
        let run = execute(&compiled, &[], &Tape::default(), CYCLES);
        let run = run.map_err(|error| CircuitError::Run(Box::new(error)))?;
        let key = ProvingKey::<StandardTables>::with_precompiles(
            &compiled.program,
            &PRECOMPILES.into(),
            self.settings,
            self.heights(),
        );
        Ok(key.map_err(CircuitError::from)?.prove_run(&run)?)
    }

    /// The rows of each table that a rule of so many children has for its function.
    ///
    /// # Errors
    /// If the children cannot be verified at this shape.
    pub fn room(&self, slots: usize) -> Result<Vec<TableRoom>, FoldError> {
        let tables = rows_of_join(self, slots.max(1))?.into_iter();
        let tables = tables.zip(&self.log_heights);
        let room = tables.map(|((table, verifier), &log_height)| {
            let rows = power(log_height);
            TableRoom {
                table,
                rows,
                verifier,
                free: rows.saturating_sub(verifier),
            }
        });
        Ok(room.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Places of tables in R.
    const CPU: usize = 0;

    fn joins() -> Aggregator {
        Aggregator::for_preset(Preset::Proven120, 2)
    }

    #[test]
    fn shapes_of_joins_are_those_of_aggregators() {
        for preset in Preset::ALL {
            for slots in [0, 1, 2, 4] {
                let shape = choose(preset, slots, 3, &Room::Joins).unwrap();
                let expected = Aggregator::for_preset(preset, slots.max(1));
                assert_eq!(&shape.settings, expected.settings());
                assert_eq!(shape.log_heights, expected.log_heights());
                let heights = Room::Heights(shape.log_heights.clone());
                assert_eq!(choose(preset, slots, 3, &heights).unwrap(), shape);
                let made = shape.aggregator(preset);
                assert_eq!(made.settings(), expected.settings());
                assert_eq!(
                    made.intermediate_settings(),
                    expected.intermediate_settings()
                );
                shape.check(slots).unwrap();
            }
        }
    }

    /// Taller tables are proved with longer rows, at the bits of the preset.
    #[test]
    fn heights_have_the_bits_of_their_preset() {
        let shape =
            |log_heights: Vec<usize>| choose(Preset::Proven120, 2, 3, &Room::Heights(log_heights));
        let mut log_heights = joins().log_heights().to_vec();
        log_heights[CPU] += 4;
        let taller = shape(log_heights.clone()).unwrap();
        assert!(taller.settings.log_block >= log_heights[CPU]);
        assert!(taller.settings.security_level > joins().settings().security_level);
        log_heights[CPU] = MAX_LOG_BLOCK + 1;
        for none in [log_heights, vec![], vec![14; 6], vec![14; 8]] {
            let refused = shape(none);
            assert!(matches!(refused, Err(FoldError::NoShape)), "{refused:?}");
        }
    }

    #[test]
    fn only_tables_of_the_machine_have_room() {
        let room = Room::Least(BTreeMap::from([("keccak".to_owned(), 1)]));
        let refused = choose(Preset::Toy, 2, 3, &room).unwrap_err().to_string();
        assert!(refused.contains("keccak") && refused.contains("poseidon16"));
    }

    /// Shapes of joins are kept if they do, and the cheapest is found otherwise.
    #[test]
    fn the_cheapest_shape_that_fits_is_found() {
        let joins = joins();
        let settings = *joins.settings();
        let tried = Cell::new(0);
        let found = |needed: &dyn Fn(&FoldShape) -> Vec<usize>| {
            tried.set(0);
            search(Preset::Proven120, &joins, 2, |shape| {
                tried.set(tried.get() + 1);
                Ok(needed(shape))
            })
        };
        let heights = |shape: &FoldShape| -> Vec<usize> {
            let heights = shape.log_heights.iter();
            heights.map(|&log_height| power(log_height)).collect()
        };
        let same = found(&heights).unwrap();
        assert_eq!(same, FoldShape::of(&joins));
        // One bit more saves enough permutations, and costs less than twice the table.
        let ground = found(&|shape| {
            let mut rows = vec![1; shape.log_heights.len()];
            let is_ground = shape.settings.grinding_bits > settings.grinding_bits;
            rows[POSEIDON16] = power(joins.log_heights()[POSEIDON16]) + usize::from(!is_ground);
            rows
        });
        let ground = ground.unwrap();
        assert_eq!(ground.log_heights, joins.log_heights());
        assert_eq!(ground.settings.grinding_bits, settings.grinding_bits + 1);
        // No setting saves so many cycles, so it is the cheapest one.
        let most = 5 << joins.log_heights()[CPU];
        let taller = found(&|shape| {
            let mut rows = vec![1; shape.log_heights.len()];
            rows[CPU] = most;
            rows
        });
        let taller = taller.unwrap();
        assert_eq!(taller.log_heights[CPU], joins.log_heights()[CPU] + 3);
        assert_eq!(taller.log_heights[1..], joins.log_heights()[1..]);
        assert!(taller.settings.grinding_bits < settings.grinding_bits);
        // There are no such tables.
        let none = found(&|shape| vec![usize::MAX; shape.log_heights.len()]);
        assert!(matches!(none, Err(FoldError::NoShape)));
        // It always grows.
        let none = found(&|shape| {
            let mut rows = heights(shape);
            rows[CPU] += 1;
            rows
        });
        assert!(matches!(none, Err(FoldError::NoShape)));
        assert!(tried.get() <= ROUNDS + 1);
    }
}
