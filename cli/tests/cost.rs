//! `droste cost` prints one row per hash and number of queries, with the documented fields.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

const FIELDS: [&str; 28] = [
    "program",
    "inner_cycles",
    "inner_hash",
    "inner_stack",
    "queries",
    "blowup",
    "proven_bits_inner",
    "proven_bits_outer",
    "outer_blowup",
    "leaf_prove_ms",
    "leaf_cpu_ms",
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
    "run",
];

/// Fields that only rows have whose openings a batch takes, or has taken.
const OF_BATCHES: [&str; 2] = ["calls_at_queries", "openings"];

/// Fields that only an outer proof has.
const OUTER: [&str; 6] = [
    "outer_prove_ms",
    "stages_ms",
    "outer_verify_ms",
    "outer_proof_bytes",
    "peak_rss_bytes",
    "cpu_ns_per_fft_unit",
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
    rows_and_messages(arguments).0
}

fn rows_and_messages(arguments: &str) -> (Vec<Value>, String) {
    let output = cost(&format!("--public 5 --format json {arguments}"));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    for row in &rows {
        let mut fields: Vec<&str> = row
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .filter(|field| !OF_BATCHES.contains(field))
            .collect();
        let mut expected = FIELDS;
        fields.sort_unstable();
        expected.sort_unstable();
        assert_eq!(fields, expected);
    }
    (rows, errors)
}

/// Rows by tables and in a batch verify the same proof; where a batch takes none, there is one row.
#[test]
fn openings_are_verified_in_both_ways() {
    let both = "--inner-hash poseidon16,keccak --queries 2 --openings both --execute-only";
    let (rows, messages) = rows_and_messages(both);
    let [poseidon16, tables, batch] = rows.as_slice() else {
        panic!("{} rows", rows.len());
    };
    assert!(messages.contains("keccak over fri, queries 2, openings in a batch: "));
    assert!(poseidon16["calls_at_queries"].is_null());
    assert_eq!(batch["inner_hash"], "keccak");
    for field in [
        "inner_hash",
        "calls_at_queries",
        "proven_bits_inner",
        "leaf_fft_cost",
    ] {
        assert_eq!(tables[field], batch[field], "{field}");
    }
    assert!(tables["openings"].is_null());
    let openings = &batch["openings"];
    assert_eq!(openings["calls"], batch["calls_at_queries"]);
    assert!(openings["native_ms"].as_f64() > Some(0.0));
    assert!(openings["rows"].as_u64() > Some(1000));
    // What is left in tables are the calls of the transcript.
    let permutations = |row: &Value| row["permutations"]["keccak"].as_u64().unwrap();
    let calls = openings["calls"].as_u64().unwrap();
    assert_eq!(permutations(batch) + calls, permutations(tables));
    // So few calls have a row by tables, unless both are asked for.
    let default = cost("--public 5 --format json --inner-hash keccak --queries 2 --execute-only");
    let rows: Vec<Value> = serde_json::from_slice(&default.stdout).unwrap();
    assert_eq!(rows.len(), 1);
    assert!(rows[0]["openings"].is_null());
    for (hash, openings, words) in [
        ("poseidon16", "batch", "no row could be measured"),
        ("keccak", "graph", "or both"),
    ] {
        let arguments = format!("--public 5 --inner-hash {hash} --queries 2 --openings {openings}");
        let output = cost(&arguments);
        assert!(!output.status.success());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(words), "{errors}");
    }
}

