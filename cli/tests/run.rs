//! When a program fails, `droste run` names the file, line and column of the expression that
//! failed.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A program that fails at a different expression for each public input and tape. The executor
/// reads a hint before the next instruction, and the instructions that compute the product and the
/// digest also compare them, so in these cases the failing instruction is not the expression at
/// fault.
const PROGRAM: &str = "use droste_gadgets::prelude::*;

fn half() -> Felt {
    let double = hint_felt().any();
    double * felt(2).inverse()
}

pub fn main() {
    let x = public_input();
    let inverse = (x - felt(1)).inverse();
    let table = hint_slice(4).any();
    let entry = table.at(Index::<4>::new(x));
    let product = x * inverse;
    let y = half();
    assert_eq!(product, felt(2));
    let digest = poseidon16_compress(entry, entry);
    let z = hint_ext().any().coeff(0);
    assert_eq!(digest, Block::ZERO);
    reveal(y + z);
}
";

/// Runs `droste` in a folder, where it must fail, and returns its standard error.
fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    errors
}

/// `line:column` of an expression that occurs once in the program.
fn place(expression: &str) -> String {
    let parts: Vec<&str> = PROGRAM.split(expression).collect();
    assert_eq!(parts.len(), 2, "{expression}");
    let (lines, last) = parts[0].rsplit_once('\n').unwrap();
    format!("{}:{}", lines.lines().count() + 1, last.len() + 1)
}

#[test]
fn a_failed_run_points_at_the_expression_that_failed() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("program.rs", PROGRAM);
    let felt = r#"{"felt":1}"#;
    let row = "[0,0,0,0,0,0,0,0]";
    let table = &format!(r#"{{"slice":[{row},{row},{row},{row}]}}"#);
    let both = &format!("{table},{felt}");
    let all = &format!(r#"{both},{{"ext":[1,0,0,0,0]}}"#);
    for (public, hints, expression, message) in [
        ("1", "", "(x - felt(1)).inverse()", "division by zero"),
        ("2", "", "hint_slice(4)", "the hint tape is exhausted"),
        ("2", felt, "hint_slice(4)", "expected a slice of 4 blocks"),
        ("9", table, "Index::<4>::new(x)", "assertion failed"),
        (
            "3",
            table,
            "assert_eq!(product, felt(2))",
            "assertion failed",
        ),
        ("2", table, "hint_felt()", "the hint tape is exhausted"),
        (
            "2",
            both,
            "assert_eq!(digest, Block::ZERO)",
            "assertion failed",
        ),
        (
            "2",
            all,
            "assert_eq!(digest, Block::ZERO)",
            "assertion failed",
        ),
    ] {
        write("hints.json", &format!("[{hints}]"));
        let arguments = [
            "run",
            "program.rs",
            "--public",
            public,
            "--hints",
            "hints.json",
        ];
        let errors = failure(folder.path(), &arguments);
        let place = format!("program.rs:{}", place(expression));
        assert!(errors.contains(message), "{expression}: {errors}");
        // The place is named in the message and above the source lines.
        assert!(
            errors.contains(&format!("at {place} in ")),
            "{place}: {errors}"
        );
        assert!(errors.contains(&format!("[{place}]")), "{place}: {errors}");
    }
}
