//! What is being measured, on standard error, only where that is a terminal.

use std::io::{IsTerminal, stderr};

/// Says that `what` is measured now.
pub fn at(what: &str) {
    if stderr().is_terminal() {
        eprintln!("{what}");
    }
}
