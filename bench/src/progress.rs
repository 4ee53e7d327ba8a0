//! Progress messages on standard error, printed only if it is a terminal.

use std::io::{IsTerminal, stderr};

/// Prints that `what` is being measured.
pub fn at(what: &str) {
    if stderr().is_terminal() {
        eprintln!("{what}");
    }
}
