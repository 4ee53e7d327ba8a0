//! `droste hashes`: lists of calls and paths are proved and verified, and what is wrong is refused
//! by name.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Runs a command that must exit with this code, and returns what it prints: if it succeeds, to
/// standard output.
fn exits(code: i32, folder: &Path, arguments: &str, input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_droste"))
        .current_dir(folder)
        .args(arguments.split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    // With wrong usage the command may end before it reads its input, so writing may fail.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let text = format!("{stdout}{stderr}");
    assert_eq!(output.status.code(), Some(code), "{arguments}: {text}");
    if code == 0 { stdout.into_owned() } else { text }
}

/// Different inputs of so many bytes, one a line.
fn inputs(calls: usize, bytes: usize) -> String {
    let line = |call: usize| format!("{call:04x}{}\n", "5a".repeat(bytes - 2));
    (0..calls).map(line).collect()
}

#[test]
fn lists_are_proved_and_verified() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let list = format!("# 64 calls\n\n{}", inputs(64, 112));
    fs::write(folder.join("inputs"), &list).expect("writable");
    let prove = "hashes prove --hash blake2s inputs -o proof --list-out calls --format json";
    let proved: Value = serde_json::from_str(&exits(0, folder, prove, "")).expect("JSON");
    assert_eq!(proved["hash"], "blake2s");
    assert_eq!(proved["calls"], 64);
    assert!(proved["calls_per_s"].as_f64() > Some(0.0), "{proved}");
    let proof = fs::read(folder.join("proof")).expect("readable");
    assert_eq!(proved["proof_bytes"], proof.len());
    let calls = fs::read_to_string(folder.join("calls")).expect("readable");
    assert_eq!(calls.lines().count(), 64);

    // From standard input come the same bytes.
    exits(0, folder, "hashes prove --hash blake2s - -o again", &list);
    assert_eq!(fs::read(folder.join("again")).expect("readable"), proof);

    let verify = "hashes verify proof --hash blake2s --list";
    let json = exits(0, folder, &format!("{verify} calls --format json"), "");
    let verified: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(verified["proven_bits"], 102);
    assert_eq!(verified["security"], proved["security"]);
    let terms = verified["security"]["terms"].as_array().expect("a list");
    let error = |bits: &Value| (-bits.as_f64().expect("a number")).exp2();
    let sum: f64 = terms.iter().map(|term| error(&term["bits"])).sum();
    let ratio = sum / error(&verified["security"]["sum"]);
    assert!((0.99..1.01).contains(&ratio), "{verified}");
    let text = exits(0, folder, &format!("{verify} -"), &calls);
    assert!(text.contains("in the sum of all terms"), "{text}");
    let text = exits(1, folder, &format!("{verify} calls --min-bits 103"), "");
    assert!(text.contains("expected at least 103"), "{text}");

    // Another output, another order, one call less, another hash.
    let refused = |calls: &str, reason: &str| {
        let text = exits(1, folder, &format!("{verify} -"), calls);
        assert!(text.contains(reason), "{text}");
    };
    let other = "not about the list that was given";
    let (start, last) = calls.trim_end().split_at(calls.len() - 2);
    let changed = if last == "0" { '1' } else { '0' };
    refused(&format!("{start}{changed}\n"), other);
    let mut lines: Vec<&str> = calls.lines().collect();
    lines.swap(0, 1);
    refused(&lines.join("\n"), other);
    refused(&lines[..63].join("\n"), other);
    let blake3 = "hashes verify proof --hash blake3 --list calls";
    let text = exits(1, folder, blake3, "");
    assert!(text.contains("line 1: the output has 64 digits"), "{text}");

    // Changed, cut and missing files.
    let mut bytes = proof.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    for wrong in [&bytes[..], &proof[..middle], b"", calls.as_bytes()] {
        fs::write(folder.join("wrong"), wrong).expect("writable");
        let arguments = "hashes verify wrong --hash blake2s --list calls";
        let text = exits(1, folder, arguments, "");
        assert!(text.starts_with("droste: wrong: "), "{text}");
    }
    exits(
        1,
        folder,
        "hashes verify none --hash blake2s --list calls",
        "",
    );
}

/// The compression function of BLAKE3 on one block is its hash, and Keccak-f on zeros is in the
/// Keccak team's list of known answers.
#[test]
fn outputs_are_those_of_other_tools() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let words = [
        0x6a09_e667_u32,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let chaining: String = words
        .iter()
        .map(|word| format!("{:08x}", word.swap_bytes()))
        .collect();
    // "abc", counter 0, length 3, flags CHUNK_START, CHUNK_END and ROOT.
    let block = format!("616263{}", "00".repeat(61));
    let input = format!("{chaining}{block}{}030000000b000000", "00".repeat(8));
    let zeros = "00".repeat(200);
    let abc = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
    for (hash, input, output) in [
        ("blake3", input, abc),
        ("keccak-f", zeros, "e7dde140798f25f1"),
    ] {
        let prove = format!("hashes prove --hash {hash} - -o proof --list-out calls");
        exits(0, folder, &prove, &input);
        let calls = fs::read_to_string(folder.join("calls")).expect("readable");
        assert!(calls.starts_with(&format!("{input} {output}")), "{calls}");
        let verify = format!("hashes verify proof --hash {hash} --list calls");
        exits(0, folder, &verify, "");
    }
}

