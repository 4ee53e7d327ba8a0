//! `droste-bench figures`: measures what documents say in numbers, saves it in one file, and writes
//! the tables of the documents from that file.

mod markdown;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::{Map, Value, json};

use crate::progress;
use crate::report::{Report, machine};

/// Groups of figures, and the commands that print their rows. They are run in the root of a
/// checkout.
const GROUPS: [(&str, &[&str]); 8] = [
    ("hashers", &["droste-bench native --clock cpu"]),
    ("tables", &["droste-bench tables --clock cpu --no-bus"]),
    ("leaves", &["droste-bench leaf --preset proven-100"]),
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
        &["droste-bench recursion --presets proven-100,proven-120"],
    ),
    (
        "paths",
        &[
            "droste-bench paths --paths 256",
            "droste-bench paths --paths 1024 --ways whir,batch",
        ],
    ),
    (
        "signatures",
        &["droste-bench xmss --signatures 100,400,775,1550 --preset proven-100"],
    ),
];

/// Documents with tables of these figures.
const DOCUMENTS: [&str; 3] = ["README.md", "docs/measurement.md", "docs/signatures.md"];

/// What to measure.
#[derive(Args)]
pub struct Arguments {
    /// Groups to measure; the file keeps the others as they are. By default all: hashers, tables,
    /// leaves, factorial, fibonacci, joins, paths, signatures.
    #[arg(value_parser = GROUPS.map(|(name, _)| name))]
    groups: Vec<String>,
    /// The file of all figures, from which the tables are written.
    #[arg(short, long, default_value = "docs/measurement/figures.json")]
    output: PathBuf,
    /// Measures nothing, and only writes the tables.
    #[arg(long, conflicts_with = "groups")]
    tables: bool,
}

/// Measures the groups, saving each when it is done, and writes the tables. Lists what is saved.
///
/// # Errors
/// If a command fails, a file cannot be read or written, or a table lacks a figure.
pub fn run(arguments: &Arguments) -> Result<Report, String> {
    let path = &arguments.output;
    let mut figures: Map<String, Value> = match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).map_err(about(path))?,
        Err(_) => Map::new(),
    };
    // Before this command adds to it.
    let load = load();
    let is_wanted =
        |name: &str| arguments.groups.is_empty() || arguments.groups.iter().any(|g| g == name);
    for (name, commands) in GROUPS {
        if arguments.tables || !is_wanted(name) {
            continue;
        }
        progress::at(name);
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
        let group = json!({
            "commands": commands,
            "commit": commit(),
            "machine": format!("{}: {}", processor(), machine()),
            "load_before": load,
            "rows": rows,
        });
        figures.insert(name.to_owned(), group);
        save(path, &figures)?;
    }
    let all = Value::Object(figures);
    for document in DOCUMENTS.map(Path::new) {
        let text = fs::read_to_string(document).map_err(about(document))?;
        let text = markdown::rewrite(&text, &all).map_err(about(document))?;
        fs::write(document, text).map_err(about(document))?;
    }
    let list = all.as_object().into_iter().flatten();
    let list = list.map(|(name, group)| json!({"group": name, "commit": group["commit"]}));
    Ok(Report::from_rows(list.collect()))
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

/// Runs a command, which is this program or `droste` beside it, and returns the JSON that it
/// prints.
fn print(command: &str) -> Result<Value, String> {
    let mut words = command.split_whitespace();
    let this = std::env::current_exe().map_err(about(Path::new(command)))?;
    let program = this.with_file_name(words.next().unwrap_or_default());
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

/// Name of the processor, if the operating system tells it.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let name = lines.find(|(key, _)| key.trim() == "model name");
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim())
        .to_owned()
}

/// Number of threads that ran or waited for a processor in the last minute, on average.
fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

fn about<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}
