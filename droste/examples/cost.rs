//! What verifying a proof costs in-circuit, by the hash that it is committed in. Parameters are
//! insecure, so the figures are small.
//!
//! `cargo run --release -p droste --example cost`

use std::error::Error;

use droste::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A program and a run of it: the proof to be verified is of this run.
    let text = droste_programs::source("factorial").ok_or("there is no such program")?;
    let compiled = compile(text)?;
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16)?;

    // 2. The settings of that proof, and of the proof that it was verified. The latter is left out
    //    here: what it takes is known from the run.
    let request = Request {
        name: "factorial",
        program: &compiled.program,
        execution: &execution,
        inner: Preset::Toy.settings(2)?,
        outer: Preset::Toy.settings(2)?,
        execute_only: true,
    };

    // 3. The figures: cycles and permutations of the verifier, and the prover's work in transforms,
    //    which is what hashes are compared by.
    let costs = [
        measure::<Poseidon16Family, Poseidon16Family>(&request)?,
        measure::<Blake3Family, Poseidon16Family>(&request)?,
        measure::<KeccakFamily, Poseidon16Family>(&request)?,
    ];
    println!("{:12} {:>8} {:>14}", "proof in", "cycles", "fft cost");
    for (cost, _) in costs {
        let name = cost.inner_hash.name();
        println!("{name:12} {:8} {:14}", cost.cycles, cost.fft_cost);
    }
    Ok(())
}
