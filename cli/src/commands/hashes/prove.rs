//! `droste hashes prove`.

use std::time::Instant;

use clap::Args;
use droste_binary::file::{File, Summary, verify_file};
use droste_binary::{Blake3, prove};
use droste_native::files;
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_verifier::summary::milliseconds;
use serde::Serialize;

use super::inputs::Inputs;
use super::rows;
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::paths::Output;
use crate::progress::Progress;

/// Arguments of `droste hashes prove`.
#[derive(Debug, Args)]
pub struct Prove {
    #[command(flatten)]
    inputs: Inputs,
    /// File to write the proof to.
    #[arg(short, long, value_name = "FILE", required_unless_present = "random")]
    output: Option<Output>,
    /// File to write the list to, one `INPUT OUTPUT` or `LEAF INDEX ROOT` a line: what the proof
    /// shows. It is not in the proof, and `droste hashes verify` needs it.
    #[arg(long, value_name = "FILE")]
    list_out: Option<Output>,
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

impl Prove {
    /// Proves the list, verifies the proof, writes both and prints what it took.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let known = self.inputs.known()?;
        let progress = Progress::spinner(format!("proving {}", known.list));
        let (start, cpu) = (Instant::now(), cpu_time());
        let witness = known.witness()?;
        let list = witness.statement();
        let bytes = File::new(list, prove::<Blake3>(witness)?).encode()?;
        let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
        let proof = verify_file::<Blake3>(list, &bytes, 0)?;
        if let Some(path) = &self.list_out {
            let text = known.list.text();
            files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
        }
        if let Some(path) = &self.output {
            files::write(path, &bytes).map_err(CommandError::file(path))?;
        }
        progress.finish();
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
}
