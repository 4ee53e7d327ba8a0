//! What `verify`, `join` and `wrap` refuse, and the reasons that they give.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{fails, file, json, text};

pub fn rejected(folder: &TempDir, key: &str, claim: &str, bits: u64) {
    let verify = |rest: &str, code: i32, words: &str| {
        fails(folder, &format!("verify FOLDER/both {rest}"), code, words);
    };
    let other = "0".repeat(64);
    verify(
        &format!("--key {other} --claim {claim} --min-bits 0 --any-leaf"),
        1,
        &format!("the key set is {key}, expected {other}"),
    );
    verify(
        &format!("--key {key} --claim {other} --min-bits 0 --any-leaf"),
        1,
        "the claim is",
    );
    // 100 bits by default.
    let honest = format!("--key {key} --claim {claim}");
    verify(&format!("{honest} --any-leaf"), 1, "proven bits");
    let more = bits + 1;
    verify(
        &format!("{honest} --any-leaf --min-bits {more}"),
        1,
        "proven bits",
    );
    // No leaves by default; those of one program are not those of both.
    verify(
        &format!("{honest} --min-bits 0"),
        2,
        "nothing says which leaves",
    );
    let one = "--program FOLDER/factorial.rs";
    verify(
        &format!("{honest} --min-bits 0 {one}"),
        1,
        "is the key of a leaf",
    );
    verify(
        &format!("{honest} {one} --any-leaf"),
        2,
        "--any-leaf accepts",
    );
    verify(
        &format!("{honest} {one} --limit 1"),
        1,
        "rows, expected at most 1: --limit 16384",
    );
    let any = format!("{honest} --leaf {other} --any-leaf");
    verify(&any, 2, "cannot be used with");
    // Wrong usage.
    verify(&format!("--key {key}"), 2, "--claim");
    verify(&format!("--claim {claim}"), 2, "--key");
    verify(&format!("--key {key} --claim 00"), 2, "64 hexadecimal");
    let high = "f".repeat(64);
    verify(
        &format!("--key {key} --claim {high}"),
        2,
        "not below the modulus",
    );
    let of = "--program FOLDER/factorial.rs";
    verify(&format!("{of} --claim {claim}"), 2, "--key-set and --claim");
    let proof = "verify FOLDER/factorial.proof";
    let both = format!("{proof} {of} --program FOLDER/fibonacci.rs");
    fails(folder, &both, 2, "one --program, --program-key, or both");
    // No key of the program that was tried.
    fails(
        folder,
        &format!("{proof} {of} --key {key} --limit 32768"),
        1,
        "more than one parameter or the program differs",
    );
    fails(
        folder,
        &format!("{proof} {of} --any-leaf"),
        2,
        "for aggregates",
    );
    fails(
        folder,
        &format!("verify FOLDER/factorial.proof --key {key} --claim {claim}"),
        2,
        "--claim is for aggregates",
    );
    for option in ["--preset toy", "--hash keccak", "--queries 3"] {
        for command in ["verify FOLDER/both", "inspect FOLDER/factorial.proof"] {
            let words = "takes parameters from the proof: leave the option out";
            fails(folder, &format!("{command} {option}"), 2, words);
        }
    }
    fails(folder, "join -o FOLDER/none", 2, "required");
    // Wrapping the proof of a program takes --program, wrapping an aggregate does not.
    let output = "--preset toy -o FOLDER/none";
    let arguments = format!("wrap FOLDER/factorial.proof {output}");
    fails(folder, &arguments, 2, "--program");
    let arguments = format!("wrap FOLDER/both {of} {output}");
    fails(folder, &arguments, 2, "this is an aggregate");
}

