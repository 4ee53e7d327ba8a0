//! The Keccak-256 root of the leaves of a claim tree, for verifiers to whom Keccak is cheap and
//! Poseidon-16 is not.
//!
//! `droste_verifier::leaf_root` says what the statement means and makes the hints.

use crate::bits::{hint_bits, integer};
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;

/// Number of listed recursion keys.
pub const KEYS: usize = 32;

/// Tag of claims, which are the statements of recursion proofs ("clai").
pub const CLAIM_TAG: u32 = 0x636c_6169;

/// Tag of the digest of the listed keys ("rkey").
pub const KEYS_TAG: u32 = 0x726b_6579;

/// The capacity of a tagged hash is the tag and the number of lanes. These are a claim's without
/// the lanes, the lanes of a child, and that of the digest of the keys.
const CLAIM_CAPACITY: Ext = Ext::new([CLAIM_TAG, 0, 0, 0, 0]);
const CHILD_LANES: Ext = Ext::new([0, 16, 0, 0, 0]);
const KEYS_CAPACITY: Ext = Ext::new([KEYS_TAG, 8 * KEYS as u32, 0, 0, 0]);

/// Last word of a leaf's message ("leaf" in bytes).
pub const LEAF_WORD: usize = 0x6661_656c;

/// Last word of the statement's message ("root" in bytes).
pub const ROOT_WORD: usize = 0x746f_6f72;

/// 2^32 in the field, and its inverse.
const TWO_TO_32: usize = 33_554_430;
const INVERSE_OF_2_32: usize = 1_057_030_144;

/// Reveals what a claim tree and the Keccak tree of its leaves say of each other.
///
/// The claim tree has at most `2^LOG_NODES` nodes, of which at most `2^LOG_LEAVES` are leaves. The
/// statement is the Keccak-256 digest, word by word modulo `p`, of 34 words: the digest of the
/// listed keys, the key of the root, its claim, the root of the Keccak tree, the number of leaves,
/// and a tag.
///
/// Hints: the bits of the number of leaves minus one and those of the number of nodes minus one;
/// the listed keys; key and statement of each node, level by level; the nodes of the Keccak tree;
/// and for each node its number of children, then, if it has any, where its key is in the list,
/// otherwise the message of its digest, divided by 2^32. Last come the first three blocks of the
/// statement's message, likewise.
pub fn reveal_leaf_root<const LOG_LEAVES: usize, const LOG_NODES: usize>() {
    // Sums of as many numbers below 2^16 as there are nodes do not wrap around the field.
    assert!(LOG_LEAVES <= LOG_NODES && LOG_NODES <= 14);
    let last_leaf = integer(hint_bits::<LOG_LEAVES>(), 0, LOG_LEAVES);
    let leaves = last_leaf + Felt::ONE;
    let count = integer(hint_bits::<LOG_NODES>(), 0, LOG_NODES) + Felt::ONE;
    // The statement says which keys these are.
    let keys = hint_slice(KEYS).any();
    // The statement says what the root is, and every other node is hashed below.
    let nodes = hint_slice(2 << LOG_NODES).any();
    // Every node of it is compared with a digest.
    let tree = hint_slice(4 << LOG_LEAVES).any();
    hash_leaves(keys, nodes, count, tree, leaves);
    hash_pairs(tree, last_leaf);

    let digest = poseidon16_hash(keys, 8 * KEYS, KEYS_CAPACITY.as_block());
    let (key, claim) = (nodes.block(0), nodes.block(1));
    // Of n leaves, node 2n - 2 is the root; two blocks are a node, and n is at most `2^LOG_LEAVES`.
    let root = tree.skip_unchecked(last_leaf * felt(4), 2);
    reveal_digest(digest, key, claim, root, leaves);
}

/// Goes through a claim tree of `count` nodes level by level. A node without children is a leaf and
/// must have its digest in the tree, where there must be `leaves` of them; any other must have a
/// listed key and the digest of its children as its statement.
fn hash_leaves(keys: Slice, nodes: Slice, count: Felt, tree: Slice, leaves: Felt) {
    let zero = Felt::ZERO;
    // Where the children of the next node begin, and the number of the next leaf.
    let mut next = Felt::ONE;
    let mut leaf = zero;
    for i in count_to(count) {
        // `next` is `i + 1` at first, and `next - i` falls by at most one from a node to the next.
        // As it is never zero, children come after their parent.
        assert!(next != i, "a node is no child of those before it");
        // Every number is admissible: it is bound by the statement, or the node is a leaf.
        let children = hint_felt().any();
        // Fails unless it is below 2^16, so that sums are integers.
        let _below = right_shifts(children, 2);
        // `i` is below `count`, the integer of `LOG_NODES` bits plus one.
        let node = nodes.skip_unchecked(i * felt(2), 2);
        if children == zero {
            // `leaf` counts up to `leaves`, an integer of `LOG_LEAVES` bits plus one.
            let place = tree.skip_unchecked(leaf * felt(2), 2);
            assert_same(place, leaf_digest(node));
            leaf += Felt::ONE;
        } else {
            // A place is below the number of listed keys.
            assert_eq!(
                node.block(0),
                keys.at_unchecked(hint_place()),
                "the key is not listed"
            );
            assert_eq!(node.block(1), claim_of(nodes, next, children));
        }
        next += children;
    }
    assert_eq!(next, count, "every node but the root is a child");
    assert_eq!(leaf, leaves);
}