#[test]
fn execution_alone_leaves_the_outer_fields_null() {
    let (rows, messages) = rows_and_messages("--inner-hash all --queries 3,4 --execute-only");
    assert_eq!(rows.len(), 8);
    // It was asked to prove no wrap, so it does not say that it left one out; it says what one
    // takes.
    assert!(!messages.contains("left out"), "{messages}");
    let estimate = "poseidon16 over fri, queries 3: proving the wrap would take about ";
    assert!(messages.contains(estimate), "{messages}");
    for row in &rows {
        for field in OUTER {
            assert!(row[field].is_null(), "{field}: {}", row[field]);
        }
        assert!(row["cycles"].as_u64() > Some(1000));
        let run = &row["run"];
        assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
        let command = run["command"].as_str().unwrap();
        assert!(command.contains(" cost --program "), "{command}");
        assert!(command.ends_with(" --execute-only"), "{command}");
        assert!(run["machine"]["threads"].as_u64() > Some(0));
        assert!(run["machine"]["kernels"]["blake3"].is_string());
    }
    let of = |name: &str| -> Vec<&Value> {
        rows.iter()
            .filter(|row| row["inner_hash"] == name)
            .collect()
    };
    // More queries take more permutations, and each hash uses its own precompile. Cycles may fall:
    // the transcript of a byte hash discards samples above the modulus, and how many depends on the
    // proof.
    for (hash, other) in [
        ("poseidon2", "blake3"),
        ("blake3", "keccak"),
        ("keccak", "poseidon2"),
    ] {
        let rows = of(hash);
        assert_eq!([&rows[0]["queries"], &rows[1]["queries"]], [3, 4]);
        let permutations = |row: &Value| row["permutations"][hash].as_u64();
        assert!(permutations(rows[0]) > Some(0));
        assert!(permutations(rows[0]) < permutations(rows[1]));
        assert_eq!(rows[0]["permutations"][other], 0);
    }
    // The hash changes what verifying costs, not the tables that are proved.
    for row in &rows {
        assert_eq!(row["leaf_fft_cost"], rows[0]["leaf_fft_cost"]);
        assert_eq!(row["inner_cycles"], rows[0]["inner_cycles"]);
    }
}

/// The process whose parent and whose command line are these, if it runs.
#[cfg(target_os = "linux")]
fn child(parent: u32, argument: &str) -> Option<String> {
    fs::read_dir("/proc").unwrap().find_map(|entry| {
        let folder = entry.ok()?.path();
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let of = stat.rsplit_once(") ")?.1.split(' ').nth(1)?;
        let arguments = fs::read(folder.join("cmdline")).ok()?;
        let mut arguments = arguments.split(|&byte| byte == 0);
        let found = of == parent.to_string() && arguments.any(|found| found == argument.as_bytes());
        found.then(|| folder.file_name().unwrap().to_string_lossy().into_owned())
    })
}

#[test]
#[cfg(target_os = "linux")]
fn a_row_that_fails_does_not_lose_the_others() {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("factorial.rs");
    fs::write(&program, droste_programs::source("factorial").unwrap()).unwrap();
    let arguments = "--public 5 --format json --inner-hash all --queries 3 --execute-only";
    let command = Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(["cost", "--program"])
        .arg(&program)
        .args(arguments.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // What the kernel does when memory runs out.
    let measuring = loop {
        if let Some(process) = child(command.id(), "blake3") {
            break process;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let killed = Command::new("kill").args(["-9", &measuring]).status();
    assert!(killed.unwrap().success());
    let output = command.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stdout).unwrap();
    let (rows, refusal) = printed.trim_end().split_once('\n').unwrap();
    let rows: Vec<Value> = serde_json::from_str(rows).unwrap();
    let hashes: Vec<&Value> = rows.iter().map(|row| &row["inner_hash"]).collect();
    assert_eq!(hashes, ["poseidon16", "poseidon2", "keccak"]);
    let refusal: Value = serde_json::from_str(refusal).unwrap();
    assert_eq!(refusal["exit_code"], 1);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains(
        "droste: blake3 over fri, queries 3: the process that measures ended with signal: 9"
    ));
    assert!(
        errors.contains("1 of 4 rows could not be measured"),
        "{errors}"
    );
}

#[test]
fn the_memory_of_a_proof_is_a_number_of_gib() {
    for memory in ["0", "99999999999999999"] {
        let output = cost(&format!("--public 5 --memory {memory}"));
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            errors.contains("--memory: expected a number of GiB from 1"),
            "{errors}"
        );
    }
}

/// Runs the command in a folder.
fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap()
}

