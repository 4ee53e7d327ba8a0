//! Merkle membership in BLAKE3.

use droste_gadgets::prelude::*;

/// Number of levels of the tree.
const DEPTH: usize = 8;

/// Hints: the digest of a leaf, its index and its path. Reveals the root, compressed by Poseidon-16
/// to eight lanes. The proof says that the prover knows a leaf of the tree with that root.
pub fn main() {
    // Every leaf, index and path is admissible: the root says to which tree they belong.
    let leaf = hint_slice(2).any();
    let index = hint_felt().any();
    let path = hint_slice(2 * DEPTH).any();
    let root = blake3_merkle(leaf, index, path, DEPTH);
    let digest = poseidon16_compress(root.block(0), root.block(1));
    for i in 0..8 {
        reveal(digest.lane(i));
    }
}
