//! `droste compile`: compiles a program and prints its size, intermediate representation or
//! instructions.

use std::io::Write;

use clap::{Args, ValueEnum};
use droste_vm::compiler::assembly;
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::paths::Input;
use crate::program;
use crate::sources::Sources;

/// Arguments of `droste compile`.
#[derive(Debug, Args)]
pub struct Compile {
    /// File of the zk-DSL program, or folder of its cargo package.
    file: Input,
    /// A library that the program may import by its name: a file, or the folder of a package.
    #[arg(long, value_name = "PATH")]
    library: Vec<Input>,
    /// Print a text form instead of the summary.
    #[arg(long, value_enum)]
    emit: Option<Emit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The intermediate representation.
    Ir,
    /// The instructions.
    Asm,
}

#[derive(Serialize)]
struct Summary {
    instructions: usize,
    constants: usize,
    public_inputs: usize,
    public_outputs: usize,
}

impl Report for Summary {
    fn rows(&self) -> Vec<Vec<String>> {
        vec![
            row("instructions", self.instructions),
            row("constants", self.constants),
            row("public inputs", self.public_inputs),
            row("public outputs", self.public_outputs),
        ]
    }
}

impl Compile {
    /// Compiles the program and prints the summary or the chosen text form.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let sources = Sources::read(&self.file, &self.library)?;
        let text = match self.emit {
            Some(Emit::Ir) => sources.intermediate()?,
            Some(Emit::Asm) => assembly(&sources.compile()?),
            None => {
                let compiled = sources.compile()?;
                let summary = Summary {
                    instructions: compiled.program.instructions.len(),
                    constants: compiled.constants.len(),
                    public_inputs: compiled.public_inputs,
                    public_outputs: compiled.public_outputs,
                };
                program::note_unchecked(&self.file);
                return Ok(print(&summary, format)?);
            }
        };
        program::note_unchecked(&self.file);
        Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
    }
}
