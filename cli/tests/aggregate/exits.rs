//! Tests of keys that are pinned for last proofs, and of registries that take many aggregates.

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

/// The keys of a registry are derived before any last proof, and it takes an aggregate that has
/// fewer recursion keys than another one, whose leaf root is `leaves`.
pub fn registries_take_all_aggregates_of_their_keys(folder: &TempDir, leaves: &Value) {
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
pub fn contracts_say_who_vouches(folder: &TempDir, key: &str) {
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
