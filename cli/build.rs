//! Tells the crate from which commit it is built.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What cargo writes into a package: the commit that it was made from.
const PACKAGED: &str = ".cargo_vcs_info.json";

/// Digits of a commit that are shown.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = packaged().or_else(checked_out);
    let commit = commit.as_deref().and_then(|commit| commit.get(..DIGITS));
    println!(
        "cargo::rustc-env=DROSTE_COMMIT={}",
        commit.unwrap_or("unknown")
    );
}

/// The commit of a package from a registry.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(PACKAGED).ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    Some(rest.split('"').next()?.to_owned())
}

/// The commit of the checkout that this folder is in. Only the files that say which one it is make
/// cargo run this again.
fn checked_out() -> Option<String> {
    // A copy of this crate may be in a repository of somebody else's.
    if git(&["rev-parse", "--show-prefix"])? != "cli/" {
        return None;
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    // Git adds a line to the log with every commit, also where the branch is in no file of its own.
    let files = ["HEAD", "logs/HEAD"].map(str::to_owned);
    for file in files.into_iter().chain(branch) {
        let path = PathBuf::from(git(&["rev-parse", "--git-path", &file])?);
        // A missing file would make every build run this again.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    Some(commit)
}

/// What git prints; `None` if it fails, or there is none.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
