//! Commitments to elements, for statements of any length: the eight elements of a commitment fill
//! the statement, and whoever knows the elements computes it again.
//!
//! A commitment hides nothing: whoever guesses the elements can check the guess. Put it through
//! [`Hash::leaf`](crate::suites::hash::Hash::leaf) before it goes into a tree: the one to
//! `n <= 8` zeros is the Poseidon-16 parent of the zero block and `[tag, n, 0, ..]`.
//!
//! `droste_native::hash::commitment` is the same function outside of programs.

use crate::prelude::*;

/// Tag of commitments ("comm").
pub const COMMITMENT_TAG: u32 = 0x636f_6d6d;

/// Returns the commitment to the elements, which binds their number, too.
pub fn commit(elements: &[Felt]) -> Block {
    let n = elements.len();
    let mut blocks = Vec::new();
    for i in 0..n.div_ceil(8) {
        let mut lanes = [Felt::ZERO; 8];
        for lane in 0..8 {
            if 8 * i + lane < n {
                lanes[lane] = elements[8 * i + lane];
            }
        }
        blocks.push(Block::new(lanes));
    }
    if n == 0 {
        blocks.push(Block::ZERO);
    }
    hash(Slice::from_blocks(&blocks), blocks.len(), n)
}

/// Returns the commitment to the first `n >= 1` lanes of a slice, which is hashed where it is.
///
/// Fails if a lane after them, in the same block, is not zero.
pub fn commit_slice(data: Slice, n: usize) -> Block {
    let blocks = n.div_ceil(8);
    for i in n..8 * blocks {
        assert_eq!(data.block(i / 8).lane(i % 8), Felt::ZERO);
    }
    hash(data, blocks, n)
}

/// Reveals the commitment to the elements as the statement. Then the program has no public inputs
/// and no other outputs: what it would read as an input is a hint, which the commitment binds.
pub fn reveal_commitment(elements: &[Felt]) {
    let commitment = commit(elements);
    for i in 0..8 {
        reveal(commitment.lane(i));
    }
}

/// Returns the first `n` lanes of a slice.
pub fn lanes(data: Slice, n: usize) -> Vec<Felt> {
    let mut lanes = Vec::new();
    for i in 0..n {
        lanes.push(data.block(i / 8).lane(i % 8));
    }
    lanes
}

/// Hashes `n` elements, which zeros fill up to `blocks` blocks, as `Poseidon16::hash` of
/// `droste_native` does.
fn hash(data: Slice, blocks: usize, n: usize) -> Block {
    let (tag, zero) = (Felt::new(COMMITMENT_TAG), Felt::ZERO);
    let capacity = Block::new([tag, felt(n), zero, zero, zero, zero, zero, zero]);
    poseidon16_hash(data, 8 * blocks, capacity)
}
