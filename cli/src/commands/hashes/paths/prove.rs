//! `droste hashes paths prove`.

use std::path::PathBuf;

use clap::Args;
use droste_binary::file::{FileError, Summary, verify_paths_file};
use droste_binary::statement::Statement;
use droste_binary::{Blake3, Proof, ProofError, prove_paths};

use super::KnownPaths;
use super::known::Known;
use super::list;
use crate::commands::hashes::measure;
use crate::error::CommandError;
use crate::output::{Format, counted};

/// Arguments of `droste hashes paths prove`.
#[derive(Debug, Args)]
pub struct Prove {
    #[command(flatten)]
    known: Known,
    /// File to write the proof to.
    #[arg(short, long, value_name = "FILE", required_unless_present = "random")]
    output: Option<PathBuf>,
    /// File to write the list of paths to, one `LEAF INDEX ROOT` a line: what the proof shows. It
    /// is not in the proof, and `droste hashes paths verify` needs it.
    #[arg(long, value_name = "FILE")]
    paths_out: Option<PathBuf>,
}

impl measure::Provable for KnownPaths {
    fn name(&self) -> String {
        counted(self.statement.paths().len(), "path", "paths")
    }

    fn list(&self) -> String {
        list::write(&self.statement)
    }

    fn statement(&self) -> Statement<'_> {
        Statement::Paths(&self.statement)
    }

    fn prove(&self) -> Result<Proof<Blake3>, ProofError> {
        prove_paths(&self.statement, &self.siblings)
    }

    fn verify(&self, file: &[u8]) -> Result<Summary, FileError> {
        verify_paths_file::<Blake3>(&self.statement, file, 0)
    }
}

impl Prove {
    /// Proves the paths, verifies the proof, writes it and prints what it took.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if self.output.is_some() && self.output == self.paths_out {
            let message = "--output and --paths-out are the same file";
            return Err(CommandError::usage(message));
        }
        let (output, list) = (self.output.as_deref(), self.paths_out.as_deref());
        measure::prove(&self.known.paths()?, output, list, format)
    }
}
