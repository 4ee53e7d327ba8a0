//! `droste test`: runs the tests of a program's functions natively and in the machine.

mod machine;
mod native;
mod source;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use source::Source;
pub use source::module_of;

use crate::error::CommandError;
use crate::output::{Format, Report, print};
use crate::paths::Input;
use crate::program::read_text;
use crate::progress::note;

/// Arguments of `droste test`.
#[derive(Debug, Args)]
pub struct Test {
    /// File of a program in a cargo package, or the package's folder for every file in its `src`
    /// [default: the package here]. What is no path is a name.
    path: Option<Input>,
    /// Run only tests whose names contain this.
    name: Option<String>,
    /// Largest number of instructions that each test may execute.
    #[arg(long, default_value_t = 1 << 24, value_parser = clap::value_parser!(u64).range(..=crate::program::LARGEST_LIMIT))]
    limit: u64,
}

/// How the native run of a test ended; the error is its output.
type Outcome = Result<(), String>;

#[derive(Serialize)]
struct Line {
    test: String,
    native: &'static str,
    machine: &'static str,
}

#[derive(Serialize)]
struct Tested(Vec<Line>);

impl Report for Tested {
    fn rows(&self) -> Vec<Vec<String>> {
        let cells = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let lines = self.0.iter();
        let lines = lines.map(|line| cells([&line.test, line.native, line.machine]));
        std::iter::once(cells(["test", "native", "machine"]))
            .chain(lines)
            .collect()
    }
}

const fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Ok(()) => "ok",
        Err(_) => "failed",
    }
}

const fn machine_word(outcome: &machine::Outcome) -> &'static str {
    match outcome {
        machine::Outcome::Passed => "ok",
        machine::Outcome::Failed(_) => "failed",
        machine::Outcome::Refused(_) => "refused",
        machine::Outcome::NativeOnly => "native only",
    }
}

impl Test {
    /// The path, and what the names of tests must contain.
    fn chosen(&self) -> (PathBuf, String) {
        let path = self.path.as_deref().map(Path::to_owned);
        match (path, &self.name) {
            // A single word that is no path is a name.
            (Some(word), None) if !word.exists() && word.components().count() == 1 => {
                (PathBuf::from("."), word.display().to_string())
            }
            (path, name) => (
                path.unwrap_or_else(|| PathBuf::from(".")),
                name.clone().unwrap_or_default(),
            ),
        }
    }

    /// Runs every test both ways and prints how they ended.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let (path, filter) = self.chosen();
        let package = package_of(&path)?;
        let mut files = vec![];
        if path.is_dir() {
            rust_files(&package.join("src"), &mut files)?
        } else {
            files.push(path.clone())
        }
        let mut sources = vec![];
        for file in files {
            let source = Source::read(&package, &file, &read_text(&file)?)?;
            sources.extend((!source.tests.is_empty()).then_some(source));
        }
        let missing = || {
            let named = match filter.as_str() {
                "" => String::new(),
                name => format!(" with `{name}` in their names"),
            };
            let path = path.display();
            CommandError::failed(format!("{path} has no `#[test]` functions{named}"))
        };
        if sources.is_empty() && !path.is_dir() {
            return Err(missing());
        }
        let native = native::run(&package, &filter)?;
        if sources.is_empty() && native.succeeded {
            // The package may have tests of the whole program only.
            if native.ran_none() {
                return Err(missing());
            }
            note("note: `cargo test` passed; there are no tests in `src` to run in the machine");
        }
        let (mut lines, mut failures) = (vec![], vec![]);
        for source in &sources {
            for test in &source.tests {
                let name = source.native_name(test);
                if !name.contains(&filter) {
                    continue;
                }
                let native = native.outcome(&name);
                let machine = machine::run(source, test, self.limit)?;
                lines.push(Line {
                    native: word(&native),
                    machine: machine_word(&machine),
                    test: name.clone(),
                });
                failures.extend(failure(&name, &native, &machine));
            }
        }
        let native_only = lines.iter().filter(|line| line.machine == "native only");
        let native_only: Vec<_> = native_only.map(|line| line.test.as_str()).collect();
        if !native_only.is_empty() {
            let names = native_only.join(", ");
            note(format_args!("note: runs natively only: {names}"));
        }
        if lines.is_empty() && !sources.is_empty() && native.ran_none() {
            return Err(missing());
        }
        print(&Tested(lines), format)?;
        if !failures.is_empty() {
            return Err(CommandError::Tests(failures.join("\n")));
        }
        if native.succeeded {
            Ok(())
        } else {
            Err(CommandError::Tests(format!(
                "cargo test failed outside of the tests in `src`:\n{}",
                native.output
            )))
        }
    }
}

/// Message with both outputs of a test that failed natively, in the machine, or in both.
fn failure(name: &str, native: &Outcome, machine: &machine::Outcome) -> Option<String> {
    let (how, output) = match (native, machine) {
        (Ok(()), machine::Outcome::Passed | machine::Outcome::NativeOnly) => return None,
        (Err(_), machine::Outcome::Passed) => ("differs", "ok"),
        (Err(_), machine::Outcome::NativeOnly) => ("fails", "it runs natively only"),
        (_, machine::Outcome::Refused(output)) => (
            "is not in the zk-DSL (write `// native only` in it if it need not be)",
            output.trim_end(),
        ),
        (Ok(()), machine::Outcome::Failed(output)) => ("differs", output.trim_end()),
        (Err(_), machine::Outcome::Failed(output)) => ("fails both ways", output.trim_end()),
    };
    let native = match native {
        Ok(()) => "ok",
        Err(output) => output.trim_end(),
    };
    Some(format!(
        "the test {name} {how}\n-- natively:\n{native}\n-- in the machine:\n{output}"
    ))
}

/// The folder of the cargo package that a file or folder is in.
///
/// # Errors
/// If it is in none.
pub fn package_of(path: &Path) -> Result<PathBuf, CommandError> {
    let path = path.canonicalize().map_err(CommandError::file(path))?;
    let package = path
        .ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file());
    package.map(Path::to_owned).ok_or_else(|| {
        let path = path.display();
        CommandError::failed(format!(
            "{path} is in no cargo package, which rustc needs: `droste new` makes one"
        ))
    })
}

/// Adds the Rust files below a folder, in the order of their names.
///
/// # Errors
/// If a folder cannot be read.
pub fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    let entries = std::fs::read_dir(folder).map_err(CommandError::file(folder))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<Vec<PathBuf>>>()
        .map_err(CommandError::file(folder))?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
