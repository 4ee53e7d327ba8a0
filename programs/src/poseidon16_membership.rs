//! Merkle membership in Poseidon-16.

use droste_gadgets::prelude::*;

/// Number of levels of the tree.
const DEPTH: usize = 8;

/// Hints: the digest of a leaf, its index and its path. Reveals the root. The proof says that the
/// prover knows a leaf of the tree with that root.
pub fn main() {
    // Every leaf, index and path is admissible: the root says to which tree they belong.
    let leaf = hint_slice(1).any();
    let index = hint_felt().any();
    let path = hint_slice(DEPTH).any();
    let root = poseidon16_merkle(leaf.block(0), index, path, DEPTH);
    for i in 0..8 {
        reveal(root.lane(i));
    }
}
