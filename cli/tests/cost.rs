//! `droste cost`: one row a hash and number of queries, with the documented fields.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const FIELDS: [&str; 26] = [
    "program",
    "inner_cycles",
    "inner_hash",
    "queries",
    "blowup",
    "proven_bits_inner",
    "outer_hash",
    "proven_bits_outer",
    "leaf_prove_ms",
    "leaf_fft_cost",
    "leaf_proof_bytes",
    "execute_ms",
    "execute_peak_rss_bytes",
    "cycles",
    "tables",
    "fft_cost",
    "transform_cost",
    "opened_per_query",
    "outer_prove_ms",
    "stages_ms",
    "outer_verify_ms",
    "outer_proof_bytes",
    "peak_rss_bytes",
    "permutations",
    "cpu_ns_per_fft_unit",
    "peer_cpu_ns_per_fft_unit",
];

/// Fields of the outer proof.
const OUTER: [&str; 7] = [
    "outer_prove_ms",
    "stages_ms",
    "outer_verify_ms",
    "outer_proof_bytes",
    "peak_rss_bytes",
    "cpu_ns_per_fft_unit",
    "peer_cpu_ns_per_fft_unit",
];

fn cost(arguments: &str) -> Output {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("factorial.rs");
    fs::write(&program, droste_programs::source("factorial").unwrap()).unwrap();
    Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(["cost", "--program"])
        .arg(&program)
        .args(arguments.split(' '))
        .output()
        .unwrap()
}

fn rows(arguments: &str) -> Vec<Value> {
    let output = cost(&format!("--public 5 --format json {arguments}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    for row in &rows {
        let mut fields: Vec<&str> = row
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut expected = FIELDS;
        fields.sort_unstable();
        expected.sort_unstable();
        assert_eq!(fields, expected);
    }
    rows
}

#[test]
fn execution_alone_leaves_the_outer_fields_null() {
    let rows = rows("--inner-hash all --queries 3,4 --execute-only");
    assert_eq!(rows.len(), 6);
    for row in &rows {
        for field in OUTER {
            assert!(row[field].is_null(), "{field}: {}", row[field]);
        }
        assert!(row["cycles"].as_u64() > Some(1000));
        assert_eq!(row["outer_hash"], "poseidon16");
    }
    let of = |name: &str| -> Vec<&Value> {
        rows.iter()
            .filter(|row| row["inner_hash"] == name)
            .collect()
    };
    // More queries, more permutations, and each hash its own. Cycles may fall: a byte transcript passes
    // over samples above the modulus, and how many there are depends on the proof.
    for (hash, other) in [("blake3", "keccak"), ("keccak", "blake3")] {
        let rows = of(hash);
        assert_eq!([&rows[0]["queries"], &rows[1]["queries"]], [3, 4]);
        let permutations = |row: &Value| row["permutations"][hash].as_u64();
        assert!(permutations(rows[0]) > Some(0));
        assert!(permutations(rows[0]) < permutations(rows[1]));
        assert_eq!(rows[0]["permutations"][other], 0);
    }
    // The hash changes what verifying costs, not what is proved.
    for row in &rows {
        assert_eq!(row["leaf_fft_cost"], rows[0]["leaf_fft_cost"]);
        assert_eq!(row["inner_cycles"], rows[0]["inner_cycles"]);
    }
}

#[test]
fn every_figure_of_an_outer_proof_is_measured() {
    let rows = rows("--inner-hash poseidon16 --queries 3 --outer-preset toy");
    let [row] = &rows[..] else {
        panic!("{} rows", rows.len());
    };
    for field in OUTER {
        assert!(!row[field].is_null(), "{field}");
    }
    let tables = row["tables"].as_array().unwrap();
    let sum: u64 = tables
        .iter()
        .map(|table| table["fft_cost"].as_u64().unwrap())
        .sum();
    assert_eq!(row["fft_cost"], sum);
    assert!(row["transform_cost"].as_u64() > Some(sum));
    let stages = row["stages_ms"].as_object().unwrap();
    let sum: f64 = stages.values().map(|ms| ms.as_f64().unwrap()).sum();
    let expected = row["outer_prove_ms"].as_f64().unwrap() + row["execute_ms"].as_f64().unwrap();
    assert!((sum - expected).abs() < 0.02 * expected, "{sum} {expected}");
    for stage in ["execute", "trace", "commit", "lookup", "quotient", "open"] {
        assert!(stages[stage].as_f64() > Some(0.0), "{stage}");
    }
}

#[test]
fn usage_is_checked() {
    let fails = |arguments: &str, code: i32, words: &str| {
        let output = cost(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
        assert!(errors.contains(words), "{arguments}: {errors}");
    };
    fails("--inner-hash sha256", 2, "unknown hash");
    fails("--queries 0", 2, "num_queries");
    fails("--queries 3 --blowup 3", 2, "the blowup is 3");
    fails("--queries 3 --outer-blowup 5", 2, "the blowup is 5");
    fails("--queries 3 --preset toy", 2, "cannot be used with");
    fails("--public x", 2, "no field element");
    // The program takes one input.
    fails("--public 5,6 --queries 3 --execute-only", 1, "input");
}
