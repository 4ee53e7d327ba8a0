//! `droste prove`: runs a program and proves the run.

use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, value_parser};
use droste_native::{F, HashId};
use droste_verifier::summary::ProofSummary;
use droste_verifier::tape::TapeSuite;
use droste_vm::codec;
use droste_vm::compiler::Compiled;
use droste_vm::executor::execute;
use droste_vm::files;
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{ProveOptions, prove};
use droste_vm::record::Execution;
use droste_vm::verifier::verify;

use crate::commands::verify::Verified;
use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, print};
use crate::parameters::Parameters;
use crate::program::{self, LARGEST_LIMIT};
use crate::progress::Progress;
use crate::suite::{InHash, in_hash};

/// Arguments of `droste prove`.
#[derive(Debug, Args)]
pub struct Prove {
    /// File of the zk-DSL program.
    file: PathBuf,
    /// Hash of the commitments and the transcript: poseidon16, poseidon2, blake3 or keccak.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    hash: HashId,
    #[command(flatten)]
    parameters: Parameters,
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
        let options = ProveOptions {
            settings: self.parameters.settings()?,
            heights: Heights::Minimal,
        };
        let public = field_list(&self.public)?;
        let compiled = program::compile(&self.file)?;
        let tape = program::tape(self.hints.as_deref())?;
        let execution = execute(&compiled, &public, &tape, self.limit)
            .map_err(|error| CommandError::Diagnostic(Box::new(error)))?;
        let work = Work {
            compiled: &compiled,
            execution: &execution,
            options: &options,
            public: &public,
        };
        let progress = Progress::spinner(format!("proving {} cycles", execution.cycles.len()));
        let (bytes, report) = in_hash(self.hash, work)?;
        drop(progress);
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        Ok(print(&report, format)?)
    }
}

struct Work<'a> {
    compiled: &'a Compiled,
    execution: &'a Execution,
    options: &'a ProveOptions,
    public: &'a [F],
}

impl InHash for Work<'_> {
    type Output = Result<(Vec<u8>, Verified), CommandError>;

    fn run<H: TapeSuite>(self) -> Self::Output
    where
        StandardTables: Provable<H>,
    {
        let start = Instant::now();
        let proof = prove::<H>(&self.compiled.program, self.execution, self.options)
            .map_err(CommandError::failed)?;
        let prove_ms = start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        let report = verify::<H, StandardTables>(&proof.key, self.public, 0, &proof)
            .map_err(CommandError::failed)?;
        let verify_ms = start.elapsed().as_secs_f64() * 1e3;
        let bytes = codec::encode(&proof).map_err(CommandError::failed)?;
        let verified = Verified {
            shows_terms: false,
            says: ProofSummary::new(&proof, &report, bytes.len()),
            cycles: Some(self.execution.cycles.len()),
            prove_ms: Some(prove_ms),
            verify_ms,
        };
        Ok((bytes, verified))
    }
}
