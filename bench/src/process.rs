//! Rows that are measured in processes of their own, so that the peak of memory is that of the row
//! alone.

use std::process::Command;

use clap::ValueEnum;
use serde_json::Value;

use crate::clock;

/// Starts this program with these arguments and environment variables, and returns the one row that
/// it prints, by the same clock. If it fails, prints its error output and returns `None`.
pub fn row(arguments: &[&str], variables: &[(&str, &str)]) -> Option<Value> {
    let program = std::env::current_exe().ok()?;
    let clock = clock::get().to_possible_value()?;
    let output = Command::new(program)
        .args(["--format", "json"])
        .args(["--clock", clock.get_name()])
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .ok()?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).ok()?;
    rows.into_iter().next()
}
