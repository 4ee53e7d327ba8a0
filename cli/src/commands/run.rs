//! `droste run`: executes a program without proving it.

use std::path::PathBuf;

use clap::Args;
use droste_native::F;
use droste_vm::executor::execute;
use droste_vm::isa;
use p3_field::PrimeField32;
use serde::Serialize;

use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, Report, print};
use crate::program;

/// Arguments of `droste run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The program.
    file: PathBuf,
    /// Public inputs: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// Hints: a JSON list of `{"felt": x}`, `{"ext": [..5]}` and `{"slice": [[..8], ..]}`.
    #[arg(long)]
    hints: Option<PathBuf>,
    /// Most instructions to execute.
    #[arg(long, default_value_t = 1 << 24)]
    limit: u64,
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
    /// Executes and prints outputs and counts.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let public = field_list(&self.public)?;
        let compiled = program::compile(&self.file)?;
        let tape = program::tape(self.hints.as_deref())?;
        let execution = execute(&compiled, &public, &tape, self.limit)
            .map_err(|error| CommandError::Diagnostic(Box::new(error)))?;
        let outputs = compiled.public_inputs..compiled.public_inputs + compiled.public_outputs;
        let outputs = execution.statement.get(outputs).unwrap_or_default();
        let calls = isa::id::NAMES.iter().zip(&execution.calls);
        let ran = Ran {
            outputs: outputs.iter().map(F::as_canonical_u32).collect(),
            cycles: execution.cycles.len(),
            calls: calls
                .filter(|(_, calls)| !calls.is_empty())
                .map(|(name, calls)| (*name, calls.len()))
                .collect(),
            words: execution.image.words.len(),
            blocks: execution.image.blocks.len(),
        };
        Ok(print(&ran, format)?)
    }
}
