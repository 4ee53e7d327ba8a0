//! `droste-bench leaf`: native proving time by hash and size of the run, from 10^6 to 10^9 units of
//! `fft_cost`.

use clap::Args;
use droste_native::HashId;
use droste_native::stark::security::Preset;
use serde_json::{Map, Value};

use crate::report::Report;
use crate::vm;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Logarithms of the number of cycles. 13 to 21 are about 10^6 to 10^9 units of `fft_cost`.
    #[arg(long, value_delimiter = ',', default_value = "11,13,15,17,19,21")]
    log_cycles: Vec<u32>,
    /// Hashes in which the proofs are committed.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "poseidon16,poseidon2,blake3,keccak"
    )]
    hashes: Vec<HashId>,
    /// Security level of the proofs.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
    /// Logarithm of the blowup.
    #[arg(long, default_value_t = 1)]
    log_blowup: usize,
    /// Proves without grinding. How long a search for nonces takes is luck, the same in each run.
    #[arg(long)]
    no_grinding: bool,
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    let arguments = vm::Arguments {
        log_cycles: arguments.log_cycles.clone(),
        hashes: arguments.hashes.clone(),
        preset: arguments.preset,
        log_blowup: arguments.log_blowup,
        no_grinding: arguments.no_grinding,
        here: false,
    };
    let rows = vm::rows("vm", &arguments).into_iter().map(summary);
    Report::from_rows(rows.collect())
}

/// Picks the columns of a row that show what a leaf costs.
fn summary(row: Value) -> Value {
    let names = [
        "hash",
        "cycles",
        "fft_cost",
        "prove_ms",
        "prove_cpu_ms",
        "verify_ms",
        "proof_bytes",
        "peak_rss_bytes",
        "proven_bits",
    ];
    let cell = |name: &str| (name.to_owned(), row[name].clone());
    Value::Object(names.into_iter().map(cell).collect::<Map<_, _>>())
}
