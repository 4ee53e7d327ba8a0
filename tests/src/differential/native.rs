//! The native side of a comparison: rustc builds a batch of programs as one crate, which runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, SystemTime};
use std::{fs, thread};

use tempfile::TempDir;
use thiserror::Error;

use super::inputs::Wanted;

/// How long one run may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Number of attempts to build a batch, each without the programs that rustc refused so far.
const ATTEMPTS: usize = 8;

/// Why a batch cannot be built or run.
#[derive(Debug, Error)]
pub enum NativeError {
    /// A file cannot be read or written, or a process cannot be started.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The library that programs import is not beside the running executable.
    #[error(
        "found no libdroste_gadgets-*.rlib in {0}: build droste-tests in the profile `dev` first"
    )]
    NoPrelude(PathBuf),
    /// rustc failed with an error that is not in one of the programs.
    #[error("rustc cannot build the batch, and the error is in no program: {0}")]
    Rustc(String),
    /// The driver's answer has not the expected form.
    #[error("the native run answered `{0}`, expected `ok` or `failed`")]
    Answer(String),
}

/// Programs that rustc built.
pub struct Build {
    directory: TempDir,
    /// Programs that rustc refused, each with its first error.
    pub refused: BTreeMap<usize, String>,
}

/// The result of a native run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the program asked for until it ended.
    pub wanted: Wanted,
    /// The statement, or why the run failed.
    pub outcome: Result<[u32; 8], String>,
}

impl Build {
    /// Builds programs, given by number and text, whose inputs are those of `seed`.
    ///
    /// # Errors
    ///
    /// If rustc or the prelude is missing, or if rustc reports an error that is in no program.
    pub fn new(seed: u64, programs: &[(u64, String)]) -> Result<Self, NativeError> {
        let directory = TempDir::new()?;
        let file = |name: &str| directory.path().join(name);
        fs::write(file("inputs.rs"), include_str!("inputs.rs"))?;
        fs::write(file("driver.rs"), include_str!("driver.rs"))?;
        for (place, (_, source)) in programs.iter().enumerate() {
            fs::write(file(&format!("p{place}.rs")), source)?;
        }
        let mut refused = BTreeMap::new();
        for _ in 0..ATTEMPTS {
            fs::write(file("main.rs"), main(seed, programs, &refused))?;
            let errors = compile(directory.path())?;
            if errors.is_empty() {
                return Ok(Self { directory, refused });
            }
            refused.extend(errors);
        }
        let last = refused.values().next_back().cloned().unwrap_or_default();
        Err(NativeError::Rustc(last))
    }

    /// Runs programs, given by their index in the batch and the number of the run, in this order.
    /// The result of a run that does not end is `None`.
    ///
    /// # Errors
    ///
    /// If the executable cannot be started, or an answer has not the expected form.
    pub fn run(&self, jobs: &[(usize, u64)]) -> Result<Vec<Option<Run>>, NativeError> {
        let mut runs: Vec<Option<Run>> = Vec::with_capacity(jobs.len());
        let mut stuck = BTreeSet::new();
        while runs.len() < jobs.len() {
            let rest = &jobs[runs.len()..];
            if stuck.contains(&rest[0].0) {
                runs.push(None);
                continue;
            }
            let mut lines = String::new();
            for (place, run) in rest {
                lines.push_str(&format!("{place} {run}\n"));
            }
            let mut child = Command::new(self.directory.path().join("batch"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()?;
            let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
                return Err(NativeError::Answer("nothing".into()));
            };
            let (send, answers) = mpsc::channel();
            // Both threads end when the child process ends, at the latest.
            thread::spawn(move || stdin.write_all(lines.as_bytes()));
            thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        return;
                    }
                }
            });
            while runs.len() < jobs.len() {
                match answers.recv_timeout(PATIENCE) {
                    Ok(answer) => runs.push(Some(parse(&answer)?)),
                    Err(_) => {
                        stuck.insert(jobs[runs.len()].0);
                        runs.push(None);
                        break;
                    }
                }
            }
            child.kill()?;
            child.wait()?;
        }
        Ok(runs)
    }
}

