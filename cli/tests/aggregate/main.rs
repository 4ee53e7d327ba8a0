//! Tests `droste prove`, `wrap`, `join`, `keys`, `verify` and `inspect` on toy proofs: their
//! results, exit codes and messages.

mod exits;
mod keys;
mod leaves;
mod members;
mod parameters;
mod plans;
mod stages;

use std::fs;
use std::path::{Path, PathBuf};
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

    the_report_has_the_tree(&folder, &inspected);

    // The tree has five proofs: two leaves, two wraps and the join.
    let tree_bits = verified["tree_bits"].as_u64().unwrap();
    assert!(tree_bits < bits, "{tree_bits}");
    assert_eq!(verified["proofs"], 5);

    rejected(&folder, key, claim, bits);
    keys_of_the_wrong_kind_are_named(&folder, key, claim);
    bits_of_the_tree_are_checked(&folder, key, claim, tree_bits);
    keys::keys_are_derived(&folder, key);
    keys::forged_keys_are_refused(&folder, claim);
    keys::hidden_proofs_are_found(&folder, key, claim);
    members::leaves_are_members(&folder, key, claim, bits);
    the_last_proof_is_verified(&folder);
    the_order_is_kept(&folder, key, claim);
    plans::too_many_children_are_counted(&folder);
    plans::a_killed_run_goes_on(&folder);
    plans::bad_leaves_are_named(&folder);
    parameters::other_presets_are_named(&folder);
    leaves::leaves_are_proved_over_both_stacks(&folder);
    damaged_files_are_rejected(&folder, key, claim);
}

/// The report of `inspect` holds the tree that is printed, parents before children.
/// `droste verify` accepts what `droste exit` writes, against the printed key and statement only.
fn the_last_proof_is_verified(folder: &TempDir) {
    let exit = "exit FOLDER/both --preset toy --exit-preset toy -o FOLDER/exit";
    let made = json(folder, exit);
    assert_eq!(text(&made, "keys_are"), "derived");
    assert!(made["tree_bits"].as_u64() <= made["least_bits"].as_u64());
    let join = |statement: &Value| {
        let numbers = statement.as_array().unwrap().iter();
        numbers.map(Value::to_string).collect::<Vec<_>>().join(",")
    };
    let (key, statement) = (text(&made, "key"), join(&made["statement"]));
    let verify = format!("verify FOLDER/exit --min-bits 0 --public {statement}");
    let verified = json(folder, &format!("{verify} --exit-key {key}"));
    assert_eq!(text(&verified, "hash"), "keccak");
    for said in [&made, &verified] {
        assert_eq!(text(said, "key_is"), "exit key");
    }
    let verdict = text(&verified, "verdict");
    let bits = &verified["proven_bits"];
    let expected =
        format!("accepted: the last proof of an aggregate, by its exit key, {bits} bits");
    assert_eq!(verdict, expected);
    assert!(made.get("verdict").is_none());
    let other = "0".repeat(64);
    let arguments = format!("{verify} --key {other}");
    fails(folder, &arguments, 1, "the proof was made with key");
    let arguments = format!("{verify} --program-key {key}");
    let words = "--program-key was given, but this is a last proof";
    fails(folder, &arguments, 2, words);
    let other = format!("verify FOLDER/exit --key {key} --min-bits 0 --public 1");
    fails(folder, &other, 1, "element 0 of the statement");
    contracts_are_written(folder, key);
    let shape = "exit FOLDER/both --preset proven-100 -o FOLDER/none";
    let words = "both: the proof does not have the canonical shape: made with toy, asked for \
                 proven-100: add --preset toy";
    fails(folder, shape, 1, words);

    // With a leaf root it has the statement that the file says, under the same key.
    let rooted = json(folder, &format!("{exit} --leaf-root FOLDER/leaves.json"));
    let leaves = fs::read(file(folder, "leaves.json")).unwrap();
    let leaves: Value = serde_json::from_slice(&leaves).unwrap();
    assert_eq!(leaves["exit_statement"], rooted["statement"]);
    assert_eq!(leaves["exit_key"], key);
    assert_eq!(leaves["root"], rooted["leaf_root"]["root"]);
    assert_eq!(leaves["leaf_count"], 2);
    assert_ne!(rooted["statement"], made["statement"]);
    let verify = verify.replace(&statement, &join(&rooted["statement"]));
    json(folder, &format!("{verify} --key {key}"));
    registries_are_written(folder, &leaves);
    exits::registries_take_all_aggregates_of_their_keys(folder, &leaves);
}

