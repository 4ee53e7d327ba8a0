//! `droste-bench figures`: measures what documents say in numbers, saves it in one file, and writes
//! the tables of the documents from that file.
//!
//! A round runs the commands of a group once, in which what is compared is measured one after the
//! other. So the rounds of a group are turns of everything that it compares.

mod cells;
pub mod figure;
pub mod folds;
mod headline;
mod markdown;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use figure::Figure;
use serde_json::{Map, Value, json};

use crate::progress;
use crate::report::{Report, machine};

/// Groups of figures, and the commands that print their rows in one round. They are run in the root
/// of a checkout.
const GROUPS: [(&str, &[&str]); 12] = [
    ("hashers", &["droste-bench native --clock cpu"]),
    (
        "tables",
        &["droste-bench tables --clock cpu --no-bus --rounds 2"],
    ),
    (
        "leaves",
        &[
            "droste-bench leaf --clock cpu --preset proven-100 --no-grinding \
             --log-cycles 11,13,15,17,19",
        ],
    ),
    (
        "factorial",
        &[
            "droste cost --program programs/src/factorial.rs --public 5 --inner-hash all \
             --queries 3,20,40,60,85,103,124 --outer-preset proven-100 --execute-only",
        ],
    ),
    (
        "fibonacci",
        &[
            "droste cost --program programs/src/fibonacci.rs --public 10910 --inner-hash all \
             --inner-stack both --preset proven-100 --blowup 8 --outer-preset proven-100 --canonical",
        ],
    ),
    (
        "joins",
        &["droste-bench recursion --clock cpu --presets proven-100,proven-120 --rounds 1"],
    ),
    (
        "folds",
        &["droste-bench fold --clock cpu --preset proven-120 --rounds 1"],
    ),
    (
        "paths",
        &[
            "droste-bench paths --paths 256",
            "droste-bench paths --paths 1024 --ways whir,binary",
        ],
    ),
    (
        "signatures",
        &["droste-bench xmss --clock cpu --signatures 100,400,775,1550 --preset proven-100"],
    ),
    ("calls", &["droste-bench binary --clock cpu --rounds 1"]),
    (
        "last",
        &[
            "droste prove programs/src/factorial.rs --public 5 --preset proven-100 \
             -o target/figures/five.proof",
            "droste wrap target/figures/five.proof --program programs/src/factorial.rs --public 5 \
             --preset proven-100 -o target/figures/five.wrap",
            "droste exit target/figures/five.wrap --preset proven-100 --exit-preset proven-100 \
             -o target/figures/exit.proof",
            "droste evm verify target/figures/exit.proof",
        ],
    ),
    (
        "page",
        &[
            "droste prove programs/src/factorial.rs --public 5 --preset proven-120 \
             -o target/figures/leaf.proof",
            "droste wrap target/figures/leaf.proof --program programs/src/factorial.rs --public 5 \
             --preset proven-120 -o target/figures/leaf.wrap",
            "droste join target/figures/leaf.wrap target/figures/leaf.wrap --preset proven-120 \
             -o target/figures/join.wrap",
            "tests/report/time target/figures/join.wrap",
        ],
    ),
];

/// Where commands write files for those after them.
const FILES: &str = "target/figures";

/// Documents with tables of these figures.
const DOCUMENTS: [&str; 4] = [
    "README.md",
    "docs/fold.md",
    "docs/measurement.md",
    "docs/signatures.md",
];

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Groups to measure; the file keeps the others as they are. By default all: hashers, tables,
    /// leaves, factorial, fibonacci, joins, folds, paths, signatures, calls, last, page.
    #[arg(value_parser = GROUPS.map(|(name, _)| name))]
    groups: Vec<String>,
    /// Rounds of each group. A figure of less than five is saved, and not published.
    #[arg(long, default_value_t = 5, value_parser = RangedU64ValueParser::<usize>::new().range(2..))]
    rounds: usize,
    /// The file of all figures, from which the tables are written.
    #[arg(short, long, default_value = "docs/measurement/figures.json")]
    output: PathBuf,
    /// Measures nothing, and only writes the tables.
    #[arg(long, conflicts_with = "groups")]
    tables: bool,
}

