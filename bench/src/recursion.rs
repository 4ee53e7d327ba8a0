//! `droste-bench recursion`: a wrap, a join of it, joins of joins in steady state, and beside them
//! Plonky3's Poseidon table at the same parameters.

use clap::Args;
use droste_native::poseidon16::WIDTH;
use droste_native::security::Preset;
use droste_native::{F, FriSettings, Poseidon16Family, config};
use droste_verifier::aggregate::{Aggregate, Aggregator, Step};
use droste_verifier::recursion::claim_tree;
use droste_vm::codec::encode;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::prover::{Proof, ProveOptions, prove};
use p3_batch_stark::{ProverData, StarkInstance, prove_batch, verify_batch};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use serde_json::{Value, json};

use crate::report::Report;
use crate::tables::{peer_poseidon16, words};
use crate::{memory, stages};

/// Arguments of the command.
#[derive(Args)]
pub struct Arguments {
    /// Security of every proof.
    #[arg(long, default_value_t)]
    preset: Preset,
    /// Children of the joins, one series for each number.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4")]
    children: Vec<usize>,
    /// Logarithm of the rows of Plonky3's table.
    #[arg(long, default_value_t = 15)]
    peer_rows: u32,
}

/// Runs every series.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows = Vec::new();
    for &children in &arguments.children {
        let aggregator = Aggregator::for_preset(arguments.preset, children)
            .expect("presets have settings at R's blowup");
        series(&aggregator, children, &mut rows);
        let (ns, settings) = (
            peer(aggregator.settings(), arguments.peer_rows),
            aggregator.settings(),
        );
        rows.push(json!({
            "step": "p3-poseidon1-air",
            "queries": settings.num_queries,
            "cpu_ns_per_fft_unit": ns,
        }));
    }
    Report::from_rows(rows)
}

/// A wrap, a join of copies of it, and two joins of joins: the second has the first's key.
fn series(aggregator: &Aggregator, children: usize, rows: &mut Vec<Value>) {
    let text = droste_programs::source("factorial").expect("the program is there");
    let compiled = compile(text, &[]).expect("the program compiles");
    let execution =
        execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16).expect("the program runs");
    let options = ProveOptions {
        settings: *aggregator.settings(),
        heights: Heights::Minimal,
    };
    let leaf: Proof<Poseidon16Family> =
        prove(&compiled.program, &execution, &options).expect("the run is proved");
    let wrap = || {
        aggregator
            .wrap(&leaf, claim_tree(&leaf, vec![]), |_| ())
            .expect("the leaf is wrapped")
    };
    let mut below = measure("wrap", wrap, rows);
    for name in ["join of wraps", "join of joins", "join of joins, again"] {
        let copies = (0..children).map(|_| copy(&below)).collect();
        let join = || aggregator.join(copies).expect("the proofs are joined");
        below = measure(name, join, rows);
    }
}

/// The same proof and tree.
fn copy(aggregate: &Aggregate) -> Aggregate {
    let bytes = encode(&aggregate.proof).expect("the proof is encoded");
    Aggregate {
        proof: droste_vm::codec::decode(&bytes).expect("the proof is decoded"),
        tree: aggregate.tree.clone(),
        steps: vec![],
    }
}

/// Runs one step and adds its row.
fn measure(name: &str, step: impl FnOnce() -> Aggregate, rows: &mut Vec<Value>) -> Aggregate {
    let mut outcome = None;
    let before = cpu_seconds();
    let peak_rss_bytes = memory::peak_of(|| outcome = Some(stages::of(step)));
    let cpu = cpu_seconds()
        .zip(before)
        .map(|(after, before)| after - before);
    let (aggregate, stages) = outcome.expect("the step ran");
    for step in &aggregate.steps {
        rows.push(row(name, step, &aggregate, cpu, peak_rss_bytes, &stages));
    }
    aggregate
}

fn row(
    name: &str,
    step: &Step,
    aggregate: &Aggregate,
    cpu: Option<f64>,
    peak_rss_bytes: Option<usize>,
    stages: &stages::Stages,
) -> Value {
    let tables: Vec<Value> = step
        .report
        .tables
        .iter()
        .zip(&step.rows)
        .map(|(table, &rows)| {
            json!({
                "name": table.name,
                "rows": rows,
                "height": table.height(),
                "fill": rows as f64 / table.height() as f64,
                "opened": table.opened_elements(),
                "fft_cost": table.fft_cost(),
            })
        })
        .collect();
    let fft_cost: u64 = step.report.tables.iter().map(|t| t.fft_cost()).sum();
    let opened: usize = step.report.tables.iter().map(|t| t.opened_elements()).sum();
    let permutations = step
        .report
        .tables
        .iter()
        .zip(&step.rows)
        .find(|(table, _)| table.name == "poseidon16")
        .map(|(_, rows)| rows);
    json!({
        "step": name,
        "children": step.children,
        "home": step.home,
        "cycles": step.cycles,
        "permutations": permutations,
        "tables": tables,
        "fft_cost": fft_cost,
        "opened_per_query": opened,
        "compile_ms": step.compile.as_secs_f64() * 1e3,
        "execute_ms": step.execute.as_secs_f64() * 1e3,
        "key_ms": step.key.as_secs_f64() * 1e3,
        "prove_ms": step.prove.as_secs_f64() * 1e3,
        "verify_ms": step.verify.as_secs_f64() * 1e3,
        "stages_ms": stages,
        "proof_bytes": encode(&aggregate.proof).map(|bytes| bytes.len()).ok(),
        "peak_rss_bytes": peak_rss_bytes,
        "cpu_ns_per_fft_unit": cpu.map(|seconds| seconds * 1e9 / fft_cost as f64),
        "proven_bits": step.report.security.bits(),
        "key": step.report.key.to_string(),
    })
}

/// CPU nanoseconds that Plonky3's prover takes a unit of fft_cost for its own Poseidon table, under the
/// same settings, hash and challenge field.
fn peer(settings: &FriSettings, log_rows: u32) -> Option<f64> {
    let config = config::<Poseidon16Family>(settings, &[]).expect("the settings are in range");
    let mut next = words();
    let inputs: Vec<[F; WIDTH]> = (0..1 << log_rows)
        .map(|_| std::array::from_fn(|_| F::from_u32(next())))
        .collect();
    let air = peer_poseidon16();
    let trace = air.generate_trace_rows_from_inputs(inputs, settings.log_blowup);
    let fft_cost = (trace.width() * trace.height()) as f64 * f64::from(log_rows);
    let instances = [StarkInstance {
        air: &air,
        trace: &trace,
        public_values: vec![],
    }];
    let data = ProverData::from_instances(&config, &instances).expect("the table has a key");
    let mut best: Option<f64> = None;
    for _ in 0..3 {
        let before = cpu_seconds()?;
        let proof = prove_batch(&config, &instances, &data).expect("the trace is valid");
        let seconds = cpu_seconds()? - before;
        verify_batch(
            &config,
            &[&air].map(Clone::clone),
            &proof,
            &[vec![]],
            &data.common,
        )
        .expect("the proof is valid");
        best = Some(best.map_or(seconds, |best| best.min(seconds)));
    }
    best.map(|seconds| seconds * 1e9 / fft_cost)
}

/// Processor time of this process, all threads, where the kernel tells; it counts in hundredths.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Fields 14 and 15; the second is a name in parentheses.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}
