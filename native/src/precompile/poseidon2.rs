//! Poseidon2: parents and Merkle paths at width 16, the overwrite sponge at width 24.

use p3_field::PrimeCharacteristicRing;

use super::{Block, LANES, PrecompileError, check_range, merkle};
use crate::field::F;
use crate::hash::poseidon2::{RATE, SPONGE_WIDTH, compress_pair, permute_sponge};

/// The parent of two digests in Poseidon2: `truncate_8(P(x))`, without feed-forward.
pub fn poseidon2_compress(left: &Block, right: &Block) -> Block {
    compress_pair(*left, *right)
}

/// The root of a Merkle path whose parents are [`poseidon2_compress`]; see
/// [`poseidon16_merkle`](super::poseidon16_merkle).
///
/// # Errors
/// As for [`poseidon16_merkle`](super::poseidon16_merkle).
pub fn poseidon2_merkle(
    leaf: &Block,
    index: u32,
    siblings: &[Block],
) -> Result<Block, PrecompileError> {
    merkle(
        "poseidon2_merkle",
        *leaf,
        index,
        siblings,
        poseidon2_compress,
    )
}

/// The state of a Poseidon2 sponge at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poseidon2Output {
    /// The last block of the input as it was absorbed: lanes after the end have the previous
    /// output.
    pub last_block: Block,
    /// Elements 0 to 7 of the last permutation's output, which are the digest of a hash, and
    /// elements 8 to 15.
    pub rate: [Block; 2],
    /// Capacity of the last permutation's output.
    pub capacity: Block,
}

/// The permutation of width 24 of the two blocks of a rate and a capacity.
pub fn poseidon2_permute(rate: [Block; 2], capacity: Block) -> ([Block; 2], Block) {
    let [low, high] = rate;
    let mut state = [low, high, capacity];
    let mut elements = [F::ZERO; SPONGE_WIDTH];
    elements.copy_from_slice(state.as_flattened());
    elements = permute_sponge(elements);
    state.as_flattened_mut().copy_from_slice(&elements);
    let [low, high, capacity] = state;
    ([low, high], capacity)
}

/// Overwrite sponge of width 24 and rate 16 over the first `lanes >= 16` lanes of `blocks`, which
/// adds `tag` to the first lane of the capacity before every permutation.
///
/// Each two blocks overwrite the rate, after which the state is permuted; the last of them may be
/// partial, or one block, and overwrite only the lanes that they have. From a zero capacity and
/// with tag 0 this is Plonky3's `PaddingFreeSponge`; over whole pairs of blocks and with tag 16, it
/// is what Plonky3's `DuplexChallenger` does when it absorbs `lanes` elements.
///
/// # Errors
/// If `lanes` is below 16 or exceeds the lanes of `blocks`.
pub fn poseidon2_sponge(
    blocks: &[Block],
    lanes: usize,
    capacity: &Block,
    tag: F,
) -> Result<Poseidon2Output, PrecompileError> {
    let most = (blocks.len() * LANES) as u64;
    check_range("poseidon2_sponge", "lanes", lanes as u64, RATE as u64, most)?;
    let mut rate = [Block::default(); 2];
    let mut capacity = *capacity;
    let mut last_block = Block::default();
    let message = blocks.as_flattened().get(..lanes).unwrap_or_default();
    for chunk in message.chunks(RATE) {
        let lanes = rate.as_flattened_mut().iter_mut();
        lanes.zip(chunk).for_each(|(lane, &x)| *lane = x);
        last_block = if chunk.len() > LANES {
            rate[1]
        } else {
            rate[0]
        };
        capacity[0] += tag;
        (rate, capacity) = poseidon2_permute(rate, capacity);
    }
    Ok(Poseidon2Output {
        last_block,
        rate,
        capacity,
    })
}