/// The data in a report.
fn data(folder: &TempDir, report: &str) -> Value {
    let page = fs::read_to_string(folder.path().join(report)).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn every_figure_of_an_outer_proof_is_measured() {
    let folder = TempDir::new().unwrap();
    let report = folder.path().join("cost.html");
    let report = report.to_str().unwrap();
    let rows = rows(&format!(
        "--inner-hash poseidon16 --queries 3 --outer-preset toy --report {report}"
    ));
    let expected = serde_json::json!({ "sources": [null], "rows": rows });
    assert_eq!(data(&folder, report), expected);
    saved_rows_are_read(&folder, &rows);
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
    for stage in [
        "execute",
        "trace",
        "commit",
        "lookup",
        "constraints",
        "open",
    ] {
        assert!(stages[stage].as_f64() > Some(0.0), "{stage}");
    }
}

/// Rows that were saved are printed and reported as they were, from any number of files; what is
/// not known in them is refused by its name.
fn saved_rows_are_read(folder: &TempDir, rows: &[Value]) {
    let save = |name: &str, rows: &Value| fs::write(folder.path().join(name), rows.to_string());
    let mut bare = rows.to_vec();
    // A row may come without the run that measured it.
    bare[0].as_object_mut().unwrap().remove("run");
    let mut hostile = rows.to_vec();
    hostile[0]["program"] = "</script><script>alert(1)</script>".into();
    let [bare, hostile] = [bare, hostile].map(Value::from);
    save("bare.json", &bare).unwrap();
    save("hostile <b>.json", &hostile).unwrap();
    let both = ["--from", "bare.json", "hostile <b>.json"];
    let arguments = ["--format", "json", "cost", "--report", "both.html"];
    let output = run(folder, &[&arguments[..], &both].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        printed,
        Value::from(vec![bare[0].clone(), hostile[0].clone()])
    );
    let expected = serde_json::json!({ "sources": &both[1..], "rows": printed });
    assert_eq!(data(folder, "both.html"), expected);

    let refused = |rows: Value, words: &str| {
        save("a.json", &rows).unwrap();
        let output = run(folder, &["cost", "--from", "a.json", "--report", "no.html"]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(words), "{errors}");
        assert!(!folder.path().join("no.html").exists());
    };
    let changed = |place: &str, value: Value| {
        let mut rows = Value::from(rows);
        let (parent, name) = place.rsplit_once('/').unwrap();
        rows.pointer_mut(parent).unwrap()[name] = value;
        rows
    };
    refused(
        changed("/0/joules", 1.into()),
        "a.json: row 0.joules is not",
    );
    refused(
        changed("/0/stages_ms/rest", 1.into()),
        "row 0.stages_ms.rest is not",
    );
    refused(
        changed("/0/run/machine/kernels/sha2", "asm".into()),
        "row 0.run.machine.kernels.sha2 is not",
    );
    refused(changed("/0/inner_hash", "sha2".into()), "sha2");
    refused(changed("/0/fft_cost", "1".into()), "row 0.fft_cost: ");
    refused(
        changed("/0/stages_ms/open", "1".into()),
        "row 0.stages_ms.open: ",
    );
    let mut early = rows.to_vec();
    early[0].as_object_mut().unwrap().remove("outer_blowup");
    refused(early.into(), "row 0: missing field `outer_blowup`");
    // Early rows may be of outer proofs over FRI.
    let words = "row 0.outer_stack is not a figure";
    refused(changed("/0/outer_stack", "fri".into()), words);
    let words = "a.json: not rows that `droste cost --format json` printed: ";
    refused(Value::from(vec![Value::Null]), words);
    refused(Value::from(Vec::<Value>::new()), "there are no rows");
}

#[test]
fn steps_to_the_canonical_shape_are_measured() {
    let arguments = "--inner-hash poseidon16 --queries 3 --outer-preset toy --canonical";
    let output = cost(&format!("--public 5 --format json {arguments}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let steps = rows[0]["canonical"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["canonical"], true);
    assert!(steps[0]["prove_ms"].as_f64() > Some(0.0));
    assert!(steps[0]["prove_cpu_ms"].as_f64() > Some(0.0));
}

/// An estimate of memory is near the peak of the process that proves. On one thread, since the
/// allocator keeps 10 to 25 MiB for each more, which the estimate does not count and a proof of 200
/// MiB shows.
#[test]
fn estimates_of_memory_are_true() {
    for arguments in [
        "--inner-hash poseidon16 --inner-stack fri --queries 40",
        "--inner-hash blake3 --inner-stack fri --queries 3",
    ] {
        let folder = TempDir::new().unwrap();
        let program = folder.path().join("factorial.rs");
        fs::write(&program, droste_programs::source("factorial").unwrap()).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_droste"))
            .args(["cost-row", "--program"])
            .arg(&program)
            .args(["--public", "5", "--outer-preset", "toy"])
            .args(arguments.split(' '))
            .env("RAYON_NUM_THREADS", "1")
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let measured: Value = serde_json::from_slice(&output.stdout).unwrap();
        let estimate = measured["outer_estimate_bytes"].as_f64().unwrap();
        // Not every operating system reports the peak.
        if let Some(peak) = measured["row"]["peak_rss_bytes"].as_f64() {
            let ratio = estimate / peak;
            println!("{arguments}: {ratio:.2}");
            assert!(
                (0.8..1.5).contains(&ratio),
                "{arguments}: {estimate} of {peak}"
            );
        }
    }
}

/// A program that needs hints, over the stack that `droste prove` uses, in a list of hashes; and the
/// wrap of a proof that exists, which has the same figures.
#[test]
fn programs_with_hints_and_proofs_are_measured() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "root.rs",
        "use droste_gadgets::prelude::*;\npub fn main() {\n    let x = hint_felt().any();\n    \
         assert_eq!(x * x, public_input());\n}\n",
    );
    write("hints.json", r#"[{"felt": 7}]"#);
    let json = |arguments: &str| -> Vec<Value> {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let output = run(&folder, &[&["--format", "json"][..], &arguments].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let values: Value = serde_json::from_slice(&output.stdout).unwrap();
        values.as_array().cloned().unwrap_or_default()
    };
    let of = "root.rs --public 49 --hints hints.json";
    // A run that fails, as without the hints, is said once and not for each row.
    let output = run(&folder, &["cost", "--program", "root.rs", "--public", "49"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let times = errors.matches("the hint tape is exhausted").count();
    assert_eq!(times, 1, "{errors}");
    assert!(!errors.contains("measured"), "{errors}");
    let outer = "--outer-preset toy --execute-only";
    let rows = json(&format!(
        "cost --program {of} --inner-hash poseidon16,poseidon2 --preset toy {outer}"
    ));
    let of_rows = |name: &str| -> Vec<&Value> { rows.iter().map(|row| &row[name]).collect() };
    assert_eq!(of_rows("inner_hash"), ["poseidon16", "poseidon2"]);
    assert_eq!(of_rows("inner_stack"), ["whir", "whir"]);

    json(&format!("prove {of} --preset toy -o seven.proof"));
    let found = json(&format!("cost --proof seven.proof {outer}"));
    let [found] = found.as_slice() else {
        panic!("{found:?}");
    };
    for name in ["cycles", "fft_cost", "queries", "leaf_proof_bytes"] {
        assert_eq!(found[name], rows[0][name], "{name}");
    }
    for name in ["inner_cycles", "leaf_prove_ms", "leaf_cpu_ms"] {
        assert!(found[name].is_null(), "{name}");
    }
    assert_eq!(found["program"], "seven");
    // What was printed is read again.
    write("rows.json", &Value::from(vec![found.clone()]).to_string());
    assert_eq!(json("cost --from rows.json"), std::slice::from_ref(found));
    for (arguments, code, words) in [
        (
            "cost --proof seven.proof --program root.rs",
            2,
            "cannot be used with",
        ),
        ("cost --proof root.rs", 1, "root.rs"),
        (
            "cost --program root.rs --public 49 --hints root.rs",
            1,
            "root.rs is not a tape of hints, such as [{\"felt\": 3}], in JSON: expected value",
        ),
        ("cost", 2, "--program"),
    ] {
        let output = run(&folder, &arguments.split(' ').collect::<Vec<_>>());
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
        assert!(errors.contains(words), "{arguments}: {errors}");
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
    fails("--queries 3 --preset toy", 2, "cannot be used with");
    fails("--from a.json", 2, "cannot be used with");
    fails(
        "--queries 3 --execute-only --report nowhere/a.html",
        1,
        "nowhere/a.html: the folder nowhere does not exist",
    );
    fails("--public x", 2, "not a field element");
    // The program takes one input.
    fails("--public 5,6 --queries 3 --execute-only", 1, "input");
}