#[test]
fn calls_are_made_to_measure() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let made = |arguments: &str| {
        let prove = "hashes prove --hash blake3 --random 3 --list-out calls";
        let text = exits(0, folder, &format!("{prove}{arguments}"), "");
        assert!(text.contains("per CPU second"), "{text}");
        fs::read_to_string(folder.join("calls")).expect("readable")
    };
    let calls = made("");
    assert_eq!(calls, made(" --seed 0 -o proof"));
    assert_ne!(calls, made(" --seed 1"));
    for (wrong, reason) in [
        ("--random 524289", "expected 1 to 524288 for blake3"),
        ("--random 0", "expected 1 to 524288 for blake3"),
        ("--random 1 inputs", "cannot be used with"),
        ("inputs -o proof --seed 1", "cannot be used with"),
        ("--random 1 -o same --list-out same", "same file"),
        ("inputs", "--output"),
        ("-o proof", "INPUTS"),
    ] {
        let prove = format!("hashes prove --hash blake3 {wrong}");
        let text = exits(2, folder, &prove, "");
        assert!(text.contains(reason), "{wrong}: {text}");
    }
    let text = exits(2, folder, "hashes prove --hash sha2 --random 1", "");
    assert!(text.contains("blake3, blake2s or keccak-f"), "{text}");
}

#[test]
fn lists_that_are_none_are_refused_by_their_lines() {
    let folder = TempDir::new().expect("a folder");
    let list = inputs(2, 112);
    let many = "x\n".repeat((1 << 17) + 1);
    for (hash, list, reason) in [
        ("blake3", format!("#\n{list}zz\n"), "standard input: line 4"),
        (
            "blake3",
            "00\n".to_owned(),
            "line 1: the input has 2 digits",
        ),
        (
            "blake3",
            format!("\n{}", list.replace('\n', " ")),
            "line 2 has 2 words",
        ),
        ("keccak-f", list, "line 1: the input has 224 digits"),
        ("blake3", "# none\n".to_owned(), "the list has no calls"),
        (
            "keccak-f",
            many,
            "131073 calls of keccak-f, expected at most 131072 in one proof: split",
        ),
    ] {
        let prove = format!("hashes prove --hash {hash} - -o proof");
        let text = exits(1, folder.path(), &prove, &list);
        assert!(text.contains(reason), "{text}");
        assert!(!folder.path().join("proof").exists());
    }
}

/// The first nodes of the tree of zeros in Keccak-256, from its leaves; Solidity programs that have
/// sparse trees begin with these constants.
const KECCAK_ZEROS: [&str; 4] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "ad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5",
    "b4c11951957c6f8f642c4af61cd6b24640fec6dc7fc607ee8206a99e92410d30",
    "21ddb9a356815c3fac1026b6dec5df3124afbadb485c9ba5a3e3398a04b7ba85",
];

#[test]
fn paths_are_proved_by_their_siblings() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let [leaf, one, two, root] = KECCAK_ZEROS;
    let line = format!("{leaf} 5 {root} {leaf} {one} {two}\n");
    let prove = "hashes prove --hash keccak-f --depth 3 - -o proof --list-out paths";
    let text = exits(0, folder, prove, &format!("# a leaf\n\n{line}"));
    assert!(text.contains("1 of depth 3"), "{text}");
    let paths = fs::read_to_string(folder.join("paths")).expect("readable");
    assert_eq!(paths, format!("{leaf} 5 {root}\n"));
    let verify = "hashes verify proof --hash keccak-f --depth 3 --list paths";
    exits(0, folder, verify, "");

    let other = line.replace(two, one);
    let long = line.trim_end().to_owned() + &format!(" {root}\n");
    let number = line.replace(" 5 ", " 8 ");
    let digit = line.replace(one, &one.replace('d', "x"));
    let many = "x\n".repeat((1 << 17) / 3 + 1);
    let none = "#".to_owned();
    let sibling = "the sibling at level 1's character 2 is `x`";
    for (list, reason) in [
        (&other, "line 2: at level 3 the siblings lead to"),
        (&long, "line 2 has 7 words, expected `LEAF INDEX ROOT` and"),
        (&number, "line 2: the index is `8`, expected a number below"),
        (&digit, sibling),
        (&many, "43691 paths of depth 3 have more than 131072 nodes"),
        (&none, "the list has no paths"),
    ] {
        let prove = "hashes prove --hash keccak-f --depth 3 - -o none";
        let text = exits(1, folder, prove, &format!("\n{list}"));
        assert!(text.starts_with("droste: standard input: "), "{text}");
        assert!(text.contains(reason), "{text}");
        assert!(!folder.join("none").exists());
    }
}