fn parse(answer: &str) -> Result<Run, NativeError> {
    let wrong = || NativeError::Answer(answer.to_owned());
    let (left, result) = answer.split_once(" : ").ok_or_else(wrong)?;
    let (kind, wanted) = left.split_once(' ').ok_or_else(wrong)?;
    let wanted = Wanted::parse(wanted).ok_or_else(wrong)?;
    let outcome = match kind {
        "ok" => {
            let lanes: Vec<u32> = result
                .split(' ')
                .map(|lane| lane.parse().map_err(|_| wrong()))
                .collect::<Result<_, _>>()?;
            Ok(lanes.try_into().map_err(|_| wrong())?)
        }
        "failed" => Err(result.to_owned()),
        _ => return Err(wrong()),
    };
    Ok(Run { wanted, outcome })
}

/// Returns the root of the crate, without the programs that do not compile.
fn main(seed: u64, programs: &[(u64, String)], refused: &BTreeMap<usize, String>) -> String {
    let mut modules = String::new();
    let mut list = String::new();
    for (place, (number, _)) in programs.iter().enumerate() {
        if refused.contains_key(&place) {
            list.push_str(&format!("({number}, || ()),"));
        } else {
            modules.push_str(&format!("#[path = \"p{place}.rs\"] mod p{place};\n"));
            list.push_str(&format!("({number}, p{place}::main),"));
        }
    }
    format!(
        "#![allow(warnings, arithmetic_overflow, unconditional_panic)]\n\
         mod driver;\nmod inputs;\n{modules}\n\
         fn main() {{ driver::serve({seed}, &[{list}]); }}\n"
    )
}

/// Compiles the crate and returns the programs that have errors.
fn compile(directory: &Path) -> Result<BTreeMap<usize, String>, NativeError> {
    let libraries = libraries()?;
    let prelude = newest(&libraries)?;
    let output = Command::new(rustc())
        .current_dir(directory)
        .args([
            "--edition=2024",
            "--crate-name=batch",
            "--error-format=short",
            "main.rs",
        ])
        .args([
            "-Copt-level=0",
            "-Coverflow-checks=on",
            "-Cdebug-assertions=on",
            "-Cdebuginfo=0",
        ])
        .arg(format!("--extern=droste_gadgets={}", prelude.display()))
        .arg(format!("-Ldependency={}", libraries.display()))
        .output()?;
    if output.status.success() {
        return Ok(BTreeMap::new());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let mut errors = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains(": error")) {
        let place = line
            .strip_prefix('p')
            .and_then(|line| line.split_once(".rs:"));
        if let Some((place, message)) = place
            && let Ok(place) = place.parse()
        {
            errors.entry(place).or_insert_with(|| message.to_owned());
        }
    }
    if errors.is_empty() {
        Err(NativeError::Rustc(text.chars().take(2000).collect()))
    } else {
        Ok(errors)
    }
}

/// Returns the path of the rustc that belongs to the running cargo.
fn rustc() -> PathBuf {
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    let beside = cargo.map(|cargo| cargo.with_file_name("rustc"));
    beside
        .filter(|path| path.exists())
        .unwrap_or_else(|| "rustc".into())
}

/// Returns where cargo put the libraries of the running executable. In the profile `release` these
/// are bitcode without machine code, so those of the profile `dev` are used.
fn libraries() -> Result<PathBuf, NativeError> {
    let executable = std::env::current_exe()?;
    let mut profile = executable
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    if profile.ends_with("deps") || profile.ends_with("examples") {
        profile.pop();
    }
    if profile.ends_with("release") {
        profile.set_file_name("debug");
    }
    Ok(profile.join("deps"))
}

fn newest(libraries: &Path) -> Result<PathBuf, NativeError> {
    let mut newest: Option<(SystemTime, PathBuf)> = None;
    for entry in fs::read_dir(libraries)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with("libdroste_gadgets-") && name.ends_with(".rlib") {
            let modified = fs::metadata(&path)?.modified()?;
            newest = newest.max(Some((modified, path)));
        }
    }
    match newest {
        Some((_, path)) => Ok(path),
        None => Err(NativeError::NoPrelude(libraries.to_owned())),
    }
}
