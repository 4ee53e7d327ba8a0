//! `droste hashes prove`.

use std::path::PathBuf;

use clap::Args;
use droste_binary::file::{FileError, Summary, verify_file};
use droste_binary::statement::Statement;
use droste_binary::{Blake3, HashCalls, Proof, ProofError, prove};

use super::inputs::Inputs;
use super::{calls, measure};
use crate::error::CommandError;
use crate::output::{Format, counted};

/// Arguments of `droste hashes prove`.
#[derive(Debug, Args)]
pub struct Prove {
    #[command(flatten)]
    inputs: Inputs,
    /// File to write the proof to.
    #[arg(short, long, value_name = "FILE", required_unless_present = "random")]
    output: Option<PathBuf>,
    /// File to write the list of calls to, one `INPUT OUTPUT` a line: what the proof shows. It is
    /// not in the proof, and `droste hashes verify` needs it.
    #[arg(long, value_name = "FILE")]
    calls_out: Option<PathBuf>,
}

impl measure::Provable for HashCalls {
    fn name(&self) -> String {
        counted(self.len(), "call", "calls")
    }

    fn list(&self) -> String {
        calls::write(self)
    }

    fn statement(&self) -> Statement<'_> {
        Statement::Calls(self)
    }

    fn prove(&self) -> Result<Proof<Blake3>, ProofError> {
        prove(self)
    }

    fn verify(&self, file: &[u8]) -> Result<Summary, FileError> {
        verify_file::<Blake3>(self, file, 0)
    }
}

impl Prove {
    /// Proves the calls, verifies the proof, writes it and prints what it took.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if self.output.is_some() && self.output == self.calls_out {
            let message = "--output and --calls-out are the same file";
            return Err(CommandError::usage(message));
        }
        let (output, list) = (self.output.as_deref(), self.calls_out.as_deref());
        measure::prove(&self.inputs.calls()?, output, list, format)
    }
}
