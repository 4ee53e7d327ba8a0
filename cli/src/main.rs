//! The command `droste`: hash, prove, verify, recurse, and measure what each hash costs.
//!
//! Exit codes: 0 done or accepted, 1 failed or rejected, 2 wrong usage.

// Input from outside (proofs, programs, arguments) ends in an error, never in a panic. Where one of
// these is right nevertheless, an attribute says why it cannot be reached.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]
// What is printed to a closed standard output or error must not panic either.
#![cfg_attr(not(test), warn(clippy::print_stderr, clippy::print_stdout))]

mod calling;
mod commands;
mod error;
mod fields;
mod folds;
mod kind;
mod leaves;
mod logging;
mod output;
mod page;
mod parameters;
mod paths;
mod problem;
mod program;
mod progress;
mod recording;
mod registry;
mod sources;
mod stock;
mod store;
mod threads;
mod trust;
mod version;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};
use mimalloc::MiMalloc;

use crate::commands::Command;
use crate::error::Refusal;
use crate::logging::Logging;
use crate::output::Format;
use crate::progress::warn;
use crate::threads::Threads;

/// Proofs need tables of many megabytes for a short time. This allocator asks the kernel for huge
/// pages and keeps what is freed for the next table: page faults took a third of a proof's time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Proofs that verify proofs: hash, prove, verify, recurse, and measure what each hash costs.
#[derive(Debug, Parser)]
#[command(name = "droste", version)]
struct Arguments {
    /// How results are printed.
    #[arg(long, value_enum, global = true, default_value_t = Format::Table)]
    format: Format,

    #[command(flatten)]
    threads: Threads,

    #[command(flatten)]
    logging: Logging,

    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let parsed = matches.and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches);
        let arguments = arguments.map_err(|error| error.format(&mut command))?;
        Ok((arguments, matches))
    });
    let (arguments, matches) = parsed.unwrap_or_else(|error| {
        if error.kind() == ErrorKind::DisplayVersion {
            version::print();
            std::process::exit(0)
        }
        if error.use_stderr() && Format::is_json_asked_for() {
            Refusal::of_usage(&error).print();
        }
        error.exit()
    });
    arguments.logging.start(arguments.command.measures());
    if let Some(warning) = droste_native::baseline_warning() {
        warn(warning);
    }
    let format = arguments.format;
    let checked = paths::check(&command, &matches);
    let run = || {
        if let Some(warning) = arguments.threads.start()? {
            warn(warning);
        }
        arguments.command.run(format)
    };
    match checked.and_then(|_outputs| run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = error.exit_code();
            if format == Format::Json {
                error.refusal().print();
            }
            error.print();
            ExitCode::from(code)
        }
    }
}
