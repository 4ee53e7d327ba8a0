//! Measures what verifying a proof costs in-circuit, for each hash that it may be committed in.
//! Parameters are insecure, so the figures are small.
//!
//! `cargo run --release -p droste --example cost`

use std::error::Error;

use droste::prelude::*;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A program and a run of it. The proof of this run is the one to be verified.
    let text = droste_programs::source("factorial").ok_or("there is no such program")?;
    let compiled = compile(text)?;
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16)?;

    // 2. The settings of that proof (inner), and of the proof that it was verified (outer). The
    //    outer proof is left out here, because its cost is known from the run.
    let request = Request {
        name: "factorial",
        program: &compiled.program,
        execution: &execution,
        inner: Preset::Toy.settings(2)?.into(),
        openings: Openings::Tables,
        outer: WhirSettings::toy(),
        memory: 4 << 30,
        execute_only: true,
    };

    // 3. The figures: cycles and permutations of the verifier, and the prover's work in transforms,
    //    by which hashes are compared.
    println!("{:12} {:>8} {:>14}", "proof in", "cycles", "fft cost");
    for hash in HashId::ALL {
        let (cost, _) = measure(&request, hash)?;
        let name = cost.inner_hash.name();
        println!("{name:12} {:8} {:14}", cost.wrap.cycles, cost.wrap.fft_cost);
    }
    Ok(())
}
