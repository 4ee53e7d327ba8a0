//! What is said on standard error while a command works, and what the command says of itself.

use super::*;

const PROVE: &str = "prove FOLDER/factorial.rs --public 5 --preset toy -o FOLDER/factorial.proof";

/// Standard error of a command that must succeed, with this value of the variable of logs.
fn errors(folder: &TempDir, arguments: &str, log: &str) -> String {
    let output = command(folder, arguments).env("RUST_LOG", log).output();
    let output = output.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {errors}");
    errors
}

/// Whether a line says that a stage is finished, and how many seconds it took.
fn is_stage(line: &str) -> bool {
    let parts = line
        .strip_suffix(" s")
        .and_then(|line| line.rsplit_once(": "));
    parts.is_some_and(|(name, seconds)| !name.is_empty() && seconds.parse::<f64>().is_ok())
}

#[test]
fn finished_stages_are_lines_where_there_is_no_terminal() {
    let folder = TempDir::new().unwrap();
    let source = droste_programs::source("factorial").unwrap();
    fs::write(file(&folder, "factorial.rs"), source).unwrap();

    let lines = errors(&folder, PROVE, "");
    let stages: Vec<&str> = lines.lines().filter(|line| is_stage(line)).collect();
    assert!(
        matches!(stages.as_slice(), [stage] if stage.starts_with("proving ")),
        "{lines}"
    );
    assert_eq!(errors(&folder, &format!("-q {PROVE}"), ""), "");
    assert_eq!(errors(&folder, &format!("{PROVE} --quiet"), "info"), "");

    let wrap = "wrap FOLDER/factorial.proof --program FOLDER/factorial.rs --preset toy \
                -o FOLDER/factorial.wrap";
    let lines = errors(&folder, wrap, "");
    assert!(lines.lines().any(is_stage), "{lines}");
    assert!(lines.contains("wrapping: "), "{lines}");

    let aggregate = "aggregate FOLDER/factorial.wrap FOLDER/factorial.wrap --preset toy --arity 2 \
                     -o FOLDER/all";
    let lines = errors(&folder, aggregate, "");
    for stage in ["verifying the leaves: ", "planning: ", "1 of 1 tasks: "] {
        assert!(lines.contains(stage), "{stage}: {lines}");
    }

    // A stage that failed is not finished.
    let output = droste(&folder, "verify FOLDER/none --program FOLDER/factorial.rs");
    let lines = String::from_utf8(output.stderr).unwrap();
    assert!(lines.starts_with("droste: "), "{lines}");
    assert_eq!(lines.lines().count(), 1, "{lines}");

    spans_are_logged(&folder);
}

fn spans_are_logged(folder: &TempDir) {
    for (option, variable) in [("-v ", ""), ("", "droste=info"), ("", "info")] {
        let log = errors(folder, &format!("{option}{PROVE}"), variable);
        // The time since the beginning, the level, the spans, and how long the last one took.
        let mut traces = log
            .lines()
            .filter(|line| line.contains("traces: droste_vm"));
        let line = traces.next().unwrap_or_else(|| panic!("{log}"));
        assert!(
            line.contains("INFO") && line.contains("time.busy="),
            "{line}"
        );
        assert!(log.lines().any(is_stage), "{log}");
        assert!(!log.contains('\u{1b}'), "{log}");
    }
    // Only what is asked for.
    let log = errors(folder, PROVE, "droste_vm::traces=info");
    assert!(log.contains("droste_vm::traces: close"), "{log}");
    assert!(!log.contains("droste_native"), "{log}");
    // A faulty filter is no reason to prove nothing.
    let log = errors(folder, PROVE, "droste=loud");
    assert!(log.contains("warning: RUST_LOG: "), "{log}");
}

/// The version names the commit, and the key set that a build derives.
#[test]
fn the_version_says_which_keys_are_derived() {
    let folder = TempDir::new().unwrap();
    let output = droste(&folder, "--version");
    assert!(output.status.success());
    let version = String::from_utf8(output.stdout).unwrap();
    let keys = json(&folder, "keys --join 2 --preset toy");
    let rest = version.strip_prefix(concat!("droste ", env!("CARGO_PKG_VERSION"), " (commit "));
    let rest = rest.unwrap_or_else(|| panic!("{version}"));
    let commit = rest.strip_suffix(&format!(", keys {})\n", text(&keys, "key")));
    let commit = commit.unwrap_or_else(|| panic!("{version}"));
    let is_digest = commit.len() == 12 && commit.chars().all(|digit| digit.is_ascii_hexdigit());
    assert!(is_digest || commit == "unknown", "{commit}");
}
