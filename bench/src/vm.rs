//! `droste-bench vm`: a Fibonacci run is executed, proved and verified under each hash, against
//! p3-batch-stark proving p3-poseidon1-air with the same settings in the same process.
//!
//! Each row is measured in a process of its own, so that the peak of memory is that of the row
//! alone.

use std::time::{Duration, Instant};

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::{F, HashId, HashSuite, with_suite};
use droste_verifier::cost::Recorder;
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_vm::compiler::{Compiled, compile_file};
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{ProvingKey, Verifier, encode, prove_traces, traces};
use droste_vm::heights::Heights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::report::TableReport;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::VerifyOptions;
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use crate::clock;
use crate::peer::cpu_ns_per_fft_unit;
use crate::process;
use crate::report::Report;

/// The program that is measured.
const PROGRAM: &str = "fibonacci";

/// Number of instructions per iteration.
const CYCLES_PER_ITERATION: u32 = 6;

/// A row is the median of proofs that are made for this long, after one that is not measured.
const REPEATED: Duration = Duration::from_secs(2);

/// Largest number of these proofs.
const MOST_PROOFS: usize = 15;

/// What to measure.
#[derive(Args, Clone)]
pub struct Arguments {
    /// Logarithms of the number of cycles.
    #[arg(long, value_delimiter = ',', default_value = "18")]
    pub log_cycles: Vec<u32>,
    /// Hashes in which the proofs are committed.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "poseidon16,blake3,keccak"
    )]
    pub hashes: Vec<HashId>,
    /// Security level of the proofs.
    #[arg(long, default_value_t = Preset::Proven100)]
    pub preset: Preset,
    /// Logarithm of the blowup.
    #[arg(long, default_value_t = 1)]
    pub log_blowup: usize,
    /// Proves without grinding.
    #[arg(long)]
    pub no_grinding: bool,
    /// Measures the row in this process, without starting another.
    #[arg(long, hide = true)]
    pub here: bool,
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    Report::from_rows(rows("vm", arguments))
}

/// Returns one row per size and hash. `command` is the name of the command that calls it.
pub fn rows(command: &str, arguments: &Arguments) -> Vec<Value> {
    let mut rows = vec![];
    for &log_cycles in &arguments.log_cycles {
        for &hash in &arguments.hashes {
            rows.extend(if arguments.here {
                Some(measure(arguments, log_cycles, hash))
            } else {
                in_process(command, arguments, log_cycles, hash)
            });
        }
    }
    rows
}

/// Measures the row in another process.
fn in_process(
    command: &str,
    arguments: &Arguments,
    log_cycles: u32,
    hash: HashId,
) -> Option<Value> {
    let [log_cycles, log_blowup] = [log_cycles.to_string(), arguments.log_blowup.to_string()];
    let (hash, preset) = (hash.to_string(), arguments.preset.to_string());
    #[rustfmt::skip]
    let mut options = vec![
        command, "--here", "--log-cycles", &log_cycles, "--hashes", &hash,
        "--preset", &preset, "--log-blowup", &log_blowup,
    ];
    options.extend(arguments.no_grinding.then_some("--no-grinding"));
    process::row(&options, &[])
}

fn measure(arguments: &Arguments, log_cycles: u32, hash: HashId) -> Value {
    with_suite!(hash, H => measure_in::<H>(arguments, log_cycles))
}

fn program() -> Compiled {
    let source = droste_programs::source(PROGRAM).expect("the program exists");
    compile_file(PROGRAM, source, droste_gadgets::SOURCES).expect("the program compiles")
}

