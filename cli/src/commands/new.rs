//! `droste new`: a small cargo package with a program in it, or one that uses the library.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::paths::{Input, Kept};

/// The program, with tests of its functions.
const PROGRAM: &str = include_str!("../../template/src/lib.rs");

/// The test of the whole program. It imports the package under the name `program`, which is
/// replaced.
const TEST: &str = include_str!("../../template/tests/both_ways.rs");

/// The hints of a run.
const HINTS: &str = include_str!("../../template/hints.json");

/// The files of a package that uses the library. It is imported under the name `library`, which is
/// replaced.
const LIBRARY: [(&str, &str); 5] = [
    (
        "src/program.rs",
        include_str!("../../template/library/src/program.rs"),
    ),
    (
        "src/lib.rs",
        include_str!("../../template/library/src/lib.rs"),
    ),
    (
        "src/main.rs",
        include_str!("../../template/library/src/main.rs"),
    ),
    (
        "tests/both_ways.rs",
        include_str!("../../template/library/tests/both_ways.rs"),
    ),
    (
        "tests/steps.rs",
        include_str!("../../template/library/tests/steps.rs"),
    ),
];

/// Flags of rustc for packages that prove: they use the vectors of the processor.
const FLAGS: &str = "# Proofs take many times longer without the vectors of the processor. For \
                     other machines than the\n# one that builds, name a level, such as \
                     x86-64-v3.\n[build]\nrustflags = [\"-Ctarget-cpu=native\"]\n";

/// How the tests of a program are compiled, and its native runs, which then share what is built.
pub const PROFILE: &str = "# Nobody steps through the libraries or changes them: without what a \
                           debugger or the next build would\n# need they are built sooner, and are \
                           a fraction of the size.\n[profile.dev]\ndebug = 0\nincremental = \
                           false\n";

/// The folder of this crate when the command was built.
const BUILT_FROM: &str = env!("CARGO_MANIFEST_DIR");

/// The folders of the libraries that a package depends on, in a checkout.
const LIBRARIES: [&str; 2] = ["gadgets", "droste"];

/// Arguments of `droste new`.
#[derive(Debug, Args)]
pub struct New {
    #[command(flatten)]
    place: Place,
    /// Write a package that proves, wraps and verifies by the library `droste`, instead of one for
    /// a program and its tests.
    #[arg(long)]
    lib: bool,
}

/// Where a package is written, and what it depends on.
#[derive(Debug, Args)]
pub struct Place {
    /// Folder to create; its last component is the package's name.
    folder: Kept,
    /// Checkout of Droste to depend on, since its crates are not published yet [default: the one
    /// that this command was built from].
    #[arg(long, value_name = "DIR")]
    path: Option<Input>,
}

/// Paths in a package's folder, with what is written there.
pub type Files = Vec<(&'static str, String)>;

/// A package to write.
struct Package {
    files: Files,
    /// Lines for a shell that run and test it.
    run: String,
    test: String,
    /// What building it from nothing takes.
    first_build: &'static str,
}

#[derive(Serialize)]
struct Created {
    files: Vec<String>,
    checkout: String,
    run: String,
    test: String,
    first_build: &'static str,
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
            row("first build", self.first_build),
        ];
        files.chain(rest).collect()
    }
}

impl New {
    /// Writes the package and prints how to run it.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let (name, checkout) = (self.place.name()?, self.place.checkout()?);
        let package = if self.lib {
            self.library(name, &checkout)?
        } else {
            self.program(name, &checkout)?
        };
        let created = Created {
            files: self.place.write(package.files, &checkout)?,
            checkout: checkout.display().to_string(),
            run: package.run,
            test: package.test,
            first_build: package.first_build,
        };
        Ok(print(&created, format)?)
    }

    /// A package of a program.
    fn program(&self, name: &str, checkout: &Path) -> Result<Package, CommandError> {
        // rustc replaces hyphens in a library's name.
        let test = TEST.replace(
            "program::main",
            &format!("{}::main", name.replace('-', "_")),
        );
        let folder = &self.place.folder;
        let [program, hints] =
            ["src/lib.rs", "hints.json"].map(|file| folder.join(file).display().to_string());
        let folder = folder.display().to_string();
        Ok(Package {
            files: vec![
                ("Cargo.toml", manifest(name, &dependencies(checkout)?)),
                ("src/lib.rs", PROGRAM.to_owned()),
                ("tests/both_ways.rs", test),
                ("hints.json", HINTS.to_owned()),
            ],
            run: command(&["run", &program, "--hints", &hints])?,
            test: command(&["test", &folder])?,
            first_build: "the tests are built in about 45 s of CPU time",
        })
    }

    /// A package that uses the library.
    fn library(&self, name: &str, checkout: &Path) -> Result<Package, CommandError> {
        let import = format!("use {}::", name.replace('-', "_"));
        let sources = LIBRARY.map(|(file, text)| (file, text.replace("use library::", &import)));
        let manifest = manifest(name, &dependency_and_profile(checkout)?);
        let configuration = [
            ("Cargo.toml", manifest),
            (".cargo/config.toml", FLAGS.to_owned()),
        ];
        let folder = shlex::try_quote(&self.place.folder.to_string_lossy())?.into_owned();
        Ok(Package {
            files: configuration.into_iter().chain(sources).collect(),
            // Cargo reads the flags in the package's folder only.
            run: format!("cd {folder} && cargo run --release"),
            test: format!("cd {folder} && cargo test"),
            first_build: "about 7 minutes of CPU time, for the tests 10",
        })
    }
}

