//! `droste prove`: runs a program and proves the run.

use std::path::PathBuf;

use clap::Args;
use droste_native::{HashId, files};
use droste_verifier::proofs;
use droste_verifier::summary::milliseconds;

use crate::commands::verify::Verified;
use crate::error::CommandError;
use crate::output::{Format, print};
use crate::parameters::ProofParameters;
use crate::program::Execute;
use crate::progress::Progress;

/// Arguments of `droste prove`.
#[derive(Debug, Args)]
pub struct Prove {
    #[command(flatten)]
    execute: Execute,
    /// Hash of the commitments and the transcript: poseidon16, poseidon2, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    hash: HashId,
    #[command(flatten)]
    parameters: ProofParameters,
    /// File to write the proof to.
    #[arg(short, long)]
    output: PathBuf,
}

impl Prove {
    /// Executes the program, proves the run, verifies the proof, writes it and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        // Mistakes in parameters are reported before the program runs.
        self.parameters.settings(self.hash)?;
        let (compiled, public, execution) = self.execute.run()?;
        let settings = self.parameters.for_run(self.hash, &compiled, &execution)?;
        let cycles = execution.cycles.len();
        let progress = Progress::spinner(format!("proving {cycles} cycles"));
        let proved = proofs::prove(self.hash, &compiled, &execution, &public, settings)?;
        drop(progress);
        files::write(&self.output, &proved.bytes).map_err(CommandError::file(&self.output))?;
        let verified = Verified {
            cycles: Some(cycles),
            prove_ms: Some(milliseconds(proved.prove)),
            ..Verified::new(proved.says)
        };
        Ok(print(&verified, format)?)
    }
}
