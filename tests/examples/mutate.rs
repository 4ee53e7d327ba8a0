//! Attacks verifiers with changed files and forged proofs, or with `--decode` the decoders alone;
//! see `docs/testing.md`.
//!
//! `cargo run -p droste-tests --release --example mutate -- --count 1000000`
//! `cargo run -p droste-tests --release --example mutate -- --decode --count 1000000`

use std::process::ExitCode;
use std::time::{Duration, Instant};

use droste_air::test_utils::Counting;
use droste_native::{Blake3Suite, HashId, KeccakSuite, Poseidon16Suite};
use droste_tests::attack::files::{others, proofs, to_decode, wraps};
use droste_tests::attack::forge::{EVERYTHING, LITTLE, forger};
use droste_tests::attack::run::Plan;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the value of an option, or `otherwise` if it is not given.
fn option(name: &str, otherwise: u64) -> Result<u64, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(at) = arguments.iter().position(|argument| argument == name) else {
        return Ok(otherwise);
    };
    let value = arguments
        .get(at + 1)
        .ok_or(format!("option {name} needs a number"))?;
    value
        .parse()
        .map_err(|error| format!("{name} {value}: {error}"))
}

/// Whether only decoders are attacked.
fn decodes() -> bool {
    std::env::args().any(|argument| argument == "--decode")
}

fn plan() -> Result<Plan, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (count, seed) = (option("--count", 20_000)?, option("--seed", 1)?);
    let seconds = option("--seconds", 0)?;
    let threads = option("--threads", threads as u64)?;
    let (files, forgers) = if decodes() {
        (to_decode(), vec![])
    } else {
        let mut files = proofs();
        files.extend(wraps(&HashId::ALL));
        files.extend(others());
        let forgers = vec![
            forger::<Poseidon16Suite>("little", LITTLE),
            forger::<Blake3Suite>("little", LITTLE),
            forger::<KeccakSuite>("little", LITTLE),
            forger::<Blake3Suite>("everything", EVERYTHING),
        ];
        (files, forgers)
    };
    Ok(Plan {
        count: count as usize,
        seed,
        limit: (seconds > 0).then(|| Duration::from_secs(seconds)),
        threads: threads as usize,
        files,
        forgers,
    })
}

fn main() -> ExitCode {
    let start = Instant::now();
    let plan = match plan() {
        Ok(plan) => plan,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for file in &plan.files {
        println!(
            "{}: {} bytes, {} kinds of places",
            file.name,
            file.bytes.len(),
            file.fields.kinds().len()
        );
    }
    println!(
        "made in {:.1} s; seed {}",
        start.elapsed().as_secs_f64(),
        plan.seed
    );
    let start = Instant::now();
    let report = plan.run();
    if decodes() {
        println!("{report:#}")
    } else {
        println!("{report}")
    }
    println!(
        "{:.1} s, {} threads",
        start.elapsed().as_secs_f64(),
        plan.threads
    );
    if report.accepted.is_empty() && report.panics.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
