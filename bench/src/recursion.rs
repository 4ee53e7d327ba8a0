//! `droste-bench recursion`: joins of joins, against p3-multi-stark proving p3-poseidon1-air in the
//! same process, with the same settings.
//!
//! The children of the measured joins are themselves joins of the same shape, so the figures hold
//! for every further level of a tree. Each row is measured in a process of its own, so that the
//! peak of memory is that of the row alone.

mod multi_stark;

use std::time::{Duration, Instant};

use clap::Args;
use droste_native::stark::security::Preset;
use droste_native::{F, Poseidon16Suite};
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::circuit::LeafProof;
use droste_verifier::cost::{Recorder, StagesMs};
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{Proof, ProveOptions, prove};
use droste_vm::heights::Heights;
use droste_vm::whir::encode;
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use crate::clock;
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
    /// Measures in this process, without starting another.
    #[arg(long, hide = true)]
    here: bool,
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows: Vec<Value> = vec![];
    for &preset in &arguments.presets {
        let mut single = None;
        for &children in &arguments.children {
            let row = if arguments.here {
                Some(measure(preset, children, arguments.rounds))
            } else {
                process::row(
                    &[
                        "recursion",
                        "--here",
                        "--presets",
                        preset.name(),
                        "--children",
                        &children.to_string(),
                        "--rounds",
                        &arguments.rounds.to_string(),
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

/// A small program, and a proof of it.
pub fn leaf(preset: Preset) -> (Compiled, Proof<Poseidon16Suite>) {
    let source = droste_programs::source("factorial").expect("the program exists");
    let compiled = compile(source, &[]).expect("the program compiles");
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16);
    let execution = execution.expect("the run succeeds");
    let options = ProveOptions {
        settings: preset.settings(2).expect("the preset has this blowup"),
        heights: Heights::Minimal,
    };
    let proof = prove(&compiled.program, &execution, &options).expect("it can be proved");
    (compiled, proof)
}

/// Measures a join of `children` joins.
fn measure(preset: Preset, children: usize, rounds: usize) -> Value {
    let aggregator = Aggregator::for_preset(preset, children);
    let (_, leaf) = leaf(preset);
    let leaf = VerifiedProof::under_its_own_key(leaf).expect("the proof is valid");
    let wrap = aggregator.wrap(&leaf).expect("the leaf is wrapped");
    let first = wrap.proof();

    let start = Instant::now();
    let circuit = aggregator.circuits().circuit(first.shape(), children);
    let circuit = circuit.expect("the shape is supported");
    let compile = start.elapsed();
    let heights = Heights::Exact(aggregator.log_heights().to_vec());
    let start = Instant::now();
    let key = circuit.key(*aggregator.settings(), &heights);
    let key = key.expect("the settings are in range");
    let key_time = start.elapsed();

    // The children of the measured join are joins themselves.
    let execution = circuit.execute(&vec![first; children]);
    let child = key.prove(&execution.expect("the children are valid"));
    let child = child.expect("the join fits");
    let start = Instant::now();
    let execution = circuit.execute(&vec![&child; children]);
    let execution = execution.expect("the children are valid");
    let execute = start.elapsed();

    let recorder = Recorder::install().expect("nothing else listens");
    let mut times: Vec<(Duration, Duration, StagesMs)> = vec![];
    let mut proof = None;
    for _ in 0..rounds {
        let (cpu, start) = (cpu_time(), Instant::now());
        proof = Some(key.prove(&execution).expect("the join fits"));
        let (all, cpu) = (start.elapsed(), cpu_time().saturating_sub(cpu));
        times.push((all, cpu, recorder.stages_over_whir(execute, all)));
        // Removes the recorded times, for the next round.
        Recorder::install();
    }
    let proof = proof.expect("there is at least one round");
    times.sort_by_key(|(all, ..)| *all);
    let (all, cpu, stages) = times.swap_remove(times.len() / 2);
    let peak_rss_bytes = peak_memory();

    let start = clock::now();
    let report = key.verify(&proof).expect("the proof is valid");
    let verify_ms = clock::milliseconds_since(start);
    let rows = circuit.needed_rows(&execution).expect("the machine exists");
    let permutations = rows.iter().find(|(name, _)| name == "poseidon16");
    let log_heights = aggregator.log_heights();
    let tables = rows.iter().zip(log_heights).map(|((name, rows), log_height)| {
        json!({"name": name, "rows": rows, "height": 1_usize << log_height})
    });
    let tallest = log_heights
        .iter()
        .max()
        .map_or(1, |log_height| 1 << log_height);
    let peer = multi_stark::cpu_ns_per_fft_unit(aggregator.settings(), tallest);
    json!({
        "preset": preset.name(),
        "children": children,
        "cycles": execution.cycles.len(),
        "permutations": permutations.map(|(_, rows)| rows),
        "fft_cost": report.fft_cost(),
        "queries": proof.stark.opening.first_queries(),
        "compile_ms": ms(compile),
        "key_ms": ms(key_time),
        "execute_ms": ms(execute),
        "prove_ms": ms(all),
        "prove_cpu_ms": ms(cpu),
        "stages_ms": stages,
        "verify_ms": verify_ms,
        "proof_bytes": encode(&proof).map(|bytes| bytes.len()).unwrap_or_default(),
        "peak_rss_bytes": peak_rss_bytes,
        "proven_bits": report.security.bits(),
        "cpu_ns_per_fft_unit": cpu.as_nanos() as f64 / report.fft_cost() as f64,
        "peer_cpu_ns_per_fft_unit": peer,
        "tables": tables.collect::<Vec<_>>(),
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
