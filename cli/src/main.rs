//! The command `droste`: hash, prove, verify, recurse, and measure what each hash costs.
//!
//! Exit codes: 0 done or accepted, 1 failed or rejected, 2 wrong usage.

// Input from outside (proofs, programs, arguments) ends in an error, never in a panic. Where one of
// these is right nevertheless, an attribute says why it cannot be reached.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unreachable))]
#![cfg_attr(not(test), warn(clippy::todo, clippy::unimplemented))]
#![cfg_attr(not(test), warn(clippy::indexing_slicing))]

mod commands;
mod error;
mod fields;
mod leaves;
mod output;
mod page;
mod parameters;
mod program;
mod progress;
mod trust;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

use crate::commands::Command;
use crate::output::Format;

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

    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(warning) = droste_native::baseline_warning() {
        eprintln!("warning: {warning}");
    }
    match arguments.command.run(arguments.format) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = error.exit_code();
            error.print();
            code
        }
    }
}
