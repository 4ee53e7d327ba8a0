//! Commitments to the columns of a run's traces, under each hash and each curve scheme.
//!
//! The Merkle trees are over the rows of the trace itself, whereas a FRI prover would first extend
//! it to `blowup` times as many rows. The curve schemes make one commitment per column.

use ark_bn254::Fr;
use ark_grumpkin::GrumpkinConfig;
use droste_curves::commit::kzg::Kzg;
use droste_curves::commit::pedersen::PedersenKey;
use droste_curves::commit::srs::Srs;
use droste_curves::msm::Msm;
use droste_native::stark::security::Preset;
use droste_native::{Blake3Suite, F, HashSuite, KeccakSuite, Poseidon2Suite, Poseidon16Suite};
use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{ProvingKey, traces};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::tables::Table;
use p3_commit::Mmcs;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use serde_json::{Value, json};

use super::Arguments;
use crate::clock::{milliseconds_since, now};

/// The programs and their public input, which is the number of iterations of their loop.
const RUNS: [(&str, u32); 2] = [("factorial", 1000), ("fibonacci", 1000)];

/// Returns one row per program and table.
pub fn rows(arguments: &Arguments) -> Vec<Value> {
    let runs: Vec<_> = RUNS
        .into_iter()
        .map(|(name, n)| (name, run(name, n)))
        .collect();
    let traces = runs.iter().flat_map(|(_, traces)| traces);
    let height = traces.map(|(_, trace)| trace.height()).max().unwrap_or(1);
    let mut kzg = Kzg::new(Srs::insecure_from_seed(b"droste-bench", height));
    let mut pedersen = PedersenKey::<GrumpkinConfig>::new(b"droste-bench", height);
    kzg.msm = Msm::new().threads(arguments.threads);
    pedersen.msm = kzg.msm.clone();
    let rounds = arguments.rounds;
    let mut rows = vec![];
    for (program, traces) in &runs {
        for (table, trace) in traces {
            let columns = trace.transpose();
            let numbers: Vec<Vec<u32>> = columns
                .row_slices()
                .map(|column| column.iter().map(PrimeField32::as_canonical_u32).collect())
                .collect();
            let kzg_ms = least(rounds, || {
                for column in &numbers {
                    let scalars: Vec<Fr> = column.iter().map(|&x| x.into()).collect();
                    assert!(kzg.commit(&scalars).is_ok(), "as many powers as rows");
                }
            });
            let ipa_ms = least(rounds, || {
                for column in &numbers {
                    let scalars: Vec<_> = column.iter().map(|&x| x.into()).collect();
                    let sum = pedersen.commit(&scalars, None);
                    assert!(sum.is_ok(), "as many bases as rows");
                }
            });
            rows.push(json!({
                "scheme": "trace", "program": program, "table": table,
                "n": trace.height(), "columns": trace.width(), "threads": arguments.threads,
                "poseidon16_ms": merkle::<Poseidon16Suite>(rounds, trace),
                "poseidon2_ms": merkle::<Poseidon2Suite>(rounds, trace),
                "blake3_ms": merkle::<Blake3Suite>(rounds, trace),
                "keccak_ms": merkle::<KeccakSuite>(rounds, trace),
                "kzg_ms": kzg_ms, "ipa_ms": ipa_ms,
            }));
        }
    }
    rows
}

/// Returns the names and traces of a run's tables. They do not depend on the hash.
fn run(program: &str, input: u32) -> Vec<(String, RowMajorMatrix<F>)> {
    let source = droste_programs::source(program).expect("the program exists");
    let compiled = compile_file(program, source, droste_gadgets::SOURCES);
    let compiled = compiled.expect("the program compiles");
    let public = [F::from_u32(input)];
    let execution = execute(&compiled, &public, &Tape::default(), 1 << 26);
    let execution = execution.expect("the run succeeds");
    let settings = Preset::Proven100
        .settings(1)
        .expect("the settings are in range");
    let key = ProvingKey::<Poseidon16Suite, StandardTables>::new(
        &compiled.program,
        settings,
        Heights::Minimal,
    );
    let key = key.expect("the settings are in range");
    let traces = traces(&key, &execution).expect("the run fits");
    let tables = key.machine().tables().iter();
    tables
        .map(|table| table.name().to_string())
        .zip(traces)
        .collect()
}

/// Returns the milliseconds that a Merkle tree over the rows takes.
fn merkle<H: HashSuite>(rounds: usize, trace: &RowMajorMatrix<F>) -> f64 {
    let mmcs = H::val_mmcs(0);
    let copies = (0..rounds.max(1))
        .map(|_| trace.clone())
        .collect::<Vec<_>>();
    let mut copies = copies.into_iter();
    least(rounds, || {
        std::hint::black_box(copies.next().map(|trace| mmcs.commit_matrix(trace)));
    })
}

/// Returns the smallest time of a call in milliseconds.
fn least(rounds: usize, mut call: impl FnMut()) -> f64 {
    let times = (0..rounds.max(1)).map(|_| {
        let start = now();
        call();
        milliseconds_since(start)
    });
    times.fold(f64::INFINITY, f64::min)
}
