//! `droste hashes paths wrap`.

use std::path::PathBuf;

use clap::Args;
use droste_binary::{Poseidon16, prove_paths};
use droste_native::files;
use droste_verifier::binary::BinaryCircuit;
use droste_verifier::circuit::PathsShape;
use droste_verifier::summary::Evidence;
use p3_maybe_rayon::prelude::join;

use super::known::Known;
use super::list;
use crate::commands::aggregate;
use crate::error::CommandError;
use crate::output::{Format, counted, print};
use crate::progress::Progress;

/// Arguments of `droste hashes paths wrap`.
#[derive(Debug, Args)]
pub struct Wrap {
    #[command(flatten)]
    known: Known,
    #[command(flatten)]
    output: aggregate::Output,
    /// File to write the list of paths to, one `LEAF INDEX ROOT` a line: what the aggregate's leaf
    /// says. `droste hashes paths leaf` computes that from it.
    #[arg(long, value_name = "FILE")]
    paths_out: Option<PathBuf>,
}

impl Wrap {
    /// Proves the paths, verifies the proof in the machine, writes the aggregate and prints what it
    /// says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let paths = self.known.paths()?;
        let number = counted(paths.statement.paths().len(), "path", "paths");
        let progress = Progress::spinner(format!("proving {number}"));
        let shape = PathsShape::of(&paths.statement)?;
        let (proof, circuit) = join(
            || prove_paths::<Poseidon16>(&paths.statement, &paths.siblings),
            || BinaryCircuit::new(shape),
        );
        progress.message("verifying the proof in the machine");
        let run = circuit?.run(&paths.statement, &proof?)?;
        let aggregate = self.output.aggregator().wrap_run(run)?;
        if let Some(path) = &self.paths_out {
            let text = list::write(&paths.statement);
            files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
        }
        let summary = self.output.write(&aggregate, Evidence::Derived)?;
        drop(progress);
        Ok(print(&summary, format)?)
    }
}
