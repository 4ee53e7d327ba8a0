//! Poseidon2 as [`poseidon2`](crate::suites::poseidon2) has it, with parents of width 16, and leaves
//! and transcripts of width 24, but with round constants that the program gives first
//! ([`set_constants`]).

use crate::prelude::*;
use crate::suites::duplex::{DuplexChallenger, Sponge};
use crate::suites::hash::{Hash, NO_GRID};
use crate::suites::poseidon2_16::constant_blocks;
use crate::unchecked::UncheckedSlice;

/// Poseidon2 of widths 24 and 16: digests, leaves at rate 16, and Merkle paths.
#[derive(Clone, Copy)]
pub struct Poseidon2Wide;

/// The duplex challenger of rate 16.
pub type Poseidon2WideChallenger = DuplexChallenger<Poseidon2Wide>;

/// Takes the round constants of width 24 in 27 blocks, then those of width 16 in 19, as their
/// canonical integers. The others of this module need them.
pub fn set_constants(constants: &[[u32; 8]]) {
    let blocks = constant_blocks(constants);
    poseidon2_24_constants(blocks);
    poseidon2_16_constants(blocks.skip(27));
}

impl Hash for Poseidon2Wide {
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
                poseidon2_24_hash(data, 16, Block::ZERO)
            } else {
                poseidon2_24_hash(Slice::from_blocks([last, Block::ZERO]), 16, Block::ZERO)
            }
        } else {
            poseidon2_24_hash(data, n, Block::ZERO)
        }
    }

    fn parent(left: Block, right: Block) -> Block {
        poseidon2_16_compress(left, right)
    }

    fn path(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
        poseidon2_16_merkle(leaf, index, path, depth)
    }

    fn assert_same(a: Block, b: Block) {
        assert_eq!(a, b);
    }
}

impl Sponge for Poseidon2Wide {
    const RATE: usize = 16;
    const JOINS: bool = true;

    fn duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
        poseidon2_24_duplex(data, lanes, capacity, tag)
    }

    fn rate(low: [Felt; 8], high: [Felt; 8]) -> Slice {
        Slice::from_blocks([Block::new(low), Block::new(high)])
    }

    fn zeros() -> Slice {
        Slice::from_blocks([Block::ZERO, Block::ZERO])
    }
}
