//! The Poseidon2 suite: digests of one block, leaves at rate 16, and the duplex challenger of rate
//! 16.

use crate::prelude::*;
use crate::suites::duplex::{DuplexChallenger, Sponge};
use crate::suites::hash::{Hash, NO_GRID};
use crate::unchecked::UncheckedSlice;

/// The Poseidon2 suite: digests, leaves and Merkle paths.
#[derive(Clone, Copy)]
pub struct Poseidon2;

/// The duplex challenger of rate 16.
pub type Poseidon2Challenger = DuplexChallenger<Poseidon2>;

impl Hash for Poseidon2 {
    type Digest = Block;
    type Point = Felt;

    const LANES: usize = 1;
    const RUN: usize = 8;
    const RUN_BLOCKS: usize = 1;
    const DIGEST_BLOCKS: usize = 1;
    const FILLED_FROM: usize = 16;
    const FILLS_BLOCKS: bool = true;
    const GRID: usize = NO_GRID;

    fn digest_unchecked(digests: Slice, i: Felt) -> Block {
        // The caller ensures that `i` is below the number of digests.
        digests.at_unchecked(i)
    }

    fn leaf(data: Slice, n: usize) -> Block {
        if n < 16 {
            // The sponge starts from the zero state, so lanes after a row that is shorter than the
            // rate must be zero.
            let last = data.block((n - 1) / 8);
            let used = (n - 1) % 8 + 1;
            for i in 0..8 {
                if i >= used {
                    assert_eq!(last.lane(i), Felt::ZERO);
                }
            }
            if n > 8 {
                poseidon2_hash(data, 16, Block::ZERO)
            } else {
                poseidon2_hash(Slice::from_blocks([last, Block::ZERO]), 16, Block::ZERO)
            }
        } else {
            poseidon2_hash(data, n, Block::ZERO)
        }
    }

    fn parent(left: Block, right: Block) -> Block {
        poseidon2_compress(left, right)
    }

    fn path(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
        poseidon2_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Block, b: Block) {
        assert_eq!(a, b);
    }
}

impl Sponge for Poseidon2 {
    const RATE: usize = 16;
    const JOINS: bool = true;

    fn duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
        poseidon2_duplex(data, lanes, capacity, tag)
    }

    fn rate(low: [Felt; 8], high: [Felt; 8]) -> Slice {
        Slice::from_blocks([Block::new(low), Block::new(high)])
    }

    fn zeros() -> Slice {
        Slice::from_blocks([Block::ZERO, Block::ZERO])
    }
}
