//! `droste xmss aggregate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use droste_native::hash_signature::Xmss;
use droste_native::whir::WhirSettings;
use droste_native::{HashId, files, with_suite};
use droste_verifier::plan::{Leaf, LeafProgram, Planner};
use droste_verifier::tape::TapeSuite;
use droste_verifier::xmss::{
    MAX_LOG_ROWS, SignatureBatch, SignatureBatchProgram, SignatureBatchProver, SignatureClaims,
};
use droste_vm::verifier::VerifyOptions;
use serde::Serialize;

use super::read_json;
use crate::commands::plan::{Outcome, Tasks};
use crate::error::CommandError;
use crate::output::{Format, Report, counted, print, row};
use crate::paths::{Input, Named, Output, Role, distinct};
use crate::progress::Progress;
use crate::trust::Derivation;

/// Arguments of `droste xmss aggregate`.
#[derive(Debug, Args)]
pub struct Aggregate {
    /// JSON files with lists of signatures, as `droste xmss verify` reads them. Signatures of one
    /// message in one slot become batches, in the order in which they are read.
    #[arg(required = true)]
    files: Vec<Input>,
    /// Largest number of signatures of a batch, each of which is proved by one proof.
    #[arg(long, default_value_t = 1_600, value_parser = clap::value_parser!(u16).range(1..=4_096))]
    batch: u16,
    /// Hash in which the batches' proofs are committed.
    #[arg(long, default_value_t = HashId::Poseidon16)]
    hash: HashId,
    /// Logarithm of the blowup of the batches' proofs, 1 to 4. At 2 a batch has at most 2,048
    /// signatures, and half as many at each further one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    log_blowup: u8,
    #[command(flatten)]
    tasks: Tasks,
    /// File to write the aggregate to.
    #[arg(short, long)]
    output: Output,
    /// File to write the claims to: by default the output's name with .claims.json at its end.
    #[arg(long)]
    claims: Option<Output>,
    #[command(flatten)]
    derivation: Derivation,
}

/// The result of a run.
#[derive(Serialize)]
struct Aggregated {
    signatures: usize,
    batches: usize,
    /// Time from the signatures to proofs of all batches.
    batch_seconds: f64,
    claims: Output,
    #[serde(flatten)]
    outcome: Outcome,
}

impl Report for Aggregated {
    fn rows(&self) -> Vec<Vec<String>> {
        let text = format!(
            "{} in {}, proved in {:.1} s",
            self.signatures,
            counted(self.batches, "batch", "batches"),
            self.batch_seconds
        );
        let claims = self.claims.display();
        let rows = vec![row("signatures", text), row("claims", claims)];
        [rows, self.outcome.rows()].concat()
    }
}

impl Aggregate {
    /// Proves every batch, aggregates the proofs, and writes the aggregate and its claims.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let start = Instant::now();
        let batches = self.batches()?;
        let largest = batches.iter().map(|batch| batch.signatures.len()).max();
        let program = SignatureBatchProgram::new(Xmss::DEFAULT, largest.unwrap_or(0))?;
        let settings = program.settings(self.tasks.preset, self.log_blowup.into());
        let claims = SignatureClaims {
            program,
            hash: self.hash,
            settings,
            batches: batches.iter().map(SignatureBatch::claim).collect(),
        };
        let planner = Planner::new(self.derivation.deriver());
        let store = self.tasks.store(&self.output)?;
        let claims_file = self.claims_file()?;
        let work = Work {
            planner: &planner,
            program,
            settings,
            batches: &batches,
            folder: store.folder(),
        };
        let leaves = with_suite!(self.hash, H => work.leaves::<H>())?;
        let batch_seconds = start.elapsed().as_secs_f64();
        let paths: Vec<PathBuf> = leaves.iter().map(|(path, _)| path.clone()).collect();
        let text = serde_json::to_string(&claims)?;
        let outcome = self
            .tasks
            .run(&planner, leaves, &self.output, &store, start, format)?;
        files::write(&claims_file, text.as_bytes()).map_err(CommandError::file(&claims_file))?;
        if !store.stays {
            for path in &paths {
                // Equal batches have one file.
                if path.exists() {
                    fs::remove_file(path).map_err(CommandError::file(path))?;
                }
            }
        }
        let aggregated = Aggregated {
            signatures: batches.iter().map(|batch| batch.signatures.len()).sum(),
            batches: batches.len(),
            batch_seconds,
            claims: claims_file,
            outcome,
        };
        Ok(print(&aggregated, format)?)
    }

    /// The file to write the claims to, once the store is there.
    ///
    /// # Errors
    /// If it is another path of the command, or cannot be written.
    fn claims_file(&self) -> Result<Output, CommandError> {
        let beside = || self.output.with_ending("claims.json");
        let path = self.claims.clone().unwrap_or_else(beside);
        let mut paths = vec![
            Named::new("--claims", &path, Role::Write),
            Named::new("--output", &self.output, Role::Write),
        ];
        let read = self.files.iter();
        paths.extend(read.map(|path| Named::new("FILES", path, Role::Read)));
        distinct(&paths)?;
        files::Output::open(&path).map_err(CommandError::file(&path))?;
        Ok(path)
    }

    /// Reads the signatures and puts those of one message and slot together.
    fn batches(&self) -> Result<Vec<SignatureBatch>, CommandError> {
        let mut signed = vec![];
        for path in &self.files {
            signed.extend(read_json::<Vec<_>>(path)?);
        }
        SignatureBatch::group(signed, self.batch.into()).map_err(CommandError::usage)
    }
}

/// Proving batches.
struct Work<'a> {
    planner: &'a Planner,
    program: SignatureBatchProgram,
    settings: WhirSettings,
    batches: &'a [SignatureBatch],
    folder: &'a Path,
}

impl Work<'_> {
    /// Proves the batches in hash `H`, and returns the paths of their proofs.
    fn leaves<H: TapeSuite>(&self) -> Result<Vec<(PathBuf, Leaf)>, CommandError> {
        let progress = Progress::spinner("compiling the program");
        let prover = SignatureBatchProver::<H>::new(self.program, self.settings)?;
        let program = LeafProgram::new(prover.compiled().clone());
        progress.finish();
        let mut leaves = vec![];
        let count = self.batches.len();
        let progress = Progress::forecast(count as u64);
        for (index, batch) in self.batches.iter().enumerate() {
            progress.stage(format!("proving batch {} of {count}", index + 1));
            let claim = batch.claim();
            let statement = claim.statement(self.program.log_keys());
            let (Some(statement), Some(name)) = (statement, prover.file_name(&claim)) else {
                let message = format!("batch {index} is larger than its program takes");
                return Err(CommandError::failed(message));
            };
            // A run that was interrupted goes on from the batches that it proved.
            let proof = prover.prove_kept(batch, self.folder);
            let proof = proof.map_err(CommandError::about(format!("batch {index}")))?;
            let insecure = VerifyOptions::min_bits(0).with_limit(1 << MAX_LOG_ROWS);
            let leaf = self.planner.proof(&proof, &program, &statement, insecure)?;
            leaves.push((self.folder.join(name), leaf));
            progress.step();
        }
        progress.finish();
        Ok(leaves)
    }
}
