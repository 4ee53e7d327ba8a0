//! Merkle membership in BLAKE3.

use droste_gadgets::prelude::*;

/// Levels of the tree.
const DEPTH: usize = 8;

/// Hints: a leaf digest, its index and its path. Reveals the root, compressed by Poseidon-16 to eight
/// lanes: the prover knows a leaf of the tree under that root.
pub fn main() {
    // Every leaf, index and path is admissible; the root says which tree they belong to.
    let leaf = hint_slice(2).any();
    let index = hint_felt().any();
    let path = hint_slice(2 * DEPTH).any();
    let root = blake3_merkle(leaf, index, path, DEPTH);
    let digest = poseidon16_compress(root.block(0), root.block(1));
    for i in 0..8 {
        reveal(digest.lane(i));
    }
}
