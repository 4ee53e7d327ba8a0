//! The keys of a program: one for each preset, hash, stack, blowup and length of the longest run.
//!
//! Over WHIR no table has more rows than a row of the stack has cells. So a run that is longer than
//! the preset's own rows is proved with longer ones, under another key of the same program.

use std::iter;

use droste_native::HashId;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::whir::settings::MAX_LOG_BLOCK;
use droste_vm::heights::{Heights, padded_log_height};
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{MachineError, precompiles_of};
use droste_vm::record::Execution;
use droste_vm::stack::{Parameters, Stack, StackSettings};
use droste_vm::verifier::{Difference, VerifyError};

use crate::circuit::rows_of_tables;
use crate::keys::power;
use crate::proofs::{self, Claimed};

/// Logarithms of the blowup factors for which presets have settings.
const LOG_BLOWUPS: [usize; 4] = [1, 2, 3, 4];

/// Settings in which a run can be proved: these, with rows of the stack over WHIR that are as long
/// as the run's tallest table, if their own are shorter. A key of longer rows is another one.
///
/// # Errors
/// If there is no machine that runs the program.
pub fn fitting(
    settings: StackSettings,
    program: impl AsRef<Program>,
    execution: &Execution,
) -> Result<StackSettings, MachineError> {
    let program = program.as_ref();
    let rows = rows_of_tables(program, execution, &precompiles_of(program))?;
    let heights = rows.iter().map(|(_, rows)| padded_log_height(*rows));
    Ok(of_tallest(settings, heights))
}

/// Settings of the program's default key: these, with longer rows of the stack only if the table of
/// the program itself needs them. No run of it has a key of shorter rows.
pub fn shortest(settings: StackSettings, program: impl AsRef<Program>) -> StackSettings {
    let instructions = program.as_ref().instructions.len();
    of_tallest(settings, iter::once(padded_log_height(instructions)))
}

/// Settings of all keys under which runs of the program are proved at these settings, by length:
/// that of [`shortest`] first. Over FRI there is one.
pub fn of_all_lengths(settings: StackSettings, program: impl AsRef<Program>) -> Vec<StackSettings> {
    match (settings, shortest(settings, program)) {
        (StackSettings::Whir(settings), StackSettings::Whir(shortest)) => {
            let lengths = shortest.log_block..=MAX_LOG_BLOCK;
            lengths.map(|log| settings.of_rows(log).into()).collect()
        }
        (_, shortest) => vec![shortest],
    }
}

/// These settings, with rows of the stack over WHIR for a table of the largest of these heights.
fn of_tallest(settings: StackSettings, log_heights: impl Iterator<Item = usize>) -> StackSettings {
    match settings {
        // A table that is taller than the longest rows is refused, by name, when a key or a proof is
        // made.
        StackSettings::Whir(settings) => {
            let tallest = log_heights.map(|height| height.min(MAX_LOG_BLOCK)).max();
            let taller = tallest.filter(|&height| height > settings.log_block);
            let longer = taller.map_or(settings, |height| settings.of_longer_rows(height));
            longer.into()
        }
        StackSettings::Fri(_) => settings,
    }
}

/// The parameters at which `program` has the key `expected`, if one of them differs from those of a
/// proof, which were `found`: the length of the longest run, preset, hash, blowup or stack. Only
/// keys are tried that commit to at most `limit` rows.
pub fn parameters_of(
    program: &Program,
    expected: KeyDigest,
    found: Parameters,
    limit: usize,
) -> Option<Parameters> {
    let is_expected = |parameters: &Parameters| {
        let Parameters { hash, settings } = *parameters;
        committed_rows(&settings, program) <= limit
            && proofs::key(hash, program, settings, Heights::Minimal)
                .is_ok_and(|(key, _)| key == expected)
    };
    neighbours(program, found).into_iter().find(is_expected)
}

