//! Leaves over both stacks.

use std::fs;

use tempfile::TempDir;

use crate::{fails, json, text};

/// In a folder with the program.
pub fn leaves_are_proved_over_both_stacks(folder: &TempDir) {
    let of = "FOLDER/factorial.rs --hash poseidon2 --preset toy";
    let proved = json(folder, &format!("prove {of} --public 5 -o FOLDER/leaf"));
    assert_eq!(text(&proved, "stack"), "whir");
    assert_eq!(text(&proved, "hash"), "poseidon2");
    let of_program = json(folder, &format!("key {of}"));
    let key = text(&of_program, "key");
    assert_eq!(text(&proved, "key"), key);
    // A run of 2^13 instructions takes longer rows than the preset's, and so another key.
    fs::write(
        folder.path().join("fibonacci.rs"),
        droste_programs::source("fibonacci").unwrap(),
    )
    .unwrap();
    let of_rows = |options: &str| {
        let key = format!("key FOLDER/fibonacci.rs --preset toy{options}");
        text(&json(folder, &key), "key").to_owned()
    };
    let prove = "prove FOLDER/fibonacci.rs --public 1000 -o FOLDER/long";
    let long = json(folder, &format!("{prove} --preset toy"));
    assert_eq!(text(&long, "key"), of_rows(" --log-block 13"));
    assert_ne!(of_rows(" --log-block 13"), of_rows(""));
    fails(
        folder,
        &format!("{prove} --preset toy --log-block 12"),
        1,
        "the run needs the height 2^13 of table cpu",
    );
    // Queries are for proofs over FRI.
    let over_fri = json(folder, &format!("{prove} --queries 3"));
    assert_eq!(text(&over_fri, "stack"), "fri");
    for known in ["--program FOLDER/factorial.rs", &format!("--key {key}")] {
        let verified = json(
            folder,
            &format!("verify FOLDER/leaf {known} --public 5,120 --min-bits 0"),
        );
        assert_eq!(text(&verified, "stack"), "whir");
    }
    assert_eq!(text(&json(folder, "inspect FOLDER/leaf"), "key"), key);
    let verify = "verify FOLDER/leaf --program FOLDER/factorial.rs";
    fails(folder, verify, 1, "proven bits");
    fails(
        folder,
        &format!("{verify} --public 6 --min-bits 0"),
        1,
        "element 0 of the statement is 5",
    );
    json(
        folder,
        "wrap FOLDER/leaf --program FOLDER/factorial.rs --public 5 --preset toy -o FOLDER/leaf.wrap",
    );
    let prove = "prove FOLDER/factorial.rs --public 5 -o FOLDER/none";
    for (options, words) in [
        (
            "--stack whir --queries 3",
            "--queries is for proofs over FRI",
        ),
        (
            "--stack fri --log-block 16",
            "--log-block is for proofs over WHIR",
        ),
        ("--stack whir --log-block 21", "log_block is 21"),
        ("--stack stark", "unknown proof stack"),
    ] {
        fails(folder, &format!("{prove} {options}"), 2, words);
    }
}
