//! The Blake3 suite.

use crate::prelude::*;
use crate::suites::bytes::{
    ByteChallenger, ByteHash, Continued, Fresh, assert_same_digest, concatenate,
};
use crate::suites::hash::Hash;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::grid::layout::BLAKE3;

/// The Blake3 suite: digests, leaves and Merkle paths.
#[derive(Clone, Copy)]
pub struct Blake3;

/// The challenger on Blake3.
pub type Blake3Challenger = ByteChallenger<Blake3, Continued>;

/// The challenger of proofs over WHIR.
pub type Blake3WhirChallenger = ByteChallenger<Blake3, Fresh>;

impl Hash for Blake3 {
    type Digest = Slice;
    type Point = Felt;

    const LANES: usize = 1;
    const RUN: usize = 8;
    const RUN_BLOCKS: usize = 1;
    const DIGEST_BLOCKS: usize = 2;
    // No row is so long.
    const FILLED_FROM: usize = 1 << 30;
    const FILLS_BLOCKS: bool = false;
    const GRID: usize = BLAKE3;

    fn digest_unchecked(digests: Slice, i: Felt) -> Slice {
        // The caller ensures that `i` is below the number of digests, which take two blocks each.
        digests.skip_unchecked(i * felt(2), 2)
    }

    fn leaf(data: Slice, n: usize) -> Slice {
        Self::hash_words(limbs(data, (n + 7) / 8), n)
    }

    fn parent(left: Slice, right: Slice) -> Slice {
        blake3_chunk(concatenate(left, right), 16, 0, true)
    }

    fn path(leaf: Slice, index: Felt, path: Slice, depth: usize) -> Slice {
        blake3_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Slice, b: Slice) {
        assert_same_digest(a, b);
    }
}

impl ByteHash for Blake3 {
    /// Hashes one chunk, or a tree of up to 256 chunks of 256 words each. Neighbours are joined
    /// level by level, and an odd one is left for the next level; this makes BLAKE3's tree, whose
    /// left subtrees are full.
    fn hash_words(message: Slice, words: usize) -> Slice {
        if words <= 256 {
            blake3_chunk(message, words, 0, true)
        } else {
            let chunks = (words + 255) / 256;
            let mut nodes = [message; 256];
            for i in 0..chunks {
                let rest = words - 256 * i;
                let length = if rest < 256 { rest } else { 256 };
                nodes[i] = blake3_chunk(message.skip(64 * i), length, i, false);
            }
            let mut count = chunks;
            for _level in 0..7 {
                if count > 2 {
                    let pairs = count / 2;
                    for i in 0..pairs {
                        nodes[i] = blake3_parent(nodes[2 * i], nodes[2 * i + 1], false);
                    }
                    if count % 2 == 1 {
                        nodes[pairs] = nodes[count - 1];
                    }
                    count = (count + 1) / 2;
                }
            }
            blake3_parent(nodes[0], nodes[1], true)
        }
    }
}
