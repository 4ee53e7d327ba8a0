//! Progress on standard error, only where that is a terminal.

use std::borrow::Cow;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Shows that work is under way; gone when dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Work of unknown length.
    pub fn spinner(message: impl Into<Cow<'static, str>>) -> Self {
        let spinner = Self::show(ProgressBar::new_spinner, "{spinner} {elapsed} {msg}");
        spinner.message(message);
        spinner
    }

    /// Work of so many steps.
    pub fn bar(steps: u64) -> Self {
        Self::show(|| ProgressBar::new(steps), "{bar:24} {elapsed} {msg}")
    }

    fn show(bar: impl FnOnce() -> ProgressBar, template: &str) -> Self {
        if !stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = bar();
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// What is being done now.
    pub fn message(&self, message: impl Into<Cow<'static, str>>) {
        self.0.set_message(message);
    }

    /// One step is done.
    pub fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
