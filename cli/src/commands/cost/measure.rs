//! `droste cost-row`: measures one row in a process of its own.

use std::path::PathBuf;

use clap::Args;
use droste_native::HashId;
use droste_verifier::cost::{Request, canonical_steps, measure};
use droste_verifier::proofs::fitting;
use droste_vm::executor::{Tape, execute};
use droste_vm::stack::Stack;
use serde::{Deserialize, Serialize};

use super::What;
use super::rows::Row;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::Format;
use crate::parameters::Parameters;
use crate::program;

/// Arguments of the hidden command `droste cost-row`, which measures one row in a process of its
/// own.
#[derive(Debug, Args)]
pub struct CostRow {
    /// File of the zk-DSL program.
    #[arg(long)]
    program: PathBuf,
    #[command(flatten)]
    what: What,
    #[arg(long)]
    inner_hash: HashId,
    #[command(flatten)]
    inner: Parameters,
    #[arg(long)]
    inner_stack: Stack,
}

/// What the process that measures one row writes, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    pub row: Row,
    pub outer_estimate_bytes: usize,
}

impl CostRow {
    /// Measures one row and writes it as JSON.
    pub fn run(self, _: Format) -> Result<(), CommandError> {
        let aggregator = self.what.outer.aggregator();
        let public = field_list(&self.what.public)?;
        let compiled = program::compile(&self.program)?;
        let execution = execute(&compiled, &public, &Tape::default(), self.what.limit)?;
        let inner = self.inner.over(self.inner_stack, self.inner_hash)?;
        let inner = fitting(inner, &compiled, &execution)?;
        let name = self.program.file_stem().unwrap_or_default();
        let outer = self.what.outer.request(&aggregator)?;
        let request = Request {
            name: &name.to_string_lossy(),
            program: &compiled.program,
            execution: &execution,
            inner,
            outer: outer.settings,
            memory: outer.memory,
            execute_only: outer.execute_only,
        };
        let (figures, outer_estimate_bytes) = measure(&request, self.inner_hash)?;
        let steps = || canonical_steps(&request, self.inner_hash, &aggregator);
        let canonical = self.what.outer.canonical().then(steps);
        let measured = Measured {
            row: Row {
                figures,
                canonical: canonical.transpose()?,
                run: None,
            },
            outer_estimate_bytes,
        };
        println!("{}", serde_json::to_string(&measured)?);
        Ok(())
    }
}
