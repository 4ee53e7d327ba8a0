//! Side-by-side benches of Droste against its peers.
//!
//! Each command is one module with `Arguments` (clap) and `run`; adding one is a line in [`Command`]
//! and a line in [`main`].

mod clock;
mod commit;
mod leaf;
mod memory;
mod msm;
mod native;
mod poseidon_prime;
mod race;
mod report;
mod stages;
mod tables;
mod vm;

use clap::{Parser, Subcommand};

use report::{Format, Report};

/// Benches of Droste and its peers, on this machine, in this process.
#[derive(Parser)]
#[command(name = "droste-bench", version)]
struct Cli {
    /// How results are printed.
    #[arg(long, value_enum, default_value_t, global = true)]
    format: Format,
    /// What counts as time.
    #[arg(long, value_enum, default_value_t, global = true)]
    clock: clock::Clock,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Curve commitments.
    Commit(commit::Arguments),
    /// Native proving time per hash over workloads.
    Leaf(leaf::Arguments),
    /// Multi-scalar multiplication against arkworks, halo2curves and blst.
    Msm(msm::Arguments),
    /// Native hashers against Plonky3's and sha3's.
    Native(native::Arguments),
    /// Poseidon over large primes against ark-crypto-primitives and light-poseidon.
    PoseidonPrime(poseidon_prime::Arguments),
    /// The hash tables against Plonky3's.
    Tables(tables::Arguments),
    /// Executing, proving and verifying a run of the machine, against Plonky3's own AIR.
    Vm(vm::Arguments),
}

fn main() {
    let cli = Cli::parse();
    clock::set(cli.clock);
    let report: Report = match cli.command {
        Command::Commit(arguments) => commit::run(&arguments),
        Command::Leaf(arguments) => leaf::run(&arguments),
        Command::Msm(arguments) => msm::run(&arguments),
        Command::Native(arguments) => native::run(&arguments),
        Command::PoseidonPrime(arguments) => poseidon_prime::run(&arguments),
        Command::Tables(arguments) => tables::run(&arguments),
        Command::Vm(arguments) => vm::run(&arguments),
    };
    println!("{}", report.print(cli.format));
}
