//! `droste-bench xmss`: batches of XMSS signatures, from the signatures to a proof that they are
//! valid, and folds of several batches.
//!
//! Each row is measured in a process of its own, so that the peak of memory is that of the row
//! alone. Signatures are made before the clock starts, and so are keys.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use droste_native::hash_signature::{SecretKey, SignedMessage, Xmss};
use droste_native::stark::security::Preset;
use droste_native::{F, Poseidon16Suite};
use droste_verifier::cost::Recorder;
use droste_verifier::file;
use droste_verifier::fold::Options;
use droste_verifier::fold::plan::run as run_plan;
use droste_verifier::keys::Deriver;
use droste_verifier::plan::Store;
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_verifier::summary::milliseconds;
use droste_verifier::xmss::{
    Registry, SignatureBatchProgram, SignatureBatchProver, SignatureFold, Wanted,
};
use droste_vm::executor::execute;
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::report::TableReport;
use droste_vm::stack::Prove;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{ProvingKey, Verifier, encode};
use p3_field::PrimeCharacteristicRing;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::clock;
use crate::peer::cpu_ns_per_fft_unit;
use crate::process;
use crate::report::Report;

/// The slot in which all keys sign: both its halves are in use.
const SLOT: u32 = 0x0003_0007;

/// Number of instructions after which a run counts as failed.
const LIMIT: u64 = 1 << 26;

/// Tables in whose rows Poseidon-16 is computed.
const POSEIDON_TABLES: [&str; 2] = ["poseidon16", "poseidon16_tweaked"];

/// What to measure.
#[derive(Args, Clone)]
pub struct Arguments {
    /// Numbers of signatures, each of a key of a registry of as many.
    #[arg(long, value_delimiter = ',', default_value = "100,400,775,1550")]
    pub signatures: Vec<usize>,
    /// Proves the signatures in batches of at most so many, and folds the proofs. By default they
    /// are one batch, whose proof is measured alone.
    #[arg(long)]
    pub batch: Option<usize>,
    /// Security level of the proofs.
    #[arg(long, default_value_t = Preset::Proven100)]
    pub preset: Preset,
    /// Measures nothing, and writes the signatures to this file, as a list that `droste xmss`
    /// reads.
    #[arg(long, conflicts_with = "here")]
    pub write: Option<PathBuf>,
    /// Measures the row in this process, without starting another.
    #[arg(long, hide = true)]
    pub here: bool,
}

/// Runs every measurement.
pub fn run(arguments: &Arguments) -> Report {
    let mut rows = vec![];
    if let Some(path) = &arguments.write {
        let signatures = arguments.signatures.iter().sum();
        write(path, signatures);
        rows.push(json!({"signatures": signatures, "file": path}));
        return Report::from_rows(rows);
    }
    for &signatures in &arguments.signatures {
        rows.extend(match (arguments.here, arguments.batch) {
            (false, _) => in_process(arguments, signatures),
            (true, None) => Some(measure(arguments, signatures)),
            (true, Some(batch)) => Some(measure_fold(arguments, signatures, batch)),
        });
    }
    Report::from_rows(rows)
}

/// Measures the row in another process.
fn in_process(arguments: &Arguments, signatures: usize) -> Option<Value> {
    let (signatures, preset) = (signatures.to_string(), arguments.preset.to_string());
    let mut given = vec![
        "xmss",
        "--here",
        "--signatures",
        &signatures,
        "--preset",
        &preset,
    ];
    let batch = arguments.batch.map(|batch| batch.to_string());
    if let Some(batch) = &batch {
        given.extend(["--batch", batch]);
    }
    process::row(&given, &[])
}

/// The message that all keys sign.
fn message() -> [F; 8] {
    std::array::from_fn(|lane| F::from_usize(lane + 1))
}

/// So many signatures, each of a key of its own.
fn signed(signatures: usize) -> Vec<SignedMessage> {
    let signatures = (0..signatures as u64).into_par_iter().map(|number| {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        let key = SecretKey::generate(Xmss::DEFAULT, &seed, SLOT..=SLOT).expect("one slot");
        SignedMessage::new(&key, SLOT, message()).expect("the key has the slot")
    });
    signatures.collect()
}

/// The program that verifies signatures by the keys of these, so many of them at most.
fn program(signed: &[SignedMessage], most: usize) -> SignatureBatchProgram {
    let keys = signed.iter().map(|signed| signed.public_key);
    let registry = Arc::new(Registry::new(keys.collect()).expect("a number in range"));
    SignatureBatchProgram::new(registry, Xmss::DEFAULT, most).expect("a number in range")
}

/// Writes so many signatures, each of a key of its own, to a file.
fn write(path: &Path, signatures: usize) {
    let text = serde_json::to_string(&signed(signatures)).expect("signatures serialize");
    std::fs::write(path, text).expect("the file can be written");
}

