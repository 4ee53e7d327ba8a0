//! `droste fold`, and folds where other commands take aggregates.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json as value;

use super::*;

/// The package that `droste fold new` writes.
fn package() -> TempDir {
    let folder = TempDir::new().unwrap();
    let created = json(&folder, "fold new FOLDER/rollup");
    let commands = created["commands"].as_array().unwrap();
    assert!(commands[0].as_str().unwrap().contains(" fold test "));
    assert_eq!(commands.len(), 9);
    assert!(commands[8].as_str().unwrap().starts_with("cargo test "));
    folder
}

/// Changes a text of the package.
fn change(folder: &TempDir, name: &str, from: &str, to: &str) {
    let path = file(folder, &format!("rollup/{name}"));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// The values of a command that prints several.
fn values(output: &Output) -> Vec<Value> {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = printed.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn rules_are_tested_by_false_hints() {
    let folder = package();
    let test = "fold test FOLDER/rollup/src/chain.rs --cases FOLDER/rollup/cases.json --lies 50";
    let tested = json(&folder, test);
    assert_eq!(tested["untested"], value!([]));
    let rules = tested["rules"].as_array().unwrap();
    let names: Vec<&str> = rules.iter().map(|rule| text(rule, "rule")).collect();
    assert_eq!(names, ["block", "merge", "pair", "append"]);
    for rule in rules {
        assert_eq!(rule["lies"], rule["refused"], "{rule}");
        assert!(rule["lies"].as_u64().unwrap() > 100, "{rule}");
    }
    for rule in rules {
        assert_eq!(rule["unread"], value!([]), "{rule}");
    }
    // A case that must fail.
    let refused = tested["refused"].as_array().unwrap();
    assert_eq!(text(&refused[0], "rule"), "merge");
    assert_eq!(refused[0]["instead"], Value::Null);

    // A case that fails.
    let case = value!([{"rule": "merge", "nodes": [
        {"state": [vec![1; 8], vec![2; 8], [1, 0, 0, 0, 0, 0, 0, 0]]},
        {"state": [vec![3; 8], vec![4; 8], [1, 0, 0, 0, 0, 0, 0, 0]]},
    ]}]);
    fs::write(file(&folder, "case.json"), case.to_string()).unwrap();
    let one = "fold test FOLDER/rollup/src/chain.rs --cases FOLDER/case.json --lies 50";
    fails(
        &folder,
        one,
        1,
        "the second span begins elsewhere (chain.rs:",
    );

    // The hint of a block that nobody compares is free, unless it is an input.
    let compared = "assert_eq!(said, leaf.statement, \"the block says other roots\");";
    change(&folder, "src/chain.rs", compared, "let _ = said;");
    let output = droste(&folder, test);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for words in ["the rule `block` leaves hint 0 (line ", "--input block:0"] {
        assert!(errors.contains(words), "{errors}");
    }
    let inputs = "--input block:0 --input pair:0 --input pair:1 --input append:0";
    let tested = json(&folder, &format!("{test} {inputs}"));
    assert!(!tested["rules"][0]["inputs"].as_array().unwrap().is_empty());

    // An assertion about children that is missing: a case that must fail does not.
    let meet = "assert_eq!(left.to, right.from, \"the second span begins elsewhere\");";
    change(&folder, "src/chain.rs", meet, "");
    let output = droste(&folder, &format!("{test} {inputs}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for words in [
        "must fail with \"the second span begins elsewhere\", but it is accepted",
        "`merge` does not depend on block 1 of child 0 and block 0 of child 1",
    ] {
        assert!(errors.contains(words), "{errors}");
    }

    // What is no rule is said with its line.
    change(&folder, "src/chain.rs", "left: &Span", "left: Span");
    fails(
        &folder,
        test,
        1,
        "parameter `left` of the rule `merge` is taken by value",
    );
    fails(
        &folder,
        "fold new FOLDER/chain",
        2,
        "`chain` is a module of the package",
    );
    fails(&folder, "fold new FOLDER/rollup", 1, "already exists");
}

#[test]
fn folds_are_planned_proved_and_verified() {
    let folder = package();
    let of = "FOLDER/rollup";
    for block in 1..=4 {
        let hints = format!("--hints {of}/blocks/{block}.json");
        let output = format!("-o {of}/blocks/{block}.proof");
        json(
            &folder,
            &format!("prove {of}/src/block.rs {hints} --preset toy {output}"),
        );
    }
    let family = format!("{of}/src/chain.rs --leaf {of}/src/block.rs");
    let key = format!("fold key {family}");
    fails(
        &folder,
        &format!("{key} --preset toy"),
        2,
        "there is no sample of",
    );
    let sample = format!("--sample {of}/blocks/1.proof --preset toy -o FOLDER/recipe.json");
    let derived = json(&folder, &format!("{key} {sample}"));
    assert_eq!(derived["blocks"], 3);
    assert_eq!(derived["preset"], "toy");
    let leaf = &derived["leaves"][0];
    assert!(text(leaf, "file").ends_with("rollup/src/block.rs"));
    let path = &leaf["paths"][0];
    for (name, expected) in [("hash", "poseidon16"), ("stack", "whir"), ("preset", "toy")] {
        assert_eq!(text(path, name), expected, "{name}");
    }
    assert_eq!(path["wraps"], 1);
    assert_eq!(path["bits"], derived["bits_behind"]);
    let again = json(
        &folder,
        &format!("{key} --recipe FOLDER/recipe.json --no-cache"),
    );
    assert_eq!(again["key"], derived["key"]);
    assert_eq!(again["folds"], value!([]));
    let again = droste(&folder, &format!("{key} --recipe FOLDER/recipe.json"));
    let printed = String::from_utf8(again.stdout).unwrap();
    let program = format!(
        "rollup/src/block.rs, program key {} at ",
        text(path, "program_key")
    );
    for words in [
        "append(node, leaf 0), ",
        "leaf 0  ",
        &program,
        "toy, poseidon16 over whir",
    ] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    let without = format!("fold key {of}/src/chain.rs --recipe FOLDER/recipe.json");
    fails(
        &folder,
        &without,
        1,
        "programs (1 in the recipe, 0 given with --leaf) differs",
    );
    // A recipe does not name programs.
    let written = fs::read_to_string(file(&folder, "recipe.json")).unwrap();
    let mut renamed: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(renamed["rules"], derived["programs"]);
    let known = &renamed["leaves"][0]["paths"][0]["key"];
    assert_eq!(path["program_key"], *known);
    renamed["leaves"][0]["name"] = value!("other");
    fs::write(file(&folder, "renamed.json"), renamed.to_string()).unwrap();
    let renamed = json(&folder, &format!("{key} --recipe FOLDER/renamed.json"));
    assert_eq!(renamed["leaves"], derived["leaves"]);
    let recipe = "--recipe FOLDER/recipe.json";
    let (key, rule) = (text(&derived, "key"), text(&derived["programs"][0], "key"));

    // Blocks in another order: every rule that fails is named, and nothing is proved.
    let list = "2.proof 2.roots.json\n1.proof 1.roots.json\n3.proof 3.roots.json\n";
    fs::write(file(&folder, "rollup/blocks/wrong.txt"), list).unwrap();
    let all = format!("fold all {family} {recipe}");
    let wrong = format!("{all} --list {of}/blocks/wrong.txt -o FOLDER/none.fold");
    fails(
        &folder,
        &wrong,
        1,
        "1.proof: the second span begins elsewhere (chain.rs:",
    );
    assert!(!file(&folder, "none.fold.store").exists());

    let list = format!("--list {of}/blocks/list.txt");
    let plan = json(&folder, &format!("{all} {list} --plan"));
    assert_eq!(plan["tasks"].as_array().unwrap().len(), 6);
    let rows = droste(
        &folder,
        &format!("--format json {all} {list} -o FOLDER/all.fold"),
    );
    let rows = values(&rows);
    let (made, outcome) = (&rows[..rows.len() - 1], rows.last().unwrap());
    assert_eq!(made.len(), 6);
    assert_eq!(outcome["kept"], 0);
    assert_eq!(outcome["state"], plan["state"]);
    assert_eq!(outcome["state"][2], value!([3, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(
        outcome["counters"],
        value!({"rules": 6, "behind": 3, "depth": 1})
    );
    assert_eq!(outcome["rule_name"], "merge");
    assert!(!file(&folder, "all.fold.store").exists());
    a_killed_fold_goes_on(&folder, &format!("{all} {list}"));

    let verify = format!("fold verify FOLDER/all.fold --key {key}");
    let no_state = format!("{verify} --state FOLDER/recipe.json");
    fails(
        &folder,
        &no_state,
        1,
        "the state, a list of blocks of eight",
    );
    // Whoever accepts any state says so.
    fails(&folder, &verify, 2, "--state <FILE|any>");
    // Hints without a rule that starts are for nothing.
    let hinted = format!("{all} {list} --hints {of}/blocks/1.roots.json --plan");
    fails(&folder, &hinted, 2, "hints of leaves are in --list");
    fails(&folder, &format!("{verify} --state any"), 1, "proven bits");
    let verify = format!("{verify} --min-bits 0");
    let verified = json(&folder, &format!("{verify} --state any"));
    assert_eq!(text(&verified, "keys_are"), "pinned");
    assert!(text(&verified, "verdict").ends_with("the state was not compared"));
    fs::write(file(&folder, "state.json"), plan["state"].to_string()).unwrap();
    let compared = json(&folder, &format!("{verify} --state FOLDER/state.json"));
    assert!(text(&compared, "verdict").ends_with("the state is the one that you gave"));
    let lanes = vec!["0"; 24].join(",");
    let any = "--state any";
    for (more, words) in [
        (format!("--state-lanes {lanes}"), "first in block 0"),
        (format!("{any} --max-proofs 8"), "9 proofs were made for it"),
        (format!("{any} --max-depth 0"), "1 levels deep"),
    ] {
        fails(&folder, &format!("{verify} {more}"), 1, words);
    }
    let other = format!("fold verify FOLDER/all.fold --key {rule} --min-bits 0 {any}");
    fails(&folder, &other, 1, "which this file has as a rule key");
    blocks_are_compared(&folder, &verify, &plan["state"]);
    fails(
        &folder,
        &format!("{verify} --state-lanes 1"),
        2,
        "eight for each block",
    );

    // One block more.
    let step = format!("fold step {of}/src/chain.rs append FOLDER/all.fold {of}/blocks/4.proof");
    let hints = format!("--hints {of}/blocks/4.roots.json");
    let step = format!("{step} --leaf {of}/src/block.rs {recipe}");
    let longer = json(&folder, &format!("{step} {hints} -o FOLDER/longer.fold"));
    assert_eq!(longer["state"][2], value!([4, 0, 0, 0, 0, 0, 0, 0]));
    assert_eq!(text(&longer, "rule_name"), "append");
    let words = "it reads hint 0 (chain.rs:";
    fails(&folder, &format!("{step} -o FOLDER/none.fold"), 1, words);
    let hints = format!("--hints {of}/blocks/3.roots.json");
    let words = "the rule `append` fails: the block says other roots (chain.rs:";
    fails(
        &folder,
        &format!("{step} {hints} -o FOLDER/none.fold"),
        1,
        words,
    );
    others_take_folds(&folder, key);
    a_fold_takes_another(&folder, key, rule);

    let claimed = json(
        &folder,
        "fold inspect FOLDER/longer.fold --report FOLDER/page.html",
    );
    assert_eq!(text(&claimed, "keys_are"), "claimed");
    let page = fs::read_to_string(file(&folder, "page.html")).unwrap();
    assert!(page.contains(key), "{page}");
    let inspect = "fold inspect FOLDER/longer.fold";
    let inspected = json(&folder, &format!("{inspect} {family} {recipe}"));
    assert_eq!(text(&inspected, "keys_are"), "derived");
}

/// Single blocks of a state of three are compared, and what was not compared is said.
fn blocks_are_compared(folder: &TempDir, verify: &str, state: &Value) {
    let block = |number: usize, of: usize| {
        let lanes = state[of].as_array().unwrap().iter();
        let lanes: Vec<String> = lanes.map(Value::to_string).collect();
        format!("--block {number}={}", lanes.join(","))
    };
    let [first, last, count] = [0, 1, 2].map(|number| block(number, number));
    let verdict =
        |blocks: &str| text(&json(folder, &format!("{verify} {blocks}")), "verdict").to_owned();
    let one = verdict(&first);
    let words = "block 0 of the state is the one that you gave, the others were not compared";
    assert!(one.ends_with(words), "{one}");
    let two = verdict(&format!("{count} {first} --state any"));
    let words = "blocks 0, 2 of the state are those that you gave, the others were not compared";
    assert!(two.ends_with(words), "{two}");
    let all = verdict(&format!("{first} {last} {count}"));
    assert!(all.ends_with("the state is the one that you gave"), "{all}");
    for (blocks, code, words) in [
        (format!("{first} {}", block(1, 0)), 1, "first in block 1"),
        (block(3, 2), 1, "but block 3 is expected"),
        (format!("{first} {first}"), 2, "names block 0 twice"),
        ("--block 0=1".to_owned(), 2, "expected eight"),
        (
            "--block 1,2".to_owned(),
            2,
            "expected the number of a block",
        ),
    ] {
        fails(folder, &format!("{verify} {blocks}"), code, words);
    }
}

/// A run that is killed after its first task goes on from there, to the same bytes.
fn a_killed_fold_goes_on(folder: &TempDir, all: &str) {
    let store = file(folder, "again.fold.store");
    let again = format!("{all} -o FOLDER/again.fold");
    let mut first = command(folder, &again);
    let first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let (mut first, start) = (first.unwrap(), Instant::now());
    while finished(&store) == 0 {
        assert!(first.try_wait().unwrap().is_none(), "ended without a task");
        assert!(start.elapsed() < Duration::from_secs(300), "no task");
        sleep(Duration::from_millis(5));
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let kept = finished(&store);
    assert!(!file(folder, "again.fold").exists());
    let rows = values(&droste(folder, &format!("--format json {again}")));
    assert_eq!(rows.last().unwrap()["kept"], kept);
    assert_eq!(rows.len(), 6 - kept + 1);
    let bytes = |name: &str| fs::read(file(folder, name)).unwrap();
    assert_eq!(bytes("again.fold"), bytes("all.fold"));
    assert!(!store.exists());
}

/// Number of finished tasks in a store.
fn finished(store: &Path) -> usize {
    let Ok(entries) = fs::read_dir(store) else {
        return 0;
    };
    let names = entries.map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.len() == 64).count()
}

/// The key of another fold is given and shown, not believed. `rule` is that of a rule.
fn a_fold_takes_another(folder: &TempDir, key: &str, rule: &str) {
    let text_of_rules = r#"
        use droste_gadgets::fold::{Foreign, State};
        use droste_gadgets::prelude::*;

        use super::chain::Span;

        pub struct Total {
            pub to: Block,
        }

        impl State for Total {
            const BLOCKS: usize = 1;

            fn blocks(&self) -> Vec<Block> {
                vec![self.to]
            }

            fn of(blocks: &[Block]) -> Self {
                Self { to: blocks[0] }
            }
        }

        pub fn import(old: &Foreign<0, Span>, new: &Foreign<0, Span>) -> Total {
            assert_eq!(old.state.from, new.state.from, "they begin elsewhere");
            Total { to: new.state.to }
        }
    "#;
    fs::write(file(folder, "later.rs"), text_of_rules).unwrap();
    let other = "FOLDER/rollup/src/chain.rs=FOLDER/recipe.json";
    let derive = "fold key FOLDER/later.rs --preset toy --fold";
    fails(
        folder,
        &format!("{derive} {other}"),
        2,
        "the recipe and the fold key",
    );
    let wrong = format!("{derive} {other}={rule}");
    fails(folder, &wrong, 1, &format!("expected {rule}"));
    let derived = json(folder, &format!("{derive} {other}={key}"));
    let folds = derived["folds"].as_array().unwrap();
    assert_eq!(folds.len(), 1);
    assert_eq!(text(&folds[0], "rules"), "chain.rs");
    assert_eq!(text(&folds[0], "key"), key);
    let recipe = fs::read_to_string(file(folder, "recipe.json")).unwrap();
    let recipe: Value = serde_json::from_str(&recipe).unwrap();
    assert_eq!(folds[0]["blake3"], recipe["sources"][0]["blake3"]);
    assert_eq!(folds[0]["bits_behind"], recipe["family"]["bits_behind"]);
    let printed = droste(folder, &format!("{derive} {other}={key}"));
    let printed = String::from_utf8(printed.stdout).unwrap();
    for words in [key, text(&folds[0], "blake3")] {
        assert!(printed.contains(words), "{printed}");
    }

    // What is proved from its proofs is as good as the key that was given.
    let step = "fold step FOLDER/later.rs import FOLDER/all.fold FOLDER/longer.fold --preset toy";
    let step = format!("{step} --fold {other}={key} -o FOLDER/later.fold");
    assert_eq!(text(&json(folder, &step), "keys_are"), "pinned");
}

/// Commands for proofs and aggregates take folds whose key is named, or say what does.
fn others_take_folds(folder: &TempDir, key: &str) {
    let verify = format!("verify FOLDER/all.fold --key {key}");
    fails(folder, &verify, 2, "`droste fold verify` verifies it");
    fails(
        folder,
        "inspect FOLDER/all.fold",
        2,
        "`droste fold inspect` shows",
    );
    let wrap = "wrap FOLDER/all.fold --preset toy -o FOLDER/fold.wrap";
    fails(folder, wrap, 2, "name its fold key");
    let wrapped = json(folder, &format!("{wrap} --fold-key {key}"));
    let join = "join FOLDER/fold.wrap FOLDER/longer.fold --preset toy -o FOLDER/both";
    fails(folder, join, 2, "name its fold key");
    json(folder, &format!("{join} --fold-key {key}"));
    let plan = "aggregate FOLDER/all.fold --preset toy --plan";
    fails(folder, plan, 2, "name its fold key");
    let plan = json(folder, &format!("{plan} --fold-key {key}"));
    assert_eq!(plan["tasks"][0]["kind"], "wrap");

    // In an aggregate it is one leaf, which a claim opens.
    json(
        folder,
        "fold inspect FOLDER/all.fold --claim FOLDER/claim.json",
    );
    let (set, claim) = (text(&wrapped, "key"), text(&wrapped, "claim"));
    let verify = format!("verify FOLDER/fold.wrap --key-set {set} --claim {claim} --min-bits 0");
    let hidden = json(folder, &format!("{verify} --any-leaf"));
    assert_eq!(hidden["proofs"], 2);
    assert_eq!(hidden["folds"], Value::Null);
    let without = format!("{verify} --any-leaf --fold-key {key}");
    fails(folder, &without, 2, "give the claim");
    let open = format!("{verify} --fold-claim FOLDER/claim.json --fold-key {key}");
    let opened = json(folder, &open);
    // Beside the fold's root there are 5 proofs of rules and last wraps, and 3 behind these.
    assert_eq!(opened["proofs"], 10);
    assert_eq!(opened["hidden_leaves"], value!([]));
    // What it says is shown.
    let said = fs::read_to_string(file(folder, "claim.json")).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    let leaf = &opened["folds"][0];
    assert_eq!(text(leaf, "key"), key);
    for field in ["counters", "state"] {
        assert_eq!(leaf[field], said[field], "{field}");
    }
    let printed = String::from_utf8(droste(folder, &open).stdout).unwrap();
    let words = "6 of rules and last wraps, 3 behind these; 1 levels";
    for words in ["fold leaf", words, "its state"] {
        assert!(printed.contains(words), "{printed}");
    }
    let words = [
        "accepted: 1 fold that you named",
        "with a key of 4 rules of folds",
    ];
    for words in words {
        assert!(printed.contains(words), "{printed}");
    }
    let made = droste(folder, &format!("{wrap} --fold-key {key}"));
    let made = String::from_utf8(made.stdout).unwrap();
    assert!(
        made.contains("(a fold as one proof; `droste verify --fold-claim`"),
        "{made}"
    );
    let other = format!("{verify} --fold-claim FOLDER/claim.json --fold-key {set}");
    fails(folder, &other, 1, "whose key is not accepted");
    exits::last_proofs_of_folds_advance_roots(folder, key);
}
