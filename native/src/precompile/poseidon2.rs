//! Poseidon2: parents and Merkle paths at width 16, the overwrite sponge at width 24.

use super::{Block, Result, SpongeOutput, merkle, on_elements, sponge};
use crate::field::F;
use crate::hash::poseidon2::{compress_pair, permute_sponge};

/// The parent of two digests in Poseidon2: `truncate_8(P(x))`, without feed-forward.
pub fn poseidon2_compress(left: &Block, right: &Block) -> Block {
    compress_pair(*left, *right)
}

/// The root of a Merkle path whose parents are [`poseidon2_compress`]; see
/// [`poseidon16_merkle`](super::poseidon16_merkle).
///
/// # Errors
/// As for [`poseidon16_merkle`](super::poseidon16_merkle).
pub fn poseidon2_merkle(leaf: &Block, index: u32, siblings: &[Block]) -> Result<Block> {
    let parent = poseidon2_compress;
    merkle("poseidon2_merkle", *leaf, index, siblings, parent)
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
) -> Result<SpongeOutput<2>> {
    let message = (blocks, lanes);
    sponge(
        "poseidon2_sponge",
        message,
        capacity,
        tag,
        |[low, high], capacity| {
            let [low, high, capacity] = on_elements([low, high, capacity], permute_sponge);
            ([low, high], capacity)
        },
    )
}
