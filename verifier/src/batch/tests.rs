use droste_batch::paths::{Digest, MerklePaths, Path, node};
use droste_batch::statement::Statement;
use droste_batch::{Hash, Poseidon16, Proof, prove_paths, verify_paths};
use droste_gadgets::run_native;
use droste_gadgets::verify::batch::shape::Shape;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;

/// Paths of random leaves and siblings.
fn paths(hash: Hash, depth: usize, count: usize) -> (MerklePaths, Vec<Vec<Digest>>) {
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
    let (list, siblings) = (0..count).map(path).unzip();
    (MerklePaths::new(hash, depth, list).unwrap(), siblings)
}

/// Paths, their shape and a proof.
fn proved(hash: Hash, depth: usize, count: usize) -> (MerklePaths, Shape, Proof<Poseidon16>) {
    let (paths, siblings) = paths(hash, depth, count);
    let proof = prove_paths::<Poseidon16>(&paths, &siblings).unwrap();
    verify_paths(&paths, &proof).unwrap();
    (paths.clone(), shape(&paths).unwrap(), proof)
}

fn digest(paths: &MerklePaths) -> [u32; 8] {
    use p3_field::PrimeField32;
    let digest = Statement::Paths(paths).digest::<Poseidon16>();
    digest.map(|lane| lane.as_canonical_u32())
}

#[test]
fn honest_proofs_are_accepted() {
    for (hash, depth, count) in [
        (Hash::KeccakF, 1, 8),
        (Hash::Blake3, 4, 4),
        (Hash::Blake2s, 2, 32),
    ] {
        let (paths, shape, proof) = proved(hash, depth, count);
        let tape = tape(&shape, &paths, &proof).unwrap();
        let statement = run_native(&tape, &[], || run(&shape)).unwrap();
        assert_eq!(statement, digest(&paths), "{hash}");
    }
}
