//! `droste xmss`: from a key to a checked fold.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use droste_native::F;
use droste_native::hash_signature::{Parameters, Xmss};
use droste_native::stark::security::Preset;
use droste_verifier::file;
use droste_verifier::fold::UnverifiedFold;
use droste_verifier::keys::Deriver;
use droste_verifier::xmss::{SignatureBatchProgram, SignatureFold};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};
use tempfile::TempDir;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../native/tests/xmss.json");

/// A fold of other rules.
const OTHER_FOLD: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/golden/files/folds.step"
);

fn droste(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_droste"))
        .current_dir(folder)
        .env("DROSTE_CACHE", folder.join("cache"))
        .args(arguments)
        .output()
        .expect("the command runs")
}

/// Runs a command that must exit with this code, and returns what it prints.
fn exits(code: i32, folder: &Path, arguments: &[&str]) -> String {
    let output = droste(folder, arguments);
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let text = format!("{stdout}{stderr}");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

fn write(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).expect("writable");
}

#[test]
fn signatures_of_another_implementation_are_valid() {
    let folder = TempDir::new().expect("a folder");
    let text = exits(0, folder.path(), &["xmss", "verify", "--json", VECTORS]);
    assert!(text.contains("4 of 4"), "{text}");
    let mut changed = read(Path::new(VECTORS));
    let element = changed[2]["chain_tips"][41][3].as_u64().expect("a number");
    changed[2]["chain_tips"][41][3] = json!(element ^ 1);
    write(&folder.path().join("changed.json"), &changed);
    let arguments = ["xmss", "verify", "--json", "changed.json"];
    let text = exits(1, folder.path(), &arguments);
    assert!(text.contains("signature 2"), "{text}");
    // No signature is no valid list.
    write(&folder.path().join("none.json"), &json!([]));
    let text = exits(1, folder.path(), &["xmss", "verify", "--json", "none.json"]);
    assert!(text.contains("no signatures"), "{text}");
    // What is not canonical is refused by name.
    changed[2]["chain_tips"][41][3] = json!(element + 0x7f00_0001);
    write(&folder.path().join("changed.json"), &changed);
    let text = exits(1, folder.path(), &arguments);
    assert!(text.contains("chain_tips"), "{text}");
}

#[test]
fn a_slot_is_signed_once() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    exits(0, folder, &["xmss", "keygen", "key", "--slots", "4"]);
    exits(1, folder, &["xmss", "keygen", "key", "--slots", "4"]);
    let sign = |code, slot: &str, message: &str| {
        let arguments = [
            "xmss",
            "sign",
            "key",
            "--slot",
            slot,
            "--message",
            message,
            "-o",
            "signed.json",
        ];
        exits(code, folder, &arguments)
    };
    sign(0, "1", "1,2,3,4,5,6,7,8");
    exits(0, folder, &["xmss", "verify", "--json", "signed.json"]);
    for spent in ["0", "1"] {
        sign(1, spent, "1,2,3,4,5,6,7,9");
    }
    // What cannot be written, or would destroy the key, spends no slot.
    let elsewhere = |code, output: &str| {
        let arguments = ["xmss", "sign", "key", "--slot", "3", "-o", output];
        let message = ["--message", "1,2,3,4,5,6,7,8"];
        exits(code, folder, &[&arguments[..], &message].concat())
    };
    for output in ["none/a.json", "none/", "signed.json/"] {
        elsewhere(1, output);
    }
    let text = elsewhere(2, "./key");
    assert!(text.contains("are the same file"), "{text}");
    for output in ["key/key", "key/state", "key/witness", "key/../key/lock"] {
        let text = elsewhere(2, output);
        assert!(text.contains("file of the key"), "{text}");
    }
    sign(1, "4", "1,2,3,4,5,6,7,8");
    sign(2, "2", "1,2,3");
    sign(0, "3", "1,2,3,4,5,6,7,8");
}

