//! What one command makes by default, every other takes by default; keys of runs of other lengths
//! and presets that do not match are named.

use std::fs;

use tempfile::TempDir;

use crate::{command, droste, fails, file, json, text};

/// What a command prints to standard error. It must succeed.
fn errors_of(folder: &TempDir, arguments: &str) -> String {
    let output = droste(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {errors}");
    errors
}

/// In a folder with the program `fibonacci.rs`: a run that is longer than those of the default key
/// is proved under another, and each command takes the proof as it is. Whatever a command refuses
/// for its length, it says how much longer to allow.
pub fn long_runs_have_keys_of_their_own(folder: &TempDir) {
    let of = "FOLDER/fibonacci.rs --preset toy";
    let short = errors_of(
        folder,
        &format!("prove {of} --public 4 -o FOLDER/short.proof"),
    );
    assert!(!short.contains("note: "), "{short}");
    let prove = format!("prove {of} --public 1000 -o FOLDER/run");
    let long = errors_of(folder, &prove);
    for words in [
        "the program's default key, whose tables have up to 2^12 rows",
        "holds for runs of up to 2^13 rows, `droste key --log-block 13` prints it",
    ] {
        assert!(long.contains(words), "{long}");
    }
    let asked = errors_of(folder, &format!("{prove} --log-block 13"));
    assert!(!asked.contains("note: "), "{asked}");

    let key = |options: &str| {
        let key = json(folder, &format!("key {of}{options}"));
        text(&key, "key").to_owned()
    };
    let (default, longer) = (key(""), key(" --log-block 13"));
    let printed = droste(folder, &format!("key {of}"));
    let printed = String::from_utf8(printed.stdout).unwrap();
    let words = "toy, poseidon16 over whir, blowup 4, tables of up to 2^12 rows";
    assert!(printed.contains(words), "{printed}");

    // Whoever pins the default key refuses longer runs. With the program, the parameter that
    // differs is named.
    let verify = "verify FOLDER/run --min-bits 0";
    let words = "it is a proof at toy, poseidon16 over whir, blowup 4, tables of up to 2^13 rows";
    fails(folder, &format!("{verify} --key {default}"), 1, words);
    let program = "--program FOLDER/fibonacci.rs";
    let words = "tables of up to 2^13 rows, expected 2^12 rows";
    let both = format!("{verify} {program} --key {default}");
    fails(folder, &both, 1, words);
    json(folder, &format!("{verify} {program} --key {longer}"));
    // For an invalid proof, nothing is committed to in order to name it.
    let mut invalid = fs::read(file(folder, "run")).unwrap();
    let at = invalid.len() - 100;
    invalid[at] ^= 1;
    fs::write(file(folder, "invalid"), invalid).unwrap();
    let refused = both.replace("FOLDER/run ", "FOLDER/invalid ");
    let errors = droste(folder, &refused);
    assert_eq!(errors.status.code(), Some(1));
    let errors = String::from_utf8(errors.stderr).unwrap();
    assert!(!errors.contains("expected 2^12 rows"), "{errors}");

    // The commitment has 2^13 rows at blowup 4.
    let (rows, fewer) = (1 << 15, (1 << 15) - 1);
    let wrap = format!("wrap FOLDER/run {program} --preset toy -o FOLDER/run.wrap");
    let plan = format!("aggregate FOLDER/run {program} --preset toy --plan");
    for arguments in [&format!("{verify} {program}"), &wrap, &plan] {
        let words = format!("expected at most {fewer}: --limit {rows}");
        fails(folder, &format!("{arguments} --limit {fewer}"), 1, &words);
        assert!(!file(folder, "run.wrap").exists());
    }
    json(folder, &format!("{verify} {program}"));
    json(folder, &plan);
    let wrapped = json(folder, &wrap);
    assert_eq!(wrapped["accepted_leaves"], serde_json::json!([longer]));
    let (keys, claim) = (text(&wrapped, "key"), text(&wrapped, "claim"));
    let verify = format!("verify FOLDER/run.wrap --key {keys} --claim {claim} --min-bits 0");
    let words = format!("expected at most {fewer}: --limit {rows}");
    let arguments = format!("{verify} {program} --limit {fewer}");
    fails(folder, &arguments, 1, &words);
    json(folder, &format!("{verify} {program}"));
    json(
        folder,
        &format!("{verify} --leaf {default} --leaf {longer}"),
    );
    fails(
        folder,
        &format!("{verify} --leaf {default}"),
        1,
        "is the key of a leaf",
    );
    for made in ["run.wrap", "run"] {
        json(folder, &format!("inspect FOLDER/{made}"));
    }
    let derived = json(folder, "keys --from FOLDER/run.wrap --preset toy");
    assert_eq!(text(&derived, "key"), keys);
}

/// `droste key --all` prints the keys for runs of all lengths: that of each is its own.
pub fn keys_of_all_lengths_are_printed(folder: &TempDir) {
    let of = "key FOLDER/fibonacci.rs --preset toy --hash blake3 --blowup 2";
    let all = json(folder, &format!("{of} --all"));
    assert_eq!(all["rows"], 1 << 12);
    assert_eq!(text(&all, "preset"), "toy");
    assert_eq!(text(&all, "hash"), "blake3");
    let longer = all["longer"].as_array().unwrap();
    let rows: Vec<u64> = longer
        .iter()
        .map(|one| one["rows"].as_u64().unwrap())
        .collect();
    let expected: Vec<u64> = (13..=20).map(|log| 1 << log).collect();
    assert_eq!(rows, expected);
    let one = json(folder, &format!("{of} --log-block 14"));
    assert_eq!(longer[1]["key"], one["key"]);
    assert_eq!(json(folder, of)["key"], all["key"]);
    // Over FRI there is one key for runs of all lengths.
    let over_fri = json(folder, &format!("{of} --stack fri --all"));
    assert!(over_fri["longer"].is_null());
    assert_eq!(over_fri["rows"], 1 << 23);
    let both = format!("{of} --all --log-block 13");
    fails(folder, &both, 2, "cannot be used with");
}

/// In a folder with toy wraps: what does not match is named, with what to add; proofs of too few
/// bits are named before the work on them begins.
pub fn other_presets_are_named(folder: &TempDir) {
    for (arguments, words) in [
        (
            "join FOLDER/factorial.wrap -o FOLDER/none",
            "factorial.wrap: the proof does not have the canonical shape: made with toy, asked for \
             proven-120: add --preset toy",
        ),
        (
            "join FOLDER/factorial.wrap --preset toy --arity 3 -o FOLDER/none",
            "made with arity 2, asked for 3: add --arity 2",
        ),
        (
            "exit FOLDER/factorial.wrap -o FOLDER/none",
            "factorial.wrap: the proof does not have the canonical shape: made with toy, asked for \
             proven-120: add --preset toy",
        ),
    ] {
        fails(folder, arguments, 1, words);
    }
    // The warning comes first; then each is refused for something else.
    let weak = "proven bits, fewer than the 100 of --preset proven-100";
    for arguments in [
        "wrap FOLDER/factorial.proof --program FOLDER/fibonacci.rs --preset proven-100 -o FOLDER/none",
        "aggregate FOLDER/factorial.proof FOLDER/fibonacci.proof --arity 1 --preset proven-100 --plan",
    ] {
        let output = droste(folder, arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let (warning, error) = errors.split_once("droste: ").unwrap();
        assert!(warning.contains(weak), "{errors}");
        assert!(!error.contains(weak), "{errors}");
    }
    assert!(!file(folder, "none").exists());
}

/// `$DROSTE_PRESET` is the preset of commands that are not given one.
pub fn the_preset_may_be_a_variable(folder: &TempDir) {
    let source = droste_programs::source("factorial").unwrap();
    fs::write(file(folder, "factorial.rs"), source).unwrap();
    let toy = json(folder, "key FOLDER/factorial.rs --preset toy");
    let run = |arguments: &str, preset: &str| {
        let mut command = command(
            folder,
            &format!("--format json key FOLDER/factorial.rs{arguments}"),
        );
        command.env("DROSTE_PRESET", preset).output().unwrap()
    };
    let key = |arguments: &str, preset: &str| {
        let output = run(arguments, preset);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    assert_eq!(key("", "toy"), toy);
    assert_eq!(key(" --preset toy", "proven-100"), toy);
    // An option that excludes a preset given excludes none of the variable.
    let queries = key(" --queries 3", "toy");
    assert!(queries["preset"].is_null());
    assert_eq!(text(&queries, "stack"), "fri");
    let refused = run("", "strong");
    let errors = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{errors}");
    let words = "unknown preset `strong`: expected toy, proven-100, proven-120 or proven-128 (the \
                 value of DROSTE_PRESET)";
    assert!(errors.contains(words), "{errors}");
    let usual = key("", "");
    assert_eq!(text(&usual, "preset"), "proven-120");
}
