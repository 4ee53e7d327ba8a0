//! `droste-bench recursion`: joins of joins in both proof stacks, against p3-batch-stark and
//! p3-multi-stark proving p3-poseidon1-air in the same process, with the same settings.
//!
//! The children of the measured joins are themselves joins of the same shape, so the figures hold
//! for every further level of a tree. Each row is measured in a process of its own, so that the
//! peak of memory is that of the row alone.

mod multi_stark;
mod over_whir;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::{F, FriSettings, HashId, HashSuite, Poseidon2Suite, Poseidon16Suite};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::PRECOMPILES;
use droste_verifier::circuit::ProgramCircuit;
use droste_verifier::cost::{Recorder, StagesMs, cpu_ns_per_fft_unit};
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_verifier::tape::TapeSuite;
use droste_vm::codec::encode;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveOptions, prove, prove_traces, traces};
use droste_vm::report::TableReport;
use droste_vm::stack::Stack;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::{Verifier, VerifyOptions};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use crate::process;
use crate::report::Report;

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Security levels of all proofs.
    #[arg(long, value_delimiter = ',', default_value = "proven-100,proven-120")]
    presets: Vec<Preset>,
    /// Numbers of proofs that a join verifies.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    children: Vec<usize>,
    /// Number of proofs made of each join. The times are those of the median one.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Proof stacks of the joins and their children.
    #[arg(long, value_delimiter = ',', default_value = "fri,whir")]
    stacks: Vec<Stack>,
    /// Hash in which the joins over FRI and their children are committed: poseidon16 or poseidon2.
    /// Over WHIR it is Poseidon-16.
    #[arg(long, default_value = "poseidon16", value_parser = outer_hash)]
    outer_hash: HashId,
    /// Measures in this process, without starting another.
    #[arg(long, hide = true)]
    here: bool,
}

/// Reads the hash of the joins. Recursion in a hash of bytes has no shape that repeats.
fn outer_hash(name: &str) -> Result<HashId, String> {
    let hash: HashId = name.parse().map_err(|error| format!("{error}"))?;
    match hash.is_of_bytes() {
        false => Ok(hash),
        true => Err(format!(
            "joins are not measured in {hash}: expected poseidon16 or poseidon2"
        )),
    }
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows: Vec<Value> = vec![];
    let each = arguments.presets.iter().flat_map(|&preset| {
        let stacks = arguments.stacks.iter();
        stacks.map(move |&stack| (preset, stack))
    });
    for (preset, stack) in each {
        let mut single = None;
        for &children in &arguments.children {
            let row = if arguments.here {
                let rounds = arguments.rounds;
                Some(match (stack, arguments.outer_hash) {
                    (Stack::Whir, _) => over_whir::measure(preset, children, rounds),
                    (Stack::Fri, HashId::Poseidon2) => {
                        measure::<Poseidon2Suite>(preset, children, rounds)
                    }
                    (Stack::Fri, _) => measure::<Poseidon16Suite>(preset, children, rounds),
                })
            } else {
                process::row(
                    &[
                        "recursion",
                        "--here",
                        "--presets",
                        preset.name(),
                        "--stacks",
                        stack.name(),
                        "--children",
                        &children.to_string(),
                        "--rounds",
                        &arguments.rounds.to_string(),
                        "--outer-hash",
                        arguments.outer_hash.name(),
                    ],
                    &[],
                )
            };
            let Some(mut row) = row else { continue };
            if children == 1 {
                single = row["prove_ms"].as_f64();
            }
            if let (Some(single), Some(own)) = (single, row["prove_ms"].as_f64()) {
                row["of_children_alone"] = json!(own / (single * children as f64));
            }
            rows.push(row);
        }
    }
    Report::from_rows(rows)
}

/// A proof of a join, and what making it took.
struct Joined<H: HashSuite> {
    proof: Proof<H>,
    figures: Value,
}

fn measure<H: TapeSuite>(preset: Preset, children: usize, rounds: usize) -> Value
where
    StandardTables: Provable<H>,
{
    let aggregator =
        Aggregator::for_preset(preset, children, Stack::Fri).expect("the preset has this blowup");
    let leaf = leaf::<H>(*aggregator.leaf_settings());
    let heights = heights::<H>(&aggregator);
    let wrap = join(&aggregator, &heights, &leaf, 1, 1);
    let first = join(&aggregator, &heights, &wrap.proof, children, 1);
    let second = join(&aggregator, &heights, &first.proof, children, rounds);
    let mut figures = second.figures;
    figures["stack"] = json!(Stack::Fri.name());
    figures["preset"] = json!(preset.name());
    figures["children"] = json!(children);
    figures["outer_hash"] = json!(H::NAME);
    figures
}

/// The proof of a small program.
fn leaf<H: HashSuite>(settings: FriSettings) -> Proof<H>
where
    StandardTables: Provable<H>,
{
    let source = droste_programs::source("factorial").expect("the program exists");
    let compiled = compile(source, &[]).expect("the program compiles");
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16);
    let execution = execution.expect("the run succeeds");
    let options = ProveOptions {
        settings,
        heights: Heights::Minimal,
    };
    prove(&compiled.program, &execution, &options).expect("it can be proved")
}