/// Two aggregators prove overlapping signatures. The fold of both shows who signed, each counted
/// once, and is refused for what was not signed.
#[test]
fn a_fold_says_who_signed() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let message = "1,1,1,1,1,1,1,1";
    let names = ["alice", "bob", "carol"];
    for name in names {
        exits(0, folder, &["xmss", "keygen", name, "--slots", "2"]);
        for (slot, output) in [
            ("0", format!("{name}.0.json")),
            ("1", format!("{name}.json")),
        ] {
            let arguments = ["xmss", "sign", name, "--slot", slot, "--message", message];
            exits(0, folder, &[&arguments[..], &["-o", &output]].concat());
        }
    }
    let keys: Vec<Value> = names
        .iter()
        .map(|name| {
            let signed = read(&folder.join(format!("{name}.json")))[0].clone();
            json!({"root": signed["root"], "public_param": signed["public_param"]})
        })
        .collect();
    write(&folder.join("keys.json"), &json!(keys));
    let rules = ["--registry", "keys.json", "--batch", "2", "--preset", "toy"];
    let aggregate = |code, files: &[&str], output: &str| {
        let aggregate = ["xmss", "aggregate"];
        let arguments = [&aggregate[..], files, &rules, &["-o", output]];
        exits(code, folder, &arguments.concat())
    };
    let largest = ["xmss", "aggregate", "alice.json", "--registry", "keys.json"];
    let text = exits(
        2,
        folder,
        &[&largest[..], &["--batch", "1601", "-o", "a"]].concat(),
    );
    assert!(text.contains("1601 is not in 1..=1600"), "{text}");
    // The signers, whose file no option names, do not replace signatures either.
    fs::copy(folder.join("alice.json"), folder.join("a.signers.json")).expect("writable");
    let text = aggregate(2, &["a.signers.json"], "a");
    assert!(text.contains("FILES a.signers.json"), "{text}");
    assert!(!folder.join("a.store").exists());

    let text = aggregate(2, &["alice.json", "bob.0.json"], "a");
    assert!(
        text.contains("signature 1 is of another message or slot"),
        "{text}"
    );

    let text = aggregate(0, &["alice.json", "bob.json", "alice.json"], "left.fold");
    assert!(text.contains("2 in 1 batch"), "{text}");
    assert!(
        text.contains("warning: all proofs together have "),
        "{text}"
    );
    assert!(!folder.join("left.fold.store").exists());
    assert_eq!(read(&folder.join("left.fold.signers.json")), json!([0, 1]));
    // Who adds no signer adds no proofs.
    aggregate(
        0,
        &["--fold", "left.fold", "--fold", "left.fold"],
        "same.fold",
    );
    for name in ["fold", "fold.signers.json"] {
        let read = |fold: &str| fs::read(folder.join(format!("{fold}.{name}"))).expect("readable");
        assert_eq!(read("same"), read("left"));
    }
    // What is refused of others is refused before anything is proved.
    let files = ["bob.json", "carol.json", "--fold", "left.fold"];
    let text = aggregate(1, &[&files[..], &["--max-proofs", "1"]].concat(), "b.fold");
    assert!(
        text.contains("left.fold: 3 proofs were made for it, expected at most 1"),
        "{text}"
    );
    assert!(!text.contains("proving batch"), "{text}");
    fs::copy(folder.join("left.fold"), folder.join("alone.fold")).expect("writable");
    let text = aggregate(1, &["--fold", "alone.fold"], "b.fold");
    assert!(text.contains("alone.fold.signers.json"), "{text}");
    let text = aggregate(1, &["--fold", OTHER_FOLD], "b.fold");
    assert!(text.contains("says nothing about signers"), "{text}");
    let text = aggregate(0, &files, "all.fold");
    assert!(text.contains("3 of 3 keys"), "{text}");
    let signers = folder.join("all.fold.signers.json");
    assert_eq!(read(&signers), json!([0, 1, 2]));
    // Others than those of the fold have not signed.
    write(&folder.join("left.fold.signers.json"), &json!([0, 2]));
    let text = aggregate(1, &files, "b.fold");
    assert!(
        text.contains("left.fold") && text.contains("others have signed"),
        "{text}"
    );

    let check = |code, registry: &str, more: &[&str]| {
        let check = ["xmss", "check", "all.fold", "--registry", registry];
        let toy = ["--batch", "2", "--preset", "toy", "--min-bits", "0"];
        exits(code, folder, &[&check[..], &toy, more].concat())
    };
    let honest = ["--slot", "1", "--message", message];
    let with = |more: &[&'static str]| [&honest[..], more].concat();
    let text = check(0, "keys.json", &with(&["--min-signers", "3"]));
    assert!(
        text.contains("3 of 3 keys signed 1,1,1,1,1,1,1,1 in slot 1"),
        "{text}"
    );
    let text = check(
        0,
        "keys.json",
        &with(&["--signers", "all.fold.signers.json"]),
    );
    assert!(text.contains("0,1,2"), "{text}");
    let text = check(1, "keys.json", &with(&["--min-signers", "4"]));
    assert!(
        text.contains("3 keys have signed, expected at least 4"),
        "{text}"
    );
    let text = check(
        1,
        "keys.json",
        &with(&["--signers", "left.fold.signers.json"]),
    );
    assert!(text.contains("3 keys, given were 2"), "{text}");
    let many: Vec<usize> = (0..2_049).collect();
    for (places, reason) in [
        (json!([0, 3]), "there is no key 3"),
        (json!([0, 1, 1]), "do not ascend at 1"),
        (json!(many), "at most 2048 elements"),
    ] {
        write(&folder.join("others.json"), &places);
        let text = check(1, "keys.json", &with(&["--signers", "others.json"]));
        assert!(text.contains(reason), "{text}");
    }
    let text = check(2, "keys.json", &with(&["--min-signers", "0"]));
    assert!(text.contains("0 is not in 1.."), "{text}");
    let text = check(1, "keys.json", &with(&["--max-proofs", "1"]));
    assert!(text.contains("expected at most 1"), "{text}");
    let text = check(1, "keys.json", &with(&["--max-depth", "0"]));
    assert!(text.contains("1 levels deep, expected at most 0"), "{text}");
    let text = check(1, "keys.json", &["--slot", "0", "--message", message]);
    assert!(text.contains("about slot 1, expected 0"), "{text}");
    let other = ["--slot", "1", "--message", "1,1,1,1,1,1,1,2"];
    let text = check(1, "keys.json", &other);
    assert!(text.contains("about the message"), "{text}");
    let text = check(1, "keys.json", &with(&["--min-tree-bits", "64"]));
    assert!(
        text.contains("proven bits of security, expected at least 64"),
        "{text}"
    );

    // Other registries: another order, a key fewer, a key twice, and what is no key.
    let refused = |keys: Value, reason: &str| {
        write(&folder.join("other.json"), &keys);
        let text = check(1, "other.json", &honest);
        assert!(text.contains(reason), "{text}");
    };
    refused(json!([keys[1], keys[0], keys[2]]), "about the registry");
    refused(json!([keys[0], keys[1]]), "the fold key is");
    refused(
        json!([keys[0], keys[1], keys[0]]),
        "key 2 of the registry is key 0",
    );
    refused(json!([]), "0 keys, expected 1 to 2048");
    refused(
        json!([{"root": [0x7f00_0001, 0, 0, 0], "public_param": [0, 0, 0, 0]}]),
        "key 0 of the registry: element 0 of root is not canonical",
    );
    let zero = json!({"root": [0, 0, 0, 0], "public_param": [0, 0, 0, 0]});
    refused(
        json!([keys[0], zero]),
        "key 1 of the registry has only zeros",
    );
    let mut more = keys[0].clone();
    more["slot"] = json!(1);
    refused(json!([more]), "unknown field `slot`");
    // Signatures of other keys and of other messages.
    write(&folder.join("other.json"), &json!([keys[0], keys[1]]));
    let arguments = [
        "xmss",
        "aggregate",
        "carol.json",
        "--registry",
        "other.json",
    ];
    let text = exits(2, folder, &[&arguments[..], &["-o", "c.fold"]].concat());
    assert!(
        text.contains("signature 0: its key is not in the registry"),
        "{text}"
    );

    // What the file claims is shown without a registry.
    let text = exits(0, folder, &["xmss", "inspect", "all.fold"]);
    assert!(
        text.contains("3 keys signed") && text.contains("claimed"),
        "{text}"
    );
    // The bits are those of toy parameters.
    let check = |fold: &str, batch: &str, preset: &str, more: &[&str]| {
        let check = ["xmss", "check", fold, "--registry", "keys.json"];
        let family = ["--batch", batch, "--preset", preset];
        let arguments = [&check[..], &family, &honest, more].concat();
        exits(1, folder, &arguments)
    };
    let text = check("all.fold", "2", "toy", &[]);
    assert!(text.contains("proven bits"), "{text}");
    // Other batches or another preset have another fold key, and so has a fold of other rules.
    for (fold, batch, preset) in [
        ("all.fold", "400", "toy"),
        ("all.fold", "2", "proven-120"),
        (OTHER_FOLD, "2", "toy"),
    ] {
        let text = check(fold, batch, preset, &["--min-bits", "0"]);
        assert!(text.contains("the fold key is"), "{batch} {preset}: {text}");
    }
    // The slot and the number of signers that a file says cannot be changed.
    let bytes = fs::read(folder.join("all.fold")).expect("readable");
    let edited = |edit: &dyn Fn(&mut UnverifiedFold)| {
        let mut fold = file::fold::decode(&bytes).expect("a fold");
        edit(&mut fold);
        let bytes = file::fold::encode_unverified(&fold).expect("it can be encoded");
        fs::write(folder.join("edited.fold"), bytes).expect("writable");
        [
            check("edited.fold", "2", "toy", &["--min-bits", "0"]),
            aggregate(1, &["--fold", "edited.fold"], "b.fold"),
            exits(1, folder, &["xmss", "inspect", "edited.fold"]),
        ]
    };
    for block in [0, 4] {
        for text in edited(&|fold| fold.state[block][0] += F::ONE) {
            assert!(text.contains("the proof does not say these"), "{text}");
        }
    }
    fs::write(folder.join("edited.fold"), &bytes[1..]).expect("writable");
    let text = check("edited.fold", "2", "toy", &["--min-bits", "0"]);
    assert!(text.contains("edited.fold: "), "{text}");
    let text = exits(1, folder, &["xmss", "inspect", OTHER_FOLD]);
    assert!(text.contains("says nothing about signers"), "{text}");
    the_scheme_is_pinned(folder, &[&honest[..], &rules].concat());
}

/// The command derives the fold key of the scheme of leanMultisig, whatever file it is given.
/// Another target sum has another key (`a_fold_counts_each_signer_once`).
fn the_scheme_is_pinned(folder: &Path, expected: &[&str]) {
    let check = [
        "--format",
        "json",
        "xmss",
        "check",
        "all.fold",
        "--min-bits",
        "0",
    ];
    let output = droste(folder, &[&check[..], expected].concat());
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let scheme = Xmss::new(Parameters {
        chains: 42,
        bits: 3,
        levels: 32,
        target_sum: 184,
    });
    let registry = serde_json::from_value(read(&folder.join("keys.json"))).expect("a registry");
    let (scheme, deriver) = (scheme.expect("a scheme"), Arc::new(Deriver::new()));
    let program = SignatureBatchProgram::new(Arc::new(registry), scheme, 2).expect("a program");
    let fold = SignatureFold::new(program, Preset::Toy, deriver);
    assert_eq!(said["key"], fold.expect("a fold").fold().key().to_string());
}
