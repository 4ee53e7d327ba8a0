//! Proves and verifies random calls of a hash, or Merkle paths of a depth with as many nodes or a
//! few less, with trees and transcript in Poseidon-16 or BLAKE3, and prints what it took and what a
//! verifier in a circuit has to do: `cargo run --release -p droste-binary --example measure --
//! poseidon16|blake3 HASH CALLS [DEPTH]`. `RAYON_NUM_THREADS=1` makes it one thread.

use std::time::{Duration, Instant};

use droste_binary::paths::{Digest, MerklePaths, Path, root};
use droste_binary::{
    BinaryError, Blake3, Hash, HashCalls, Poseidon16, Proof, TreeHash, Witness, prove, verify,
};
use droste_native::stark::security::SecurityBound;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustix::time::{ClockId, clock_gettime};

type Prover<H> = Box<dyn FnOnce() -> Result<Proof<H>, BinaryError>>;
type Verifier<H> = Box<dyn FnOnce(&Proof<H>) -> Result<SecurityBound, BinaryError>>;

/// CPU time of the process.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// The most memory that the process has had, where Linux tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}

/// Random paths, each in its own tree.
fn random_paths(
    hash: Hash,
    depth: usize,
    count: usize,
    random: &mut SmallRng,
) -> (Vec<Path>, Vec<Vec<Digest>>) {
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("poseidon16") => measure::<Poseidon16>(arguments),
        Some("blake3") => measure::<Blake3>(arguments),
        _ => Err("the first argument is no hash of trees: poseidon16, blake3".into()),
    }
}

fn measure<H: TreeHash>(
    mut arguments: impl Iterator<Item = String>,
) -> Result<(), Box<dyn std::error::Error>> {
    let name = arguments.next().unwrap_or_default();
    let hash = Hash::ALL.into_iter().find(|hash| hash.name() == name);
    let hash = hash.ok_or("the second argument is no hash: blake3, blake2s, keccak-f")?;
    let calls: usize = arguments
        .next()
        .map_or(Ok(1 << 12), |calls| calls.parse())?;
    let depth = arguments
        .next()
        .map(|depth| depth.parse::<usize>())
        .transpose()?;
    let mut random = SmallRng::seed_from_u64(1);

    let (count, prover, verifier): (usize, Prover<H>, Verifier<H>) = match depth {
        None => {
            let inputs = (0..calls).map(|_| {
                let mut input = vec![0; hash.input_bytes()];
                random.fill(&mut input[..]);
                input
            });
            let statement = HashCalls::of_inputs(hash, inputs)?;
            let same = statement.clone();
            let prover = Box::new(move || prove(&statement));
            (calls, prover, Box::new(move |proof| verify(&same, proof)))
        }
        Some(depth) => {
            let (paths, siblings) = random_paths(hash, depth, calls / depth.max(1), &mut random);
            let statement = MerklePaths::new(hash, depth, paths)?;
            let (nodes, same) = (statement.nodes(), statement.clone());
            let prover = Box::new(move || prove(Witness::of_paths(&statement, &siblings)?));
            (nodes, prover, Box::new(move |proof| verify(&same, proof)))
        }
    };

    let (start, cpu) = (Instant::now(), cpu_time());
    let proof = prover()?;
    let (wall, cpu) = (start.elapsed(), cpu_time() - cpu);
    let rate = count as f64 / cpu.as_secs_f64();
    println!("{count} calls: {wall:.2?}, CPU time {cpu:.2?}, {rate:.0} calls a second of CPU time");
    if let Some(peak) = peak_memory() {
        println!("peak memory {peak}");
    }

    let start = Instant::now();
    let security = verifier(&proof)?;
    println!("verified in {:.2?}", start.elapsed());
    println!("{} bytes of elements", proof.bytes_of_elements());
    let rows: usize = proof
        .opening
        .rounds
        .iter()
        .map(|round| round.queries.len())
        .sum();
    let elements = proof.reduction.num_elements();
    println!("{elements} elements before the opening, {rows} rows in it");
    println!("{:.2} bits", security.sum());
    for term in &security.terms {
        println!("  {:.1} {term}", term.bits);
    }
    Ok(())
}
