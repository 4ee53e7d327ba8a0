//! The overwrite sponge over the 64-bit lanes of `Keccak-f[1600]`, with which most proofs of Plonky3
//! commit: its `PaddingFreeSponge<KeccakF, 25, 17, 4>`.
//!
//! Words are taken two by two as lanes of the state. 17 lanes overwrite the rate, after which the
//! state is permuted; a shorter last block overwrites only its own lanes. Nothing is padded, so the
//! sponge is no hash of messages whose length an adversary chooses. A parent is the sponge over the
//! eight lanes of its children, one permutation.

use super::{
    Block, ByteDigest, KECCAK_RATE_BLOCKS, KECCAK_RATE_WORDS, Result, byte_merkle, check_range,
    digest_to_limbs, limb_bytes,
};
use crate::hash::keccak::{RATE, digest, keccak_f};

/// The overwrite sponge over `words >= 1` 32-bit words. Rate blocks of 34 words start
/// [`KECCAK_RATE_BLOCKS`] blocks apart.
///
/// # Errors
/// If there are no words, a limb is not below `2^16`, or there are too few `blocks`.
pub fn keccak_sponge(blocks: &[Block], words: usize) -> Result<ByteDigest> {
    const NAME: &str = "keccak_sponge";
    check_range(NAME, "words", words as u64, 1, 1 << 30)?;
    let bytes = limb_bytes(NAME, blocks, words, KECCAK_RATE_WORDS, KECCAK_RATE_BLOCKS)?;
    Ok(digest_to_limbs(hash(&bytes)))
}

/// The root of a Merkle path whose parents are the sponge over `left || right`; see
/// [`poseidon16_merkle`](super::poseidon16_merkle).
///
/// # Errors
/// As for [`poseidon16_merkle`](super::poseidon16_merkle), or if a limb is not below `2^16`.
pub fn keccak_sponge_merkle(
    leaf: &ByteDigest,
    index: u32,
    siblings: &[ByteDigest],
) -> Result<ByteDigest> {
    byte_merkle("keccak_sponge_merkle", leaf, index, siblings, hash)
}

fn hash(bytes: &[u8]) -> [u8; 32] {
    let mut state = [0; 25];
    for block in bytes.chunks(RATE) {
        for (lane, bytes) in state.iter_mut().zip(block.chunks(8)) {
            // If the last lane has one word, the other half of it becomes zero.
            let mut word = [0; 8];
            word.iter_mut()
                .zip(bytes)
                .for_each(|(to, &byte)| *to = byte);
            *lane = u64::from_le_bytes(word);
        }
        keccak_f(&mut state);
    }
    digest(&state)
}
