//! `droste prove`, `wrap`, `join`, `keys`, `verify` and `inspect` on toy proofs: results, exit codes,
//! messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use droste_native::{F, Poseidon16Family};
use droste_verifier::aggregate::UnverifiedAggregate;
use droste_verifier::claim::{Claim, ClaimTree};
use droste_verifier::file as aggregate_file;
use droste_verifier::keys::ClaimedKeys;
use droste_vm::codec;
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
        .env("DROSTE_CACHE", folder.path().join("cache"))
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
    assert_eq!(text(&verified, "keys_are"), "pinned");
    let bits = verified["proven_bits"].as_u64().unwrap();
    assert!((1..100).contains(&bits), "{bits}");

    // The tree: statements of both programs, in order.
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

    // Two leaves, two wraps, the join.
    let tree_bits = verified["tree_bits"].as_u64().unwrap();
    assert!(tree_bits < bits, "{tree_bits}");
    assert_eq!(verified["proofs"], 5);

    rejected(&folder, key, claim, bits);
    bits_of_the_tree_are_checked(&folder, key, claim, tree_bits);
    keys_are_derived(&folder, key);
    forged_keys_are_refused(&folder, claim);
    hidden_proofs_are_found(&folder, key, claim);
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
    // Proofs of programs are wrapped against those, aggregates by themselves.
    let output = "--preset toy -o FOLDER/none";
    let arguments = format!("wrap FOLDER/factorial.proof {output}");
    fails(folder, &arguments, 2, "--program");
    let arguments = format!("wrap FOLDER/both {of} {output}");
    fails(folder, &arguments, 2, "this is an aggregate");
}

fn bits_of_the_tree_are_checked(folder: &TempDir, key: &str, claim: &str, bits: u64) {
    let verify = format!("verify FOLDER/both --key {key} --claim {claim} --min-bits 0");
    json(folder, &format!("{verify} --min-tree-bits {bits}"));
    let more = bits + 1;
    let arguments = format!("{verify} --min-tree-bits {more}");
    fails(folder, &arguments, 1, "the tree has");
    let arguments = format!("verify FOLDER/factorial.proof --key {key} --min-tree-bits 1");
    fails(folder, &arguments, 2, "for aggregates");
}

/// The digest that the join ended with, from nothing but the wraps' programs, and from the join's file.
fn keys_are_derived(folder: &TempDir, key: &str) {
    let digest = |arguments: &str| {
        let keys = json(folder, &format!("keys {arguments}"));
        text(&keys, "key").to_owned()
    };
    let wraps = "--from FOLDER/factorial.wrap FOLDER/fibonacci.wrap --join 2 --preset toy";
    assert_eq!(digest(wraps), key);
    assert_eq!(digest("--from FOLDER/both --no-cache"), key);
    assert_ne!(digest("--join 2 --preset toy"), key);
    fails(folder, "keys", 2, "required");
    // Proofs of programs stand for their wraps.
    let proofs = "--from FOLDER/factorial.proof FOLDER/fibonacci.proof --join 2 --preset toy";
    assert_eq!(digest(proofs), key);
    let blake3 =
        "prove FOLDER/factorial.rs --public 5 --preset toy --hash blake3 -o FOLDER/blake3.proof";
    json(folder, blake3);
    let words = "one step does not bring the proof home";
    fails(
        folder,
        "keys --from FOLDER/blake3.proof --preset toy",
        1,
        words,
    );
    fails(folder, "keys --from FOLDER/factorial.rs", 1, "not a proof");
}

