//! Proves two runs of a program and combines both proofs into one that anyone can verify.
//! Parameters are insecure.
//!
//! `cargo run --release -p droste --example aggregate`

use std::error::Error;

use droste::prelude::*;
use droste::recursion::file;

/// Reveals the square of its public input.
const PROGRAM: &str = "
use droste_gadgets::prelude::*;

pub fn main() {
    let x = public_input();
    reveal(x * x);
}
";

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The program, and the machine that verifies proofs, at a preset's security and large enough
    //    to join two. In production use `Preset::Proven120`, the default of the command: a join at
    //    `Proven100` has fewer than the 100 bits that a whole tree must have by default.
    let program = compile(PROGRAM)?;
    let aggregator = Aggregator::for_preset(Preset::Toy, 2)
        .with_progress(|step| println!("verified {} in {} cycles", step.children, step.cycles));
    let options = ProveOptions {
        settings: Preset::Toy.settings(2)?,
        heights: Heights::Minimal,
    };

    // 2. Prove each run and verify the proof. Each proof may use any of the four hashes.
    let insecure = VerifyOptions::min_bits(0);
    let (mut wraps, mut leaves) = (vec![], vec![]);
    for x in [F::from_u32(5), F::from_u32(7)] {
        let run = execute(&program, &[x], &Tape::default(), 1 << 16)?;
        let proof = prove_program::<Poseidon16Suite>(&program, &run, &options)?;
        let proof = VerifiedProof::of_program(proof, &program, &[x], insecure)?;
        leaves.push(proof.report().key);

        // 3. Wrap it: prove that this proof is valid. All wraps have the same, canonical shape.
        wraps.push(aggregator.wrap(&proof)?);
    }

    // 4. Join the wraps: prove that both are valid. A join has the canonical shape too, so joins
    //    can be joined again.
    let joined = aggregator.join(wraps)?;
    let bytes = file::encode(&joined)?;
    println!("joined: {} bytes", bytes.len());

    // 5. Another party verifies it. It derives the keys of the recursion programs instead of
    //    trusting the file, accepts leaves with the keys that it knows only, and then reads what
    //    the proof is about: two runs of the program, one for 5 and one for 7.
    let leaves: AcceptedLeaves = leaves.into_iter().collect();
    let accepted = file::decode(&bytes)?.derive(&Deriver::new(), &leaves)?;
    for (_, statement) in accepted.tree().leaves() {
        println!("the square of {} is {}", statement[0], statement[1]);
        assert_eq!(statement[0].square(), statement[1]);
    }
    println!("{} proven bits: toy parameters", accepted.accepted().bits);
    Ok(())
}