/// One digest looks like another, so what was given is named where the file shows it.
pub fn keys_of_the_wrong_kind_are_named(folder: &TempDir, key: &str, claim: &str) {
    let inspected = json(folder, "inspect FOLDER/both");
    let join = text(&inspected["tree"], "key");
    let of_program = json(folder, "key FOLDER/factorial.rs --preset toy");
    let program = text(&of_program, "key");
    let verify = "verify FOLDER/both --min-bits 0";
    for (given, kind) in [
        (program, "program key"),
        (join, "recursion key"),
        (claim, "claim"),
    ] {
        let arguments = format!("{verify} --key {given} --claim {claim} --any-leaf");
        let words =
            format!("the key set is {key}, expected {given}, which this file has as a {kind}");
        fails(folder, &arguments, 1, &words);
        let arguments = format!("inspect FOLDER/both --key-set {given}");
        let words = format!("a key set was given, but this file has {given} as a {kind}");
        fails(folder, &arguments, 1, &words);
    }
    let arguments = format!("{verify} --key-set {key} --claim {key} --any-leaf");
    let words = format!("the claim is {claim}, expected {key}, which this file has as a key set");
    fails(folder, &arguments, 1, &words);
    for (given, kind) in [(key, "key set"), (join, "recursion key")] {
        let arguments = format!("{verify} --key-set {key} --claim {claim} --leaf {given}");
        let words = format!(
            "{given} was given as a program key of leaves, but this file has it as a {kind}"
        );
        fails(folder, &arguments, 1, &words);
    }
    let arguments = format!("{verify} --program-key {program} --claim {claim} --any-leaf");
    fails(folder, &arguments, 2, "but this is an aggregate");
    let proof = "verify FOLDER/factorial.proof --min-bits 0";
    for option in ["key-set", "exit-key"] {
        let words = format!("--{option} was given, but this is the proof of one program");
        fails(folder, &format!("{proof} --{option} {program}"), 2, &words);
    }
    for option in ["key", "program-key"] {
        let verified = json(folder, &format!("{proof} --{option} {program}"));
        assert_eq!(text(&verified, "key_is"), "program key");
        let verdict = text(&verified, "verdict");
        assert!(
            verdict.starts_with("accepted: a run of the program whose key you named, "),
            "{verdict}"
        );
    }
    let two = format!("{proof} --key {program} --program-key {program}");
    fails(folder, &two, 2, "cannot be used with");
    let verified = json(folder, &format!("{proof} --program FOLDER/factorial.rs"));
    let verdict = text(&verified, "verdict");
    assert!(
        verdict.contains("a run of the program that you named"),
        "{verdict}"
    );
}

pub fn bits_of_the_tree_are_checked(folder: &TempDir, key: &str, claim: &str, bits: u64) {
    let verify = format!("verify FOLDER/both --key {key} --claim {claim} --min-bits 0 --any-leaf");
    json(folder, &format!("{verify} --min-tree-bits {bits}"));
    let more = bits + 1;
    let arguments = format!("{verify} --min-tree-bits {more}");
    let words = format!(
        "the tree has {bits} proven bits of security, expected at least {more}: proofs at \
         proven-120 leave room for this; --min-tree-bits accepts fewer"
    );
    fails(folder, &arguments, 1, &words);
    let arguments = format!("verify FOLDER/factorial.proof --key {key} --min-tree-bits 1");
    fails(folder, &arguments, 2, "for aggregates");
}

pub fn the_order_is_kept(folder: &TempDir, key: &str, claim: &str) {
    let swapped = json(
        folder,
        "join FOLDER/fibonacci.wrap FOLDER/factorial.wrap --preset toy -o FOLDER/swapped",
    );
    assert_eq!(text(&swapped, "key"), key);
    assert_ne!(text(&swapped, "claim"), claim);
    fails(
        folder,
        &format!("verify FOLDER/swapped --key {key} --claim {claim} --min-bits 0 --any-leaf"),
        1,
        "the claim is",
    );
    // A file that is no aggregate, or one with other settings, is not joined, and nothing is
    // written.
    fails(
        folder,
        "join FOLDER/factorial.wrap FOLDER/factorial.proof --preset toy -o FOLDER/none",
        1,
        "factorial.proof: not an aggregate of proofs, but the proof of a program",
    );
    fails(
        folder,
        "join FOLDER/factorial.wrap -o FOLDER/none",
        1,
        "factorial.wrap: the proof does not have the canonical shape",
    );
    // Another program or another input is refused.
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
        "element 0 of the statement is 5, expected 6",
    );
    assert!(!file(folder, "none").exists());
}

pub fn damaged_files_are_rejected(folder: &TempDir, key: &str, claim: &str) {
    let honest = fs::read(file(folder, "both")).unwrap();
    let damaged: PathBuf = file(folder, "damaged");
    let verify = |bytes: &[u8], words: &str| {
        fs::write(Path::new(&damaged), bytes).unwrap();
        let arguments =
            format!("verify FOLDER/damaged --key {key} --claim {claim} --min-bits 0 --any-leaf");
        fails(folder, &arguments, 1, words);
    };
    let words = "damaged: malformed proof: ";
    verify(&honest[..honest.len() - 1], words);
    verify(&honest[..honest.len() / 2], words);
    // Of a proof, too.
    let proof = fs::read(file(folder, "factorial.proof")).unwrap();
    fs::write(&damaged, &proof[..proof.len() / 2]).unwrap();
    for arguments in [
        "verify FOLDER/damaged --program FOLDER/factorial.rs",
        "inspect FOLDER/damaged",
        "wrap FOLDER/damaged --program FOLDER/factorial.rs --preset toy -o FOLDER/none",
    ] {
        fails(folder, arguments, 1, words);
    }
    verify(&[&honest[..], &[0]].concat(), "1 bytes follow the end");
    for number in [1, 2, 3, 4, 5, 9] {
        let mut version = honest.clone();
        version[8] = number;
        verify(&version, &format!("version {number}, expected 6"));
    }
    // A changed byte of the proof.
    let mut flipped = honest.clone();
    let at = honest.len() - 100;
    flipped[at] ^= 1;
    verify(&flipped, "");
}