impl Place {
    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The checkout that the package depends on.
    pub fn checkout(&self) -> Result<PathBuf, CommandError> {
        checkout(self.path.as_deref(), Path::new(BUILT_FROM))
    }

    /// Writes the files of a package, with those that every package has. Returns their paths.
    ///
    /// # Errors
    /// If the folder exists, or a file cannot be written.
    pub fn write(&self, files: Files, checkout: &Path) -> Result<Vec<String>, CommandError> {
        // The package is built with the versions that the checkout is tested with.
        let lock = checkout.join("Cargo.lock");
        let lock = fs::read_to_string(&lock).map_err(CommandError::file(&lock))?;
        if self.folder.exists() {
            let folder = self.folder.display();
            return Err(CommandError::failed(format!("{folder} already exists")));
        }
        let common = [
            ("Cargo.lock", lock),
            (
                ".gitignore",
                "/target\n*.proof\n*.wrap\n*.agg\n*.fold\n".to_owned(),
            ),
        ];
        let mut created = vec![];
        for (file, text) in files.into_iter().chain(common) {
            let path = self.folder.join(file);
            write(&path, &text)?;
            created.push(path.display().to_string());
        }
        Ok(created)
    }

    /// The package's name. rustc must accept it as the name of a library.
    pub fn name(&self) -> Result<&str, CommandError> {
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

/// The manifest of a package with these dependencies.
pub fn manifest(name: &str, dependencies: &str) -> String {
    format!(
        "[package]
name = \"{name}\"
version = \"0.1.0\"
edition = \"2024\"

{dependencies}
# Keeps the package out of any workspace that the folder is in.
[workspace]
"
    )
}

/// The folder of a library as a string of TOML.
pub fn quoted(checkout: &Path, library: &str) -> Result<String, CommandError> {
    // Every JSON string is also a basic string of TOML, with the same escapes.
    Ok(serde_json::to_string(&checkout.join(library))?)
}

/// What a program depends on.
fn dependencies(checkout: &Path) -> Result<String, CommandError> {
    let [gadgets, droste] = LIBRARIES.map(|library| quoted(checkout, library));
    let (gadgets, droste) = (gadgets?, droste?);
    Ok(format!(
        "# Gives the program its meaning when rustc compiles it.
[dependencies]
droste-gadgets = {{ path = {gadgets} }}

# Compiler and executor of the machine, for the tests; without the prover.
[dev-dependencies]
droste = {{ path = {droste}, default-features = false }}

{PROFILE}"
    ))
}

/// What a package that proves depends on, and how its tests are compiled.
fn dependency_and_profile(checkout: &Path) -> Result<String, CommandError> {
    let [gadgets, droste] = LIBRARIES.map(|library| quoted(checkout, library));
    let (gadgets, droste) = (gadgets?, droste?);
    Ok(format!(
        "[dependencies]
droste = {{ path = {droste} }}
# Gives the program its meaning when rustc compiles it.
droste-gadgets = {{ path = {gadgets} }}

# Less work for the compiler.
[profile.release]
codegen-units = 1

# Tests of proofs take seconds, not minutes.
[profile.dev.package.\"*\"]
opt-level = 1
debug-assertions = false
"
    ))
}

/// The line that runs this command with `arguments` in a shell, under the name that it was itself
/// run by.
pub fn command(arguments: &[&str]) -> Result<String, CommandError> {
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