#[test]
fn other_paths_than_those_of_the_proof_are_refused() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let make = "hashes prove --hash blake2s --depth 3 --random 21";
    let json = format!("{make} -o proof --list-out paths --format json");
    let proved: Value = serde_json::from_str(&exits(0, folder, &json, "")).expect("JSON");
    assert_eq!(proved["paths"], 21);
    assert_eq!(proved["depth"], 3);
    assert_eq!(proved["calls"], 63);
    assert!(proved["calls_per_cpu_s"].as_f64() > Some(0.0), "{proved}");
    let verify = "hashes verify proof --hash blake2s --depth";
    let json = exits(
        0,
        folder,
        &format!("{verify} 3 --list paths --format json"),
        "",
    );
    let verified: Value = serde_json::from_str(&json).expect("JSON");
    for name in ["paths", "depth", "calls", "security", "proof_bytes"] {
        assert_eq!(verified[name], proved[name]);
    }
    assert_eq!(verified["proven_bits"], 102);
    let bits = format!("{verify} 3 --list paths --min-bits 103");
    let text = exits(1, folder, &bits, "");
    assert!(text.contains("expected at least 103"), "{text}");

    // Another leaf, index, root or order, one path less, another depth or hash.
    let paths = fs::read_to_string(folder.join("paths")).expect("readable");
    let words: Vec<Vec<&str>> = paths
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    let text_of = |words: &[Vec<&str>]| -> String {
        words.iter().map(|line| line.join(" ") + "\n").collect()
    };
    let refused = |list: &str, depth: usize, hash: &str| {
        let verify = format!("hashes verify proof --hash {hash} --depth {depth} --list -");
        let text = exits(1, folder, &verify, list);
        assert!(
            text.starts_with("droste: proof: the proof is not about the list that was given ("),
            "{text}"
        );
    };
    for word in 0..3 {
        let mut changed = words.clone();
        let other = if word == 1 { "7" } else { words[1][word] };
        changed[0][word] = if other == words[0][word] { "6" } else { other };
        refused(&text_of(&changed), 3, "blake2s");
    }
    let mut changed = words.clone();
    changed.swap(0, 20);
    refused(&text_of(&changed), 3, "blake2s");
    refused(&text_of(&words[..20]), 3, "blake2s");
    refused(&paths, 4, "blake2s");
    refused(&paths, 3, "blake3");

    // A proof of paths is none of calls.
    let calls = "hashes verify proof --hash blake2s --list -";
    let text = exits(
        1,
        folder,
        calls,
        &format!("{} {}", "00".repeat(112), words[0][0]),
    );
    assert!(
        text.contains("not about the list that was given (1 calls of blake2s)"),
        "{text}"
    );

    for (wrong, reason) in [
        (
            "--depth 3 --random 87382",
            "expected 1 to 87381 for blake2s",
        ),
        ("--depth 3 --random 0", "expected 1 to 87381 for blake2s"),
        ("--depth 0 --random 1", "expected 1 to 64"),
        ("--depth 65 --random 1", "expected 1 to 64"),
        ("--depth 3 --random 1 paths", "cannot be used with"),
        ("--depth 3 --random 1 -o same --list-out same", "same file"),
        ("--depth 3 paths", "--output"),
        ("--depth 3 -o none", "INPUTS"),
    ] {
        let prove = format!("hashes prove --hash blake2s {wrong}");
        let text = exits(2, folder, &prove, "");
        assert!(text.contains(reason), "{wrong}: {text}");
    }
}

