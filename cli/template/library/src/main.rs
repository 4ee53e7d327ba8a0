//! Proves that the cube of 5 is 125, and verifies it.

use std::error::Error;
use std::process::ExitCode;

use droste::causes;
use droste::prelude::*;

use library::{prove, verify, wrap};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", causes(&*error));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    // Fast, and without security. `Preset::Proven120` has 120 bits.
    let (preset, min_bits) = (Preset::Toy, 0);
    let x = F::from_u32(5);
    let proof = prove(x, preset)?;
    println!("proof: {} bytes", proof.len());
    let aggregate = wrap(&proof, x, preset)?;
    println!("aggregate: {} bytes", aggregate.len());
    for statement in verify(&aggregate, min_bits)? {
        println!("the cube of {} is {}", statement[0], statement[1]);
    }
    Ok(())
}
