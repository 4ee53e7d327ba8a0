//! `droste cost-row`: measures one row in a process of its own.

use std::path::PathBuf;

use clap::Args;
use droste_native::HashId;
use droste_native::stark::security::Preset;
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::cost::{Request, leaf, measure};
use droste_verifier::summary::StepSummary;
use droste_verifier::tape::TapeSuite;
use droste_vm::executor::{Tape, execute};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::stack::Stack;
use serde::{Deserialize, Serialize};

use super::What;
use super::rows::Row;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::parameters::Parameters;
use crate::program;
use crate::suite::{InHash, in_hash};

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
}

/// What the process that measures one row writes, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Measured {
    pub row: Row,
    pub outer_estimate_bytes: usize,
}

impl CostRow {
    /// Measures one row and writes it as JSON.
    pub fn run(self) -> Result<(), CommandError> {
        let inner = self.inner.settings()?;
        let outer = self.what.outer()?;
        let public = field_list(&self.what.public)?;
        let compiled = program::compile(&self.program)?;
        let execution = execute(&compiled, &public, &Tape::default(), self.what.limit)
            .map_err(|error| CommandError::Diagnostic(Box::new(error)))?;
        let name = self.program.file_stem().unwrap_or_default();
        let request = Request {
            name: &name.to_string_lossy(),
            program: &compiled.program,
            execution: &execution,
            inner,
            outer,
            smaller: &self.what.smaller()?,
            memory: self.what.memory()?,
            execute_only: self.what.execute_only,
        };
        let (figures, outer_estimate_bytes) =
            measure(&request, self.inner_hash, self.what.outer_hash)
                .map_err(CommandError::failed)?;
        let canonical = self.what.canonical.then(|| {
            let work = Steps {
                request: &request,
                preset: self.what.outer_preset,
                stack: self.what.stack,
            };
            in_hash(self.inner_hash, work)
        });
        let measured = Measured {
            row: Row {
                figures,
                canonical: canonical.transpose()?,
                run: None,
            },
            outer_estimate_bytes,
        };
        println!(
            "{}",
            serde_json::to_string(&measured).map_err(CommandError::failed)?
        );
        Ok(())
    }
}

/// Brings the inner proof to the canonical shape.
struct Steps<'a> {
    request: &'a Request<'a>,
    preset: Preset,
    stack: Stack,
}

impl InHash for Steps<'_> {
    type Output = Result<Vec<StepSummary>, CommandError>;

    fn run<H: TapeSuite>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let leaf = leaf::<H>(self.request).map_err(CommandError::failed)?;
        let proof = VerifiedProof::under_its_own_key(leaf.proof).map_err(CommandError::failed)?;
        let aggregate = Aggregator::for_preset(self.preset, 2, self.stack)
            .map_err(CommandError::failed)?
            .wrap(&proof, |_| ())
            .map_err(CommandError::failed)?;
        Ok(aggregate.steps().iter().map(StepSummary::new).collect())
    }
}