/// Measures the groups, saving each when it is done and saying how long it took, and writes the
/// tables. Lists the figures that are not published, and counts them.
///
/// # Errors
/// If a command fails, rounds differ in more than numbers, the file has figures of another class of
/// processors, a file cannot be read or written, or a table lacks a figure.
pub fn run(arguments: &Arguments) -> Result<Report, String> {
    let path = &arguments.output;
    let groups = GROUPS.iter().filter(|(name, _)| {
        let named = arguments.groups.iter().any(|group| group == name);
        !arguments.tables && (named || arguments.groups.is_empty())
    });
    let groups: Vec<_> = groups.collect();
    let mut figures: Map<String, Value> = match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(about(path))?,
        Err(_) => Map::new(),
    };
    figures.retain(|name, _| groups.iter().all(|(measured, _)| measured != name));
    let machine = format!("{}: {}", processor(), machine());
    if !groups.is_empty() {
        refuse_another_class(&figures, &machine)?;
    }
    let files = Path::new(FILES);
    fs::create_dir_all(files).map_err(about(files))?;
    // Before this command adds to it.
    let load = load();
    for (name, commands) in groups {
        let start = Instant::now();
        let mut rounds = vec![];
        for round in 1..=arguments.rounds {
            progress::at(&format!("{name}, round {round} of {}", arguments.rounds));
            rounds.push(rows(commands)?);
        }
        let group = json!({
            "commands": commands,
            "commit": commit(),
            "machine": machine,
            "load_before": load,
            "rounds": arguments.rounds,
            "seconds": start.elapsed().as_secs(),
            "rows": joined(&rounds).map_err(|error| format!("{name}: {error}"))?,
        });
        eprintln!(
            "{name}: {} rounds in {} s",
            arguments.rounds, group["seconds"]
        );
        figures.insert((*name).to_owned(), group);
        save(path, &figures)?;
    }
    let all = Value::Object(figures);
    let mut unpublished = vec![];
    for document in DOCUMENTS.map(Path::new) {
        let text = fs::read_to_string(document).map_err(about(document))?;
        let (text, more) = markdown::rewrite(&text, &all).map_err(about(document))?;
        fs::write(document, text).map_err(about(document))?;
        unpublished.extend(more);
    }
    let count = format!("{} figures are not published", unpublished.len());
    let lines = unpublished.into_iter().chain([count]);
    Ok(Report::from_rows(
        lines.map(|line| json!({"not published": line})).collect(),
    ))
}

/// Refuses to add figures of this machine to those of one of another class.
fn refuse_another_class(figures: &Map<String, Value>, machine: &str) -> Result<(), String> {
    match figures
        .iter()
        .find(|(_, group)| group["machine"] != machine)
    {
        None => Ok(()),
        Some((name, group)) => Err(format!(
            "{name} was measured on {}, this is {machine}: a page has figures of one class of \
             processors, so measure all groups",
            group["machine"]
        )),
    }
}

/// The rows of one round of these commands.
fn rows(commands: &[&str]) -> Result<Value, String> {
    let mut rows = vec![];
    for command in commands {
        let mut more = match print(command)? {
            Value::Array(more) => more,
            row => vec![row],
        };
        for row in &mut more {
            // Benches repeat in each row what the group says; `droste` says where it lies.
            if let Some(row) = row.as_object_mut() {
                row.remove("machine");
            }
            if let Some(said) = row.pointer_mut("/run/command") {
                *said = json!(command);
            }
        }
        rows.extend(more);
    }
    Ok(rows.into())
}

/// Joins what all rounds printed: a number that is not the same in all of them was measured, and
/// becomes the figure of the rounds.
fn joined(rounds: &[Value]) -> Result<Value, String> {
    let Some((first, others)) = rounds.split_first() else {
        return Err("there are no rounds".to_owned());
    };
    if others.iter().all(|other| other == first) {
        return Ok(first.clone());
    }
    let figure: Option<Vec<f64>> = rounds.iter().map(Value::as_f64).collect();
    if let Some(figure) = figure {
        let figure = Figure::new(figure);
        return Ok(json!({"median": figure.median(), "spread": figure.spread(), "rounds": rounds}));
    }
    let differ = || format!("rounds differ: {first} and {others:?}");
    let same_length = |length: usize, of: fn(&Value) -> Option<usize>| {
        others.iter().all(|other| of(other) == Some(length))
    };
    match first {
        Value::Array(items) if same_length(items.len(), |o| Some(o.as_array()?.len())) => {
            let item =
                |index: usize| joined(&rounds.iter().map(|r| r[index].clone()).collect::<Vec<_>>());
            (0..items.len()).map(item).collect()
        }
        Value::Object(fields) if same_length(fields.len(), |o| Some(o.as_object()?.len())) => {
            let field = |name: &String| {
                let rounds: Option<Vec<Value>> =
                    rounds.iter().map(|r| r.get(name).cloned()).collect();
                let joined = joined(&rounds.ok_or_else(differ)?);
                Ok((
                    name.clone(),
                    joined.map_err(|error| format!("{name}: {error}"))?,
                ))
            };
            fields.keys().map(field).collect()
        }
        _ => Err(differ()),
    }
}

