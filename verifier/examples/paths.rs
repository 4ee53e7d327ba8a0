//! Proves Merkle paths over GF(2^128) and brings the proof to the canonical shape, at `proven-100`.
//!
//! `cargo run --release --example paths -p droste-verifier -- HASH LOG_DEPTH LOG_PATHS`

use std::time::Instant;

use droste_batch::paths::{Digest, MerklePaths, Path, node};
use droste_batch::{Hash, Poseidon16, prove_paths};
use droste_native::stark::security::Preset;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::batch::PathsCircuit;
use droste_verifier::circuit::PathsShape;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let hash = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    let hash = hash.ok_or("the first argument is no hash: blake3, blake2s, keccak-f")?;
    let mut number = |default: usize| arguments.next().map_or(Ok(default), |text| text.parse());
    let (log_depth, log_paths) = (number(4)?, number(10)?);
    let (depth, count) = (1 << log_depth, 1 << log_paths);

    let mut random = SmallRng::seed_from_u64(1);
    let path = |_| {
        let (leaf, index): (Digest, u64) = (random.random(), random.random());
        let index = index >> (64 - depth);
        let siblings: Vec<Digest> = (0..depth).map(|_| random.random()).collect();
        let nodes = siblings.iter().enumerate();
        let root = nodes.fold(leaf, |child, (level, sibling)| match index >> level & 1 {
            0 => node(hash, &child, sibling),
            _ => node(hash, sibling, &child),
        });
        (Path { leaf, index, root }, siblings)
    };
    let (list, siblings): (Vec<_>, Vec<_>) = (0..count).map(path).unzip();
    let paths = MerklePaths::new(hash, depth, list)?;

    let start = Instant::now();
    let circuit = PathsCircuit::new(PathsShape::of(&paths)?)?;
    println!("compiled in {:.2?}", start.elapsed());
    println!(
        "{} instructions",
        circuit.compiled().program.instructions.len()
    );
    let start = Instant::now();
    let proof = prove_paths::<Poseidon16>(&paths, &siblings)?;
    println!("proved in {:.2?}", start.elapsed());
    let begin = Instant::now();
    let run = circuit.run(&paths, &proof)?;
    println!("run in {:.2?}", begin.elapsed());
    for (table, rows) in run.needed_rows() {
        println!("  {table}: {rows} rows");
    }
    let aggregator = Aggregator::for_preset(Preset::Proven100, 2);
    let aggregator = aggregator.with_progress(|step| {
        println!(
            "step: {} cycles, proved in {:.2?} ({:.2?} of CPU time), canonical: {}",
            step.cycles, step.prove, step.prove_cpu, step.canonical
        );
    });
    let aggregate = aggregator.wrap_run(run)?;
    println!("proved and wrapped in {:.2?}", start.elapsed());
    println!("{} bytes", droste_verifier::file::encode(&aggregate)?.len());
    Ok(())
}