/// Reads a hint, and fails unless it is below [`KEYS`], 2^5: it and its product with 8 are below
/// 2^8.
fn hint_place() -> Felt {
    // Every place in the list is admissible.
    let place = hint_felt().any();
    let _below = right_shifts(place, 1);
    let _below = right_shifts(place * felt(8), 1);
    place
}

/// The claim of the `count` nodes from node `first` on. The caller asserts that `first + count`, a
/// sum of integers, is at most the number of nodes.
fn claim_of(nodes: Slice, first: Felt, count: Felt) -> Block {
    let mut capacity = (CHILD_LANES * count + CLAIM_CAPACITY).as_block();
    let mut digest = Block::ZERO;
    for i in count_to(count) {
        let child = nodes.skip_unchecked((first + i) * felt(2), 2);
        (digest, capacity) = poseidon16_sponge(child, 16, capacity);
    }
    digest
}

/// Fails unless the nodes of the tree after its `last_leaf + 1` leaves are the parents of the nodes
/// before them, pair by pair.
fn hash_pairs(tree: Slice, last_leaf: Felt) {
    for i in count_to(last_leaf) {
        // With n leaves, `i` is below n - 1, so the pair ends before node 2n - 2, and its parent is
        // no later node. The tree has room for 2n nodes.
        let pair = tree.skip_unchecked(i * felt(4), 4);
        let place = tree.skip_unchecked((last_leaf + i + Felt::ONE) * felt(2), 2);
        assert_same(place, keccak_hash(pair, 16));
    }
}

fn assert_same(place: Slice, digest: Slice) {
    assert_eq!(place.block(0), digest.block(0));
    assert_eq!(place.block(1), digest.block(1));
}

/// The digest of a leaf: that of the words of its key and its statement, two blocks, and a tag.
fn leaf_digest(leaf: Slice) -> Slice {
    let zero = Felt::ZERO;
    let tag = felt(LEAF_WORD) * felt(INVERSE_OF_2_32);
    // Both parts are compared with what they must be.
    let message = hint_slice(3).any();
    assert_scaled(message, leaf, 2);
    assert_eq!(
        message.block(2),
        Block::new([tag, zero, zero, zero, zero, zero, zero, zero])
    );
    keccak_hash(limbs(message, 3), 17)
}

/// Fails unless the lanes of `n` blocks are 2^32 times those of `scaled`. The limbs of `scaled` are
/// then those of their canonical integers, because limbs are those of a lane's product with 2^32.
fn assert_scaled(scaled: Slice, blocks: Slice, n: usize) {
    let factor = felt(TWO_TO_32);
    let degree = Ext::degree();
    let count = 8 * n / degree;
    let (scaled_elements, elements) = (unpack(scaled, 0, count), unpack(blocks, 0, count));
    for i in 0..count {
        let element = scaled_elements.block(i).as_ext();
        assert_eq!(element * factor, elements.block(i).as_ext());
    }
    for i in (degree * count)..(8 * n) {
        let lane = scaled.block(i / 8).lane(i % 8);
        assert_eq!(lane * factor, blocks.block(i / 8).lane(i % 8));
    }
}

/// Reveals the digest of these words, the number of leaves, and a tag.
fn reveal_digest(keys: Block, key: Block, claim: Block, root: Slice, leaves: Felt) {
    // It is compared with what it must be.
    let scaled = hint_slice(3).any();
    assert_scaled(scaled, Slice::from_blocks([keys, key, claim]), 3);
    let words = limbs(scaled, 3);
    let mut message = Vec::new();
    for i in 0..6 {
        message.push(words.block(i));
    }
    message.push(root.block(0));
    message.push(root.block(1));
    let zero = Felt::ZERO;
    let (low, high) = (felt(ROOT_WORD & 0xffff), felt(ROOT_WORD >> 16));
    // There are at most 2^14 leaves.
    message.push(Block::new([
        leaves, zero, low, high, zero, zero, zero, zero,
    ]));
    let digest = keccak_hash(Slice::from_blocks(&message), 34);
    for i in 0..8 {
        let (block, lane) = (digest.block(i / 4), 2 * (i % 4));
        reveal(block.lane(lane) + block.lane(lane + 1) * felt(1 << 16));
    }
}
