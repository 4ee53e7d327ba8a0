//! `droste prove`, `wrap`, `join`, `verify` and `inspect` on toy proofs: results, exit codes, messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Runs the command with these arguments, of which `FOLDER` stands for the test's folder.
fn droste(folder: &TempDir, arguments: &str) -> Output {
    let path = folder.path().display().to_string();
    let arguments = arguments
        .split(' ')
        .map(|word| word.replace("FOLDER", &path));
    Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(arguments)
        .output()
        .unwrap()
}

/// As [`droste`]; it must succeed and print JSON.
fn json(folder: &TempDir, arguments: &str) -> Value {
    let output = droste(folder, &format!("--format json {arguments}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// As [`droste`]; it must fail with this exit code and these words.
fn fails(folder: &TempDir, arguments: &str, code: i32, words: &str) {
    let output = droste(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
    assert!(errors.contains(words), "{arguments}: {errors}");
    assert!(output.stdout.is_empty(), "{arguments}");
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

fn file(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

/// Programs, a proof of each, and its wrap.
fn folder_with_wraps() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (program, public) in [("factorial", 5), ("fibonacci", 4)] {
        let source = droste_programs::source(program).unwrap();
        fs::write(file(&folder, &format!("{program}.rs")), source).unwrap();
        let of = format!("FOLDER/{program}");
        json(
            &folder,
            &format!("prove {of}.rs --public {public} --preset toy -o {of}.proof"),
        );
        json(
            &folder,
            &format!(
                "wrap {of}.proof --program {of}.rs --public {public} --preset toy -o {of}.wrap"
            ),
        );
    }
    folder
}

#[test]
fn proofs_are_wrapped_joined_and_verified() {
    let folder = folder_with_wraps();
    let joined = json(
        &folder,
        "join FOLDER/factorial.wrap FOLDER/fibonacci.wrap --preset toy -o FOLDER/both",
    );
    let (key, claim) = (text(&joined, "key"), text(&joined, "claim"));

    let verified = json(
        &folder,
        &format!("verify FOLDER/both --key {key} --claim {claim} --min-bits 1"),
    );
    assert_eq!(text(&verified, "claim"), claim);
    let bits = verified["proven_bits"].as_u64().unwrap();
    assert!((1..100).contains(&bits), "{bits}");

    // The tree: statements of both programs, in order.
    let inspected = json(&folder, "inspect FOLDER/both");
    assert_eq!(text(&inspected, "key"), key);
    let leaf = |child: usize| &inspected["tree"]["children"][child]["children"][0];
    assert_eq!(
        leaf(0)["statement"],
        serde_json::json!([5, 120, 0, 0, 0, 0, 0, 0])
    );
    assert_eq!(
        leaf(1)["statement"],
        serde_json::json!([4, 3, 0, 0, 0, 0, 0, 0])
    );
    let printed = droste(&folder, "inspect FOLDER/both");
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.contains("says 5,120,0,0,0,0,0,0"), "{printed}");
    assert!(printed.contains("verifies 2"), "{printed}");

    rejected(&folder, key, claim, bits);
    the_order_is_kept(&folder, key, claim);
    damaged_files_are_rejected(&folder, key, claim);
}

fn rejected(folder: &TempDir, key: &str, claim: &str, bits: u64) {
    let verify = |rest: &str, code: i32, words: &str| {
        fails(folder, &format!("verify FOLDER/both {rest}"), code, words);
    };
    let other = "0".repeat(64);
    verify(
        &format!("--key {other} --claim {claim} --min-bits 0"),
        1,
        "set of recursion keys",
    );
    verify(
        &format!("--key {key} --claim {other} --min-bits 0"),
        1,
        "the claim is",
    );
    // 100 bits by default.
    verify(&format!("--key {key} --claim {claim}"), 1, "proven bits");
    let more = bits + 1;
    verify(
        &format!("--key {key} --claim {claim} --min-bits {more}"),
        1,
        "proven bits",
    );
    // Wrong usage.
    verify(&format!("--key {key}"), 2, "--claim");
    verify(&format!("--claim {claim}"), 2, "--key");
    verify(&format!("--key {key} --claim 00"), 2, "64 hexadecimal");
    let high = "f".repeat(64);
    verify(&format!("--key {key} --claim {high}"), 2, "not canonical");
    let of = "--program FOLDER/factorial.rs";
    verify(&format!("{of} --claim {claim}"), 2, "cannot be used with");
    fails(
        folder,
        &format!("verify FOLDER/factorial.proof --key {key} --claim {claim}"),
        2,
        "--claim is for aggregates",
    );
    fails(folder, "join -o FOLDER/none", 2, "required");
}

fn the_order_is_kept(folder: &TempDir, key: &str, claim: &str) {
    let swapped = json(
        folder,
        "join FOLDER/fibonacci.wrap FOLDER/factorial.wrap --preset toy -o FOLDER/swapped",
    );
    assert_eq!(text(&swapped, "key"), key);
    assert_ne!(text(&swapped, "claim"), claim);
    fails(
        folder,
        &format!("verify FOLDER/swapped --key {key} --claim {claim} --min-bits 0"),
        1,
        "the claim is",
    );
    // What is no aggregate, or one of other settings, is not joined; nothing is written.
    fails(
        folder,
        "join FOLDER/factorial.wrap FOLDER/factorial.proof --preset toy -o FOLDER/none",
        1,
        "not an aggregate",
    );
    fails(
        folder,
        "join FOLDER/factorial.wrap -o FOLDER/none",
        1,
        "is not one of this aggregator's",
    );
    // Another program, another input.
    fails(
        folder,
        "wrap FOLDER/factorial.proof --program FOLDER/fibonacci.rs --preset toy -o FOLDER/none",
        1,
        "the proof was made with key",
    );
    fails(
        folder,
        "wrap FOLDER/factorial.proof --program FOLDER/factorial.rs --public 6 --preset toy -o FOLDER/none",
        1,
        "public value 0 is 5, expected 6",
    );
    assert!(!file(folder, "none").exists());
}

fn damaged_files_are_rejected(folder: &TempDir, key: &str, claim: &str) {
    let honest = fs::read(file(folder, "both")).unwrap();
    let damaged: PathBuf = file(folder, "damaged");
    let verify = |bytes: &[u8], words: &str| {
        fs::write(Path::new(&damaged), bytes).unwrap();
        let arguments = format!("verify FOLDER/damaged --key {key} --claim {claim} --min-bits 0");
        fails(folder, &arguments, 1, words);
    };
    verify(&honest[..honest.len() - 1], "malformed");
    verify(&honest[..honest.len() / 2], "malformed");
    verify(&[&honest[..], &[0]].concat(), "1 bytes after the end");
    let mut version = honest.clone();
    version[8] = 9;
    verify(&version, "version 9");
    // A byte of the proof.
    let mut flipped = honest.clone();
    let at = honest.len() - 100;
    flipped[at] ^= 1;
    verify(&flipped, "");
}
