//! `droste fold new`: a cargo package with the rules of a fold, a leaf program and tests of both.

use std::path::Path;

use clap::Args;
use serde::Serialize;

use crate::commands::new::{Place, command, manifest, quoted};
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};

/// Defines the files of the package that are in the folder of templates as they are.
macro_rules! template {
    ($($file:literal)*) => {
        &[$(($file, include_str!(concat!("../../../template/fold/", $file)))),*]
    };
}

const FILES: &[(&str, &str)] = template![
    "src/lib.rs"
    "src/block.rs"
    "src/chain.rs"
    "cases.json"
    "blocks/list.txt"
    "blocks/1.json"
    "blocks/1.roots.json"
    "blocks/2.json"
    "blocks/2.roots.json"
    "blocks/3.json"
    "blocks/3.roots.json"
    "blocks/4.json"
    "blocks/4.roots.json"
];

/// The tests, in which the package is imported under the name `package`, which is replaced.
const TESTS: &str = include_str!("../../../template/fold/tests/rules.rs");

/// Names of the package's own modules, which it cannot have itself.
const MODULES: [&str; 2] = ["block", "chain"];

/// Number of blocks in the package: those of `blocks/list.txt`, and one to append.
const BLOCKS: usize = 4;

/// Arguments of `droste fold new`.
#[derive(Debug, Args)]
pub struct New {
    #[command(flatten)]
    place: Place,
}

#[derive(Serialize)]
struct Created {
    files: Vec<String>,
    checkout: String,
    /// Lines for a shell: from a test of the rules to a verified fold, at `toy`, as `docs/fold.md`
    /// has them.
    commands: Vec<String>,
}

impl Report for Created {
    fn rows(&self) -> Vec<Vec<String>> {
        let files = self.files.iter().map(|file| row("created", file));
        let checkout = format!(
            "the checkout {}: Droste's crates are not published yet",
            self.checkout
        );
        let depends = [row("depends on", checkout)];
        let commands = self.commands.iter().map(|line| row("run", line));
        files.chain(depends).chain(commands).collect()
    }
}

impl New {
    /// Writes the package and prints the commands of a first fold.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let (name, checkout) = (self.place.name()?, self.place.checkout()?);
        if MODULES.contains(&name) {
            let message = format!("`{name}` is a module of the package: give it another name");
            return Err(CommandError::usage(message));
        }
        let import = format!("use {}::", name.replace('-', "_"));
        let own = FILES.iter().map(|(file, text)| (*file, (*text).to_owned()));
        let made = [
            ("Cargo.toml", manifest(name, &dependencies(&checkout)?)),
            ("tests/rules.rs", TESTS.replace("use package::", &import)),
        ];
        let created = Created {
            files: self.place.write(own.chain(made).collect(), &checkout)?,
            checkout: checkout.display().to_string(),
            commands: commands(self.place.folder())?,
        };
        Ok(print(&created, format)?)
    }
}

/// What the package depends on: the tests make rules on paper, for which they need the prover's
/// crates.
fn dependencies(checkout: &Path) -> Result<String, CommandError> {
    let (gadgets, droste) = (quoted(checkout, "gadgets")?, quoted(checkout, "droste")?);
    Ok(format!(
        "# Gives rules and program their meaning when rustc compiles them.
[dependencies]
droste-gadgets = {{ path = {gadgets} }}

# Compiler and executor of the machine, for the tests.
[dev-dependencies]
droste = {{ path = {droste} }}

[profile.dev.package.\"*\"]
opt-level = 1
debug-assertions = false
"
    ))
}

/// The commands of a first fold of the package in this folder.
fn commands(folder: &Path) -> Result<Vec<String>, CommandError> {
    let file = |name: &str| folder.join(name).display().to_string();
    let (rules, program) = (file("src/chain.rs"), file("src/block.rs"));
    let (cases, list, fold) = (
        file("cases.json"),
        file("blocks/list.txt"),
        file("chain.fold"),
    );
    let mut lines = vec![command(&["fold", "test", &rules, "--cases", &cases])?];
    for number in 1..=BLOCKS {
        let (hints, proof) = (
            file(&format!("blocks/{number}.json")),
            file(&format!("blocks/{number}.proof")),
        );
        let prove = [
            "prove", &program, "--hints", &hints, "--preset", "toy", "-o", &proof,
        ];
        lines.push(command(&prove)?);
    }
    let family = [rules.as_str(), "--leaf", &program, "--preset", "toy"];
    let all = [
        &["fold", "all"][..],
        &family[..],
        &["--list", &list, "-o", &fold],
    ];
    lines.push(command(&all.concat())?);
    let (sample, recipe) = (file("blocks/1.proof"), file("recipe.json"));
    let key = [
        &["fold", "key"][..],
        &family[..],
        &["--sample", &sample, "-o", &recipe],
    ];
    lines.push(command(&key.concat())?);
    // KEY is what the command before prints.
    let verify = [
        "fold",
        "verify",
        &fold,
        "--key",
        "KEY",
        "--min-bits",
        "0",
        "--state",
        "any",
    ];
    lines.push(command(&verify)?);
    let package = file("Cargo.toml");
    lines.push(shlex::try_join([
        "cargo",
        "test",
        "--manifest-path",
        &package,
    ])?);
    Ok(lines)
}
