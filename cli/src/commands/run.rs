//! `droste run`: executes a program without proving it.

use clap::{Args, ValueEnum};
use droste_native::files;
use droste_verifier::summary::integers;
use droste_vm::machine::StandardTables;
use droste_vm::precompile::BUILT_IN;
use droste_vm::profile::{FftWeights, Weight, cpu_profile, flame_graph, line_table};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, list, print, row};
use crate::paths::Output;
use crate::program::Execute;

/// Arguments of `droste run`.
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    execute: Execute,
    /// File to write a profile of the run to, by function and line: a flame graph, or by its ending
    /// a table (.txt) or a profile for the developer tools of a browser (.cpuprofile).
    #[arg(long, value_name = "FILE")]
    profile: Option<Output>,
    /// Unit that the profile counts.
    #[arg(long, value_enum, default_value = "cycles", requires = "profile")]
    profile_unit: ProfileUnit,
}

/// Units that a profile can count.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProfileUnit {
    /// Executed instructions.
    Cycles,
    /// Cost of the tables' transforms (fft_cost), divided among the instructions that cause their
    /// rows.
    FftCost,
}

#[derive(Serialize)]
struct Ran {
    outputs: Vec<u32>,
    cycles: usize,
    calls: Vec<(&'static str, usize)>,
    words: usize,
    blocks: usize,
}

impl Report for Ran {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![
            row("outputs", list(&self.outputs)),
            row("cycles", self.cycles),
            row("words", self.words),
            row("blocks", self.blocks),
        ];
        let calls = self.calls.iter();
        rows.extend(calls.map(|(name, count)| row(name, count)));
        rows
    }
}

impl Run {
    /// Executes the program and prints its outputs and the rows of each table.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let (compiled, _, execution) = self.execute.run()?;
        if let Some(path) = &self.profile {
            let weight = match self.profile_unit {
                ProfileUnit::Cycles => Weight::Cycles,
                ProfileUnit::FftCost => {
                    let weights = FftWeights::new::<StandardTables>(&compiled.program, &execution);
                    Weight::FftCost(weights?)
                }
            };
            let ending = path.extension().and_then(|ending| ending.to_str());
            let text = match ending {
                Some("txt") => line_table(&compiled, &execution, &weight),
                Some("cpuprofile") => cpu_profile(&compiled, &execution, &weight),
                _ => flame_graph(&compiled, &execution, &weight)?,
            };
            files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
        }
        let outputs = compiled.public_inputs..compiled.public_inputs + compiled.public_outputs;
        let outputs = execution.statement.get(outputs).unwrap_or_default();
        let calls = BUILT_IN.iter().map(|precompile| {
            let calls = &execution.calls[precompile.identity as usize];
            (precompile.name, calls.len())
        });
        let ran = Ran {
            outputs: integers(outputs),
            cycles: execution.cycles.len(),
            calls: calls.filter(|(_, calls)| *calls > 0).collect(),
            words: execution.memory.words.len(),
            blocks: execution.memory.blocks.len(),
        };
        Ok(print(&ran, format)?)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        run: Run,
    }

    /// Runs the factorial of 5 with more arguments.
    fn factorial(more: &[&str]) -> Result<(), String> {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/src/factorial.rs");
        let arguments = ["droste", file, "--public", "5"];
        let line = Line::try_parse_from(arguments.iter().chain(more))
            .map_err(|error| error.to_string())?;
        let done = line.run.run(Format::Json);
        done.map_err(|error| error.to_string())
    }

    #[test]
    fn profiles_are_drawn_in_both_units() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.svg");
        let path = path.to_str().unwrap();
        let drawn = |more: &[&str]| {
            factorial(more).unwrap();
            std::fs::read_to_string(path).unwrap()
        };
        let cycles = drawn(&["--profile", path]);
        assert!(cycles.contains("<svg") && cycles.contains("cycles"));
        let cost = drawn(&["--profile", path, "--profile-unit", "fft-cost"]);
        assert!(cost.contains("main") && cost.contains("units of fft_cost"));
        for (ending, expected) in [("txt", "factorial.rs:"), ("cpuprofile", "\"timeDeltas\"")] {
            let path = folder.path().join("out").with_extension(ending);
            factorial(&["--profile", path.to_str().unwrap()]).unwrap();
            let text = std::fs::read_to_string(path).unwrap();
            assert!(text.contains(expected), "{text}");
        }
        assert!(factorial(&["--profile-unit", "cycles"]).is_err());
        assert!(factorial(&["--profile", "/missing/out.svg"]).is_err());
    }
}
