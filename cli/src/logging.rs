//! What the command says on standard error while it works: progress, or a log of `tracing` spans,
//! which the libraries have around the parts of their provers.

use std::env;
use std::io::{self, IsTerminal};

use clap::{ArgAction, Args};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::time::Uptime;
use tracing_subscriber::layer::SubscriberExt;

use crate::output::tell;
use crate::progress::{self, Mode};

/// The variable that says what is logged, as `TARGET=LEVEL,..`, and takes the place of `--verbose`.
const VARIABLE: &str = "RUST_LOG";

/// How much is said on standard error.
#[derive(Debug, Args)]
pub struct Logging {
    /// Log on standard error how long each part of the work took; twice: of Plonky3, too. Other
    /// choices are made by the variable RUST_LOG, for instance `droste_vm=info,p3_fri=debug`.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    verbose: u8,
    /// Print errors only on standard error, neither progress nor warnings.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
}

impl Logging {
    /// Begins to log or to show progress. A command that `measures` records spans itself, so nothing
    /// is logged.
    pub fn start(&self, measures: bool) {
        let filter = if self.quiet || measures {
            None
        } else {
            self.filter()
        };
        let mode = match filter {
            _ if self.quiet => Mode::Nothing,
            None if io::stderr().is_terminal() => Mode::Bars,
            _ => Mode::Lines,
        };
        progress::set_mode(mode);
        // Nothing else sets a subscriber before the command runs.
        let _ = match filter {
            Some(filter) => tracing::subscriber::set_global_default(log(filter)),
            None if mode == Mode::Bars && !measures => {
                tracing::subscriber::set_global_default(Parts)
            }
            None => Ok(()),
        };
    }

    /// What is logged.
    fn filter(&self) -> Option<Targets> {
        if let Some(text) = env::var(VARIABLE).ok().filter(|text| !text.is_empty()) {
            match text.parse::<Targets>() {
                Ok(filter) => return Some(filter),
                Err(error) => {
                    let expected = "expected TARGET=LEVEL, several separated by commas";
                    tell(format_args!("warning: {VARIABLE}: {error}, {expected}"));
                }
            }
        }
        match self.verbose {
            0 => None,
            1 => Some(Targets::new().with_target("droste", LevelFilter::INFO)),
            _ => Some(Targets::new().with_default(LevelFilter::DEBUG)),
        }
    }
}

/// A subscriber that prints a line when a span ends.
fn log(filter: Targets) -> impl Subscriber {
    let lines = fmt::layer()
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_timer(Uptime::default())
        // What cannot be written to a closed standard error is dropped.
        .log_internal_errors(false)
        .with_writer(io::stderr);
    tracing_subscriber::registry().with(filter).with(lines)
}

/// A subscriber that says in the spinner which part of a proof is being made: that of the span that
/// began last.
struct Parts;

/// The part of a proof that a span is about, in the words of `droste cost`.
fn part_of(span: &str) -> Option<&'static str> {
    let part = match span {
        "traces" => "traces",
        "stack" | "commit" => "commitment",
        "leaves" | "fractions" | "generate lookup permutation" => "lookups",
        "constraints" | "compute quotient" => "constraints",
        "open" | "evaluate matrix" => "openings",
        "verify" => "verification",
        _ => return None,
    };
    Some(part)
}

impl Subscriber for Parts {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && part_of(metadata.name()).is_some()
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        if let Some(part) = part_of(span.metadata().name()) {
            progress::show_part(part);
        }
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
