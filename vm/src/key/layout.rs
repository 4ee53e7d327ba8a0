//! The machine of a key, and the heights of its tables.

use std::collections::BTreeSet;

use super::identity::{Message, machine_id};
use super::{Key, KeyError, KeyHeights, ProofSystem};
use crate::heights::{Heights, padded_log_height};
use crate::isa::Program;
use crate::machine::{Machine, MachineTables, precompiles_of};
use crate::tables::program::ProgramTable;

/// The least and the largest height of a table, as logarithms.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of the least height.
    pub min: usize,
    /// Of the largest height.
    pub max: usize,
}

impl Limits {
    /// Checks that a table of height `2^log_height` is possible.
    pub(crate) fn check(self, log_height: usize) -> Result<(), KeyError> {
        let Self { min, max } = self;
        if !(min..=max).contains(&log_height) {
            return Err(KeyError::Height {
                log_height,
                min,
                max,
            });
        }
        Ok(())
    }
}

/// The heights that tables may have with these settings, if those are in range.
fn limits_of<P: ProofSystem>(settings: &P::Settings) -> Result<Limits, KeyError> {
    (*settings).into().validate()?;
    Ok(P::limits(settings))
}

/// The machine of a key, and the heights that the key fixes.
pub(crate) struct Layout<T> {
    pub machine: Machine<T>,
    pub heights: KeyHeights,
    pub program_log_height: usize,
}

impl<T: MachineTables> Layout<T> {
    /// The key of a program with this commitment, on a machine whose tables have these messages.
    pub fn key<P: ProofSystem>(
        &self,
        settings: P::Settings,
        tables: &[Message],
        program: Vec<P::Digest>,
    ) -> Key<P> {
        let heights = &self.heights;
        Key {
            machine_id: machine_id::<P>(&settings, heights, tables),
            tables: self.machine.names(),
            settings,
            heights: heights.clone(),
            program_log_height: self.program_log_height,
            program,
        }
    }
}

/// Makes the machine of a program, which has the tables of `precompiles` as well, and checks the
/// settings and heights that are asked for.
pub(crate) fn lay_out<P: ProofSystem, T: MachineTables>(
    program: &Program,
    precompiles: &BTreeSet<u32>,
    settings: &P::Settings,
    heights: &Heights,
) -> Result<Layout<T>, KeyError> {
    let limits = limits_of::<P>(settings)?;
    let precompiles = precompiles | &precompiles_of(program);
    // The table of the program needs a height, and which of the given heights it is depends on the
    // machine, which is made from that table: so the table is first made with the least height.
    let minimal = padded_log_height(program.instructions.len()).max(limits.min);
    let tables = Machine::<T>::new(ProgramTable::of_height(minimal), &precompiles)?;
    let count = tables.tables().len();
    let program_log_height = match heights {
        Heights::Minimal => minimal,
        Heights::Uniform(log_height) => *log_height,
        Heights::Exact(list) => match list.get(tables.program_index()) {
            Some(&log_height) if list.len() == count => log_height,
            _ => {
                return Err(KeyError::HeightCount {
                    expected: count,
                    found: list.len(),
                });
            }
        },
    };
    limits.check(program_log_height)?;
    let table = ProgramTable::new(program, program_log_height)?;
    let machine = Machine::<T>::new(table, &precompiles)?;
    let key_heights = match heights {
        Heights::Minimal => KeyHeights::Free,
        Heights::Uniform(log_height) => KeyHeights::Fixed(vec![*log_height; count]),
        Heights::Exact(list) => KeyHeights::Fixed(list.clone()),
    };
    if let KeyHeights::Fixed(list) = &key_heights {
        for (table, &log_height) in machine.tables().iter().zip(list) {
            limits.check(log_height)?;
            match table.fixed_log_height() {
                Some(expected) if expected != log_height => {
                    return Err(KeyError::FixedHeight {
                        table: table.name(),
                        expected,
                        found: log_height,
                    });
                }
                _ => {}
            }
        }
    }
    Ok(Layout {
        machine,
        heights: key_heights,
        program_log_height,
    })
}

/// Makes the machine of a key of no program, which has the tables of these names, and checks the
/// key's settings and heights.
pub(crate) fn named<P: ProofSystem, T: MachineTables>(
    settings: &P::Settings,
    tables: &[String],
    heights: KeyHeights,
    program_log_height: usize,
) -> Result<Layout<T>, KeyError> {
    let limits = limits_of::<P>(settings)?;
    limits.check(program_log_height)?;
    if let KeyHeights::Fixed(list) = &heights {
        let (expected, found) = (tables.len(), list.len());
        if found != expected {
            return Err(KeyError::HeightCount { expected, found });
        }
        list.iter()
            .try_for_each(|&log_height| limits.check(log_height))?;
    }
    let program = ProgramTable::of_height(program_log_height);
    Ok(Layout {
        machine: Machine::named(program, tables)?,
        heights,
        program_log_height,
    })
}