/// Writes the file with a line for each group, so that a group that was measured again is one line
/// of a difference.
fn save(path: &Path, figures: &Map<String, Value>) -> Result<(), String> {
    let lines = figures
        .iter()
        .map(|(name, group)| format!("{}: {group}", json!(name)));
    let lines: Vec<String> = lines.collect();
    fs::write(path, format!("{{\n{}\n}}\n", lines.join(",\n"))).map_err(about(path))
}

/// Runs a command, which is this program, `droste` beside it or a script of the checkout, and
/// returns the JSON that it prints.
fn print(command: &str) -> Result<Value, String> {
    let mut words = command.split_whitespace();
    let this = std::env::current_exe().map_err(about(Path::new(command)))?;
    let program = match words.next().unwrap_or_default() {
        script if script.contains('/') => PathBuf::from(script),
        name => this.with_file_name(name),
    };
    let output = Command::new(program)
        .args(words)
        .args(["--format", "json"])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{command}: {error} (cargo build --release -p droste-cli)"))?;
    if !output.status.success() {
        return Err(format!("{command}: {}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{command}: {error}"))
}

/// The commit of the checkout, if git knows it; `-dirty` says that files differ from it, other than
/// those that are written here.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| Command::new("git").args(arguments).output().ok();
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    let mut text = String::from_utf8(commit.stdout).ok()?.trim().to_owned();
    let changed = git(&[
        "diff",
        "--quiet",
        "HEAD",
        "--",
        ".",
        ":!docs",
        ":!README.md",
    ])?;
    if !changed.status.success() {
        text += "-dirty";
    }
    commit.status.success().then_some(text)
}

/// Name, family and model of the processor, if the operating system tells them, and the number of
/// threads that provers use.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of = |name: &str| {
        let mut lines = text.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(key, _)| key.trim() == name)
            .map(|(_, value)| value.trim())
    };
    let mut words = of("model name")
        .unwrap_or(std::env::consts::ARCH)
        .to_owned();
    for (key, word) in [("cpu family", "family"), ("model", "model")] {
        if let Some(number) = of(key) {
            words += &format!(", {word} {number}");
        }
    }
    format!("{words}, {} threads", rayon::current_num_threads())
}

/// Number of threads that ran or waited for a processor in the last minute, on average.
fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn about<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_rounds_is_a_figure_of_them() {
        let row = |ms: f64, bytes: u64| json!([{"hash": "keccak", "cycles": 7, "none": null, "ms": ms, "steps": [{"bytes": bytes}]}]);
        let rounds = [
            row(2.0, 5),
            row(1.0, 5),
            row(4.0, 9),
            row(3.0, 5),
            row(2.5, 5),
        ];
        let expected = json!([{
            "hash": "keccak",
            "cycles": 7,
            "none": null,
            "ms": {"median": 2.5, "spread": 0.4, "rounds": [2.0, 1.0, 4.0, 3.0, 2.5]},
            "steps": [{"bytes": {"median": 5.0, "spread": 0.0, "rounds": [5, 5, 9, 5, 5]}}],
        }]);
        assert_eq!(joined(&rounds), Ok(expected));
        for other in [
            json!([]),
            json!([{"hash": "keccak"}]),
            json!([{"hash": "blake3", "cycles": 7, "none": null, "ms": 2.0, "steps": []}]),
            json!([{"hash": "keccak", "cycles": 7, "none": 1, "ms": 2.0, "steps": [{"bytes": 5}]}]),
            json!([{"hash": "keccak", "cycles": 7, "some": null, "ms": 2.0, "steps": [{"bytes": 5}]}]),
        ] {
            assert!(joined(&[row(2.0, 5), other.clone()]).is_err(), "{other}");
        }
        assert!(joined(&[]).is_err());
    }

    #[test]
    fn classes_are_not_mixed() {
        let figures = json!({"joins": {"machine": "Zen 4"}, "paths": {"machine": "Zen 4"}});
        let figures = figures.as_object().unwrap();
        assert_eq!(refuse_another_class(figures, "Zen 4"), Ok(()));
        assert_eq!(refuse_another_class(&Map::new(), "Zen 5"), Ok(()));
        let refusal = refuse_another_class(figures, "Zen 5").unwrap_err();
        assert!(
            refusal.contains("joins") && refusal.contains("Zen 4"),
            "{refusal}"
        );
    }
}
