//! The Poseidon-16 suite: digests of one block, and the duplex challenger of rate 8.

use crate::prelude::*;
use crate::suites::duplex::{DuplexChallenger, Sponge};
use crate::suites::hash::{Hash, NO_GRID};
use crate::unchecked::UncheckedSlice;

/// The Poseidon-16 suite: digests, leaves and Merkle paths.
#[derive(Clone, Copy)]
pub struct Poseidon16;

/// The duplex challenger of rate 8.
pub type Poseidon16Challenger = DuplexChallenger<Poseidon16>;

impl Hash for Poseidon16 {
    type Digest = Block;
    type Point = Felt;

    const LANES: usize = 1;
    const RUN: usize = 8;
    const RUN_BLOCKS: usize = 1;
    const DIGEST_BLOCKS: usize = 1;
    const FILLED_FROM: usize = 8;
    const FILLS_BLOCKS: bool = true;
    const GRID: usize = NO_GRID;

    fn digest_unchecked(digests: Slice, i: Felt) -> Block {
        // The caller ensures that `i` is below the number of digests.
        digests.at_unchecked(i)
    }

    fn leaf(data: Slice, n: usize) -> Block {
        if n < 8 {
            // The sponge starts from the zero state, so lanes after a row that is shorter than the
            // rate must be zero.
            let block = data.block(0);
            for i in 0..8 {
                if i >= n {
                    assert_eq!(block.lane(i), Felt::ZERO);
                }
            }
            poseidon16_hash(data, 8, Block::ZERO)
        } else {
            poseidon16_hash(data, n, Block::ZERO)
        }
    }

    fn parent(left: Block, right: Block) -> Block {
        poseidon16_compress(left, right)
    }

    fn path(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
        poseidon16_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Block, b: Block) {
        assert_eq!(a, b);
    }
}

/// Hashes whole blocks under a tag, binding their number, as `Poseidon16::hash` of `droste_native`
/// does.
pub fn hash_blocks(tag: Felt, blocks: &[Block]) -> Block {
    let zero = Felt::ZERO;
    let lanes = 8 * blocks.len();
    let capacity = Block::new([tag, felt(lanes), zero, zero, zero, zero, zero, zero]);
    poseidon16_hash(Slice::from_blocks(blocks), lanes, capacity)
}

/// Hashes the first `n` blocks of a slice under a tag, where they are, as [`hash_blocks`] does.
pub fn hash_slice(tag: Felt, data: Slice, n: usize) -> Block {
    let zero = Felt::ZERO;
    let lanes = 8 * n;
    let capacity = Block::new([tag, felt(lanes), zero, zero, zero, zero, zero, zero]);
    poseidon16_hash(data, lanes, capacity)
}

impl Sponge for Poseidon16 {
    const RATE: usize = 8;
    const JOINS: bool = false;

    fn duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
        poseidon16_duplex(data, lanes, capacity, tag)
    }

    fn rate(low: [Felt; 8], _high: [Felt; 8]) -> Slice {
        Slice::from_blocks([Block::new(low)])
    }

    fn zeros() -> Slice {
        Slice::from_blocks([Block::ZERO])
    }
}
