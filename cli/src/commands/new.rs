//! `droste new`: a small cargo package with a program in it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print, row};

/// The program, with tests of its functions.
const PROGRAM: &str = include_str!("../../template/src/lib.rs");

/// The test of the whole program. It imports the package under the name `program`, which is
/// replaced.
const TEST: &str = include_str!("../../template/tests/both_ways.rs");

/// The folder of this crate when the command was built.
const BUILT_FROM: &str = env!("CARGO_MANIFEST_DIR");

/// The folders of the libraries that a package depends on, in a checkout.
const LIBRARIES: [&str; 2] = ["gadgets", "droste"];

/// Arguments of `droste new`.
#[derive(Debug, Args)]
pub struct New {
    /// Folder to create; its last component is the package's name.
    folder: PathBuf,
    /// Checkout of Droste to depend on, since its crates are not published yet [default: the one
    /// that this command was built from].
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

#[derive(Serialize)]
struct Created {
    files: Vec<String>,
    checkout: String,
    run: String,
    test: String,
}

impl Report for Created {
    fn rows(&self) -> Vec<Vec<String>> {
        let files = self.files.iter().map(|file| row("created", file));
        let checkout = format!(
            "the checkout {}: Droste's crates are not published yet",
            self.checkout
        );
        let rest = [
            row("depends on", checkout),
            row("run it", &self.run),
            row("test it", &self.test),
        ];
        files.chain(rest).collect()
    }
}

impl New {
    /// Writes the package and prints how to run it.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let name = self.name()?;
        let checkout = checkout(self.path.as_deref(), Path::new(BUILT_FROM))?;
        let manifest = manifest(name, &checkout)?;
        // The package is built with the versions that the checkout is tested with.
        let lock = checkout.join("Cargo.lock");
        let lock = fs::read_to_string(&lock).map_err(CommandError::file(&lock))?;
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
            ("Cargo.lock", &lock),
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
        let program = self.folder.join("src/lib.rs").display().to_string();
        let folder = self.folder.display().to_string();
        let created = Created {
            files: created,
            checkout: checkout.display().to_string(),
            run: command(&["run", &program, "--public", "5"])?,
            test: command(&["test", &folder])?,
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
}

/// The checkout that a package depends on: the one at `path`, or else the one that has this crate
/// in its folder `built_from`.
fn checkout(path: Option<&Path>, built_from: &Path) -> Result<PathBuf, CommandError> {
    let folder = path.or(built_from.parent()).unwrap_or(built_from);
    let manifests = LIBRARIES.map(|library| folder.join(library).join("Cargo.toml"));
    if let Some(missing) = manifests.iter().find(|manifest| !manifest.is_file()) {
        let (folder, missing) = (folder.display(), missing.display());
        return Err(CommandError::failed(match path {
            Some(_) => format!("{folder} is not a checkout of Droste: {missing} is missing"),
            None => format!(
                "the package would depend on {folder}, the checkout that this command was built \
                 from, but there is no {missing}: name a checkout of Droste with `--path DIR`"
            ),
        }));
    }
    folder.canonicalize().map_err(CommandError::file(folder))
}

fn manifest(name: &str, checkout: &Path) -> Result<String, CommandError> {
    // Every JSON string is also a basic string of TOML, with the same escapes.
    let [gadgets, droste] = LIBRARIES.map(|library| serde_json::to_string(&checkout.join(library)));
    let (gadgets, droste) = (gadgets?, droste?);
    Ok(format!(
        "[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"

# Gives the program its meaning when rustc compiles it.
[dependencies]
droste-gadgets = {{ path = {gadgets} }}

# Compiler and executor of the machine, for the tests; without the prover.
[dev-dependencies]
droste = {{ path = {droste}, default-features = false }}

# Keeps the package out of any workspace that the folder is in.
[workspace]
"
    ))
}

/// The line that runs this command with `arguments` in a shell, under the name that it was itself
/// run by.
fn command(arguments: &[&str]) -> Result<String, CommandError> {
    let name = std::env::args_os().next().unwrap_or("droste".into());
    let name = name.to_string_lossy();
    let words = std::iter::once(name.as_ref()).chain(arguments.iter().copied());
    Ok(shlex::try_join(words)?)
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(CommandError::file(folder))?;
    }
    fs::write(path, text).map_err(CommandError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_that_is_gone_is_named() {
        let gone = tempfile::TempDir::new().unwrap();
        let error = checkout(None, &gone.path().join("cli")).unwrap_err();
        let missing = gone.path().join("gadgets/Cargo.toml");
        let words = format!("there is no {}: name a checkout", missing.display());
        assert!(error.to_string().contains(&words), "{error}");
        assert!(checkout(None, Path::new(BUILT_FROM)).is_ok());
    }
}
