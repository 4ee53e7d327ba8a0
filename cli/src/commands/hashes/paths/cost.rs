//! `droste hashes paths cost`.

use clap::Args;
use droste_binary::prove_paths;
use droste_binary::statement::Statement;

use super::known::Known;
use crate::commands::cost::Outer;
use crate::commands::hashes::cost::measure;
use crate::error::CommandError;
use crate::output::{Format, counted};

/// Arguments of `droste hashes paths cost`.
#[derive(Debug, Args)]
pub struct Cost {
    #[command(flatten)]
    known: Known,
    #[command(flatten)]
    outer: Outer,
}

impl Cost {
    /// Proves the paths, verifies the proof in the machine, and prints what that costs.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let paths = self.known.paths()?;
        let (list, siblings) = (&paths.statement, &paths.siblings);
        let name = counted(list.paths().len(), "path", "paths");
        let prove = || prove_paths(list, siblings);
        measure(Statement::Paths(list), &name, prove, &self.outer, format)
    }
}
