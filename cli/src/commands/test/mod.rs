//! `droste test`: runs the tests of a program's functions natively and in the machine.

mod machine;
mod native;
mod source;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use source::Source;

use crate::error::CommandError;
use crate::output::{Format, Report, print};
use crate::paths::Input;
use crate::program::read_text;
use crate::progress::note;

/// Arguments of `droste test`.
#[derive(Debug, Args)]
pub struct Test {
    /// File of a program in a cargo package, or the package's folder for every file in its `src`.
    #[arg(default_value = ".")]
    path: Input,
    /// Largest number of instructions that each test may execute.
    #[arg(long, default_value_t = 1 << 24, value_parser = clap::value_parser!(u64).range(..=crate::program::LARGEST_LIMIT))]
    limit: u64,
}

/// How one run of a test ended; the error is its output.
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

impl Test {
    /// Runs every test both ways and prints how they ended.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let package = package_of(&self.path)?;
        let mut files = vec![];
        if self.path.is_dir() {
            rust_files(&package.join("src"), &mut files)?
        } else {
            files.push(self.path.to_path_buf())
        }
        let mut sources = vec![];
        for file in files {
            let source = Source::read(&package, &file, &read_text(&file)?)?;
            sources.extend((!source.tests.is_empty()).then_some(source));
        }
        let missing = || {
            let path = self.path.display();
            CommandError::failed(format!("{path} has no `#[test]` functions"))
        };
        if sources.is_empty() && !self.path.is_dir() {
            return Err(missing());
        }
        let native = native::run(&package)?;
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
                let native = native.outcome(&name);
                let machine = machine::run(source, test, self.limit);
                lines.push(Line {
                    native: word(&native),
                    machine: word(&machine),
                    test: name.clone(),
                });
                if native.is_err() || machine.is_err() {
                    failures.push(failure(&name, &native, &machine));
                }
            }
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
fn failure(name: &str, native: &Outcome, machine: &Outcome) -> String {
    let how = if native.is_ok() == machine.is_ok() {
        "fails both ways"
    } else {
        "differs"
    };
    let output = |outcome: &Outcome| match outcome {
        Ok(()) => "ok".to_owned(),
        Err(output) => output.trim_end().to_owned(),
    };
    format!(
        "the test {name} {how}\n-- natively:\n{}\n-- in the machine:\n{}",
        output(native),
        output(machine)
    )
}

/// The folder of the cargo package that a file or folder is in.
fn package_of(path: &Path) -> Result<PathBuf, CommandError> {
    let path = path.canonicalize().map_err(CommandError::file(path))?;
    let package = path
        .ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file());
    package.map(Path::to_owned).ok_or_else(|| {
        let path = path.display();
        CommandError::failed(format!(
            "{path} is in no cargo package, which running the tests natively needs: `droste new` \
             makes one"
        ))
    })
}

/// Adds the Rust files below a folder, in the order of their names.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), CommandError> {
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
