//! Proves, wraps, joins and verifies at toy parameters, and prints a digest of each file, and what it
//! says. Every build prints the same. Its kernels are named on the standard error.

use std::error::Error;

use droste::hash::Blake3;
use droste::machine::proofs::{self, Known};
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
    eprintln!("{}", droste::hash::kernels());
    let program = compile(PROGRAM)?;
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let insecure = VerifyOptions::min_bits(0);
    let x = F::from_u32(5);
    let run = execute(&program, &[x], &Tape::default(), 1 << 16)?;
    let settings = WhirSettings::toy();
    let proof = proofs::prove(HashId::Poseidon16, &program, &run, &[x], settings)?.bytes;
    let known = Known::Program(program.as_ref());
    proofs::verify(&proof, known, &[x, x.square()], insecure)?;
    print("proof", &proof);
    let wrap = aggregator.wrap_bytes(&proof, &program, &[x], insecure)?;
    print("wrap", &file::encode(&wrap)?);
    let leaves = AcceptedLeaves::from_iter([wrap.tree().leaves()[0].0]);
    let join = file::encode(&aggregator.join(vec![wrap])?)?;
    print("join", &join);
    let verified = file::decode(&join)?.derive(&Deriver::new(), &leaves)?;
    for (_, statement) in verified.tree().leaves() {
        println!("the square of {} is {}", statement[0], statement[1]);
    }
    Ok(())
}

fn print(name: &str, bytes: &[u8]) {
    let digest = Blake3.hash(bytes);
    let hexadecimal: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{name} {hexadecimal}");
}