/// Logarithms of the heights of R's tables, which are those of the aggregator where R's proofs are
/// in Poseidon-16. In Poseidon2 R has its two tables besides, and Poseidon-16 hashes keys and
/// claims only.
fn heights<H: HashSuite>(aggregator: &Aggregator) -> Vec<usize> {
    let heights = aggregator.log_heights();
    match (H::ID, heights) {
        (HashId::Poseidon2, &[cpu, ext, _, program, words, blocks]) => {
            vec![
                cpu + 1,
                ext + 1,
                10,
                program,
                program,
                program,
                words + 1,
                blocks + 1,
            ]
        }
        _ => heights.to_vec(),
    }
}

/// The precompiles whose tables R has.
fn precompiles<H: HashSuite>() -> BTreeSet<u32> {
    let mut precompiles = BTreeSet::from(PRECOMPILES);
    if H::ID == HashId::Poseidon2 {
        precompiles.extend([id::POSEIDON2_MERKLE, id::POSEIDON2_SPONGE]);
    }
    precompiles
}

/// Joins `children` copies of a proof.
fn join<H: TapeSuite>(
    aggregator: &Aggregator,
    heights: &[usize],
    child: &Proof<H>,
    children: usize,
    rounds: usize,
) -> Joined<H>
where
    StandardTables: Provable<H>,
{
    let start = Instant::now();
    let verifier = Verifier::<_, StandardTables>::new(child.key.clone()).expect("the key is valid");
    let recursion = ProgramCircuit::new(&verifier, &child.batch.degree_bits, children);
    let recursion = recursion.expect("the shape is supported");
    let compile = start.elapsed();

    let start = Instant::now();
    let execution = recursion.execute(&vec![child; children]);
    let execution = execution.expect("the children are valid");
    let execute = start.elapsed();

    let start = Instant::now();
    let key = ProvingKey::<H, StandardTables>::with_precompiles(
        &recursion.compiled().program,
        &precompiles::<H>(),
        *aggregator.leaf_settings(),
        Heights::Exact(heights.to_vec()),
    )
    .expect("the settings are in range");
    let key_time = start.elapsed();

    let recorder = Recorder::install().expect("nothing else listens");
    let mut times: Vec<(Duration, Duration, StagesMs)> = vec![];
    let mut proof = None;
    for _ in 0..rounds {
        let cpu = cpu_time();
        let start = Instant::now();
        let traces = traces(&key, &execution).expect("the join fits");
        let trace = start.elapsed();
        let made = prove_traces(&key, execution.statement, traces);
        let all = start.elapsed();
        let cpu = cpu_time().saturating_sub(cpu);
        times.push((
            all,
            cpu,
            recorder.stages(execute, trace, start + trace, all),
        ));
        proof = Some(made.expect("the traces are valid"));
        // Removes the recorded times, for the next round.
        Recorder::install();
    }
    let proof = proof.expect("there is at least one round");
    times.sort_by_key(|(all, ..)| *all);
    let (all, cpu, stages) = times[times.len() / 2];
    let peak_rss_bytes = peak_memory();

    let start = Instant::now();
    let verifier = Verifier::<_, StandardTables>::new(proof.key.clone()).expect("the key is valid");
    let report = verifier.verify(&execution.statement, VerifyOptions::min_bits(0), &proof);
    let report = report.expect("the proof is valid");
    let verify = start.elapsed();

    let input = TraceInput {
        program: key.program(),
        execution: &execution,
    };
    let tables = key.machine().tables().iter().zip(&report.tables);
    let tables: Vec<Value> = tables
        .map(|(table, report)| {
            json!({
                "name": report.name,
                "rows": table.rows(&input),
                "height": report.height(),
                "fft_cost": report.fft_cost(),
            })
        })
        .collect();
    let named = |table: &&Value| {
        let name = table["name"].as_str().unwrap_or_default();
        name.starts_with(H::NAME)
    };
    let permutations = tables.iter().filter(named);
    let permutations: u64 = permutations
        .filter_map(|table| table["rows"].as_u64())
        .sum();
    let fft_cost: u64 = report.tables.iter().map(TableReport::fft_cost).sum();
    let opened: usize = report.tables.iter().map(TableReport::opened_elements).sum();
    let tallest = report.tables.iter().map(TableReport::height).max();
    let peer = cpu_ns_per_fft_unit(H::ID, aggregator.leaf_settings(), tallest.unwrap_or(1));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let figures = json!({
        "cycles": execution.cycles.len(),
        "permutations": permutations,
        "fft_cost": fft_cost,
        "opened_per_query": opened,
        "queries": aggregator.leaf_settings().num_queries,
        "compile_ms": ms(compile),
        "key_ms": ms(key_time),
        "execute_ms": ms(execute),
        "prove_ms": ms(all),
        "prove_cpu_ms": ms(cpu),
        "stages_ms": stages,
        "verify_ms": ms(verify),
        "proof_bytes": encode(&proof).map(|bytes| bytes.len()).unwrap_or_default(),
        "peak_rss_bytes": peak_rss_bytes,
        "proven_bits": report.security.bits(),
        "cpu_ns_per_fft_unit": cpu.as_nanos() as f64 / fft_cost as f64,
        "peer_cpu_ns_per_fft_unit": peer.expect("the settings are in range"),
        "tables": tables,
    });
    Joined { proof, figures }
}