/// Proves and folds batches, and verifies the fold.
fn measure_fold(arguments: &Arguments, signatures: usize, largest: usize) -> Value {
    let signed = signed(signatures);
    let (program, preset) = (program(&signed, largest), arguments.preset);
    let batches = program.batches(signed).expect("signatures");
    let rules = SignatureFold::new(program, preset, Arc::new(Deriver::new()));
    let rules = rules.expect("a number in range");
    let name = format!("droste-bench-xmss-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    let store = Store::open(&folder).expect("the folder can be made");

    let cpu = cpu_time();
    let start = Instant::now();
    let mut proofs = vec![];
    for batch in &batches {
        let proof = rules.prover().prove_kept(batch, &store);
        proofs.push(proof.expect("valid signatures"));
    }
    let proved = start.elapsed();
    let plan = rules.plan(&batches, &proofs).expect("proofs of batches");
    let leaf = |index: usize| -> io::Result<Vec<u8>> { Ok(proofs[index].clone()) };
    let folded = run_plan(rules.fold(), &plan, &store, leaf, |_| {
        ControlFlow::Continue(())
    });
    let folded = folded.expect("the plan can be run");
    let all = start.elapsed();
    let cpu = cpu_time().saturating_sub(cpu);
    let peak_rss_bytes = peak_memory();
    std::fs::remove_dir_all(folder).expect("the folder can be removed");

    let bytes = file::fold::encode(&folded).expect("the fold can be encoded");
    let fold = file::fold::decode(&bytes).expect("it was encoded");
    let options = Options::min_bits(0);
    let wanted = Wanted {
        slot: SLOT,
        message: message(),
        min_signers: signatures as u32,
    };
    let start = clock::now();
    let checked = rules.check(fold, &wanted, &options);
    let (folded, claim) = checked.expect("the fold is valid");
    let verify_ms = clock::milliseconds_since(start);
    assert_eq!(claim.count as usize, signatures, "each signer counts once");
    json!({
        "signatures": signatures,
        "batches": batches.len(),
        "batch": largest,
        "preset": preset.to_string(),
        "prove_ms": milliseconds(all),
        "batches_ms": milliseconds(proved),
        "cpu_ms": milliseconds(cpu),
        "per_second": signatures as f64 / all.as_secs_f64(),
        "peak_rss_bytes": peak_rss_bytes,
        "proof_bytes": bytes.len(),
        "verify_ms": verify_ms,
        "tree_bits": folded.accepted().tree_bits,
    })
}

fn measure(arguments: &Arguments, signatures: usize) -> Value {
    let signed = signed(signatures);
    let program = program(&signed, signatures);
    let batches = program.batches(signed).expect("signatures");
    let batch = &batches[0];
    let prover = SignatureBatchProver::new(program, arguments.preset);
    let prover = prover.expect("the program compiles");
    let (settings, heights) = (prover.key().settings, prover.log_heights().to_vec());
    let key =
        ProvingKey::<StandardTables>::new(prover.compiled(), settings, Heights::Exact(heights));
    let key = key.expect("the settings are in range");
    let recorder = Recorder::install().expect("nothing else listens");
    let before = peak_memory();

    let cpu = cpu_time();
    let start = Instant::now();
    let tape = prover.program().tape(batch).expect("valid signatures");
    let hints = start.elapsed();
    let execution = execute(prover.compiled(), &[], &tape, LIMIT).expect("the run succeeds");
    let executed = start.elapsed();
    let proof = key.prove_run(&execution).expect("the run can be proved");
    let all = start.elapsed();
    let cpu = cpu_time().saturating_sub(cpu);
    let peak_rss_bytes = peak_memory();
    let stages = recorder.stages_over_whir(executed - hints, all - executed);

    let statement = batch.claim().statement();
    let verifier = Verifier::<StandardTables>::new(proof.key.clone()).expect("the key is valid");
    let start = clock::now();
    let report = verifier.verify(&statement, VerifyOptions::min_bits(0), &proof);
    let report = report.expect("the proof is valid");
    let verify_ms = clock::milliseconds_since(start);
    let input = TraceInput {
        program: key.program(),
        execution: &execution,
    };
    let tables = key.machine().tables().iter();
    let rows: Vec<(&str, usize)> = tables.map(|t| (t.name(), t.rows(&input))).collect();
    let poseidon = rows
        .iter()
        .filter(|(name, _)| POSEIDON_TABLES.contains(name));
    let poseidon: usize = poseidon.map(|(_, rows)| rows).sum();
    let fft_cost = report.fft_cost();
    let tallest = report.tables.iter().map(TableReport::height).max();
    let peers = arguments.preset.settings(settings.log_blowup);
    let peers = peers.expect("the preset has this blowup");
    let peer = cpu_ns_per_fft_unit::<Poseidon16Suite>(&peers, tallest.unwrap_or(1));
    let tables = report.tables.iter().zip(&rows);
    let heights: Vec<Value> = tables
        .map(|(table, (name, rows))| json!({"name": name, "rows": rows, "height": table.height()}))
        .collect();
    let each = |total: usize| total as f64 / signatures as f64;
    json!({
        "signatures": signatures,
        "hash": "poseidon16",
        "preset": arguments.preset.to_string(),
        "blowup": 1 << settings.log_blowup,
        "prove_ms": milliseconds(all),
        "per_second": signatures as f64 / all.as_secs_f64(),
        "cpu_ms": milliseconds(cpu),
        "hints_ms": milliseconds(hints),
        "stages_ms": stages,
        "cycles_per_signature": each(execution.cycles.len()),
        "poseidon_rows_per_signature": each(poseidon),
        "tables": heights,
        "fft_cost": fft_cost,
        "cpu_ns_per_fft_unit": cpu.as_nanos() as f64 / fft_cost as f64,
        "peer_cpu_ns_per_fft_unit": peer,
        "start_rss_bytes": before,
        "peak_rss_bytes": peak_rss_bytes,
        "proof_bytes": encode(&proof).map_or(0, |bytes| bytes.len()),
        "verify_ms": verify_ms,
        "proven_bits": report.security.bits(),
    })
}
