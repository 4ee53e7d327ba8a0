//! Many Merkle paths of one tree in Keccak-256. For another hash, import it as `Node`.

use droste_gadgets::prelude::*;
use droste_gadgets::suites::hash::Hash;
use droste_gadgets::suites::keccak::Keccak as Node;

/// Number of levels of the tree.
const DEPTH: usize = 16;

/// Number of paths.
const PATHS: usize = 4;

/// Hints: the root; of each path the leaf's digest, its index and the siblings. Reveals a digest of
/// the root, the leaves and their indices. The proof says that these are leaves of the tree.
pub fn main() {
    // Every root, leaf and index is admissible: the statement has them.
    let digest = hint_slice(Node::DIGEST_BLOCKS).any();
    let root = Node::digest_unchecked(digest, Felt::ZERO);
    let mut statement = chain(Block::ZERO, digest);
    for _path in count(PATHS) {
        let digest = hint_slice(Node::DIGEST_BLOCKS).any();
        let number = hint_slice(1).any();
        // Siblings may be anything that leads to the root.
        let siblings = hint_slice(DEPTH * Node::DIGEST_BLOCKS).any();
        statement = poseidon16_compress(chain(statement, digest), number.block(0));
        let leaf = Node::digest_unchecked(digest, Felt::ZERO);
        let found = Node::path(leaf, number.block(0).lane(0), siblings, DEPTH);
        Node::assert_same(found, root);
    }
    for i in 0..8 {
        reveal(statement.lane(i));
    }
}

/// Compresses the blocks of a digest into a state.
fn chain(state: Block, digest: Slice) -> Block {
    let mut state = state;
    for i in 0..Node::DIGEST_BLOCKS {
        state = poseidon16_compress(state, digest.block(i));
    }
    state
}
