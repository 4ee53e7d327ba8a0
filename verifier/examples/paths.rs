//! Proves random Merkle paths with `droste-binary`, runs the program that verifies the proof, and
//! prints its instructions, its cycles, and the rows of each precompile: `cargo run --release -p
//! droste-verifier --example paths -- HASH PATHS DEPTH`. With one more argument, the name of a
//! preset (`proven-100`), it brings the proof to the canonical shape, too.

mod measured;

use std::error::Error;

use droste_binary::paths::{Digest, MerklePaths, Path, root};
use droste_binary::{Hash, Witness};
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
    let hash = measured::hash(arguments.next())?;
    let mut number = || arguments.next().unwrap_or_default().parse::<usize>();
    let (count, depth) = (number()?, number()?);
    let (paths, siblings) = random_paths(hash, count, depth);
    let paths = MerklePaths::new(hash, depth, paths)?;
    measured::measure(Witness::of_paths(&paths, &siblings)?, arguments.next())
}
