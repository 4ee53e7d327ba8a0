//! Rows measured in processes of their own, whose peak of memory is the row's.

use std::process::Command;

use serde_json::Value;

/// The one row that this program prints when called so, with these variables in its environment; none,
/// and what it says, where it fails.
pub fn row(arguments: &[&str], variables: &[(&str, &str)]) -> Option<Value> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program)
        .args(["--format", "json"])
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
