//! Proofs over BabyBear in the hashes of bytes.
//!
//! Elements are stored as the limbs of their words, which are hashed as they are. That the words are
//! canonical is checked where they are computed with.

use std::marker::PhantomData;

use crate::prelude::*;
use crate::suites::bytes::{ByteHash, assert_same_digest, concatenate};
use crate::suites::hash::Hash;

/// The trees of proofs over BabyBear in the hash `B`.
#[derive(Clone, Copy)]
pub struct OverBabyBear<B>(PhantomData<B>);

impl<B: ByteHash> Hash for OverBabyBear<B> {
    type Digest = Slice;
    type Point = Ext;

    const LANES: usize = 2;
    const RUN: usize = B::RUN;
    const RUN_BLOCKS: usize = B::RUN_BLOCKS;
    const DIGEST_BLOCKS: usize = B::DIGEST_BLOCKS;
    const FILLED_FROM: usize = B::FILLED_FROM;
    const FILLS_BLOCKS: bool = B::FILLS_BLOCKS;
    const GRID: usize = B::GRID;

    fn digest_unchecked(digests: Slice, i: Felt) -> Slice {
        B::digest_unchecked(digests, i)
    }

    /// Returns the hash of `n >= 1` words.
    fn leaf(data: Slice, n: usize) -> Slice {
        B::hash_words(data, n)
    }

    fn parent(left: Slice, right: Slice) -> Slice {
        B::hash_words(concatenate(left, right), 16)
    }

    fn path(leaf: Slice, index: Felt, path: Slice, depth: usize) -> Slice {
        B::path(leaf, index, path, depth)
    }

    fn assert_same(a: Slice, b: Slice) {
        assert_same_digest(a, b);
    }
}
