//! `droste-bench calls`: what a call of a hash precompile costs to prove, over WHIR and over FRI in
//! turns, in Poseidon-16.
//!
//! A hash chain is proved whose calls fill the table of the hash, and one of twice as many. A table
//! begins and ends with an idle row, so `2^k - 1` permutations fill it.

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::whir::settings::MAX_LOG_BLOCK;
use droste_native::{F, HashId, Poseidon16Suite};
use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::Prove;
use droste_vm::{fri, whir};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use crate::progress;
use crate::race::{Times, duel};
use crate::report::Report;

/// Largest logarithm of the number of rows of a stack, as an aggregator has for large runs.
const MOST_ROWS: usize = 9;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Hashes whose chains are proved.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "poseidon16,blake3,keccak"
    )]
    hashes: Vec<HashId>,
    /// Logarithm of the number of calls, plus one, of the shorter chain.
    #[arg(long, default_value_t = 10)]
    log_calls: u32,
    /// Security level of the proofs.
    #[arg(long, default_value_t = Preset::Proven100)]
    preset: Preset,
    /// Rounds, of which medians are reported.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    let rows = arguments.hashes.iter().map(|&hash| {
        progress::at(hash.name());
        measure(arguments, hash)
    });
    Report::from_rows(rows.collect())
}

/// A chain: its program and a run of it.
type Chain = (Program, Execution);

fn chain(hash: HashId, calls: u32) -> Chain {
    let name = format!("{}_chain", hash.name());
    let source = droste_programs::source(&name).expect("the hash has a chain");
    let compiled = compile_file(&name, source, droste_gadgets::SOURCES);
    let compiled = compiled.expect("the program compiles");
    let public = [F::from_u32(calls), F::ONE];
    let run = execute(&compiled, &public, &Tape::default(), 1 << 26);
    (compiled.program, run.expect("the run succeeds"))
}

/// A key over FRI at blowup 2.
fn over_fri(preset: Preset, program: &Program) -> impl Prove {
    let settings = preset.settings(1).expect("the settings are in range");
    let key = fri::ProvingKey::<Poseidon16Suite, StandardTables>::new;
    key(program, settings, Heights::Minimal).expect("the settings are in range")
}

/// Settings over WHIR at blowup 2, whose stack has as few cells in a row as an aggregator would
/// choose for this run. There are none for more cells than [`MOST_ROWS`] of the longest rows have.
pub fn settings_over_whir(
    preset: Preset,
    program: &Program,
    run: &Execution,
) -> Option<WhirSettings> {
    let settings = WhirSettings {
        log_blowup: 1,
        second_log_blowup: 2,
        ..WhirSettings::of(preset)
    };
    let mut all = (settings.log_block..=MAX_LOG_BLOCK).map(|log_block| WhirSettings {
        log_block,
        ..settings
    });
    let fits = |settings: &WhirSettings| {
        let new = whir::ProvingKey::<StandardTables>::new;
        let key = new(program, *settings, Heights::Minimal).ok()?;
        let log_heights = key.log_heights(run).ok()?;
        let verifier = whir::Verifier::<StandardTables>::new(key.key().clone()).ok()?;
        let (scheme, _) = verifier.shape(&log_heights).ok()?;
        Some(scheme.layout().row_variables() <= MOST_ROWS)
    };
    all.find(|settings| fits(settings).unwrap_or(false))
}

/// Microseconds of the median proof and of a further call, over WHIR and over FRI.
fn measure(arguments: &Arguments, hash: HashId) -> Value {
    let most = |log: u32| (1u32 << log) - 1;
    let [few, many] = [arguments.log_calls, arguments.log_calls + 1].map(most);
    let times = [few, many].map(|calls| {
        let chain = chain(hash, calls);
        let settings = settings_over_whir(arguments.preset, &chain.0, &chain.1);
        let settings = settings.expect("there are settings for so many cells");
        let whir = whir::ProvingKey::<StandardTables>::new;
        let whir = whir(&chain.0, settings, Heights::Minimal).expect("the settings fit");
        let fri = over_fri(arguments.preset, &chain.0);
        let (whir, fri) = duel(
            arguments.rounds,
            1,
            || drop(whir.prove_run(&chain.1).expect("the run is proved")),
            || drop(fri.prove_run(&chain.1).expect("the run is proved")),
        );
        [whir, fri].map(|times: Times| times.median() / 1e3)
    });
    let [short, long] = times;
    let further = |stack: usize| (long[stack] - short[stack]) / f64::from(many - few);
    json!({
        "hash": hash.name(),
        "preset": arguments.preset.to_string(),
        "calls": many,
        "whir_prove_ms": long[0] / 1e3,
        "fri_prove_ms": long[1] / 1e3,
        "whir_us_per_further_call": further(0),
        "fri_us_per_further_call": further(1),
        "whir_calls_per_s": f64::from(many) / long[0] * 1e6,
        "fri_calls_per_s": f64::from(many) / long[1] * 1e6,
    })
}