/// Why a proof is refused that does not have the key `expected`, which is to be one of `program`. It
/// names the parameter that differs if only one does, by [`parameters_of`]. All keys that are tried
/// commit to at most eight times `limit` rows, so the caller first verifies the proof under the key
/// that it carries.
pub fn mismatch(
    program: &Program,
    expected: KeyDigest,
    found: &Claimed,
    limit: usize,
) -> VerifyError {
    let at = parameters_of(program, expected, found.parameters, limit);
    let differs = at.and_then(|at| at.difference(&found.parameters));
    let differs = differs.unwrap_or_else(|| {
        let parameters = found.parameters;
        format!("it is a proof at {parameters}, and more than one parameter or the program differs")
    });
    VerifyError::Key {
        expected,
        found: found.key,
        differs: Box::new(Difference(differs)),
    }
}

/// All parameters that differ in one from these; none if these are of no preset.
fn neighbours(program: &Program, found: Parameters) -> Vec<Parameters> {
    let Some(preset) = found.preset() else {
        return vec![];
    };
    let (hash, stack) = (found.hash, found.settings.stack());
    let log_blowup = found.settings.log_blowup();
    let of = |preset: Preset, hash: HashId, stack: Stack, log_blowup: usize| {
        let settings = match stack {
            Stack::Fri => preset.settings(log_blowup).ok().map(StackSettings::from),
            Stack::Whir => Some(WhirSettings::of_leaf(preset, hash, log_blowup).into()),
        };
        settings.map(|settings| Parameters { hash, settings })
    };
    let own = of(preset, hash, stack, log_blowup);
    let lengths = own.map(|own| of_all_lengths(own.settings, program));
    let lengths = lengths.into_iter().flatten();
    let mut all: Vec<Parameters> = lengths
        .map(|settings| Parameters { hash, settings })
        .collect();
    let presets = Preset::ALL.map(|preset| of(preset, hash, stack, log_blowup));
    let hashes = HashId::ALL.map(|hash| of(preset, hash, stack, log_blowup));
    let blowups = LOG_BLOWUPS.map(|log_blowup| of(preset, hash, stack, log_blowup));
    let stacks = Stack::ALL.map(|stack| of(preset, hash, stack, log_blowup));
    let others = [presets, hashes, blowups].into_iter().flatten();
    let others = others.chain(stacks).flatten();
    // They are for runs of the same length.
    all.extend(others.map(|other| Parameters {
        settings: of_length(other.settings, own, found),
        ..other
    }));
    all.retain(|other| *other != found);
    all
}

/// The settings `other`, for runs as long as those of `found`, whose preset has `own`: the default
/// length if that is its own.
fn of_length(other: StackSettings, own: Option<Parameters>, found: Parameters) -> StackSettings {
    match (other, found.settings) {
        (StackSettings::Whir(other), StackSettings::Whir(of))
            if own.is_some_and(|own| own.settings != found.settings) =>
        {
            other.of_rows(of.log_block).into()
        }
        _ => other,
    }
}