fn measure_in<H: HashSuite>(arguments: &Arguments, log_cycles: u32) -> Value
where
    StandardTables: Provable<H>,
{
    let settings = arguments.preset.settings(arguments.log_blowup);
    let mut settings = settings.expect("the settings are in range");
    if arguments.no_grinding {
        for bits in [
            &mut settings.batch_grinding_bits,
            &mut settings.commit_grinding_bits,
            &mut settings.query_grinding_bits,
            &mut settings.lookup_grinding_bits,
            &mut settings.ood_grinding_bits,
        ] {
            *bits = 0;
        }
    }
    let compiled = program();
    // A run slightly longer than the power of two would be padded to the next one.
    let iterations = ((1 << log_cycles) - 64) / CYCLES_PER_ITERATION;
    let public = [F::from_u32(iterations)];
    let recorder = Recorder::install().expect("nothing else listens");
    let mut seconds = f64::INFINITY;
    let mut executed = None;
    for _ in 0..3 {
        let start = Instant::now();
        let run = execute(&compiled, &public, &Tape::default(), 1 << 26);
        seconds = seconds.min(start.elapsed().as_secs_f64());
        executed = Some(run.expect("the run succeeds"));
    }
    let execution = executed.expect("it ran");
    let key = ProvingKey::<H, StandardTables>::new(&compiled.program, settings, Heights::Minimal);
    let key = key.expect("the settings are in range");

    let prove = || {
        let cpu = cpu_time();
        let start = Instant::now();
        let traces = traces(&key, &execution).expect("the run fits");
        let trace = start.elapsed();
        let proof = prove_traces(&key, execution.statement, &traces).expect("the traces are valid");
        let all = start.elapsed();
        let cpu = cpu_time().saturating_sub(cpu);
        let stages = recorder.stages(Duration::from_secs_f64(seconds), trace, start + trace, all);
        (proof, all, cpu, stages)
    };
    // The first proof touches each page of its memory for the first time.
    let (proof, ..) = prove();
    let peak_rss_bytes = peak_memory();
    let (begun, mut times) = (Instant::now(), vec![]);
    let stages = loop {
        let (_, all, cpu, stages) = prove();
        times.push((cpu, all));
        if begun.elapsed() > REPEATED || times.len() == MOST_PROOFS {
            break stages;
        }
    };
    times.sort_unstable();
    let (cpu, all) = times[times.len() / 2];

    let verifier = Verifier::<H, StandardTables>::new(proof.key.clone()).expect("the key is valid");
    let start = clock::now();
    let report = verifier
        .verify(&public, VerifyOptions::min_bits(0), &proof)
        .expect("the proof is valid");
    let verify_ms = clock::milliseconds_since(start);
    let input = TraceInput {
        program: key.program(),
        execution: &execution,
    };
    let rows = key
        .machine()
        .tables()
        .iter()
        .map(|table| table.rows(&input));
    let fft_cost = report.fft_cost();
    let cells: usize = report.tables.iter().map(TableReport::opened_cells).sum();
    let lde_bytes = (cells * size_of::<F>()) << arguments.log_blowup;
    let tallest = report.tables.iter().map(TableReport::height).max();
    let peer = cpu_ns_per_fft_unit::<H>(&settings, tallest.unwrap_or(1));
    let ours = cpu.as_nanos() as f64 / fft_cost as f64;
    json!({
        "program": PROGRAM,
        "hash": H::NAME,
        "preset": arguments.preset.to_string(),
        "cycles": execution.cycles.len(),
        "cycles_per_s": execution.cycles.len() as f64 / seconds,
        "tables": report.tables.iter().zip(rows).map(table).collect::<Vec<_>>(),
        "fft_cost": fft_cost,
        "prove_ms": all.as_secs_f64() * 1000.0,
        "prove_cpu_ms": cpu.as_secs_f64() * 1000.0,
        "stages_ms": stages,
        "verify_ms": verify_ms,
        "proof_bytes": encode(&proof).map(|bytes| bytes.len()).unwrap_or(0),
        "peak_rss_bytes": peak_rss_bytes,
        "lde_bytes": lde_bytes,
        "proven_bits": report.security.bits(),
        "cpu_ns_per_fft_unit": ours,
        "peer_cpu_ns_per_fft_unit": peer,
    })
}

fn table((table, rows): (&TableReport, usize)) -> Value {
    json!({
        "name": table.name,
        "rows": rows,
        "height": table.height(),
        "main": table.shape.main_width,
        "lookup": table.lookup_width(),
        "preprocessed": table.shape.preprocessed_width,
        "degree": table.shape.degree,
        "fft_cost": table.fft_cost(),
    })
}
