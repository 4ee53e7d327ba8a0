//! Shows progress on standard error: a spinner or bar on a terminal, elsewhere a line for each
//! stage that is finished.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle, WeakProgressBar};

use crate::output::tell;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Spinners and bars, which are removed in the end.
    Bars,
    /// A line for each finished stage.
    Lines,
    /// Not at all.
    Nothing,
}

static MODE: OnceLock<Mode> = OnceLock::new();

/// The bar that was made last.
static SHOWN: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Decides how progress is shown. Until then it is not.
pub fn set_mode(mode: Mode) {
    let _ = MODE.set(mode);
}

fn mode() -> Mode {
    MODE.get().copied().unwrap_or(Mode::Nothing)
}

/// Prints a warning, unless only errors are to be printed.
pub fn warn(warning: impl Display) {
    note(format_args!("warning: {warning}"));
}

/// Prints a line, unless only errors are to be printed.
pub fn note(line: impl Display) {
    if mode() != Mode::Nothing {
        tell(line);
    }
}

/// Says in the spinner or bar which part of a proof is being made.
pub fn show_part(part: &str) {
    let bar = locked(&SHOWN).as_ref().and_then(WeakProgressBar::upgrade);
    if let Some(bar) = bar {
        bar.set_prefix(format!(": {part}"));
    }
}

/// Locks a value that no panic leaves unfinished.
fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stage of the work.
struct Stage {
    name: Cow<'static, str>,
    begun: Instant,
}

/// A spinner or bar, which is removed when it, or a clone of it, is dropped.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    stage: Arc<Mutex<Option<Stage>>>,
}

impl Progress {
    /// A spinner, for work of unknown length, which begins with this stage.
    pub fn spinner(stage: impl Into<Cow<'static, str>>) -> Self {
        let template = "{spinner} {elapsed} {msg}{prefix}";
        let spinner = Self::show(ProgressBar::new_spinner, template);
        spinner.stage(stage);
        spinner
    }

    /// A bar for work of this many steps.
    pub fn bar(steps: u64) -> Self {
        Self::show(
            || ProgressBar::new(steps),
            "{bar:24} {elapsed} {msg}{prefix}",
        )
    }

    /// A bar for work of this cost, with a forecast of when it is done.
    pub fn forecast(cost: u64) -> Self {
        let template = "{bar:24} {percent}% {elapsed}{left} {msg}";
        Self::show(|| ProgressBar::new(cost), template)
    }

    fn show(bar: impl FnOnce() -> ProgressBar, template: &str) -> Self {
        let bar = if mode() == Mode::Bars {
            let bar = bar();
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.with_key("left", write_time_left));
            }
            // Ticks take a thread, and indicatif panics where none can be started.
            if thread::Builder::new().spawn(|| ()).is_ok() {
                bar.enable_steady_tick(Duration::from_millis(200));
            }
            *locked(&SHOWN) = Some(bar.downgrade());
            bar
        } else {
            ProgressBar::hidden()
        };
        Self {
            bar,
            stage: Arc::default(),
        }
    }

    /// Begins a stage, and ends the one before it.
    pub fn stage(&self, name: impl Into<Cow<'static, str>>) {
        let name = name.into();
        self.bar.set_prefix("");
        self.bar.set_message(name.clone());
        let begun = Instant::now();
        let before = locked(&self.stage).replace(Stage { name, begun });
        if let Some(Stage { name, begun }) = before {
            print_line(&name, begun.elapsed());
        }
    }

    /// Ends the last stage, and removes the spinner or bar. If it is dropped instead, the stage has
    /// failed, and no line says that it is finished.
    pub fn finish(self) {
        if let Some(Stage { name, begun }) = locked(&self.stage).take() {
            print_line(&name, begun.elapsed());
        }
    }

    /// Ends a stage that failed.
    pub fn fail(&self) {
        locked(&self.stage).take();
    }

    /// Says in a bar how far the work is.
    pub fn message(&self, text: impl Into<Cow<'static, str>>) {
        self.bar.set_message(text);
    }

    /// Takes the bar away while something is printed.
    pub fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Advances a bar by one step.
    pub fn step(&self) {
        self.advance(1);
    }

    /// Advances a bar by work of this cost.
    pub fn advance(&self, cost: u64) {
        self.bar.inc(cost);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Prints that something is finished, and the time it took, where lines are asked for.
pub fn print_line(name: &str, time: Duration) {
    if mode() == Mode::Lines {
        tell(format_args!("{name}: {:.2} s", time.as_secs_f64()));
    }
}

/// Writes how much time is left, once a part of the work is done.
fn write_time_left(state: &ProgressState, text: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        let _ = write!(text, ", about {:#} left", HumanDuration(state.eta()));
    }
}
