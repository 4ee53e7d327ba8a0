//! `droste check`: what rustc and the zk-DSL's compiler refuse, in one list.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::Args;
use droste_vm::compiler::{self, CompileError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::test::{package_of, rust_files};
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::paths::Input;
use crate::problem::Problem;
use crate::program::read_text;
use crate::recording::cargo;
use crate::sources::Sources;

/// Arguments of `droste check`.
#[derive(Debug, Args)]
pub struct Check {
    /// File of a program in a cargo package, or the package's folder for every program in its `src`.
    #[arg(default_value = ".")]
    path: Input,
    /// A library that the programs may import by its name: a file, or the folder of a package.
    #[arg(long, value_name = "PATH")]
    library: Vec<Input>,
    /// Print the messages of cargo and rustc in JSON, with those of the zk-DSL's compiler in the same
    /// form, one a line: what rust-analyzer reads.
    #[arg(long)]
    editor: bool,
}

/// A problem, and who found it.
#[derive(Serialize)]
struct Found {
    by: &'static str,
    level: String,
    #[serde(flatten)]
    problem: Problem,
}

#[derive(Serialize)]
struct Checked(Vec<Found>);

impl Report for Checked {
    fn rows(&self) -> Vec<Vec<String>> {
        let rows = self.0.iter().map(|found| {
            let problem = &found.problem;
            let place = format!("{}:{}:{}", problem.path, problem.line, problem.column);
            let help = problem.help.iter().map(|help| format!("; {help}"));
            let text = format!("{}{}", problem.message, help.collect::<String>());
            vec![place, format!("{} ({})", found.level, found.by), text]
        });
        if self.0.is_empty() {
            return vec![row("problems", "none")];
        }
        rows.collect()
    }
}

/// A line that `cargo check` prints.
#[derive(Deserialize)]
struct Message {
    reason: String,
    message: Option<Diagnostic>,
}

/// A message of rustc.
#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    level: String,
    spans: Vec<Place>,
    children: Vec<Self>,
}

#[derive(Deserialize)]
struct Place {
    file_name: String,
    is_primary: bool,
    /// What rustc says at the place, as which types do not match.
    label: Option<String>,
    line_start: usize,
    column_start: usize,
    line_end: usize,
    column_end: usize,
}

impl Diagnostic {
    /// The problem, if it is one: rustc also says how many there are.
    fn found(&self) -> Option<Found> {
        let place = self.spans.iter().find(|place| place.is_primary)?;
        let mut children = self.children.iter();
        let help = children.find(|child| child.level == "help");
        Some(Found {
            by: "rustc",
            level: self.level.clone(),
            problem: Problem {
                message: match &place.label {
                    Some(label) => format!("{}: {label}", self.message),
                    None => self.message.clone(),
                },
                help: help.map(|help| help.message.clone()),
                path: place.file_name.clone(),
                line: place.line_start,
                column: place.column_start,
                end_line: place.line_end,
                end_column: place.column_end,
                chain: vec![],
            },
        })
    }
}

