//! The Keccak-256 suite.

use crate::packing::blocks_for;
use crate::prelude::*;
use crate::suites::bytes::{
    ByteChallenger, ByteHash, Continued, Fresh, assert_same_digest, concatenate,
};
use crate::suites::hash::Hash;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::grid::layout::KECCAK;

/// The Keccak-256 suite: digests, leaves and Merkle paths.
#[derive(Clone, Copy)]
pub struct Keccak;

/// The challenger on Keccak-256.
pub type KeccakChallenger = ByteChallenger<Keccak, Continued>;

/// The challenger of proofs over WHIR.
pub type KeccakWhirChallenger = ByteChallenger<Keccak, Fresh>;

impl Hash for Keccak {
    type Digest = Slice;
    type Point = Felt;

    const LANES: usize = 1;
    const RUN: usize = 34;
    const RUN_BLOCKS: usize = 5;
    const DIGEST_BLOCKS: usize = 2;
    // No row is so long.
    const FILLED_FROM: usize = 1 << 30;
    const FILLS_BLOCKS: bool = false;
    const GRID: usize = KECCAK;

    fn digest_unchecked(digests: Slice, i: Felt) -> Slice {
        // The caller ensures that `i` is below the number of digests, which take two blocks each.
        digests.skip_unchecked(i * felt(2), 2)
    }

    fn leaf(data: Slice, n: usize) -> Slice {
        Self::hash_words(limbs(data, blocks_for::<Keccak>(0, n)), n)
    }

    fn parent(left: Slice, right: Slice) -> Slice {
        keccak_hash(concatenate(left, right), 16)
    }

    fn path(leaf: Slice, index: Felt, path: Slice, depth: usize) -> Slice {
        keccak_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Slice, b: Slice) {
        assert_same_digest(a, b);
    }
}

impl ByteHash for Keccak {
    fn hash_words(message: Slice, words: usize) -> Slice {
        keccak_hash(message, words)
    }
}
