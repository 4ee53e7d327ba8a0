//! The Keccak-256 root of the leaves of an aggregate's claim tree.

use droste_gadgets::leaf_root::reveal_leaf_root;

/// Logarithms of the largest numbers of leaves and of nodes.
const LOG_LEAVES: usize = 10;
const LOG_NODES: usize = 12;

/// Reveals a digest of recursion keys, of key and claim of an aggregate, and of number and root of
/// its leaves.
pub fn main() {
    reveal_leaf_root::<LOG_LEAVES, LOG_NODES>();
}
