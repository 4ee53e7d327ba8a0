//! `droste hashes wrap`.

use clap::Args;
use droste_binary::{Poseidon16, prove};
use droste_native::files;
use droste_verifier::binary::BinaryCircuit;
use droste_verifier::circuit::BinaryShape;
use droste_verifier::summary::Evidence;
use p3_maybe_rayon::prelude::join;

use super::inputs::Inputs;
use crate::commands::aggregate;
use crate::error::CommandError;
use crate::output::{Format, print};
use crate::paths::Output;
use crate::progress::Progress;

/// Arguments of `droste hashes wrap`.
#[derive(Debug, Args)]
pub struct Wrap {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    output: aggregate::Output,
    /// File to write the list to, one `INPUT OUTPUT` or `LEAF INDEX ROOT` a line: what the
    /// aggregate's leaf says. `droste hashes leaf` computes that from it.
    #[arg(long, value_name = "FILE")]
    list_out: Option<Output>,
}

impl Wrap {
    /// Proves the list, verifies the proof in the machine, writes the aggregate and prints what it
    /// says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let known = self.inputs.known()?;
        let progress = Progress::spinner(format!("proving {}", known.list));
        let witness = known.witness()?;
        let list = witness.statement();
        let shape = BinaryShape::of(list.shape())?;
        let (proof, circuit) = join(
            || prove::<Poseidon16>(witness),
            || BinaryCircuit::new(shape),
        );
        progress.stage("verifying the proof in the machine");
        let run = circuit?.run(list, &proof?)?;
        let aggregate = self.output.aggregator().wrap_run(run)?;
        if let Some(path) = &self.list_out {
            let text = known.list.text();
            files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
        }
        let summary = self.output.write(&aggregate, Evidence::Derived)?;
        progress.finish();
        Ok(print(&summary, format)?)
    }
}
