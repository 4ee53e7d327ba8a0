//! Proves random Merkle paths with `droste-batch`, runs the program that verifies the proof, and
//! prints its instructions, its cycles, and the rows of each precompile: `cargo run --release -p
//! droste-verifier --example paths -- HASH PATHS DEPTH`.

use std::error::Error;

use droste_batch::paths::{Digest, MerklePaths, Path, node};
use droste_batch::{Hash, Poseidon16, prove_paths};
use droste_gadgets::SOURCES;
use droste_verifier::batch::{program, shape, tape};
use droste_verifier::tape::machine_tape;
use droste_vm::compiler::compile_file;
use droste_vm::executor::execute;
use droste_vm::precompile::BUILT_IN;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Most cycles.
const LIMIT: u64 = 1 << 26;

/// Paths, each in its own tree, and their siblings.
fn random_paths(hash: Hash, count: usize, depth: usize) -> (Vec<Path>, Vec<Vec<Digest>>) {
    let mut random = SmallRng::seed_from_u64(1);
    let path = |_| {
        let (leaf, index): (Digest, u64) = (random.random(), random.random());
        // Another depth is refused below.
        let index = index >> (64 - depth.clamp(1, 64));
        let siblings: Vec<Digest> = (0..depth).map(|_| random.random()).collect();
        let nodes = siblings.iter().enumerate();
        let root = nodes.fold(leaf, |child, (level, sibling)| match index >> level & 1 {
            0 => node(hash, &child, sibling),
            _ => node(hash, sibling, &child),
        });
        (Path { leaf, index, root }, siblings)
    };
    (0..count).map(path).unzip()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().unwrap_or_default();
    let name = next();
    let hash = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    let hash = hash.ok_or("the first argument is no hash: blake3, blake2s, keccak-f")?;
    let (count, depth) = (next().parse()?, next().parse()?);
    let (paths, siblings) = random_paths(hash, count, depth);
    let paths = MerklePaths::new(hash, depth, paths)?;
    let shape = shape(&paths)?;
    let compiled = compile_file("paths.rs", &program(&shape), SOURCES)?;
    println!(
        "{:24} {:8}",
        "instructions",
        compiled.program.instructions.len()
    );
    let proof = prove_paths::<Poseidon16>(&paths, &siblings)?;
    let tape = machine_tape(&tape(&shape, &paths, &proof)?);
    let run = execute(&compiled, &[], &tape, LIMIT)?;
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
    Ok(())
}
