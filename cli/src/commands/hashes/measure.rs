//! Proves a statement, and says what that took.

use std::path::Path;
use std::time::Instant;

use droste_binary::file::{File, FileError, Summary};
use droste_binary::statement::Statement;
use droste_binary::{Blake3, Proof, ProofError};
use droste_native::files;
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_verifier::summary::milliseconds;
use serde::Serialize;

use super::rows;
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::progress::Progress;

/// What is proved, with what only the prover knows.
pub trait Provable {
    /// What it is, as in "64 calls".
    fn name(&self) -> String;
    /// The list that the proof is about.
    fn list(&self) -> String;
    /// What the proof says.
    fn statement(&self) -> Statement<'_>;
    /// Proves it.
    fn prove(&self) -> Result<Proof<Blake3>, ProofError>;
    /// Verifies a proof of it.
    fn verify(&self, file: &[u8]) -> Result<Summary, FileError>;
}

/// A proof and what it took.
#[derive(Debug, Serialize)]
struct Proved {
    #[serde(flatten)]
    proof: Summary,
    prove_ms: f64,
    /// CPU time of all threads while proving.
    prove_cpu_ms: f64,
    calls_per_s: f64,
    calls_per_cpu_s: f64,
    peak_rss_bytes: Option<usize>,
}

impl Report for Proved {
    fn rows(&self) -> Vec<Vec<String>> {
        let (wall, cpu) = (self.prove_ms, self.prove_cpu_ms);
        let (rate, per_cpu) = (self.calls_per_s, self.calls_per_cpu_s);
        let mut rows = rows(&self.proof);
        rows.extend([
            row("prove", format!("{wall:.1} ms, {cpu:.1} ms of CPU time")),
            row("calls/s", format!("{rate:.0}, {per_cpu:.0} per CPU second")),
        ]);
        let peak = self.peak_rss_bytes;
        rows.extend(peak.map(|bytes| row("peak memory", format!("{} MiB", bytes >> 20))));
        rows
    }
}

/// Proves a statement, verifies the proof, writes it and the list, and prints what it took.
pub fn prove(
    statement: &impl Provable,
    output: Option<&Path>,
    list: Option<&Path>,
    format: Format,
) -> Result<(), CommandError> {
    let progress = Progress::spinner(format!("proving {}", statement.name()));
    let (start, cpu) = (Instant::now(), cpu_time());
    let file = File::new(&statement.statement(), statement.prove()?);
    let bytes = file.encode()?;
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
    let proof = statement.verify(&bytes)?;
    if let Some(path) = list {
        let text = statement.list();
        files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
    }
    if let Some(path) = output {
        files::write(path, &bytes).map_err(CommandError::file(path))?;
    }
    drop(progress);
    let calls = proof.calls as f64;
    let proved = Proved {
        prove_ms: milliseconds(wall),
        prove_cpu_ms: milliseconds(cpu),
        calls_per_s: calls / wall.as_secs_f64(),
        calls_per_cpu_s: calls / cpu.as_secs_f64(),
        peak_rss_bytes: peak_memory(),
        proof,
    };
    Ok(print(&proved, format)?)
}
