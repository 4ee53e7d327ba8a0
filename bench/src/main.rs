//! Benches of Droste beside other implementations.
//!
//! Each command is a module with `Arguments` (clap) and `run`. To add one takes a line in
//! [`Command`] and a line in [`main`]. The features `curves`, `hashes` and `machine` are groups of
//! commands, each of which builds alone.

// If one group is built alone, some of what the groups share is unused.
#![cfg_attr(
    not(all(feature = "curves", feature = "hashes", feature = "machine")),
    allow(dead_code)
)]

#[cfg(feature = "hashes")]
mod binary;
#[cfg(feature = "machine")]
mod calls;
mod clock;
#[cfg(feature = "curves")]
mod commit;
mod figures;
#[cfg(feature = "machine")]
mod fold;
#[cfg(feature = "machine")]
mod leaf;
mod memory;
#[cfg(feature = "curves")]
mod msm;
#[cfg(feature = "hashes")]
mod native;
#[cfg(feature = "machine")]
mod paths;
#[cfg(feature = "machine")]
mod peer;
#[cfg(feature = "curves")]
mod poseidon_prime;
mod process;
mod progress;
mod race;
#[cfg(feature = "machine")]
mod recursion;
mod report;
#[cfg(feature = "hashes")]
mod tables;
#[cfg(feature = "machine")]
mod vm;
#[cfg(feature = "machine")]
mod xmss;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

use report::{Format, Report};

/// The allocator of the command `droste`, for all sides of a bench.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Benches of Droste beside other implementations, on this machine, in one process.
#[derive(Parser)]
#[command(name = "droste-bench", version)]
struct Cli {
    /// Output format.
    #[arg(long, value_enum, default_value_t, global = true)]
    format: Format,
    /// Which time is measured.
    #[arg(long, value_enum, default_value_t, global = true)]
    clock: clock::Clock,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists of calls over GF(2^128), with public inputs and outputs, against Plonky3's without.
    #[cfg(feature = "hashes")]
    Binary(binary::Arguments),
    /// Calls of hash precompiles, proved over WHIR and over FRI.
    #[cfg(feature = "machine")]
    Calls(calls::Arguments),
    /// Curve commitments.
    #[cfg(feature = "curves")]
    Commit(commit::Arguments),
    /// Figures and tables of the documents, made anew by the other commands and by `droste`.
    Figures(figures::Arguments),
    /// Nodes of folds beside plain joins, and what else is said of folds in numbers.
    #[cfg(feature = "machine")]
    Fold(fold::Arguments),
    /// Native proving time by hash and size of the run.
    #[cfg(feature = "machine")]
    Leaf(leaf::Arguments),
    /// Multi-scalar multiplication against arkworks, halo2curves, blst and pasta-msm.
    #[cfg(feature = "curves")]
    Msm(msm::Arguments),
    /// Native hashers against those of Plonky3, blake3 and sha3.
    #[cfg(feature = "hashes")]
    Native(native::Arguments),
    /// Merkle paths in each hash, by tables and over GF(2^128), to the canonical shape.
    #[cfg(feature = "machine")]
    Paths(paths::Arguments),
    /// Poseidon over large primes against ark-crypto-primitives and light-poseidon.
    #[cfg(feature = "curves")]
    PoseidonPrime(poseidon_prime::Arguments),
    /// Joins of joins, against p3-batch-stark proving p3-poseidon1-air.
    #[cfg(feature = "machine")]
    Recursion(recursion::Arguments),
    /// Hash tables against Plonky3's.
    #[cfg(feature = "hashes")]
    Tables(tables::Arguments),
    /// Executing, proving and verifying a run of the machine, against p3-batch-stark proving
    /// p3-poseidon1-air.
    #[cfg(feature = "machine")]
    Vm(vm::Arguments),
    /// Proving batches of XMSS signatures.
    #[cfg(feature = "machine")]
    Xmss(xmss::Arguments),
}

fn main() {
    let cli = Cli::parse();
    clock::set(cli.clock);
    let report: Report = match cli.command {
        #[cfg(feature = "hashes")]
        Command::Binary(arguments) => binary::run(&arguments),
        #[cfg(feature = "machine")]
        Command::Calls(arguments) => calls::run(&arguments),
        #[cfg(feature = "curves")]
        Command::Commit(arguments) => commit::run(&arguments),
        Command::Figures(arguments) => or_exit(figures::run(&arguments)),
        #[cfg(feature = "machine")]
        Command::Fold(arguments) => or_exit(fold::run(&arguments)),
        #[cfg(feature = "machine")]
        Command::Leaf(arguments) => leaf::run(&arguments),
        #[cfg(feature = "curves")]
        Command::Msm(arguments) => msm::run(&arguments),
        #[cfg(feature = "hashes")]
        Command::Native(arguments) => native::run(&arguments),
        #[cfg(feature = "machine")]
        Command::Paths(arguments) => paths::run(&arguments),
        #[cfg(feature = "curves")]
        Command::PoseidonPrime(arguments) => poseidon_prime::run(&arguments),
        #[cfg(feature = "machine")]
        Command::Recursion(arguments) => recursion::run(&arguments),
        #[cfg(feature = "hashes")]
        Command::Tables(arguments) => tables::run(&arguments),
        #[cfg(feature = "machine")]
        Command::Vm(arguments) => vm::run(&arguments),
        #[cfg(feature = "machine")]
        Command::Xmss(arguments) => xmss::run(&arguments),
    };
    println!("{}", report.print(cli.format));
}

/// A report, or the end of the process with what is wrong.
fn or_exit(report: Result<Report, String>) -> Report {
    report.unwrap_or_else(|error| {
        eprintln!("droste-bench: {error}");
        std::process::exit(1)
    })
}
