//! Tests `droste prove`, `wrap`, `join`, `keys`, `verify` and `inspect` on toy proofs: their
//! results, exit codes and messages.

mod exits;
mod folds;
mod keys;
mod leaves;
mod members;
mod parameters;
mod plans;
mod refusals;
mod reports;
mod stages;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The command with these arguments, in which `FOLDER` stands for the test's folder.
fn command(folder: &TempDir, arguments: &str) -> Command {
    let path = folder.path().display().to_string();
    let arguments = arguments
        .split(' ')
        .map(|word| word.replace("FOLDER", &path));
    let mut command = Command::new(env!("CARGO_BIN_EXE_droste"));
    command
        .args(arguments)
        .env("DROSTE_CACHE", folder.path().join("cache"));
    command
}

/// Runs [`command`].
fn droste(folder: &TempDir, arguments: &str) -> Output {
    command(folder, arguments).output().unwrap()
}

/// Like [`droste`], but must succeed and print JSON, which is returned.
fn json(folder: &TempDir, arguments: &str) -> Value {
    let output = droste(folder, &format!("--format json {arguments}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Like [`droste`], but must fail with this exit code and a message that contains `words`.
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

/// A folder with two programs, a proof of each, and the wrap of each proof.
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
fn what_a_command_makes_every_other_takes() {
    let folder = TempDir::new().unwrap();
    let source = droste_programs::source("fibonacci").unwrap();
    fs::write(file(&folder, "fibonacci.rs"), source).unwrap();
    parameters::long_runs_have_keys_of_their_own(&folder);
    parameters::keys_of_all_lengths_are_printed(&folder);
    parameters::the_preset_may_be_a_variable(&folder);
}

#[test]
fn proofs_are_wrapped_joined_and_verified() {
    let folder = folder_with_wraps();
    let joined = json(
        &folder,
        "join FOLDER/factorial.wrap FOLDER/fibonacci.wrap --preset toy -o FOLDER/both",
    );
    let (key, claim) = (text(&joined, "key"), text(&joined, "claim"));

    let programs = "--program FOLDER/factorial.rs --program FOLDER/fibonacci.rs";
    let verify = format!("verify FOLDER/both --key {key} --claim {claim} --min-bits 1 {programs}");
    let verified = json(&folder, &verify);
    assert_eq!(verified["accepted_leaves"].as_array().unwrap().len(), 2);
    let printed = droste(&folder, &verify);
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(
        printed.contains("2, with a key that was asked for: "),
        "{printed}"
    );
    // The first line is the verdict.
    let verdict = text(&verified, "verdict");
    let bits = &verified["proven_bits"];
    let expected = format!("accepted: 2 leaves of programs that you named, {bits} bits");
    assert_eq!(verdict, expected);
    assert!(printed.starts_with(&format!("{expected}\n")), "{printed}");
    assert!(printed.contains("\nkey set"), "{printed}");
    assert_eq!(text(&verified, "key_is"), "key set");
    assert_eq!(text(&verified, "claim"), claim);
    assert_eq!(text(&verified, "keys_are"), "pinned");
    let bits = verified["proven_bits"].as_u64().unwrap();
    assert!((1..100).contains(&bits), "{bits}");

    // The tree shows the statements of both programs, in order.
    let inspected = json(&folder, "inspect FOLDER/both");
    assert_eq!(text(&inspected, "key"), key);
    assert_eq!(text(&inspected, "keys_are"), "derived");
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

    // Beside the bits: every term with its theorem, with the newest one and without, and the
    // digests.
    for said in [&verified, &inspected] {
        let security = &said["root_security"];
        let sum = |bound: &str| security[bound]["sum"].as_f64().unwrap();
        assert!(sum("without_eprint_2026_2056") <= sum("with_eprint_2026_2056"));
        let terms = security["without_eprint_2026_2056"]["terms"].as_array();
        let theorems: Vec<_> = terms
            .unwrap()
            .iter()
            .map(|term| text(term, "theorem"))
            .collect();
        assert!(theorems.len() > 10 && theorems.iter().all(|theorem| !theorem.contains("2056")));
        assert_eq!(security["digest_collision_bits"], 123.9547);
    }
    for expected in [
        "without ePrint 2026/2056",
        "term fold 0",
        "2025/2055",
        "2^123.9",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }

    reports::the_report_has_the_tree(&folder, &inspected);

    // The tree has five proofs: two leaves, two wraps and the join.
    let tree_bits = verified["tree_bits"].as_u64().unwrap();
    assert!(tree_bits < bits, "{tree_bits}");
    assert_eq!(verified["proofs"], 5);

    refusals::rejected(&folder, key, claim, bits);
    refusals::keys_of_the_wrong_kind_are_named(&folder, key, claim);
    refusals::bits_of_the_tree_are_checked(&folder, key, claim, tree_bits);
    keys::keys_are_derived(&folder, key);
    keys::forged_keys_are_refused(&folder, claim);
    keys::hidden_proofs_are_found(&folder, key, claim);
    members::leaves_are_members(&folder, key, claim, bits);
    exits::the_last_proof_is_verified(&folder);
    refusals::the_order_is_kept(&folder, key, claim);
    plans::too_many_children_are_counted(&folder);
    plans::a_killed_run_goes_on(&folder);
    plans::bad_leaves_are_named(&folder);
    parameters::other_presets_are_named(&folder);
    leaves::leaves_are_proved_over_both_stacks(&folder);
    refusals::damaged_files_are_rejected(&folder, key, claim);
}