/// A program that verifies nothing and reveals a forged claim, its key listed with 250 bits; and an
/// honest file with the byte of a key's bits changed.
fn forged_keys_are_refused(folder: &TempDir, claim: &str) {
    let honest = fs::read(file(folder, "factorial.wrap")).unwrap();
    let honest = aggregate_file::decode(&honest).unwrap();
    let (_, wrap) = honest.keys.iter().next().unwrap();
    let (factorial, _) = honest.tree.leaves()[0];
    let forged = Claim::Children(vec![ClaimTree {
        key: factorial,
        claim: Claim::Statement([5, 999, 0, 0, 0, 0, 0, 0].map(F::new)),
    }]);
    let reveals: Vec<String> = forged
        .statement()
        .iter()
        .map(|lane| format!("    reveal(Felt::new({lane}));\n"))
        .collect();
    let text = format!(
        "use droste_gadgets::prelude::*;\npub fn main() {{\n{}}}\n",
        reveals.concat()
    );
    fs::write(file(folder, "forge.rs"), text).unwrap();
    json(
        folder,
        "prove FOLDER/forge.rs --preset toy -o FOLDER/forge.proof",
    );
    let proof = fs::read(file(folder, "forge.proof")).unwrap();
    let proof = codec::decode::<Poseidon16Family>(&proof).unwrap();
    let key = proof.key.digest();
    let mut keys = ClaimedKeys::default();
    keys.insert(key, 250, wrap.recipe.clone());
    let forgery = UnverifiedAggregate {
        tree: ClaimTree { key, claim: forged },
        proof,
        keys,
    };
    let bytes = aggregate_file::encode_unverified(&forgery).unwrap();
    fs::write(file(folder, "forged"), bytes).unwrap();

    let refusal = format!("{key} is listed as the key of a recursion program");
    for victim in [
        "wrap FOLDER/forged --preset toy -o FOLDER/none",
        "join FOLDER/factorial.wrap FOLDER/forged --preset toy -o FOLDER/none",
        "keys --from FOLDER/forged",
        "inspect FOLDER/forged",
    ] {
        fails(folder, victim, 1, &refusal);
    }
    // It is consistent with itself, which is all that is said of it.
    let inspected = droste(folder, "inspect FOLDER/forged --claimed");
    let inspected = String::from_utf8(inspected.stdout).unwrap();
    assert!(inspected.contains("claimed by the file"), "{inspected}");
    assert!(inspected.contains("children of 250 bits, as the file claims"));
    // Only who believes the forger's own digest is deceived.
    let believed = forgery.key();
    let wrap = format!("wrap FOLDER/forged --key {believed} --preset toy -o FOLDER/laundered");
    json(folder, &wrap);
    let join = "join FOLDER/factorial.wrap FOLDER/laundered --preset toy -o FOLDER/none";
    fails(folder, join, 1, &refusal);

    let mut bytes = fs::read(file(folder, "both")).unwrap();
    // Header, number of keys, the first key's digest.
    bytes[12 + 1 + 32] = 250;
    let patched = aggregate_file::decode(&bytes).unwrap().key();
    fs::write(file(folder, "patched"), bytes).unwrap();
    let words = "not 250 as is listed";
    fails(
        folder,
        "join FOLDER/patched --preset toy -o FOLDER/none",
        1,
        words,
    );
    fails(folder, "inspect FOLDER/patched", 1, words);
    let verify = format!("verify FOLDER/patched --key {patched} --claim {claim} --min-bits 0");
    // A digest that was never derived: what is believed is the caller's own word.
    json(folder, &verify);
}

/// An aggregate that shows the join alone: its leaves are wraps, so that nobody sees what those verified,
/// with how many bits. Their keys are not listed: the digest is that of joins, which anyone derives.
fn hidden_proofs_are_found(folder: &TempDir, key: &str, claim: &str) {
    let bytes = fs::read(file(folder, "both")).unwrap();
    let mut hiding = aggregate_file::decode(&bytes).unwrap();
    let programs: Vec<_> = hiding.tree.leaves().iter().map(|(key, _)| *key).collect();
    let Claim::Children(wraps) = &mut hiding.tree.claim else {
        panic!("{:?}", hiding.tree);
    };
    for wrap in wraps.iter_mut() {
        wrap.claim = Claim::Statement(wrap.claim.statement());
    }
    let hidden = wraps[0].key;
    let join = hiding.tree.key;
    let mut keys = ClaimedKeys::default();
    for (key, listed) in hiding.keys.iter().filter(|(key, _)| *key == join) {
        keys.insert(key, listed.bits, listed.recipe.clone());
    }
    hiding.keys = keys;
    let bytes = aggregate_file::encode_unverified(&hiding).unwrap();
    fs::write(file(folder, "hiding"), bytes).unwrap();

    let joins = json(folder, "keys --join 2 --preset toy");
    let digest = text(&joins, "key");
    let hiding = format!("verify FOLDER/hiding --key {digest} --claim {claim} --min-bits 0");
    // It is what it says: two leaves and a join.
    let verified = json(folder, &hiding);
    assert_eq!(verified["proofs"], 3);
    let [factorial, fibonacci] = programs[..] else {
        panic!("{programs:?}");
    };
    let leaves = format!("--leaf {factorial} --leaf {fibonacci}");
    let words = format!("{hidden} is the key of a leaf, but not one of those that are asked for");
    fails(folder, &format!("{hiding} {leaves}"), 1, &words);

    let honest = format!("verify FOLDER/both --key {key} --claim {claim} --min-bits 0");
    let verified = json(folder, &format!("{honest} {leaves}"));
    assert_eq!(verified["proofs"], 5);
    let words = format!("{fibonacci} is the key of a leaf");
    let arguments = format!("{honest} --leaf {factorial}");
    fails(folder, &arguments, 1, &words);
    let arguments = format!("verify FOLDER/factorial.proof --key {factorial} --leaf {factorial}");
    fails(folder, &arguments, 2, "for aggregates");
    fails(folder, &format!("{honest} --leaf 00"), 2, "64 hexadecimal");
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
    for number in [1, 9] {
        let mut version = honest.clone();
        version[8] = number;
        verify(&version, &format!("version {number}, expected 2"));
    }
    // A byte of the proof.
    let mut flipped = honest.clone();
    let at = honest.len() - 100;
    flipped[at] ^= 1;
    verify(&flipped, "");
}