/// With a leaf root, `droste evm build` also writes a registry and what uses it.
fn registries_are_written(folder: &TempDir, leaves: &Value) {
    let leaf = &leaves["leaves"][0];
    let evm =
        "evm build FOLDER/exit --min-bits 0 -o FOLDER/registry --leaf-root FOLDER/leaves.json";
    let made = json(folder, &format!("{evm} --leaf {}", text(leaf, "key")));
    let contracts = made["contracts"].as_array().unwrap();
    let names: Vec<&str> = contracts.iter().map(|made| text(made, "name")).collect();
    let expected = [
        "evaluator0",
        "evaluator1",
        "verifier",
        "registry",
        "consumer",
    ];
    assert_eq!(names, expected);
    let keys = "recursion_keys_digest";
    assert_eq!(made[keys], leaves[keys]);
    assert_eq!(text(&made, "leaf_root")[2..], *text(leaves, "root"));
    let read = |name: &str| fs::read_to_string(file(folder, &format!("registry/{name}"))).unwrap();
    // Each contract's code has the address of the one before it.
    for pair in contracts[2..].windows(2) {
        let code = read(&format!("{}.hex", text(&pair[1], "name")));
        // Code has no zeros that an address may begin with.
        assert!(code.contains(&text(&pair[0], "address")[10..]));
    }
    assert!(read("accept.hex").contains(text(leaves, "root")));
    let openings: Value = serde_json::from_str(&read("openings.json")).unwrap();
    let opening = &openings[0];
    assert_eq!(text(opening, "statement")[2..], *text(leaf, "statement"));
    assert_eq!(opening["path"].as_array().unwrap().len(), 1);
    let other = format!("{evm} --leaf {}", "0".repeat(64));
    json(folder, &other);
    assert_eq!(read("openings.json"), "[]");
    fails(folder, evm, 2, "--leaf");
    let leaf_root = evm
        .replace("build", "verify")
        .replace(" -o FOLDER/registry", "");
    let verify = format!("{leaf_root} --leaf {}", text(leaf, "key"));
    if let Some(verified) = run_contracts(folder, &verify) {
        assert_eq!(verified["contracts"].as_array().unwrap().len(), 5);
        assert_eq!(verified["leaf_root"]["holds"].as_array().unwrap().len(), 1);
    }
    let recursion = format!("{evm} --leaf {}", text(leaves, "aggregate_key"));
    fails(folder, &recursion, 1, "is the key of a recursion program");
    // It is that of the proof.
    let mut others = leaves.clone();
    others["claim"] = leaves["aggregate_key"].clone();
    fs::write(file(folder, "others.json"), others.to_string()).unwrap();
    let other = evm.replace("leaves.json", "others.json");
    let refused = "the statement of the proof is not that of the leaf root";
    let arguments = format!("{other} --leaf {}", text(leaf, "key"));
    fails(folder, &arguments, 1, refused);
}

/// `droste evm build` writes contracts of the key, and the call for the proof.
fn contracts_are_written(folder: &TempDir, key: &str) {
    let evm = "evm build FOLDER/exit --min-bits 0 -o FOLDER/contracts";
    let made = json(folder, &format!("{evm} --key {key}"));
    assert_eq!(text(&made, "key"), key);
    assert_eq!(text(&made, "exit_key_is"), "pinned");
    exits::contracts_say_who_vouches(folder, key);
    let contracts = made["contracts"].as_array().unwrap();
    let names: Vec<&str> = contracts.iter().map(|made| text(made, "name")).collect();
    assert_eq!(names, ["evaluator0", "evaluator1", "verifier"]);
    let read = |name: &str| fs::read_to_string(file(folder, &format!("contracts/{name}"))).unwrap();
    for contract in contracts {
        let bytes = contract["bytes"].as_u64().unwrap() as usize;
        assert!(bytes <= 24_576);
        // A salt, and what returns the code, in front of it.
        let deploy = read(&format!("{}.hex", text(contract, "name")));
        assert_eq!(deploy.len(), 2 + 2 * (32 + 11 + bytes));
    }
    let call = read("call.hex");
    let selector_and_statement = &call[..2 + 2 * 36];
    assert!(selector_and_statement.ends_with(&text(&made, "statement")[2..]));
    assert_eq!(
        call.len() as u64,
        2 + 2 * made["call_bytes"].as_u64().unwrap()
    );
    let other = "0".repeat(64);
    fails(
        folder,
        &format!("{evm} --key {other}"),
        1,
        "the proof was made with key",
    );
    // A proof among the contracts is not replaced by one of them.
    let among = file(folder, "contracts/evaluator0.hex");
    let proof = fs::read(file(folder, "exit")).unwrap();
    fs::write(&among, &proof).unwrap();
    let same = evm.replace("FOLDER/exit", "FOLDER/contracts/evaluator0.hex");
    fails(folder, &same, 2, "is read by this command");
    assert_eq!(fs::read(among).unwrap(), proof);
    let bits = "evm build FOLDER/exit -o FOLDER/none";
    fails(folder, bits, 1, "proven bits");

    let verify = "evm verify FOLDER/exit --min-bits 0 --changes 3";
    let Some(verified) = run_contracts(folder, verify) else {
        return;
    };
    for name in ["key", "statement", "proven_bits", "call_bytes"] {
        assert_eq!(verified[name], made[name], "{name}");
    }
    let phases = verified["phases"].as_array().unwrap();
    assert_eq!(phases.len(), 10);
    let gas = |name: &str| verified[name].as_u64().unwrap();
    assert!(gas("gas") > gas("execution_gas"));
    // The floor of 40 is in force.
    let floors = &verified["gas_with_floor"];
    assert_eq!(floors["40"], verified["gas"]);
    assert!(floors["64"].as_u64() >= floors["40"].as_u64());
    let changes = verified["changes"]["phases"].as_object().unwrap();
    let refused: u64 = changes.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(refused, 3);
    let other = format!("evm verify FOLDER/exit --min-bits 0 --key {other}");
    fails(folder, &other, 1, "the proof was made with key");
}

