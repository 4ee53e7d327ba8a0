//! Last proofs: what they are verified against, their contracts, registries that take those of many
//! aggregates, and a contract that keeps a root, which those of a fold advance.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{droste, fails, file, json, text};

/// What a registry is made with.
const PINNED: [&str; 7] = [
    "exit_key",
    "most_leaves",
    "recursion_keys_digest",
    "recursion_keys",
    "program_key",
    "wrap_keys",
    "join_key",
];

/// `droste verify` accepts what `droste exit` writes, against the printed key and statement only.
pub fn the_last_proof_is_verified(folder: &TempDir) {
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
    let expected = format!(
        "accepted: the last proof of an aggregate or a fold, by its exit key and statement, {bits} bits"
    );
    assert_eq!(verdict, expected);
    assert!(made.get("verdict").is_none());
    let other = "0".repeat(64);
    let arguments = format!("{verify} --key {other}");
    fails(folder, &arguments, 1, "the proof was made with key");
    let arguments = format!("{verify} --program-key {key}");
    let words = "--program-key was given, but this is a last proof";
    fails(folder, &arguments, 2, words);
    let (first, rest) = statement.split_once(',').unwrap();
    let verify_other = format!("verify FOLDER/exit --key {key} --min-bits 0");
    let changed = if first == "0" { "1" } else { "0" };
    let other = format!("{verify_other} --public {changed},{rest}");
    fails(folder, &other, 1, "element 0 of the statement");
    // The key alone, or with a part of the statement, does not say of which aggregate it is.
    for part in ["", " --public ", &format!(" --public {first}")] {
        let words = "so give its whole statement with --public";
        fails(folder, &format!("{verify_other}{part}"), 2, words);
    }
    // It ends the chain.
    for (arguments, code, words) in [
        (
            "wrap FOLDER/exit",
            2,
            "this is a last proof, which ends a chain",
        ),
        (
            "join FOLDER/exit",
            1,
            "exit: not an aggregate of proofs, but a last proof",
        ),
        ("aggregate FOLDER/exit", 2, "exit is a last proof"),
    ] {
        let arguments = format!("{arguments} --preset toy -o FOLDER/none");
        fails(folder, &arguments, code, words);
    }
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
    registries_take_all_aggregates_of_their_keys(folder, &leaves);
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
    let other = evm.replace("leaves.json", "both");
    let arguments = format!("{other} --leaf {}", text(leaf, "key"));
    let words = "both is not what `droste exit --leaf-root` writes, in JSON";
    fails(folder, &arguments, 1, words);
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
    contracts_say_who_vouches(folder, key);
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

/// The keys of a registry are derived before any last proof, and it takes an aggregate that has
/// fewer recursion keys than another one, whose leaf root is `leaves`.
fn registries_take_all_aggregates_of_their_keys(folder: &TempDir, leaves: &Value) {
    let keys = "keys --from FOLDER/both --preset toy --exit toy";
    let derived = json(folder, &format!("{keys} --leaf-root 2 --min-bits 0"));
    let of_keys = derived["keys"].as_array().unwrap().iter();
    let least = of_keys
        .map(|key| key["bits_of_children"].as_u64().unwrap())
        .min();
    assert!(derived["listed_bits"].as_u64() <= least);
    // Weak keys get into no list unasked, whatever the level of the last proof.
    for exit in ["toy", "proven-100"] {
        let weak = format!("keys --from FOLDER/both --preset toy --exit {exit} --leaf-root 2");
        fails(folder, &weak, 1, "expected at least 100 (--min-bits)");
    }
    for name in PINNED {
        assert_eq!(derived[name], leaves[name], "{name}");
    }
    fs::write(file(folder, "keys.json"), derived.to_string()).unwrap();
    let exit = "exit FOLDER/factorial.wrap --preset toy --exit-preset toy -o FOLDER/one \
                --leaf-root FOLDER/one.json --registry FOLDER/keys.json";
    let made = json(folder, exit);
    assert_eq!(made["leaf_root"]["leaf_count"], 1);
    let one = fs::read(file(folder, "one.json")).unwrap();
    let one: Value = serde_json::from_slice(&one).unwrap();
    for name in PINNED {
        assert_eq!(one[name], leaves[name], "{name}");
    }
    assert_eq!(one["tree_bits"], made["tree_bits"]);

    // The contracts are the same.
    let leaf = text(&one["leaves"][0], "key");
    let build = |proof: &str, leaves: &str| {
        let evm = format!("evm build FOLDER/{proof} --leaf-root FOLDER/{leaves} --leaf {leaf}");
        json(folder, &format!("{evm} --min-bits 0 -o FOLDER/for_{proof}"))
    };
    let (first, second) = (build("exit", "leaves.json"), build("one", "one.json"));
    assert_eq!(first["contracts"], second["contracts"]);
    assert_eq!(first["registry_keys_are"], "claimed");
    let evm = format!("evm build FOLDER/exit --leaf-root FOLDER/leaves.json --leaf {leaf}");
    let key = text(leaves, "exit_key");
    let pinned = format!("{evm} --exit-key {key} --min-bits 0 -o FOLDER/for_exit");
    let printed = String::from_utf8(droste(folder, &pinned).stdout).unwrap();
    for words in [
        "the exit key is pinned by --exit-key",
        "the list of recursion keys is the file's",
    ] {
        assert!(printed.contains(words), "{printed}");
    }
    assert_ne!(first["leaf_root"], second["leaf_root"]);
    assert_eq!(second["tree_bits"], one["tree_bits"]);

    registries_of_others_are_refused(folder, &derived, exit);
    let without = exit.replace("--leaf-root FOLDER/one.json ", "");
    for (arguments, words) in [
        ("keys --from FOLDER/both --leaf-root 2", "--exit"),
        ("keys --exit toy --leaf-root 2", "--from"),
        ("keys --join 2 --exit toy --leaf-root 2000", "up to 1024"),
        (without.as_str(), "--leaf-root"),
    ] {
        fails(folder, arguments, 2, words);
    }
}

/// Before anything is proved, so that nothing is written either.
fn registries_of_others_are_refused(folder: &TempDir, derived: &Value, exit: &str) {
    let exit = exit
        .replace("keys.json", "others.json")
        .replace("-o FOLDER/one ", "-o FOLDER/none ");
    let refused = |name: &str, value: Value, words: &str| {
        let mut others = derived.clone();
        others[name] = value;
        fs::write(file(folder, "others.json"), others.to_string()).unwrap();
        fails(folder, &exit, 1, words);
        assert!(!file(folder, "none").exists(), "{name}");
    };
    let (join, program) = (&derived["join_key"], &derived["program_key"]);
    let of_another = "the registry has the key of the join";
    refused("join_key", program.clone(), of_another);
    let not_listed = "is a recursion key of the aggregate, but not one of those listed";
    refused("recursion_keys", json!([join]), not_listed);
    refused("most_leaves", json!(17), "no program for up to 17 leaves");
}

/// Without a pinned key nobody vouches for contracts.
fn contracts_say_who_vouches(folder: &TempDir, key: &str) {
    let evm = "evm build FOLDER/exit --min-bits 0 -o FOLDER/contracts";
    let printed = |arguments: &str| String::from_utf8(droste(folder, arguments).stdout).unwrap();
    let claimed = printed(evm);
    assert!(claimed.contains("nobody vouches"), "{claimed}");
    assert!(claimed.contains("bits of the tree"), "{claimed}");
    let pinned = printed(&format!("{evm} --exit-key {key}"));
    assert!(pinned.contains("pinned by --exit-key"), "{pinned}");
    assert!(!pinned.contains("the file's"), "{pinned}");
    assert_eq!(json(folder, evm)["exit_key_is"], "claimed");
}

/// The contract's rules are named, above all those that take no proofs, and have the listed keys.
/// `evm` makes a contract.
fn rules_are_those_of_the_recipe(folder: &TempDir, evm: &str) {
    let recipe = fs::read(file(folder, "recipe.json")).unwrap();
    let recipe: Value = serde_json::from_slice(&recipe).unwrap();
    let evm = evm.replace("recipe.json", "renamed.json");
    let write = |recipe: &Value| {
        fs::write(file(folder, "renamed.json"), recipe.to_string()).unwrap();
    };
    let mut start = recipe.clone();
    start["rules"][1]["name"] = json!("begin\u{1b}");
    start["rules"][1]["takes"] = json!([]);
    write(&start);
    let warned = String::from_utf8(droste(folder, &evm).stderr).unwrap();
    for words in ["take no proofs", ": `begin\\u{1b}`"] {
        assert!(warned.contains(words), "{warned}");
    }
    let mut fewer = recipe;
    fewer["rules"].as_array_mut().unwrap().pop();
    write(&fewer);
    fails(folder, &evm, 1, "the list of rules differs");
}

/// The last proof of a fold advances a root, whose contract has the keys of the rules. `key` is
/// that of the fold.
pub fn last_proofs_of_folds_advance_roots(folder: &TempDir, key: &str) {
    let exit = "exit FOLDER/all.fold --preset toy --exit-preset toy -o FOLDER/fold.exit";
    let made = json(folder, &format!("{exit} --fold-key {key}"));
    assert_eq!(made["keys_are"], "pinned");
    let said = fs::read(file(folder, "claim.json")).unwrap();
    let said: Value = serde_json::from_slice(&said).unwrap();
    // A block as digests are printed.
    let root = |block: usize| -> String {
        let lanes = said["state"][block].as_array().unwrap().iter();
        let lanes = lanes.map(|lane| lane.as_u64().unwrap() as u32);
        let bytes = lanes.flat_map(u32::to_le_bytes);
        bytes.map(|byte| format!("{byte:02x}")).collect()
    };

    // A claim opens it.
    let verify = format!("verify FOLDER/fold.exit --exit-key {}", text(&made, "key"));
    let claim = "--fold-claim FOLDER/claim.json --fold-key";
    let open = format!("{verify} {claim} {key} --min-bits 0");
    let opened = json(folder, &open);
    assert_eq!(opened["fold"]["state"], said["state"]);
    assert!(text(&opened, "verdict").starts_with("accepted: the last proof of a fold that you"));
    let mut other = said.clone();
    other["state"][0][0] = json!(5);
    fs::write(file(folder, "other.json"), other.to_string()).unwrap();
    for (wrong, code, words) in [
        (
            open.replace("claim.json", "other.json"),
            1,
            "not that of a rule which says this",
        ),
        (
            open.replace(key, text(&made, "key")),
            1,
            "whose key is not accepted",
        ),
        (format!("{open} --public 1"), 2, "without --public"),
        (format!("{verify} {claim} {key}"), 1, "bits"),
    ] {
        fails(folder, &wrong, code, words);
    }

    let evm = "evm build FOLDER/fold.exit --min-bits 0 -o FOLDER/state_root";
    let (recipe, claim) = (
        "--fold FOLDER/recipe.json",
        "--fold-claim FOLDER/claim.json",
    );
    let fold = format!("{recipe} --old 0 --new 1");
    let built = json(folder, &format!("{evm} {fold} {claim} --fold-key {key}"));
    let kept = &built["state_root"];
    assert_eq!(text(kept, "fold_key"), key);
    assert_eq!(kept["fold_key_is"], "pinned");
    assert_eq!(text(kept, "first")[2..], root(0));
    let contracts = built["contracts"].as_array().unwrap();
    assert_eq!(text(&contracts[3], "name"), "state_root");
    let read =
        |name: &str| fs::read_to_string(file(folder, &format!("state_root/{name}"))).unwrap();
    let roots = format!("{}{}", root(0), root(1));
    assert!(read("advance.hex").contains(&roots));
    assert!(read("state_root.json").contains("bytes32[3]"));
    assert!(read("state_root.yul").contains(key));
    // Code has no zeros that an address may begin with.
    let verifier = &text(&contracts[2], "address")[10..];
    assert!(read("state_root.hex").contains(verifier));

    // What the fold says is not needed for the contract.
    let first = format!("{evm} {fold} --first {}", root(0));
    let without = json(folder, &first);
    assert_eq!(without["contracts"], built["contracts"]);
    assert_eq!(without["state_root"]["fold_key_is"], "claimed");
    let output = droste(folder, &first);
    let printed = String::from_utf8(output.stdout).unwrap();
    for words in [
        "compare it with that of `droste fold key`",
        " of one advance, log2 N fewer of N, as the recipe claims",
    ] {
        assert!(printed.contains(words), "{printed}");
    }
    let warned = String::from_utf8(output.stderr).unwrap();
    let rules = "may advance the root: block(leaf 0), merge(node, node), pair(leaf 0, leaf 0), ";
    assert!(warned.contains(rules), "{warned}");
    assert!(!warned.contains("take no proofs"), "{warned}");
    rules_are_those_of_the_recipe(folder, &first);

    let mut others = said.clone();
    others["state"][2][0] = json!(1_000_000);
    fs::write(file(folder, "others.json"), others.to_string()).unwrap();
    let zeros = "0".repeat(64);
    for (options, code, words) in [
        (format!("{recipe} --old 0 {claim}"), 2, "--new"),
        (fold.clone(), 2, "--first"),
        (format!("{recipe} --old 0 --new 3 {claim}"), 2, "3 is none"),
        (
            format!("{recipe} --old 1 --new 1 {claim}"),
            2,
            "both block 1",
        ),
        (format!("{fold} {claim} --max-rules 0"), 2, "`rules` is 0"),
        (
            format!("{fold} {claim} --max-rules 5"),
            1,
            "accepts at most 5",
        ),
        (
            format!("{fold} {claim} --fold-key {zeros}"),
            1,
            "the fold key is",
        ),
        (
            format!("{fold} --fold-claim FOLDER/others.json"),
            1,
            "not that of a rule which says this",
        ),
    ] {
        fails(folder, &format!("{evm} {options}"), code, words);
    }
    let verify = evm.replace("build", "verify");
    let verify = verify.replace(" -o FOLDER/state_root", "");
    if let Some(verified) = run_contracts(folder, &format!("{verify} {fold} {claim}")) {
        assert_eq!(verified["contracts"].as_array().unwrap().len(), 4);
        assert!(verified["advance"].as_u64() > verified["gas"].as_u64());
    }
}