#[test]
fn proofs_about_paths_are_wrapped() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let wrap = "hashes wrap --hash blake3 --depth 2 --preset toy";
    let json = format!("{wrap} --random 4 -o agg --list-out paths --format json");
    let wrapped: Value = serde_json::from_str(&exits(0, folder, &json, "")).expect("JSON");
    assert_eq!(wrapped["leaves"], 1);
    let leaf = "hashes leaf --hash blake3 --depth 2 --list paths --format json";
    let leaf: Value = serde_json::from_str(&exits(0, folder, leaf, "")).expect("JSON");
    is_a_leaf(folder, &wrapped, &leaf);

    for (paths, depth) in [(3, 4), (4, 3), (2, 2)] {
        let wrap = format!("hashes wrap --hash blake3 --depth {depth} --preset toy");
        let text = exits(1, folder, &format!("{wrap} --random {paths} -o none"), "");
        let expected = format!("no program verifies proofs about {paths} paths of depth {depth}: ");
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn proofs_about_calls_are_wrapped() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let wrap = "hashes wrap --hash blake2s --preset toy";
    let json = format!("{wrap} - -o agg --list-out calls --format json");
    let wrapped: Value =
        serde_json::from_str(&exits(0, folder, &json, &inputs(8, 112))).expect("JSON");
    assert_eq!(wrapped["leaves"], 1);
    let leaf = "hashes leaf --hash blake2s --list calls --format json";
    let leaf: Value = serde_json::from_str(&exits(0, folder, leaf, "")).expect("JSON");
    is_a_leaf(folder, &wrapped, &leaf);

    for calls in [7, 4, 12] {
        let text = exits(1, folder, &format!("{wrap} --random {calls} -o none"), "");
        let expected =
            format!("no program verifies proofs about {calls} calls: expected a power of two");
        assert!(text.contains(&expected), "{text}");
    }
}

/// The aggregate `agg` is wrapped with this leaf alone, and is one of others like any other.
fn is_a_leaf(folder: &Path, wrapped: &Value, leaf: &Value) {
    let key = leaf["key"].as_str().expect("a key");
    let mut node = &wrapped["tree"];
    while let Some(children) = node["children"].as_array() {
        node = &children[0];
    }
    assert_eq!(
        (&node["key"], &node["statement"]),
        (&leaf["key"], &leaf["statement"])
    );
    let [keys, claim] = ["key", "claim"].map(|name| wrapped[name].as_str().expect("a digest"));
    let verify = format!("verify agg --key {keys} --claim {claim} --leaf {key} --min-bits 0");
    exits(0, folder, &verify, "");
    // It is a leaf of aggregates like any other.
    exits(0, folder, "aggregate agg agg --preset toy -o both", "");
    let both = exits(0, folder, "inspect both --format json", "");
    let both: Value = serde_json::from_str(&both).expect("JSON");
    assert_eq!(both["leaves"], 2, "{both}");
    // Whoever has the file derives its keys.
    let derived = exits(0, folder, "keys --from agg --no-cache", "");
    assert!(derived.contains(keys), "{derived}");
}

#[test]
fn proofs_about_calls_have_a_cost() {
    let folder = TempDir::new().expect("a folder");
    let cost = "hashes cost --hash keccak-f --random 8 --outer-preset toy --execute-only";
    let json = exits(0, folder.path(), &format!("{cost} --format json"), "");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["calls"], &json["paths"]), (&8.into(), &Value::Null));
    assert!(json["cycles"].as_u64() > Some(10_000), "{json}");
    let text = exits(1, folder.path(), &cost.replace("random 8", "random 7"), "");
    assert!(
        text.contains("no program verifies proofs about 7 calls"),
        "{text}"
    );
}

/// The command for paths has the figures of their proof and, under the names that `droste cost` has
/// for those of a wrap, those of the run that verifies it.
#[test]
fn proofs_about_paths_have_a_cost() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let cost = "hashes cost --hash blake2s --depth 2 --random 4 --outer-preset toy";
    let of = |more: &str| -> Value {
        let arguments = format!("{cost} {more} --format json");
        serde_json::from_str(&exits(0, folder, &arguments, "")).expect("JSON")
    };
    let executed = of("--execute-only");
    assert_eq!(
        (&executed["paths"], &executed["depth"]),
        (&4.into(), &2.into())
    );
    assert!(executed["leaf_prove_ms"].as_f64() > Some(0.0), "{executed}");
    assert!(executed["outer_prove_ms"].is_null(), "{executed}");
    let tables = executed["tables"].as_array().expect("a list");
    let products = tables
        .iter()
        .find(|table| table["name"] == "binary_products");
    assert!(products.expect("a table")["rows"].as_u64() > Some(0));

    let proved = of("--canonical");
    assert_eq!(proved["tables"], executed["tables"]);
    assert_eq!(proved["fft_cost"], executed["fft_cost"]);
    assert!(proved["outer_prove_ms"].as_f64() > Some(0.0), "{proved}");
    let steps = proved["canonical"].as_array().expect("a list");
    assert_eq!(steps[0]["cycles"], proved["cycles"]);
    assert_eq!(steps.last().expect("a step")["canonical"], true);

    let text = exits(1, folder, &cost.replace("--random 4", "--random 3"), "");
    assert!(
        text.contains("no program verifies proofs about 3 paths of depth 2"),
        "{text}"
    );
    let text = exits(2, folder, &format!("{cost} --memory 0"), "");
    assert!(
        text.contains("--memory: expected a number of GiB from 1"),
        "{text}"
    );
}
