//! Poseidon2 of width 16 for leaves, parents and transcripts, as most users of Plonky3 have it, with
//! round constants that the program gives first ([`set_constants`]).

use crate::prelude::*;
use crate::suites::duplex::{DuplexChallenger, Sponge};
use crate::suites::hash::{Hash, NO_GRID};
use crate::unchecked::UncheckedSlice;

/// Poseidon2 of width 16: digests, leaves at rate 8, and Merkle paths.
#[derive(Clone, Copy)]
pub struct Poseidon2Narrow;

/// The duplex challenger of rate 8.
pub type Poseidon2NarrowChallenger = DuplexChallenger<Poseidon2Narrow>;

/// Takes the round constants of width 16, as blocks of their canonical integers. The others of this
/// module need them.
pub fn set_constants(constants: &[[u32; 8]]) {
    poseidon2_16_constants(constant_blocks(constants));
}

/// Returns blocks of constants, one after the other.
pub fn constant_blocks(constants: &[[u32; 8]]) -> Slice {
    let mut blocks = Vec::new();
    for lanes in constants {
        let mut block = [Felt::ZERO; 8];
        for i in 0..8 {
            block[i] = Felt::new(lanes[i]);
        }
        blocks.push(Block::new(block));
    }
    Slice::from_blocks(blocks)
}

impl Hash for Poseidon2Narrow {
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
            poseidon2_16_hash(data, 8, Block::ZERO)
        } else {
            poseidon2_16_hash(data, n, Block::ZERO)
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

impl Sponge for Poseidon2Narrow {
    const RATE: usize = 8;
    const JOINS: bool = false;

    fn duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
        poseidon2_16_duplex(data, lanes, capacity, tag)
    }

    fn rate(low: [Felt; 8], _high: [Felt; 8]) -> Slice {
        Slice::from_blocks([Block::new(low)])
    }

    fn zeros() -> Slice {
        Slice::from_blocks([Block::ZERO])
    }
}