impl Check {
    /// Runs both and prints what they found.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let package = package_of(&self.path)?;
        let lines = self.rustc(&package)?;
        let errors = self.programs(&package)?;
        if self.editor {
            let own = errors.iter().flat_map(editor_lines);
            for line in lines.iter().cloned().chain(own) {
                print_line(&line)?;
            }
        }
        let messages = lines
            .iter()
            .filter_map(|line| serde_json::from_str::<Message>(line).ok());
        let messages = messages.filter(|message| message.reason == "compiler-message");
        let mut found: Vec<Found> = vec![];
        for one in messages.filter_map(|message| message.message?.found()) {
            // A library is compiled for its tests, too.
            if !found.iter().any(|other| other.problem == one.problem) {
                found.push(one);
            }
        }
        let problems = errors.iter().flat_map(Problem::of_compiler);
        found.extend(problems.map(|problem| Found {
            by: "droste",
            level: "error".to_owned(),
            problem: within(problem, &package),
        }));
        let wrong = found.iter().filter(|found| found.level == "error").count();
        if !self.editor {
            print(&Checked(found), format)?;
        }
        match wrong {
            0 => Ok(()),
            1 => Err(CommandError::failed("there is 1 error")),
            _ => Err(CommandError::failed(format!("there are {wrong} errors"))),
        }
    }

    /// The lines that `cargo check` prints. Its progress goes to standard error.
    fn rustc(&self, package: &Path) -> Result<Vec<String>, CommandError> {
        let output = cargo()
            .args(["check", "--quiet", "--all-targets", "--message-format=json"])
            .current_dir(package)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| CommandError::about("cargo check")(CommandError::failed(error)))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let is_message = |line: &String| line.contains("\"reason\":\"compiler-message\"");
        if !output.status.success() && !lines.iter().any(is_message) {
            let message = "cargo check failed: see its messages above";
            return Err(CommandError::failed(message));
        }
        Ok(lines)
    }

    /// What the zk-DSL's compiler refuses: of a program all, of another file of it what it parses.
    fn programs(&self, package: &Path) -> Result<Vec<CompileError>, CommandError> {
        let mut files: Vec<PathBuf> = vec![];
        if self.path.is_dir() {
            rust_files(&package.join("src"), &mut files)?;
        } else {
            files.push(self.path.to_path_buf());
        }
        let mut errors: Vec<CompileError> = vec![];
        for file in files {
            let text = read_text(&file)?;
            if !text.contains("use droste_gadgets::") {
                continue;
            }
            let checked = if text.contains("pub fn main()") {
                let sources = Sources::of_text(file, text, &self.library)?;
                let compiled =
                    compiler::compile_file(&sources.name(), &sources.text, &sources.libraries());
                compiled.map(drop)
            } else {
                compiler::interface(&file.display().to_string(), &text).map(drop)
            };
            // A module's problem is that of the program which declares it, too.
            if let Err(error) = checked
                && !errors.iter().any(|other| is_same(other, &error))
            {
                errors.push(*error);
            }
        }
        Ok(errors)
    }
}

/// A problem whose path is that in the package, as rustc's are.
fn within(problem: Problem, package: &Path) -> Problem {
    let path = Path::new(&problem.path).strip_prefix(package);
    let path = path.map_or(problem.path.clone(), |path| path.display().to_string());
    Problem { path, ..problem }
}

fn is_same(one: &CompileError, other: &CompileError) -> bool {
    let place = |error: &CompileError| (error.source_code.name().to_owned(), error.span);
    one.message == other.message && place(one) == place(other)
}

fn print_line(line: &str) -> Result<(), CommandError> {
    use std::io::Write as _;

    Ok(writeln!(std::io::stdout().lock(), "{line}")?)
}

/// The errors of a program as lines of cargo's messages.
fn editor_lines(error: &CompileError) -> Vec<String> {
    let all = std::iter::once(error).chain(&error.others);
    all.map(|error| editor_line(error).to_string()).collect()
}

fn editor_line(error: &CompileError) -> Value {
    let problem = Problem::from(error);
    let text = error.source_code.inner();
    let whole = Path::new(&problem.path).canonicalize();
    let path = whole.map_or(problem.path.clone(), |path| path.display().to_string());
    let line = text.lines().nth(problem.line.saturating_sub(1));
    let note = |level: &str, message: &str| {
        json!({
            "message": message, "code": null, "level": level, "spans": [], "children": [],
            "rendered": null,
        })
    };
    let help = problem.help.iter().map(|help| note("help", help));
    let calls = problem.chain.iter().map(|call| note("note", call));
    json!({
        "message": problem.message,
        "code": {"code": "droste", "explanation": null},
        "level": "error",
        "spans": [{
            "file_name": path,
            "byte_start": error.span.offset(),
            "byte_end": error.span.offset() + error.span.len(),
            "line_start": problem.line,
            "line_end": problem.end_line,
            "column_start": problem.column,
            "column_end": problem.end_column,
            "is_primary": true,
            "text": [{
                "text": line.unwrap_or_default(),
                "highlight_start": problem.column,
                "highlight_end": problem.end_column,
            }],
            "label": null,
            "suggested_replacement": null,
            "suggestion_applicability": null,
            "expansion": null,
        }],
        "children": help.chain(calls).collect::<Vec<_>>(),
        "rendered": format!("error: {}\n", problem.message),
    })
}
