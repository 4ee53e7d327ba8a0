//! `droste new`: a small cargo package with a program in it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print};

/// The program, with tests of its functions.
const PROGRAM: &str = include_str!("../../template/src/lib.rs");

/// The test of the whole program. It imports the package under the name `program`, which is
/// replaced.
const TEST: &str = include_str!("../../template/tests/both_ways.rs");

/// Arguments of `droste new`.
#[derive(Debug, Args)]
pub struct New {
    /// Folder to create; its last component is the package's name.
    folder: PathBuf,
    /// Depend on the checkout of Droste in this folder instead of the published crates.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

#[derive(Serialize)]
struct Created {
    files: Vec<String>,
    run: String,
    test: String,
}

impl Report for Created {
    fn rows(&self) -> Vec<Vec<String>> {
        let row = |name: &str, value: &str| vec![name.to_owned(), value.to_owned()];
        let files = self.files.iter().map(|file| row("created", file));
        let commands = [row("run it", &self.run), row("test it", &self.test)];
        files.chain(commands).collect()
    }
}

impl New {
    /// Writes the package and prints how to run it.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let name = self.name()?;
        let manifest = self.manifest(name)?;
        if self.folder.exists() {
            let folder = self.folder.display();
            return Err(CommandError::failed(format!("{folder} already exists")));
        }
        // rustc replaces hyphens in a library's name.
        let test = TEST.replace(
            "program::main",
            &format!("{}::main", name.replace('-', "_")),
        );
        let files = [
            ("Cargo.toml", manifest.as_str()),
            ("src/lib.rs", PROGRAM),
            ("tests/both_ways.rs", &test),
            (".gitignore", "/target\n*.proof\n"),
        ];
        let mut created = vec![];
        for (file, text) in files {
            let path = self.folder.join(file);
            write(&path, text)?;
            created.push(path.display().to_string());
        }
        let program = self.folder.join("src/lib.rs");
        let created = Created {
            files: created,
            run: format!("droste run {} --public 5", program.display()),
            test: format!("droste test {}", self.folder.display()),
        };
        Ok(print(&created, format)?)
    }

    /// The package's name. rustc must accept it as the name of a library.
    fn name(&self) -> Result<&str, CommandError> {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        let identifier = syn::parse_str::<syn::Ident>(&name.replace('-', "_"));
        // Libraries that the package depends on or that come with rustc.
        let taken = [
            "droste",
            "droste-gadgets",
            "droste_gadgets",
            "std",
            "core",
            "test",
            "program",
        ];
        if identifier.is_err()
            || !name.starts_with(|c: char| c.is_ascii_lowercase())
            || !name.chars().all(is_inner)
            || taken.contains(&name)
        {
            return Err(CommandError::usage(format!(
                "`{name}` cannot be the name of a package: expected a lower-case letter, then \
                 lower-case letters, digits, `-` and `_`; no keyword, no library that programs \
                 use"
            )));
        }
        Ok(name)
    }

    fn manifest(&self, name: &str) -> Result<String, CommandError> {
        let version = env!("CARGO_PKG_VERSION");
        let source = |folder: &str| -> Result<String, CommandError> {
            let Some(checkout) = &self.path else {
                return Ok(format!("version = \"{version}\""));
            };
            let path = checkout.join(folder);
            let path = path.canonicalize().map_err(CommandError::file(&path))?;
            // Every JSON string is also a basic string of TOML, with the same escapes.
            let path = serde_json::to_string(&path).map_err(CommandError::failed)?;
            Ok(format!("path = {path}"))
        };
        let (gadgets, droste) = (source("gadgets")?, source("droste")?);
        Ok(format!(
            "[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"

# Gives the program its meaning when rustc compiles it.
[dependencies]
droste-gadgets = {{ {gadgets} }}

# Compiler and executor of the machine, for the tests; without the prover.
[dev-dependencies]
droste = {{ {droste}, default-features = false }}

# Keeps the package out of any workspace that the folder is in.
[workspace]
"
        ))
    }
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(CommandError::file(folder))?;
    }
    fs::write(path, text).map_err(CommandError::file(path))
}
