//! `droste hashes verify`.

use clap::Args;
use droste_binary::Blake3;
use droste_binary::file::{MAX_BYTES, Summary, verify_file};
use droste_native::files;

use super::list::Listed;
use super::rows;
use crate::error::CommandError;
use crate::output::{Format, Report, print};
use crate::paths::Input;
use crate::progress::Progress;

/// Arguments of `droste hashes verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// The proof, which `droste hashes prove` wrote.
    proof: Input,
    #[command(flatten)]
    listed: Listed,
    /// Proven bits of security that the proof must have at least; below 100 it makes no difference.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
}

impl Report for Summary {
    fn rows(&self) -> Vec<Vec<String>> {
        rows(self)
    }
}

impl Verify {
    /// Verifies the proof against the list, and prints what it shows.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("verifying");
        let limit = MAX_BYTES as u64;
        let bytes = files::read(&self.proof, limit).map_err(CommandError::file(&self.proof))?;
        let list = self.listed.read()?;
        let summary = verify_file::<Blake3>(list.statement(), &bytes, self.min_bits)
            .map_err(CommandError::about(self.proof.display()))?;
        progress.finish();
        Ok(print(&summary, format)?)
    }
}
