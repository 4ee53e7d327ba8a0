//! `droste xmss`: from a key to a checked aggregate.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../native/tests/xmss.json");

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

/// Two batches, of two keys and of one, are proved, joined and checked; what was not signed is not
/// in them.
#[test]
fn an_aggregate_says_who_signed() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    for (key, slot, message) in [
        ("alice", "0", "1,1,1,1,1,1,1,1"),
        ("bob", "0", "1,1,1,1,1,1,1,1"),
        ("carol", "1", "2,2,2,2,2,2,2,2"),
    ] {
        exits(0, folder, &["xmss", "keygen", key, "--slots", "2"]);
        let output = format!("{key}.json");
        let arguments = [
            "xmss",
            "sign",
            key,
            "--slot",
            slot,
            "--message",
            message,
            "-o",
            &output,
        ];
        exits(0, folder, &arguments);
    }
    let files = ["alice.json", "bob.json", "carol.json"];
    let mut arguments = vec!["xmss", "aggregate"];
    arguments.extend(files);
    arguments.extend(["--preset", "toy", "-o", "all.agg"]);
    let largest = [&arguments[..], &["--batch", "4097"]].concat();
    let text = exits(2, folder, &largest);
    assert!(text.contains("4097 is not in 1..=4096"), "{text}");
    // The claims, whose file no option names, do not replace signatures either.
    fs::copy(folder.join("alice.json"), folder.join("a.claims.json")).expect("writable");
    let replaced = ["xmss", "aggregate", "a.claims.json", "-o", "a"];
    let text = exits(2, folder, &replaced);
    assert!(text.contains("FILES a.claims.json"), "{text}");
    assert!(!folder.join("a.store").exists());
    let text = exits(0, folder, &arguments);
    assert!(text.contains("3 in 2 batches"), "{text}");
    assert!(!folder.join("all.agg.store").exists());

    let wanted: Vec<Value> = files
        .iter()
        .map(|file| {
            let signed = read(&folder.join(file)).as_array().expect("a list")[0].clone();
            let field = |name: &str| signed[name].clone();
            json!({
                "slot": field("slot"),
                "message": field("message"),
                "root": field("root"),
                "public_param": field("public_param"),
            })
        })
        .collect();
    let check = |code, claims: &str, wanted: &Value| {
        write(&folder.join("wanted.json"), wanted);
        let arguments = [
            "xmss",
            "check",
            "all.agg",
            "--claims",
            claims,
            "--min-bits",
            "0",
            "--json",
            "wanted.json",
        ];
        exits(code, folder, &arguments)
    };
    let claims = "all.agg.claims.json";
    let text = check(0, claims, &json!(wanted));
    assert!(text.contains("signatures") && text.contains('3'), "{text}");
    // Carol signed something else, in another slot.
    let mut other = wanted.clone();
    other[2]["slot"] = json!(0);
    other[2]["message"] = json!([1, 1, 1, 1, 1, 1, 1, 1]);
    let text = check(1, claims, &json!(other));
    assert!(text.contains("entry 2"), "{text}");

    // Claims of one key more, of keys in another order, of one batch less, and of other parameters.
    let honest = read(&folder.join(claims));
    let forged = |edit: &dyn Fn(&mut Value), reason: &str| {
        let mut claims = honest.clone();
        edit(&mut claims);
        write(&folder.join("forged.json"), &claims);
        let text = check(1, "forged.json", &json!([]));
        assert!(text.contains(reason), "{text}");
    };
    let carol = honest["batches"][1]["keys"][0].clone();
    forged(
        &|claims| {
            let keys = claims["batches"][1]["keys"].as_array_mut().expect("keys");
            keys.push(carol.clone());
        },
        "leaf 1",
    );
    forged(
        &|claims| {
            let keys = claims["batches"][0]["keys"].as_array_mut().expect("keys");
            keys.swap(0, 1);
        },
        "leaf 0",
    );
    forged(
        &|claims| {
            claims["batches"].as_array_mut().expect("batches").pop();
        },
        "2 leaves",
    );
    // Who may choose the scheme forges signatures.
    forged(&|claims| claims["target_sum"] = json!(180), "scheme");
    forged(&|claims| claims["levels"] = json!(31), "scheme");
    forged(&|claims| claims["log_keys"] = json!(2), "key");
    forged(
        &|claims| {
            claims["settings"]["log_block"] = json!(20);
            claims["settings"]["log_blowup"] = json!(2);
        },
        "2^22 rows, expected at most 2^21",
    );
    // As batches over FRI were claimed.
    forged(
        &|claims| {
            claims.as_object_mut().expect("fields").remove("format");
            let fields = [
                "log_blowup",
                "log_final_poly_len",
                "max_log_arity",
                "num_queries",
            ];
            claims["settings"] = fields.map(|field| (field, json!(1))).into_iter().collect();
        },
        "the claims have format 1, expected 3",
    );
    forged(
        &|claims| claims["log_keys"] = json!(13),
        "the batch has 8192 signatures, expected 1 to 4096",
    );
    forged(&|claims| claims["log_keys"] = json!(0), "signatures");
    forged(&|claims| claims["levels"] = json!(33), "levels");
    forged(
        &|claims| claims["batches"][0]["message"][0] = json!(0x7f00_0001),
        "element 0 of message is not canonical",
    );
    let mut arguments = vec!["xmss", "check", "all.agg", "--claims", claims];
    arguments.extend(["--min-bits", "0", "--min-tree-bits", "64"]);
    let text = exits(1, folder, &arguments);
    assert!(text.contains("the tree has"), "{text}");
    // The bits are those of toy parameters.
    let arguments = ["xmss", "check", "all.agg", "--claims", claims];
    let text = exits(1, folder, &arguments);
    assert!(text.contains("proven bits"), "{text}");
}
