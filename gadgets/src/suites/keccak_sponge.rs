//! The trees of most proofs of Plonky3 in Keccak, whose leaves and parents are not padded.
//!
//! Their transcript is that of [`keccak`](crate::suites::keccak): a digest is observed as the same
//! 32 bytes.

use crate::packing::blocks_for;
use crate::prelude::*;
use crate::suites::bytes::{ByteHash, assert_same_digest, concatenate};
use crate::suites::hash::Hash;
use crate::unchecked::UncheckedSlice;
use crate::verify::binary::grid::layout::K64;

/// The overwrite sponge over the 64-bit lanes of Keccak-f: digests, leaves and Merkle paths.
///
/// A leaf does not bind its length, which is a constant of the program.
#[derive(Clone, Copy)]
pub struct KeccakSponge;

impl Hash for KeccakSponge {
    type Digest = Slice;
    type Point = Felt;

    const LANES: usize = 1;
    const RUN: usize = 34;
    const RUN_BLOCKS: usize = 5;
    const DIGEST_BLOCKS: usize = 2;
    // The sponge gives no lane a value.
    const FILLED_FROM: usize = 1 << 30;
    const FILLS_BLOCKS: bool = false;
    const GRID: usize = K64;

    fn digest_unchecked(digests: Slice, i: Felt) -> Slice {
        // The caller ensures that `i` is below the number of digests, which take two blocks each.
        digests.skip_unchecked(i * felt(2), 2)
    }

    fn leaf(data: Slice, n: usize) -> Slice {
        Self::hash_words(limbs(data, blocks_for::<KeccakSponge>(0, n)), n)
    }

    fn parent(left: Slice, right: Slice) -> Slice {
        keccak_sponge(concatenate(left, right), 16)
    }

    fn path(leaf: Slice, index: Felt, path: Slice, depth: usize) -> Slice {
        keccak_sponge_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Slice, b: Slice) {
        assert_same_digest(a, b);
    }
}

impl ByteHash for KeccakSponge {
    fn hash_words(message: Slice, words: usize) -> Slice {
        keccak_sponge(message, words)
    }
}
