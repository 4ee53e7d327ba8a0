//! Leaves over WHIR, which is not the default.

use tempfile::TempDir;

use crate::{fails, json, text};

/// In a folder with the program.
pub fn leaves_are_proved_over_whir(folder: &TempDir) {
    let of = "FOLDER/factorial.rs --hash poseidon2 --stack whir --preset toy";
    let proved = json(folder, &format!("prove {of} --public 5 -o FOLDER/leaf"));
    assert_eq!(text(&proved, "stack"), "whir");
    assert_eq!(text(&proved, "hash"), "poseidon2");
    let of_program = json(folder, &format!("key {of}"));
    let key = text(&of_program, "key");
    assert_eq!(text(&proved, "key"), key);
    let taller = json(folder, &format!("key {of} --log-block 13"));
    assert_ne!(text(&taller, "key"), key);
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
        ("--log-block 16", "--log-block is for proofs over WHIR"),
        ("--stack whir --log-block 21", "log_block is 21"),
        ("--stack stark", "unknown proof stack"),
    ] {
        fails(folder, &format!("{prove} {options}"), 2, words);
    }
}