/// Number of rows, blowup included, of the commitment to a program: what
/// [`VerifyOptions::limit`](droste_vm::verifier::VerifyOptions::limit) bounds.
pub fn committed_rows(settings: &StackSettings, program: &Program) -> usize {
    let log_height = match settings {
        StackSettings::Fri(_) => padded_log_height(program.instructions.len()),
        StackSettings::Whir(settings) => settings.log_block,
    };
    power(log_height.saturating_add(settings.log_blowup()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use droste_native::FriSettings;
    use droste_vm::compiler::compile;
    use droste_vm::machine::{Machine, StandardTables};
    use droste_vm::tables::program::ProgramTable;
    use droste_vm::verifier::VerifyOptions;

    use super::*;
    use crate::aggregate::{Aggregator, longer_rows};
    use crate::keys::{ChildShape, Children, Recipe};

    fn factorial() -> Program {
        let compiled = compile(droste_programs::source("factorial").unwrap(), &[]);
        compiled.unwrap().program
    }

    /// Proofs of runs of any length, as they are made by default, are within the limits that apply
    /// by default where they are verified, wrapped and aggregated, and where the keys of their
    /// wraps are derived.
    #[test]
    fn every_length_is_within_the_default_limits() {
        let (program, limit) = (factorial(), VerifyOptions::DEFAULT.limit);
        let machine = Machine::<StandardTables>::new(ProgramTable::of_height(6), &BTreeSet::new());
        let tables = machine.unwrap().names();
        for preset in Preset::ALL {
            let aggregator = Aggregator::for_preset(preset, 2);
            let mut rows_of_all = 0;
            for hash in HashId::ALL {
                let usual = WhirSettings::of_leaf(preset, hash, 2);
                let lengths = of_all_lengths(usual.into(), &program);
                assert_eq!(lengths.len(), MAX_LOG_BLOCK + 1 - usual.log_block);
                assert_eq!(lengths[0], shortest(usual.into(), &program));
                for settings in lengths {
                    let rows = committed_rows(&settings, &program);
                    assert!(rows <= limit, "{preset}, {settings:?}");
                    rows_of_all += rows;
                    let parameters = Parameters { hash, settings };
                    assert_eq!(parameters.preset(), Some(preset));
                    let shape = ChildShape {
                        hash,
                        settings,
                        log_heights: vec![parameters.log_rows(); tables.len()],
                        tables: tables.clone(),
                        fixed: false,
                    };
                    let recipe = Recipe {
                        children: Children::Programs { shape, count: 1 },
                        settings: longer_rows(*aggregator.intermediate_settings(), MAX_LOG_BLOCK),
                        heights: Heights::Minimal,
                    };
                    recipe.check().unwrap();
                }
            }
            // As many may be needed for one aggregate.
            assert!(rows_of_all <= 8 * limit, "{preset}");
        }
    }

    /// Whatever the parameters of a proof, all that is tried to name what differs commits to at most
    /// eight times the limit.
    #[test]
    fn all_that_is_tried_is_bounded() {
        let (program, limit) = (factorial(), VerifyOptions::DEFAULT.limit);
        for preset in Preset::ALL {
            for log_blowup in LOG_BLOWUPS {
                let hash = HashId::Blake3;
                let usual = WhirSettings::of_leaf(preset, hash, log_blowup);
                for settings in of_all_lengths(usual.into(), &program) {
                    let tried = neighbours(&program, Parameters { hash, settings });
                    let rows = tried
                        .iter()
                        .map(|of| committed_rows(&of.settings, &program));
                    let rows: usize = rows.filter(|&rows| rows <= limit).sum();
                    assert!(rows <= 8 * limit, "{preset}, {settings:?}: {rows}");
                }
            }
        }
    }

    /// A key at any of the parameters is found from a proof that differs in one of them.
    #[test]
    fn the_parameter_that_differs_is_found() {
        let program = factorial();
        let toy = |hash: HashId, log_blowup: usize, log_block: usize| {
            let settings = WhirSettings::of_leaf(Preset::Toy, hash, log_blowup).of_rows(log_block);
            Parameters {
                hash,
                settings: settings.into(),
            }
        };
        let key = |of: Parameters| {
            let key = proofs::key(of.hash, &program, of.settings, Heights::Minimal);
            key.unwrap().0
        };
        let found = toy(HashId::Poseidon16, 2, 12);
        let over_fri = Parameters {
            settings: FriSettings::toy().into(),
            ..found
        };
        let cases = [
            (toy(HashId::Poseidon16, 2, 13), "tables of up to 2^12 rows"),
            (toy(HashId::Blake3, 2, 12), "hash poseidon16"),
            (toy(HashId::Poseidon16, 3, 12), "blowup 4"),
            (over_fri, "stack whir, expected fri"),
        ];
        let limit = 1 << 15;
        for (expected, words) in cases {
            let named = parameters_of(&program, key(expected), found, limit);
            assert_eq!(named, Some(expected));
            let difference = expected.difference(&found).unwrap();
            assert!(difference.starts_with(words), "{difference}");
        }
        // More than one differs, or the commitment is too large.
        let far = toy(HashId::Blake3, 2, 13);
        assert_eq!(parameters_of(&program, key(far), found, limit), None);
        let longer = toy(HashId::Poseidon16, 2, 13);
        assert_eq!(parameters_of(&program, key(longer), found, 1 << 14), None);
        // From a longer run, one of its length in another hash.
        let other = toy(HashId::Keccak, 2, 13);
        assert_eq!(
            parameters_of(&program, key(other), longer, limit),
            Some(other)
        );
    }
}
