//! Runs a test in the machine, in place of the program's `main`.

use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};

use super::source::{Source, TestFunction};
use crate::error::{CommandError, shown};
use crate::output::print_lines;
use crate::sources::Sources;

/// How a test ended in the machine.
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed; this is what it printed.
    Failed(String),
    /// It is not in the zk-DSL: the compiler's message.
    Refused(String),
    /// It says that it runs natively only.
    NativeOnly,
}

/// Compiles and executes a test, without public inputs or hints.
///
/// # Errors
/// If a file of a module cannot be read.
pub fn run(source: &Source, test: &TestFunction, limit: u64) -> Result<Outcome, CommandError> {
    if test.native_only {
        return Ok(Outcome::NativeOnly);
    }
    let text = source.program(test);
    let sources = Sources::of_text(source.path.clone(), text, &[])?;
    let compiled = compile_file(&sources.name(), &sources.text, &sources.libraries());
    let result = match compiled {
        // What fails whenever it runs is found while compiling.
        Err(error) if error.certain => Err(shown(*error)),
        Err(error) => return Ok(Outcome::Refused(shown(*error))),
        Ok(compiled) => match execute(&compiled, &[], &Tape::default(), limit) {
            Ok(execution) => {
                print_lines(&execution.printed);
                Ok(())
            }
            Err(error) => {
                print_lines(&error.said.printed);
                Err(shown(error))
            }
        },
    };
    Ok(match (result, test.should_panic) {
        (Ok(()), false) | (Err(_), true) => Outcome::Passed,
        (Ok(()), true) => {
            Outcome::Failed("the test passed, but is marked `#[should_panic]`".to_owned())
        }
        (Err(output), false) => Outcome::Failed(output),
    })
}
