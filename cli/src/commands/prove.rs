//! `droste prove`: runs a program and proves the run.

use std::path::PathBuf;

use clap::{Args, value_parser};
use droste_native::HashId;
use droste_verifier::proofs;
use droste_verifier::summary::milliseconds;
use droste_vm::executor::execute;
use droste_vm::files;

use crate::commands::verify::Verified;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, print};
use crate::parameters::ProofParameters;
use crate::program::{self, LARGEST_LIMIT};
use crate::progress::Progress;

/// Arguments of `droste prove`.
#[derive(Debug, Args)]
pub struct Prove {
    /// File of the zk-DSL program.
    file: PathBuf,
    /// Hash of the commitments and the transcript: poseidon16, poseidon2, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    hash: HashId,
    #[command(flatten)]
    parameters: ProofParameters,
    /// Public inputs: comma-separated integers below the field's order.
    #[arg(long, default_value = "")]
    public: String,
    /// JSON file of hints, in the order in which the program reads them: a list of `{"felt": x}`,
    /// `{"ext": [..5]}` and `{"slice": [[..8], ..]}`.
    #[arg(long)]
    hints: Option<PathBuf>,
    /// Largest number of instructions that the program may execute.
    #[arg(long, default_value_t = 1 << 24, value_parser = value_parser!(u64).range(..=LARGEST_LIMIT))]
    limit: u64,
    /// File to write the proof to.
    #[arg(short, long)]
    output: PathBuf,
}

impl Prove {
    /// Executes the program, proves the run, verifies the proof, writes it and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let settings = self.parameters.settings()?;
        let public = field_list(&self.public)?;
        let compiled = program::compile(&self.file)?;
        let tape = program::tape(self.hints.as_deref())?;
        let execution = execute(&compiled, &public, &tape, self.limit)
            .map_err(|error| CommandError::Diagnostic(Box::new(error)))?;
        let cycles = execution.cycles.len();
        let progress = Progress::spinner(format!("proving {cycles} cycles"));
        let proved = proofs::prove(self.hash, &compiled, &execution, &public, settings)
            .map_err(CommandError::failed)?;
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
