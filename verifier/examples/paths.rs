//! Proves random Merkle paths with `droste-batch`, runs the program that verifies the proof, and
//! prints its instructions, its cycles, and the rows of each precompile: `cargo run --release -p
//! droste-verifier --example paths -- HASH PATHS DEPTH`. With one more argument, the name of a
//! preset (`proven-100`), it brings the proof to the canonical shape, too.

use std::error::Error;
use std::time::Instant;

use droste_batch::paths::{Digest, MerklePaths, Path, root};
use droste_batch::{Hash, Poseidon16, prove_paths};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::batch::PathsCircuit;
use droste_verifier::circuit::PathsShape;
use droste_verifier::file::encode;
use droste_verifier::resources::peak_memory;
use droste_vm::precompile::BUILT_IN;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Paths, each in its own tree, and their siblings.
fn random_paths(hash: Hash, count: usize, depth: usize) -> (Vec<Path>, Vec<Vec<Digest>>) {
    let mut random = SmallRng::seed_from_u64(1);
    let path = |_| {
        let (leaf, index): (Digest, u64) = (random.random(), random.random());
        // Another depth is refused below.
        let index = index >> (64 - depth.clamp(1, 64));
        let siblings: Vec<Digest> = (0..depth).map(|_| random.random()).collect();
        let root = root(hash, &leaf, index, &siblings);
        (Path { leaf, index, root }, siblings)
    };
    (0..count).map(path).unzip()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let hash = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    let hash = hash.ok_or("the first argument is no hash: blake3, blake2s, keccak-f")?;
    let mut number = || arguments.next().unwrap_or_default().parse::<usize>();
    let (count, depth) = (number()?, number()?);
    let (paths, siblings) = random_paths(hash, count, depth);
    let paths = MerklePaths::new(hash, depth, paths)?;
    let start = Instant::now();
    let circuit = PathsCircuit::new(PathsShape::of(&paths)?)?;
    let instructions = circuit.compiled().program.instructions.len();
    println!("compiled in {:.2?}", start.elapsed());
    println!("{:24} {instructions:8}", "instructions");
    let start = Instant::now();
    let proof = prove_paths::<Poseidon16>(&paths, &siblings)?;
    println!("paths proved in {:.2?}", start.elapsed());
    let verified = circuit.run(&paths, &proof)?;
    println!(
        "verified natively and in the machine, {:.2?}",
        start.elapsed()
    );
    let run = verified.execution();
    println!("{:24} {:8}", "cycles", run.cycles.len());
    for precompile in BUILT_IN {
        let calls = &run.calls[precompile.identity as usize];
        let rows: u64 = calls.iter().map(|call| (precompile.rows)(call)).sum();
        if rows > 0 {
            println!(
                "{:24} {rows:8} rows in {} calls",
                precompile.name,
                calls.len()
            );
        }
    }
    for (table, rows) in verified.needed_rows() {
        println!("table {table:18} {rows:8} rows");
    }
    let Some(preset) = arguments.next() else {
        return Ok(());
    };
    let aggregator = Aggregator::for_preset(preset.parse()?, 2).with_progress(|step| {
        println!(
            "step of {} cycles proved in {:.2?}, {:.2?} of CPU time; canonical shape: {}",
            step.cycles, step.prove, step.prove_cpu, step.canonical
        );
    });
    let aggregate = aggregator.wrap_run(verified)?;
    println!("all of it in {:.2?}", start.elapsed());
    println!("{} bytes", encode(&aggregate)?.len());
    if let Some(peak) = peak_memory() {
        println!("peak memory {} MiB", peak >> 20);
    }
    Ok(())
}
