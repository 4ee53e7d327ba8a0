//! Shows progress on standard error, if that is a terminal.

use std::borrow::Cow;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A spinner or bar, which is removed when it, or a clone of it, is dropped.
#[derive(Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A spinner, for work of unknown length.
    pub fn spinner(message: impl Into<Cow<'static, str>>) -> Self {
        let spinner = Self::show(ProgressBar::new_spinner, "{spinner} {elapsed} {msg}");
        spinner.message(message);
        spinner
    }

    /// A bar for work of this many steps.
    pub fn bar(steps: u64) -> Self {
        Self::show(|| ProgressBar::new(steps), "{bar:24} {elapsed} {msg}")
    }

    /// A bar for work of this cost, with a forecast of when it is done.
    pub fn forecast(cost: u64) -> Self {
        let template = "{bar:24} {percent}% {elapsed}, about {eta} left, {msg}";
        Self::show(|| ProgressBar::new(cost), template)
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

    /// Shows what is being done now.
    pub fn message(&self, message: impl Into<Cow<'static, str>>) {
        self.0.set_message(message);
    }

    /// Takes the bar away while something is printed.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.0.suspend(print);
    }

    /// Advances a bar by one step.
    pub fn step(&self) {
        self.advance(1);
    }

    /// Advances a bar by work of this cost.
    pub fn advance(&self, cost: u64) {
        self.0.inc(cost);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
