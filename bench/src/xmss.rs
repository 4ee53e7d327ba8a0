//! `droste-bench xmss`: batches of XMSS signatures, from the signatures to a proof that they are
//! valid.
//!
//! Each row is measured in a process of its own, so that the peak of memory is that of the row
//! alone. Signatures are made before the clock starts, and so is the program's key.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use droste_native::hash_signature::{SecretKey, SignedMessage, Xmss};
use droste_native::stark::security::Preset;
use droste_native::{F, HashId, HashSuite, with_suite};
use droste_verifier::cost::Recorder;
use droste_verifier::resources::{cpu_time, peak_memory};
use droste_verifier::summary::milliseconds;
use droste_verifier::xmss::{SignatureBatch, SignatureBatchProgram};
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
    /// Numbers of signatures of a batch.
    #[arg(long, value_delimiter = ',', default_value = "100,400,775,1550")]
    pub signatures: Vec<usize>,
    /// Hashes in which the proofs are committed.
    #[arg(long, value_delimiter = ',', default_value = "poseidon16")]
    pub hashes: Vec<HashId>,
    /// Security level of the proofs.
    #[arg(long, default_value_t = Preset::Proven100)]
    pub preset: Preset,
    /// Logarithm of the blowup.
    #[arg(long, default_value_t = 1)]
    pub log_blowup: usize,
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
        for &hash in &arguments.hashes {
            rows.extend(if arguments.here {
                Some(with_suite!(hash, H => measure::<H>(arguments, signatures)))
            } else {
                in_process(arguments, signatures, hash)
            });
        }
    }
    Report::from_rows(rows)
}

/// Measures the row in another process.
fn in_process(arguments: &Arguments, signatures: usize, hash: HashId) -> Option<Value> {
    process::row(
        &[
            "xmss",
            "--here",
            "--signatures",
            &signatures.to_string(),
            "--hashes",
            &hash.to_string(),
            "--preset",
            &arguments.preset.to_string(),
            "--log-blowup",
            &arguments.log_blowup.to_string(),
        ],
        &[],
    )
}

/// A batch of so many signatures, each of a key of its own.
fn batch(signatures: usize) -> SignatureBatch {
    let message = std::array::from_fn(|lane| F::from_usize(lane + 1));
    let signatures = (0..signatures as u64).into_par_iter().map(|number| {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&number.to_le_bytes());
        let key = SecretKey::generate(Xmss::DEFAULT, &seed, SLOT..=SLOT).expect("one slot");
        let signature = key.sign(SLOT, &message).expect("the key has the slot");
        (key.public_key(), signature)
    });
    SignatureBatch {
        slot: SLOT,
        message,
        signatures: signatures.collect(),
    }
}

/// Writes so many signatures, each of a key of its own, to a file.
fn write(path: &Path, signatures: usize) {
    let SignatureBatch {
        slot,
        message,
        signatures,
    } = batch(signatures);
    let signed = signatures
        .into_iter()
        .map(|(public_key, signature)| SignedMessage {
            public_key,
            slot,
            message,
            signature,
        });
    let signed: Vec<SignedMessage> = signed.collect();
    let text = serde_json::to_string(&signed).expect("signatures serialize");
    std::fs::write(path, text).expect("the file can be written");
}

fn measure<H: HashSuite>(arguments: &Arguments, signatures: usize) -> Value {
    let batch = batch(signatures);
    let program = SignatureBatchProgram::new(Xmss::DEFAULT, signatures).expect("a number in range");
    let compiled = program.compile().expect("the program compiles");
    let settings = program.settings(arguments.preset, arguments.log_blowup);
    let key = ProvingKey::<StandardTables, H>::new(&compiled, settings, Heights::Minimal);
    let key = key.expect("the settings are in range");
    let recorder = Recorder::install().expect("nothing else listens");
    let before = peak_memory();

    let cpu = cpu_time();
    let start = Instant::now();
    let tape = program.tape(&batch).expect("the signatures are valid");
    let hints = start.elapsed();
    let execution = execute(&compiled, &[], &tape, LIMIT).expect("the run succeeds");
    let executed = start.elapsed();
    let proof = key.prove_run(&execution).expect("the run can be proved");
    let all = start.elapsed();
    let cpu = cpu_time().saturating_sub(cpu);
    let peak_rss_bytes = peak_memory();
    let stages = recorder.stages_over_whir(executed - hints, all - executed);

    let statement = batch.claim().statement(program.log_keys());
    let statement = statement.expect("the program was chosen for the batch");
    let verifier = Verifier::<StandardTables, H>::new(proof.key.clone()).expect("the key is valid");
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
    let peers = arguments.preset.settings(arguments.log_blowup);
    let peers = peers.expect("the preset has this blowup");
    let peer = cpu_ns_per_fft_unit::<H>(&peers, tallest.unwrap_or(1));
    let tables = report.tables.iter().zip(&rows);
    let heights: Vec<Value> = tables
        .map(|(table, (name, rows))| json!({"name": name, "rows": rows, "height": table.height()}))
        .collect();
    let each = |total: usize| total as f64 / signatures as f64;
    json!({
        "signatures": signatures,
        "hash": H::NAME,
        "preset": arguments.preset.to_string(),
        "blowup": 1 << arguments.log_blowup,
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
