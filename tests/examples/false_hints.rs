//! Puts false values into every lane of the hints of recursion programs; see `docs/testing.md`.
//!
//! ```sh
//! cargo run -p droste-tests --release --example false_hints -- \
//!     [poseidon16|poseidon2|blake3|keccak|join|rule] [SECONDS]
//! ```

use std::process::ExitCode;
use std::time::{Duration, Instant};

use droste_native::{Blake3Suite, KeccakSuite, Poseidon2Suite, Poseidon16Suite};
use droste_tests::attack::hints::{Case, FALSE_VALUES};

/// The name of a recursion program, and the function that makes its case.
type Named = (&'static str, fn() -> Case);

const CASES: [Named; 6] = [
    ("poseidon16", Case::wrap::<Poseidon16Suite>),
    ("poseidon2", Case::wrap::<Poseidon2Suite>),
    ("blake3", Case::wrap::<Blake3Suite>),
    ("keccak", Case::wrap::<KeccakSuite>),
    ("join", Case::join),
    ("rule", Case::rule),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = arguments.iter().find_map(|argument| argument.parse().ok());
    let limit = seconds.map(Duration::from_secs);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let named = |name: &str| arguments.iter().any(|argument| argument == name);
    let any = CASES.iter().any(|(name, _)| named(name));
    let mut good = true;
    for (name, case) in CASES {
        if any && !named(name) {
            continue;
        }
        let case = case();
        let start = Instant::now();
        let report = case.false_hints(FALSE_VALUES, threads, limit);
        println!("{}: {report}", case.name);
        println!(
            "{:.1} s, {threads} threads\n",
            start.elapsed().as_secs_f64()
        );
        good &= report.is_good();
    }
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
