//! Runs a test in the machine, in place of the program's `main`.

use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};
use miette::Report;

use super::Outcome;
use super::source::{Source, TestFunction};

/// Compiles and executes a test, without public inputs or hints.
pub fn run(source: &Source, test: &TestFunction, limit: u64) -> Outcome {
    let text = format!("{}\npub fn main() {{ {}() }}\n", source.text, test.path);
    let compiled = compile_file(&source.path, &text, droste_gadgets::SOURCES)
        .map_err(|error| format!("{:?}", Report::new(*error)))?;
    match (
        execute(&compiled, &[], &Tape::default(), limit),
        test.should_panic,
    ) {
        (Ok(_), false) | (Err(_), true) => Ok(()),
        (Ok(_), true) => Err("the test passed, but is marked `#[should_panic]`".to_owned()),
        (Err(error), false) => Err(format!("{:?}", Report::new(error))),
    }
}
