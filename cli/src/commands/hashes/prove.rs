//! `droste hashes prove`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use droste_binary::{Hash, HashCalls, Summary, encode, prove, security, verify_file};
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_verifier::summary::milliseconds;
use droste_vm::files;
use serde::Serialize;

use super::{hash, list, name, random, read, rows};
use crate::error::CommandError;
use crate::output::{Format, Report, counted, print, row};
use crate::progress::Progress;

/// Arguments of `droste hashes prove`.
#[derive(Debug, Args)]
pub struct Prove {
    /// The hash: blake3 or blake2s (their compression functions), or keccak-f (the permutation of
    /// 1600 bits).
    #[arg(long, value_parser = hash)]
    hash: Hash,
    /// File with one input a line, in hexadecimal digits; `-` is standard input. Empty lines and
    /// lines that begin with # are left out. An input has 112 bytes for blake3 (chaining value 32,
    /// block 64, counter 8, length 4, flags 4) and blake2s (state 32, block 64, offset 8, words for
    /// v[14] and v[15] 4 each), and 200 for keccak-f; all numbers are little-endian. At most 131,072
    /// inputs, 32,768 for keccak-f.
    #[arg(required_unless_present = "random")]
    inputs: Option<PathBuf>,
    /// Instead of INPUTS, prove calls of so many inputs that look random, to measure.
    #[arg(long, value_name = "CALLS", conflicts_with = "inputs")]
    random: Option<usize>,
    /// Which inputs --random makes.
    #[arg(long, default_value_t = 0, conflicts_with = "inputs")]
    seed: u64,
    /// File to write the proof to.
    #[arg(short, long, value_name = "FILE", required_unless_present = "random")]
    output: Option<PathBuf>,
    /// File to write the list of calls to, one `INPUT OUTPUT` a line: what the proof shows. It is not
    /// in the proof, and `droste hashes verify` needs it.
    #[arg(long, value_name = "FILE")]
    calls_out: Option<PathBuf>,
}

/// A proof and what it took.
#[derive(Debug, Serialize)]
struct Proved {
    #[serde(flatten)]
    proof: Summary,
    /// Time to derive what depends on the hash alone, once in a process.
    setup_ms: f64,
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
            row("setup", format!("{:.1} ms", self.setup_ms)),
            row("prove", format!("{wall:.1} ms, {cpu:.1} ms of CPU time")),
            row("calls/s", format!("{rate:.0}, {per_cpu:.0} per CPU second")),
        ]);
        let peak = self.peak_rss_bytes;
        rows.extend(peak.map(|bytes| row("peak memory", format!("{} MiB", bytes >> 20))));
        rows
    }
}

impl Prove {
    /// Proves the calls, verifies the proof, writes it and prints what it took.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        if self.output.is_some() && self.output == self.calls_out {
            let message = "--output and --calls-out are the same file";
            return Err(CommandError::usage(message));
        }
        let statement = self.statement()?;
        let calls = statement.len();
        let text = counted(calls, "call", "calls");
        let progress = Progress::spinner(format!("proving {text}"));
        let start = Instant::now();
        security(&statement).map_err(CommandError::failed)?;
        let setup = start.elapsed();
        let (start, cpu) = (Instant::now(), cpu_time());
        let bytes = encode(&prove(&statement)?)?;
        let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
        let proof = verify_file(&statement, &bytes, 0)?;
        if let Some(path) = &self.calls_out {
            let text = list::write(&statement);
            files::write(path, text.as_bytes()).map_err(CommandError::file(path))?;
        }
        if let Some(path) = &self.output {
            files::write(path, &bytes).map_err(CommandError::file(path))?;
        }
        drop(progress);
        let proved = Proved {
            proof,
            setup_ms: milliseconds(setup),
            prove_ms: milliseconds(wall),
            prove_cpu_ms: milliseconds(cpu),
            calls_per_s: calls as f64 / wall.as_secs_f64(),
            calls_per_cpu_s: calls as f64 / cpu.as_secs_f64(),
            peak_rss_bytes: peak_memory(),
        };
        Ok(print(&proved, format)?)
    }

    fn statement(&self) -> Result<HashCalls, CommandError> {
        let (hash, most) = (self.hash, self.hash.max_calls());
        match (&self.inputs, self.random) {
            (Some(path), _) => list::of_inputs(hash, &read(path)?)
                .map_err(CommandError::failed)
                .map_err(CommandError::about(name(path).display())),
            (None, Some(calls)) if (1..=most).contains(&calls) => {
                Ok(random::statement(hash, calls, self.seed)?)
            }
            (None, calls) => {
                let calls = calls.unwrap_or(0);
                let message = format!("--random is {calls}, expected 1 to {most} for {hash}");
                Err(CommandError::usage(message))
            }
        }
    }
}
