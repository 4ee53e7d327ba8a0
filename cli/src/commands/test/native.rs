//! Runs a package's tests natively, with cargo.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;

use super::Outcome;
use crate::error::CommandError;
use crate::recording::cargo;

/// What `cargo test` printed and how it ended.
pub struct Native {
    /// Standard output, with invalid UTF-8 replaced.
    pub output: String,
    /// Whether every test of the package passed.
    pub succeeded: bool,
    results: HashMap<String, bool>,
}

/// Runs the tests of a package whose names contain `filter`. Cargo's build messages go straight to
/// standard error.
pub fn run(package: &Path, filter: &str) -> Result<Native, CommandError> {
    let output = cargo()
        .args(["test", "--no-fail-fast", "--"])
        .args((!filter.is_empty()).then_some(filter))
        .current_dir(package)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| CommandError::about("cargo test")(CommandError::failed(error)))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Native {
        results: results(&text),
        output: text,
        succeeded: output.status.success(),
    })
}

impl Native {
    /// Whether there were no tests to run.
    pub fn ran_none(&self) -> bool {
        self.results.is_empty()
    }

    /// How the test of this name ended.
    pub fn outcome(&self, name: &str) -> Outcome {
        match self.results.get(name) {
            Some(true) => Ok(()),
            Some(false) => Err(block(&self.output, name).to_owned()),
            None if self.results.is_empty() => {
                Err("cargo ran no tests: see its messages above".to_owned())
            }
            None => Err(format!(
                "cargo ran no test of this name: is its file a module of the package?\n{}",
                self.output
            )),
        }
    }
}

/// Maps the name of each test that ran to whether it passed, read from lines `test NAME ... ok`.
fn results(output: &str) -> HashMap<String, bool> {
    let result = |line: &str| {
        let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
        let name = name.trim_end_matches(" - should panic");
        match result {
            "ok" => Some((name.to_owned(), true)),
            "FAILED" => Some((name.to_owned(), false)),
            _ => None,
        }
    };
    output.lines().filter_map(result).collect()
}

/// The part of the output that a failed test printed, or the whole output if it has no such part.
fn block<'a>(output: &'a str, name: &str) -> &'a str {
    let header = format!("---- {name} stdout ----\n");
    let Some((_, rest)) = output.split_once(&header) else {
        return output;
    };
    let ends = ["\n---- ", "\nfailures:\n"].into_iter();
    let end = ends.filter_map(|end| rest.find(end)).min();
    rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "
running 3 tests
test a::one ... FAILED
test a::three - should panic ... ok
test two ... ignored
test a::four ... FAILED

failures:

---- a::one stdout ----
thread 'a::one' panicked: left is not right

---- a::four stdout ----
thread 'a::four' panicked: again


failures:
    a::one
    a::four
";

    #[test]
    fn results_are_read() {
        let native = Native {
            output: OUTPUT.to_owned(),
            succeeded: false,
            results: results(OUTPUT),
        };
        let fails = |words: &str| Err(format!("thread '{words}"));
        assert_eq!(
            native.outcome("a::one"),
            fails("a::one' panicked: left is not right")
        );
        assert_eq!(native.outcome("a::four"), fails("a::four' panicked: again"));
        assert_eq!(native.outcome("a::three"), Ok(()));
        // A test that did not run or does not exist has not passed.
        for name in ["two", "one", "a"] {
            assert!(
                native
                    .outcome(name)
                    .unwrap_err()
                    .contains("no test of this name")
            );
        }
    }
}
