//! `droste aggregate`.

use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;

pub fn too_many_children_are_counted(folder: &TempDir) {
    let wraps = "FOLDER/factorial.wrap ".repeat(4);
    let arguments = format!("join {wraps}--preset toy -o FOLDER/none");
    let words = "expected at most 2: join in several steps, as `droste aggregate` does";
    fails(folder, &arguments, 1, words);
}

/// The files of finished tasks in a store.
fn finished(store: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(store) else {
        return vec![];
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_finished = |path: &PathBuf| path.file_name().unwrap().len() == 64;
    paths.filter(is_finished).collect()
}

/// `droste aggregate` makes the same bytes as `wrap` and `join`. It is killed after the first task;
/// the next run does only the others.
pub fn a_killed_run_goes_on(folder: &TempDir) {
    let list = "factorial.proof factorial.rs 5\nfibonacci.proof fibonacci.rs 4,3\n";
    fs::write(file(folder, "leaves"), list).unwrap();
    let aggregate = "aggregate --list FOLDER/leaves --preset toy --arity 2";
    let plan = json(folder, &format!("{aggregate} --plan"));
    let tasks = plan["tasks"].as_array().unwrap();
    let kinds: Vec<&str> = tasks.iter().map(|task| text(task, "kind")).collect();
    assert_eq!(kinds, ["wrap", "wrap", "join"]);

    let store = file(folder, "all.store");
    let mut first = command(folder, &format!("{aggregate} -o FOLDER/all"));
    let first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut first = first.unwrap();
    let start = Instant::now();
    let mut wait = |is_done: &dyn Fn() -> bool| {
        while !is_done() {
            assert!(first.try_wait().unwrap().is_none(), "ended without a task");
            assert!(start.elapsed() < Duration::from_secs(300), "no task");
            sleep(Duration::from_millis(5));
        }
    };
    // Another run with this output would do the same work, and lose the store when this one ends.
    wait(&|| store.join("lock").exists());
    let words = format!("the store {} is used by another run", store.display());
    fails(folder, &format!("{aggregate} -o FOLDER/all"), 1, &words);
    wait(&|| !finished(&store).is_empty());
    first.kill().unwrap();
    first.wait().unwrap();
    let done = finished(&store);
    let [wrap] = done.as_slice() else {
        panic!("{done:?}");
    };
    let before = fs::metadata(wrap).unwrap().modified().unwrap();
    assert_eq!(wrap.file_name().unwrap(), text(&tasks[0], "name"));
    assert!(!file(folder, "all").exists());

    // A file that is torn is made again, so the next run is given a whole one and a torn one.
    fs::write(store.join(text(&tasks[2], "name")), b"torn").unwrap();
    let arguments = format!("{aggregate} --store FOLDER/all.store -o FOLDER/all");
    let output = droste(folder, &format!("--format json {arguments}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let rows = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    let [second, join, outcome] = rows.as_slice() else {
        panic!("{rows:?}");
    };
    for row in [second, join] {
        let steps = row["steps"].as_array().unwrap().iter();
        let parts = ["compile_ms", "execute_ms", "prove_ms", "verify_ms"];
        let of_step = |step: &Value| parts.map(|part| step[part].as_f64().unwrap());
        let steps: f64 = steps.flat_map(of_step).sum();
        let besides = row["seconds"].as_f64().unwrap() * 1e3 - steps;
        println!("{} in {steps:.0} ms, {besides:.0} ms besides", row["kind"]);
    }
    assert_eq!(second["name"], tasks[1]["name"]);
    assert_eq!(join["name"], tasks[2]["name"]);
    assert_eq!(
        (&outcome["kept"], &outcome["tasks"]),
        (&1.into(), &3.into())
    );
    assert_eq!(outcome["accepted_leaves"].as_array().unwrap().len(), 2);
    assert_eq!(fs::metadata(wrap).unwrap().modified().unwrap(), before);
    let bytes = |name: &str| fs::read(file(folder, name)).unwrap();
    assert_eq!(bytes("all"), bytes("both"), "as `wrap` and `join` make it");

    // The store has everything now. With wraps as leaves there is one task, a join.
    let again = json(folder, &arguments);
    assert_eq!(again["kept"], 3);
    let wraps = "FOLDER/factorial.wrap FOLDER/fibonacci.wrap";
    let plan = json(folder, &format!("aggregate {wraps} --preset toy --plan"));
    assert_eq!(plan["tasks"].as_array().unwrap().len(), 1);
    let output = droste(folder, &format!("aggregate {wraps} --preset toy --plan"));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("joins ") && !printed.contains("wraps "),
        "{printed}"
    );
    // One task at a time needs more than this. That of a leaf is named by it.
    let small = "--preset toy --memory 0.001 -o FOLDER/none";
    let words = "GiB of memory by its estimate, more than the limit of 0.00 GiB";
    fails(folder, &format!("aggregate {wraps} {small}"), 1, words);
    let words = "factorial.proof: task 0 (wrap) needs 0.";
    let leaf = format!("aggregate FOLDER/factorial.proof --arity 1 {small}");
    fails(folder, &leaf, 1, words);
    // Nothing is left of a store in which there is nothing.
    assert!(!file(folder, "none.store").exists());
}

/// A leaf that is not valid is named, with the reason, before anything is proved.
pub fn bad_leaves_are_named(folder: &TempDir) {
    let refused = |list: &str, code: i32, words: &str| {
        fs::write(file(folder, "leaves"), list).unwrap();
        let arguments = "aggregate --list FOLDER/leaves --preset toy -o FOLDER/none";
        let output = droste(folder, arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(words), "{errors}");
        assert!(!file(folder, "none.store").exists());
    };
    let good = "factorial.proof factorial.rs 5\n";
    let wrong = format!("{good}fibonacci.proof fibonacci.rs 5\n");
    let words = "fibonacci.proof: element 0 of the statement is 4, expected 5";
    refused(&wrong, 1, words);
    let wrong = format!("{good}fibonacci.proof factorial.rs\n");
    refused(&wrong, 1, "fibonacci.proof: the proof was made with key");
    refused(&format!("{good}none.proof factorial.rs\n"), 1, "none.proof");
    refused(&format!("{good}forged\n"), 1, "forged: ");
    refused(
        &format!("{good}factorial.rs factorial.rs\n"),
        1,
        "factorial.rs: ",
    );
    refused("factorial.proof\n", 2, "name the program");
    refused("a b 1 2\n", 2, "line 1 has 4 words");
    fails(
        folder,
        "aggregate --preset toy -o FOLDER/none",
        2,
        "required",
    );
    fails(folder, "aggregate FOLDER/factorial.wrap", 2, "--output");

    // A folder: of each proof the program lies beside it, and what its statement begins with.
    let leaves = file(folder, "folder");
    fs::create_dir(&leaves).unwrap();
    for name in ["factorial.rs", "factorial.proof"] {
        fs::copy(file(folder, name), leaves.join(name)).unwrap();
    }
    fs::write(leaves.join("factorial.public"), "5,120\n").unwrap();
    let plan = json(folder, "aggregate FOLDER/folder --preset toy --plan");
    assert_eq!(plan["tasks"].as_array().unwrap().len(), 1);
    // The result of an earlier run is no leaf of the next one, and a leaf is not replaced.
    let aggregate = "aggregate FOLDER/folder --preset toy --arity 2 -o FOLDER";
    json(folder, &format!("{aggregate}/folder/all.agg --plan"));
    fs::copy(file(folder, "factorial.wrap"), leaves.join("all.agg")).unwrap();
    for output in [
        "folder/all.agg",
        "folder/../folder/all.agg",
        "folder/factorial.proof",
    ] {
        let arguments = format!("{aggregate}/{output}");
        fails(
            folder,
            &arguments,
            2,
            "are the same file, which would be lost",
        );
        assert!(!file(folder, &format!("{output}.store")).exists());
    }
    fs::remove_file(leaves.join("all.agg")).unwrap();
    fs::write(leaves.join("factorial.public"), "6").unwrap();
    let words = "element 0 of the statement is 5, expected 6";
    fails(
        folder,
        "aggregate FOLDER/folder --preset toy --plan",
        1,
        words,
    );
}
