//! Proves random calls with `droste-binary`, runs the program that verifies the proof, and prints
//! its instructions, its cycles, and the rows of each precompile: `cargo run --release -p
//! droste-verifier --example calls -- HASH CALLS`. With one more argument, the name of a preset
//! (`proven-100`), it brings the proof to the canonical shape, too.

mod measured;

use std::error::Error;

use droste_binary::HashCalls;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let hash = measured::hash(arguments.next())?;
    let count = arguments.next().unwrap_or_default().parse::<usize>()?;
    let mut random = SmallRng::seed_from_u64(1);
    let inputs = (0..count).map(|_| {
        let mut input = vec![0; hash.input_bytes()];
        random.fill(&mut input[..]);
        input
    });
    let calls = HashCalls::of_inputs(hash, inputs)?;
    measured::measure((&calls).into(), arguments.next())
}