/// `droste evm verify` runs contracts, or says which feature it was built without.
fn run_contracts(folder: &TempDir, arguments: &str) -> Option<Value> {
    if cfg!(feature = "revm") {
        return Some(json(folder, arguments));
    }
    fails(folder, arguments, 1, "without the feature `revm`");
    // No other feature has to be named, so none that is on is lost.
    let hint = "`cargo build --release -p droste-cli --features revm`";
    fails(folder, arguments, 1, hint);
    None
}

fn the_report_has_the_tree(folder: &TempDir, inspected: &Value) {
    json(folder, "inspect FOLDER/both --report FOLDER/tree.html");
    let page = fs::read_to_string(file(folder, "tree.html")).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data = data.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(data).unwrap();
    for name in [
        "key",
        "claim",
        "proven_bits",
        "tree_bits",
        "proofs",
        "recursion_keys",
    ] {
        assert_eq!(data[name], inspected[name], "{name}");
    }
    assert_eq!(data["claimed"], false);
    let root = &inspected["tree"];
    let [first, second] = [0, 1].map(|child| &root["children"][child]);
    let nodes = [
        root,
        first,
        &first["children"][0],
        second,
        &second["children"][0],
    ];
    let found = data["nodes"].as_array().unwrap();
    assert_eq!(found.len(), nodes.len());
    for (node, found) in nodes.into_iter().zip(found) {
        assert_eq!(
            data["keys"][found[0].as_u64().unwrap() as usize],
            node["key"]
        );
        let children = node["children"].as_array().map_or(0, Vec::len);
        assert_eq!(found[1], children);
    }
    let statements = [first, second].map(|wrap| &wrap["children"][0]["statement"]);
    assert_eq!(data["statements"], serde_json::json!(statements));

    let claimed = "inspect FOLDER/both --claimed --report FOLDER/tree.html";
    json(folder, claimed);
    let page = fs::read_to_string(file(folder, "tree.html")).unwrap();
    assert!(page.contains("\"claimed\":true"));
    let proof = "inspect FOLDER/factorial.proof --report FOLDER/tree.html";
    fails(folder, proof, 2, "--report is for aggregates");
}

fn rejected(folder: &TempDir, key: &str, claim: &str, bits: u64) {
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
    fails(folder, "join -o FOLDER/none", 2, "required");
    // Wrapping the proof of a program takes --program, wrapping an aggregate does not.
    let output = "--preset toy -o FOLDER/none";
    let arguments = format!("wrap FOLDER/factorial.proof {output}");
    fails(folder, &arguments, 2, "--program");
    let arguments = format!("wrap FOLDER/both {of} {output}");
    fails(folder, &arguments, 2, "this is an aggregate");
}

/// One digest looks like another, so what was given is named where the file shows it.
fn keys_of_the_wrong_kind_are_named(folder: &TempDir, key: &str, claim: &str) {
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

fn bits_of_the_tree_are_checked(folder: &TempDir, key: &str, claim: &str, bits: u64) {
    let verify = format!("verify FOLDER/both --key {key} --claim {claim} --min-bits 0 --any-leaf");
    json(folder, &format!("{verify} --min-tree-bits {bits}"));
    let more = bits + 1;
    let arguments = format!("{verify} --min-tree-bits {more}");
    fails(folder, &arguments, 1, "the tree has");
    let arguments = format!("verify FOLDER/factorial.proof --key {key} --min-tree-bits 1");
    fails(folder, &arguments, 2, "for aggregates");
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
        "not an aggregate",
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

fn damaged_files_are_rejected(folder: &TempDir, key: &str, claim: &str) {
    let honest = fs::read(file(folder, "both")).unwrap();
    let damaged: PathBuf = file(folder, "damaged");
    let verify = |bytes: &[u8], words: &str| {
        fs::write(Path::new(&damaged), bytes).unwrap();
        let arguments =
            format!("verify FOLDER/damaged --key {key} --claim {claim} --min-bits 0 --any-leaf");
        fails(folder, &arguments, 1, words);
    };
    verify(&honest[..honest.len() - 1], "malformed");
    verify(&honest[..honest.len() / 2], "malformed");
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
