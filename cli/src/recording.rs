//! The option `--record`: hints from a native run, in which programs advise them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use droste_native::F;
use droste_verifier::summary::integers;
use droste_vm::executor::{Tape, TapeItem};
use serde::Deserialize;

use crate::commands::new::{PROFILE, manifest, quoted};
use crate::commands::test::{module_of, package_of};
use crate::error::CommandError;
use crate::program::from_json;
use crate::sources::root_file;

/// The program that records.
const MAIN: &str = "fn main() -> std::process::ExitCode {
    droste_gadgets::record::record_main(PROGRAM::main)
}
";

/// What `cargo metadata` prints.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

impl Package {
    fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }
}

/// Runs the program at `path` natively, and returns the hints that it reads: those that it advises,
/// and the given ones for the rest.
///
/// # Errors
/// If it is not in the library of a cargo package, does not compile, or fails.
pub fn record(path: &Path, public: &[F], given: &Tape) -> Result<Tape, CommandError> {
    let file = root_file(path)?;
    let folder = package_of(&file)?;
    let metadata = metadata(&folder)?;
    let own = metadata.packages.iter().find(|package| {
        let whole = package.folder().canonicalize();
        whole.is_ok_and(|whole| whole == folder)
    });
    let is_library = |package: &&Package| {
        let mut kinds = package.targets.iter().flat_map(|target| &target.kind);
        kinds.any(|kind| kind == "lib" || kind == "rlib")
    };
    let failed = |what: String| CommandError::failed(format!("--record: {what}"));
    let own = own
        .filter(is_library)
        .filter(|_| !file.ends_with("src/main.rs"));
    let own = own.ok_or_else(|| {
        let file = file.display();
        failed(format!(
            "{file} must be in the library of its package: another crate runs it"
        ))
    })?;
    let mut packages = metadata.packages.iter();
    let gadgets = packages.find(|package| package.name == "droste-gadgets");
    let gadgets = gadgets.ok_or_else(|| {
        failed(format!(
            "the package {} does not depend on droste-gadgets",
            own.name
        ))
    })?;
    let recorder = metadata.target_directory.join("droste-record");
    let program = format!("program::{}", module_of(&folder, &file));
    let main = MAIN.replace("PROGRAM::", &program);
    let dependencies = format!(
        "[dependencies]\nprogram = {{ path = {}, package = \"{}\" }}\ndroste-gadgets = {{ path = {} }}\n\n{PROFILE}",
        quoted(own.folder(), "")?,
        own.name,
        quoted(gadgets.folder(), "")?,
    );
    let manifest = manifest("droste-record", &dependencies);
    // With the versions of the package itself.
    let lock = fs::read_to_string(metadata.workspace_root.join("Cargo.lock")).unwrap_or_default();
    for (name, text) in [
        ("Cargo.toml", manifest),
        ("Cargo.lock", lock),
        ("src/main.rs", main),
    ] {
        let path = recorder.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(CommandError::file(folder))?;
        }
        fs::write(&path, text).map_err(CommandError::file(&path))?;
    }
    let mut command = cargo();
    command
        .args(["run", "--quiet", "--manifest-path"])
        .arg(recorder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&metadata.target_directory);
    let output = output_of(command, &input(public, given))?;
    from_json(&recorder, &output, "the tape of a native run")
}

/// The lines that the recording program reads.
fn input(public: &[F], given: &Tape) -> String {
    let mut elements = vec![];
    for item in &given.items {
        match item {
            TapeItem::Felt(value) => elements.push(*value),
            TapeItem::Ext(values) => elements.extend(values),
            TapeItem::Slice(blocks) => {
                let lanes = blocks.iter().flatten();
                elements.extend(lanes.map(|lane| lane.unwrap_or_default()));
            }
        }
    }
    let line = |elements: &[F]| {
        let integers = integers(elements);
        let words: Vec<_> = integers.iter().map(u32::to_string).collect();
        words.join(" ") + "\n"
    };
    line(public) + &line(&elements)
}

/// If cargo started this command, as for an alias or in a test, the same cargo.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn metadata(folder: &Path) -> Result<Metadata, CommandError> {
    let mut command = cargo();
    command
        .args(["metadata", "--format-version", "1"])
        .current_dir(folder);
    let output = output_of(command, "")?;
    from_json(folder, &output, "a package that cargo knows")
}

/// The standard output of a command that is given this input. Its messages go to standard error.
fn output_of(mut command: Command, input: &str) -> Result<Vec<u8>, CommandError> {
    let failed = |error| CommandError::about("cargo")(CommandError::failed(error));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that ends early does not read it; its exit code says so.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(CommandError::failed(
            "the native run failed: see its messages above",
        ))
    }
}
