//! Merkle membership in Poseidon-16.

use droste_gadgets::prelude::*;

/// Levels of the tree.
const DEPTH: usize = 8;

/// Hints: a leaf digest, its index and its path. Reveals the root: the prover knows a leaf of the tree
/// under it.
pub fn main() {
    // Every leaf, index and path is admissible; the root says which tree they belong to.
    let leaf = hint_slice(1).any();
    let index = hint_felt().any();
    let path = hint_slice(DEPTH).any();
    let root = poseidon16_merkle(leaf.block(0), index, path, DEPTH);
    for i in 0..8 {
        reveal(root.lane(i));
    }
}
