//! `droste run`: executes a program without proving it.

use std::path::PathBuf;

use clap::{Args, ValueEnum, value_parser};
use droste_native::F;
use droste_vm::executor::execute;
use droste_vm::files;
use droste_vm::machine::StandardTables;
use droste_vm::precompile::BUILT_IN;
use droste_vm::profile::{FftWeights, Weight, flame_graph};
use p3_field::PrimeField32;
use serde::Serialize;

use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::program::{self, LARGEST_LIMIT};

/// Arguments of `droste run`.
#[derive(Debug, Args)]
pub struct Run {
    /// File of the zk-DSL program.
    file: PathBuf,
    /// Public inputs: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// JSON file of hints, in the order in which the program reads them: a list of `{"felt": x}`,
    /// `{"ext": [..5]}` and `{"slice": [[..8], ..]}`.
    #[arg(long)]
    hints: Option<PathBuf>,
    /// File to write a flame graph of the run to, by function.
    #[arg(long, value_name = "SVG")]
    profile: Option<PathBuf>,
    /// Unit that the flame graph counts.
    #[arg(long, value_enum, default_value = "cycles", requires = "profile")]
    profile_unit: ProfileUnit,
    /// Largest number of instructions that the program may execute.
    #[arg(long, default_value_t = 1 << 24, value_parser = value_parser!(u64).range(..=LARGEST_LIMIT))]
    limit: u64,
}

/// Units that a flame graph can count.
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
        let outputs: Vec<String> = self.outputs.iter().map(u32::to_string).collect();
        let mut rows = vec![
            vec!["outputs".to_owned(), outputs.join(",")],
            vec!["cycles".to_owned(), self.cycles.to_string()],
            vec!["words".to_owned(), self.words.to_string()],
            vec!["blocks".to_owned(), self.blocks.to_string()],
        ];
        let calls = self.calls.iter();
        rows.extend(calls.map(|(name, count)| vec![(*name).to_owned(), count.to_string()]));
        rows
    }
}

impl Run {
    /// Executes the program and prints its outputs and the rows of each table.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let public = field_list(&self.public)?;
        let compiled = program::compile(&self.file)?;
        let tape = program::tape(self.hints.as_deref())?;
        let execution = execute(&compiled, &public, &tape, self.limit)
            .map_err(|error| CommandError::Diagnostic(Box::new(error)))?;
        if let Some(path) = &self.profile {
            let weight = match self.profile_unit {
                ProfileUnit::Cycles => Weight::Cycles,
                ProfileUnit::FftCost => {
                    let weights = FftWeights::new::<StandardTables>(&compiled.program, &execution);
                    Weight::FftCost(weights.map_err(CommandError::failed)?)
                }
            };
            let svg = flame_graph(&compiled, &execution, &weight).map_err(CommandError::failed)?;
            files::write(path, svg.as_bytes()).map_err(CommandError::file(path))?;
        }
        let outputs = compiled.public_inputs..compiled.public_inputs + compiled.public_outputs;
        let outputs = execution.statement.get(outputs).unwrap_or_default();
        let calls = BUILT_IN.iter().map(|precompile| {
            let calls = &execution.calls[precompile.identity as usize];
            (precompile.name, calls.len())
        });
        let ran = Ran {
            outputs: outputs.iter().map(F::as_canonical_u32).collect(),
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
        assert!(factorial(&["--profile-unit", "cycles"]).is_err());
        assert!(factorial(&["--profile", "/missing/out.svg"]).is_err());
    }
}
