//! Joins over WHIR.

use std::time::{Duration, Instant};

use droste_native::stark::security::Preset;
use droste_native::{HashId, Poseidon16Suite};
use droste_verifier::aggregate::{Aggregator, VerifiedProof};
use droste_verifier::circuit::RecursionProof;
use droste_verifier::cost::{Recorder, StagesMs};
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_vm::heights::Heights;
use droste_vm::stack::{Stack, StackSettings};
use serde_json::{Value, json};

use super::{leaf, multi_stark};

/// Measures a join of `children` joins over WHIR.
pub fn measure(preset: Preset, children: usize, rounds: usize) -> Value {
    let aggregator = Aggregator::for_preset(preset, children, Stack::Whir);
    let aggregator = aggregator.expect("the preset has this blowup");
    let leaf = leaf::<Poseidon16Suite>(*aggregator.leaf_settings());
    let leaf = VerifiedProof::under_its_own_key(leaf).expect("the proof is valid");
    let wrap = aggregator.wrap(&leaf).expect("the leaf is wrapped");
    let RecursionProof::Whir(first) = wrap.proof() else {
        panic!("the canonical shape is over WHIR");
    };

    let start = Instant::now();
    let shape = wrap.proof().shape();
    let circuit = aggregator
        .circuits()
        .multilinear::<Poseidon16Suite>(shape, children);
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
    let RecursionProof::Whir(child) = &child else {
        panic!("the key is one over WHIR");
    };
    let start = Instant::now();
    let execution = circuit.execute(&vec![child; children]);
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

    let start = Instant::now();
    let report = key.verify(&proof).expect("the proof is valid");
    let verify = start.elapsed();
    let rows = circuit.filled_rows(&execution).expect("the machine exists");
    let permutations = rows.iter().find(|(name, _)| name == "poseidon16");
    let log_heights = aggregator.log_heights();
    let tables = rows.iter().zip(log_heights).map(|((name, rows), log_height)| {
        json!({"name": name, "rows": rows, "height": 1_usize << log_height})
    });
    let tallest = log_heights
        .iter()
        .max()
        .map_or(1, |log_height| 1 << log_height);
    let StackSettings::Whir(settings) = aggregator.settings() else {
        panic!("the canonical shape is over WHIR");
    };
    let peer = multi_stark::cpu_ns_per_fft_unit(settings, tallest);
    json!({
        "stack": Stack::Whir.name(),
        "preset": preset.name(),
        "children": children,
        "outer_hash": HashId::Poseidon16.name(),
        "cycles": execution.cycles.len(),
        "permutations": permutations.map(|(_, rows)| rows),
        "fft_cost": report.fft_cost,
        "queries": proof.queries(),
        "compile_ms": ms(compile),
        "key_ms": ms(key_time),
        "execute_ms": ms(execute),
        "prove_ms": ms(all),
        "prove_cpu_ms": ms(cpu),
        "stages_ms": stages,
        "verify_ms": ms(verify),
        "proof_bytes": proof.encode().map(|bytes| bytes.len()).unwrap_or_default(),
        "peak_rss_bytes": peak_rss_bytes,
        "proven_bits": report.bits(),
        "cpu_ns_per_fft_unit": cpu.as_nanos() as f64 / report.fft_cost as f64,
        "peer_cpu_ns_per_fft_unit": peer,
        "tables": tables.collect::<Vec<_>>(),
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
