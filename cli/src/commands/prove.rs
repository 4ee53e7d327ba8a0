//! `droste prove`: runs a program and proves the run.

use clap::Args;
use droste_native::{HashId, files};
use droste_verifier::program_keys::committed_rows;
use droste_verifier::proofs;
use droste_verifier::summary::milliseconds;
use droste_vm::compiler::Compiled;
use droste_vm::stack::{Parameters, StackSettings};
use droste_vm::verifier::VerifyOptions;

use crate::commands::verify::Verified;
use crate::error::CommandError;
use crate::output::{Format, print};
use crate::parameters::ProofParameters;
use crate::paths::Output;
use crate::program::Execute;
use crate::progress::{Progress, note};

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
    output: Output,
}

impl Prove {
    /// Executes the program, proves the run, verifies the proof, writes it and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        // Mistakes in parameters are reported before the program runs.
        self.parameters.settings(self.hash)?;
        let (compiled, public, execution) = self.execute.run()?;
        let settings = self.parameters.for_run(self.hash, &compiled, &execution)?;
        self.tell_of_key(&compiled, settings)?;
        let cycles = execution.cycles.len();
        let progress = Progress::spinner(format!("proving {cycles} cycles"));
        let proved = proofs::prove(self.hash, &compiled, &execution, &public, settings)?;
        progress.finish();
        files::write(&self.output, &proved.bytes).map_err(CommandError::file(&self.output))?;
        let verified = Verified {
            cycles: Some(cycles),
            prove_ms: Some(milliseconds(proved.prove)),
            ..Verified::new(compiled.counted(proved.says))
        };
        Ok(print(&verified, format)?)
    }

    /// Says, before the work, if the proof's key is not the program's default key, and if verifiers
    /// refuse the proof by default.
    fn tell_of_key(
        &self,
        compiled: &Compiled,
        settings: StackSettings,
    ) -> Result<(), CommandError> {
        let rows = |settings| {
            let hash = self.hash;
            Parameters { hash, settings }.log_rows()
        };
        let usual = self.parameters.for_program(self.hash, compiled)?;
        if settings != usual {
            let (rows, usual) = (rows(settings), rows(usual));
            note(format!(
                "note: this run is longer than those of the program's default key, whose tables \
                 have up to 2^{usual} rows: the key of its proof holds for runs of up to 2^{rows} \
                 rows, `droste key --log-block {rows}` prints it"
            ));
        }
        let committed = committed_rows(&settings, &compiled.program);
        if committed > VerifyOptions::DEFAULT.limit {
            note(format!(
                "note: `verify`, `wrap` and `aggregate` take this proof with --limit {committed}"
            ));
        }
        Ok(())
    }
}
