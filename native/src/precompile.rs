//! The native function of every precompile of the machine, over plain arrays.
//!
//! A precompile relates blocks of 8 field elements. These functions compute the blocks that the
//! machine's executor writes and that a native run of a zk-DSL program returns. The constraints of
//! each precompile's table are tested against them.
//!
//! A 32-bit word of a byte hash is represented by two 16-bit limbs, the low one first, so a block
//! has four words. A digest of a byte hash (8 little-endian words) is two blocks.

mod baby_bear;
mod binary;
mod keccak_sponge;
mod permutations;
mod poseidon2;
mod power_weights;
#[cfg(test)]
mod tests;
mod tweaked;

pub use baby_bear::{baby_bear_dot, baby_bear_from_block, baby_bear_to_block, word_limbs};
pub use binary::{
    BINARY_BITS, BINARY_LANE_BITS, BINARY_LANES, Binary, MAX_WORD_BLOCKS, binary_from_block,
    binary_lane_bits, binary_point, binary_products, binary_to_block, word_products,
};
pub use keccak_sponge::{keccak_sponge, keccak_sponge_merkle};
pub use permutations::Permutations;
pub use poseidon2::{poseidon2_compress, poseidon2_merkle, poseidon2_sponge};
pub use power_weights::{MAX_WEIGHT_COORDINATES, power_weights};
pub use tweaked::{
    DIGIT_BITS, DIGIT_ELEMENTS, LAST_POSITION, MAX_PAIRS, MAX_TWEAKED_LEVELS, NODE_LANES,
    PAIRS_PER_ELEMENT, low_24_bits, poseidon16_tweaked, poseidon16_tweaked_root,
    poseidon16_winternitz,
};

use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use p3_keccak::Keccak256Hash;
use p3_symmetric::CryptographicHasher;
use thiserror::Error;

use crate::field::{Challenge, F};
use crate::hash::poseidon16::{Poseidon16, WIDTH};

/// Number of lanes of a block.
pub const LANES: usize = 8;

/// Number of 32-bit words, as limbs, in a block.
pub const WORDS_PER_BLOCK: usize = LANES / 2;

/// Number of 32-bit words of a BLAKE3 message block (64 bytes).
pub const BLAKE3_BLOCK_WORDS: usize = 16;

/// Number of 32-bit words of a BLAKE3 chunk (1024 bytes).
pub const BLAKE3_CHUNK_WORDS: usize = 256;

/// Number of 32-bit words of a rate block of Keccak-256 (136 bytes).
pub const KECCAK_RATE_WORDS: usize = 34;

/// Number of blocks from the start of one Keccak rate block to the start of the next. 34 words take
/// eight and a half blocks; the table reads groups of eight words, which take two blocks each, so
/// the stride is ten.
pub const KECCAK_RATE_BLOCKS: usize = 10;

/// Eight field elements at one address of block memory.
pub type Block = [F; LANES];

/// A 32-byte digest: 16 limbs of 8 little-endian words.
pub type ByteDigest = [Block; 2];

type Result<T, E = PrecompileError> = std::result::Result<T, E>;

/// Arguments for which a precompile has no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PrecompileError {
    /// A count or an index is outside its range.
    #[error("{name} of {precompile} is {value}, expected {min} to {max}")]
    OutOfRange {
        /// Name of the precompile.
        precompile: &'static str,
        /// The argument that is out of range.
        name: &'static str,
        /// Its value.
        value: u64,
        /// Smallest allowed value.
        min: u64,
        /// Largest allowed value.
        max: u64,
    },
    /// A block that should contain an extension element has a nonzero lane above its coefficients.
    #[error(
        "lane {lane} of an extension element's block is not zero, expected lanes {degree} to 7 to \
         be zero"
    )]
    NotExtension {
        /// The lane, from the degree to 7.
        lane: usize,
        /// Number of coefficients of an element.
        degree: usize,
    },
    /// A block that should contain an element of GF(2^128) has a lane with too many bits.
    #[error(
        "lane {lane} of a block of an element of GF(2^128) is {value}, expected 30 bits in lanes 0 \
         to 3, 8 in lane 4 and none in the others"
    )]
    NotBinary {
        /// The lane.
        lane: usize,
        /// Its value.
        value: u32,
    },
    /// A call needs round constants of Poseidon2 that no call has given yet.
    #[error("no call has given the round constants of width {width}: call `{name}` before")]
    NoConstants {
        /// Width of the permutation.
        width: usize,
        /// The precompile that takes them.
        name: &'static str,
    },
    /// Round constants are given for the second time, or their blocks hold something else.
    #[error("{name} takes {blocks} blocks of constants, the last filled up with zeros, and once")]
    Constants {
        /// The precompile that takes them.
        name: &'static str,
        /// Number of blocks.
        blocks: usize,
    },
    /// Children on a Merkle path do not hold the node below.
    #[error("the children at level {level} of the path do not hold the node below")]
    NotThePath {
        /// The level, from the leaf up.
        level: usize,
    },
}

fn check_range(
    precompile: &'static str,
    name: &'static str,
    value: u64,
    min: u64,
    max: u64,
) -> Result<()> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(PrecompileError::OutOfRange {
            precompile,
            name,
            value,
            min,
            max,
        })
    }
}

/// Number of coefficients of an extension element.
const fn degree<E: Challenge>() -> usize {
    <E as BasedVectorSpace<F>>::DIMENSION
}

/// The block of an extension element: its coefficients, constant term first, followed by zeros.
pub fn ext_to_block<E: Challenge>(x: E) -> Block {
    let mut block = [F::ZERO; LANES];
    let coefficients: &[F] = x.as_basis_coefficients_slice();
    for (lane, &coefficient) in block.iter_mut().zip(coefficients) {
        *lane = coefficient;
    }
    block
}

/// The extension element of a block.
///
/// # Errors
/// If a lane after those of the coefficients is not zero.
pub fn ext_from_block<E: Challenge>(block: &Block) -> Result<E> {
    let degree = degree::<E>();
    let mut rest = block.iter().enumerate().skip(degree);
    match rest.find(|&(_, &lane)| lane != F::ZERO) {
        Some((lane, _)) => Err(PrecompileError::NotExtension { lane, degree }),
        None => Ok(extension(block)),
    }
}

/// The extension element with the first of these as its coefficients, or these followed by zeros.
fn extension<E: Challenge>(coefficients: &[F]) -> E {
    E::from_basis_coefficients_fn(|i| coefficients.get(i).copied().unwrap_or_default())
}

/// Number of blocks that the window of [`horner`] spans.
pub const fn horner_blocks(skip: usize, length: usize) -> usize {
    (skip + length).div_ceil(LANES)
}

/// Random combination of a window of lanes.
///
/// The window skips `skip < 8` lanes of the first block and takes the next `length >= 1` lanes of
/// consecutive blocks; it spans `R` blocks. Lane `j`, counted from the start of the first block,
/// has weight `beta^(8R - 1 - j)`: the result is that of Horner's rule over all lanes of these
/// blocks, where lanes outside the window count as zero.
///
/// # Errors
/// If the window is empty, skips a whole block or exceeds `blocks`.
pub fn horner<E: Challenge>(blocks: &[Block], skip: usize, length: usize, beta: E) -> Result<E> {
    check_range("horner", "skip", skip as u64, 0, LANES as u64 - 1)?;
    let lanes = (blocks.len() * LANES - skip.min(blocks.len() * LANES)) as u64;
    check_range("horner", "length", length as u64, 1, lanes)?;
    let window = skip..skip + length;
    let total = horner_blocks(skip, length) * LANES;
    let lanes = blocks.as_flattened().iter().take(total).enumerate();
    Ok(lanes.fold(E::ZERO, |sum, (j, &lane)| {
        sum * beta + if window.contains(&j) { lane } else { F::ZERO }
    }))
}

/// A step of FRI folding: `(left + right) / 2 + scale * (left - right)`.
///
/// For `left = f(x)`, `right = f(-x)` and `scale = beta / (2x)`, the result is the value at `x^2`
/// of the folded polynomial (ePrint 2018/828, section 3).
pub fn fold<E: Challenge>(left: E, right: E, scale: E) -> E {
    (left + right).halve() + scale * (left - right)
}

/// Reads `count` extension elements that are stored one after the other, as many lanes each as they
/// have coefficients, starting at lane `skip` of the first block.
///
/// # Errors
/// If `count` is zero, `skip` is a whole block or more, or the elements exceed `blocks`.
pub fn unpack<E: Challenge>(blocks: &[Block], skip: usize, count: usize) -> Result<Vec<E>> {
    check_range("unpack", "skip", skip as u64, 0, LANES as u64 - 1)?;
    let lanes = blocks.len() * LANES;
    let most = lanes.saturating_sub(skip) / degree::<E>();
    check_range("unpack", "count", count as u64, 1, most as u64)?;
    let lanes = blocks.as_flattened().get(skip..).unwrap_or_default();
    Ok(lanes
        .chunks_exact(degree::<E>())
        .take(count)
        .map(extension)
        .collect())
}

/// Largest number of blocks of [`right_shifts`]: integers have 31 bits.
pub const MAX_SHIFT_BLOCKS: usize = 4;

/// The canonical integer of an element, shifted right by 0 to `8 blocks - 1` bits: lane `j` of
/// block `i` is `x >> (8i + j)`.
///
/// # Errors
/// If `blocks` is not 1 to [`MAX_SHIFT_BLOCKS`], or the integer has more than `8 blocks` bits.
pub fn right_shifts(x: F, blocks: usize) -> Result<Vec<Block>> {
    let most = MAX_SHIFT_BLOCKS as u64;
    check_range("right_shifts", "blocks", blocks as u64, 1, most)?;
    let integer = u64::from(x.as_canonical_u32());
    let largest = (1 << (LANES * blocks)) - 1;
    check_range("right_shifts", "element", integer, 0, largest)?;
    let shift = |bits: usize| F::from_u64(integer >> bits);
    let block = |i: usize| std::array::from_fn(|j| shift(LANES * i + j));
    Ok((0..blocks).map(block).collect())
}

/// Poseidon-16 compression of two digests: `truncate_8(P(x) + x)`.
pub fn poseidon16_compress(left: &Block, right: &Block) -> Block {
    Poseidon16.compress_pair(*left, *right)
}

/// The state of an overwrite sponge of a rate of `N` blocks at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpongeOutput<const N: usize> {
    /// The last block of the input as it was absorbed: lanes after the end of the input have the
    /// previous output.
    pub last_block: Block,
    /// Rate of the last permutation's output, whose first block is the digest of a hash.
    pub rate: [Block; N],
    /// Capacity of the last permutation's output.
    pub capacity: Block,
}

/// Overwrite sponge over the first `lanes` lanes of `blocks`, which adds `tag` to the first lane of
/// the capacity before every permutation.
///
/// Each `N` blocks overwrite the rate, after which the state is permuted; the last of them may be
/// fewer, or partial, and overwrite only the lanes that they have.
fn sponge<const N: usize>(
    precompile: &'static str,
    (blocks, lanes): (&[Block], usize),
    capacity: &Block,
    tag: F,
    permute: impl Fn([Block; N], Block) -> ([Block; N], Block),
) -> Result<SpongeOutput<N>> {
    let (least, most) = (N * LANES, blocks.len() * LANES);
    check_range(precompile, "lanes", lanes as u64, least as u64, most as u64)?;
    let (mut rate, mut capacity) = ([Block::default(); N], *capacity);
    let mut last_block = Block::default();
    let message = blocks.as_flattened().get(..lanes).unwrap_or_default();
    for chunk in message.chunks(N * LANES) {
        let lanes = rate.as_flattened_mut().iter_mut();
        lanes.zip(chunk).for_each(|(lane, &x)| *lane = x);
        let last = rate.get((chunk.len() - 1) / LANES);
        last_block = last.copied().unwrap_or_default();
        capacity[0] += tag;
        (rate, capacity) = permute(rate, capacity);
    }
    Ok(SpongeOutput {
        last_block,
        rate,
        capacity,
    })
}

/// Permutes the elements of blocks.
fn on_elements<const N: usize, const WIDTH: usize>(
    mut blocks: [Block; N],
    permute: impl Fn([F; WIDTH]) -> [F; WIDTH],
) -> [Block; N] {
    let mut elements = [F::ZERO; WIDTH];
    elements.copy_from_slice(blocks.as_flattened());
    blocks
        .as_flattened_mut()
        .copy_from_slice(&permute(elements));
    blocks
}

/// Overwrite sponge of rate 8 over the first `lanes >= 8` lanes of `blocks`, which adds `tag` to
/// the first lane of the capacity before every permutation.
///
/// Each block overwrites the rate, after which the state is permuted; a partial last block
/// overwrites only the lanes that it has. From a zero capacity and with tag 0 this is Plonky3's
/// `PaddingFreeSponge`; over whole blocks and with tag 8, it is what Plonky3's `DuplexChallenger`
/// does when it absorbs `lanes` elements.
///
/// # Errors
/// If `lanes` is below 8 or exceeds the lanes of `blocks`.
pub fn poseidon16_duplex(
    blocks: &[Block],
    lanes: usize,
    capacity: &Block,
    tag: F,
) -> Result<SpongeOutput<1>> {
    let message = (blocks, lanes);
    sponge(
        "poseidon16_sponge",
        message,
        capacity,
        tag,
        |[rate], capacity| {
            let permute = |state: [F; WIDTH]| Poseidon16.permute(state);
            let [rate, capacity] = on_elements([rate, capacity], permute);
            ([rate], capacity)
        },
    )
}

/// The root of a Merkle path of `depth >= 1` levels, from `leaf` at `index < 2^depth` through
/// `siblings`, one per level.
///
/// The bits of the index are used from the lowest up. A bit of one means that the current node is
/// the right child.
///
/// # Errors
/// If the path is empty or longer than 30 levels, or the index is too large for it.
pub fn poseidon16_merkle(leaf: &Block, index: u32, siblings: &[Block]) -> Result<Block> {
    let parent = poseidon16_compress;
    merkle("poseidon16_merkle", *leaf, index, siblings, parent)
}

fn merkle<D: Copy>(
    precompile: &'static str,
    leaf: D,
    index: u32,
    siblings: &[D],
    parent: impl Fn(&D, &D) -> D,
) -> Result<D> {
    let depth = siblings.len();
    check_range(precompile, "depth", depth as u64, 1, 30)?;
    let last = (1u64 << depth) - 1;
    check_range(precompile, "index", u64::from(index), 0, last)?;
    Ok(siblings.iter().enumerate().fold(leaf, |node, (i, other)| {
        if index >> i & 1 == 1 {
            parent(other, &node)
        } else {
            parent(&node, other)
        }
    }))
}

/// Converts 32-bit words to limbs in whole blocks, followed by zeros.
pub fn words_to_limbs(words: &[u32]) -> Vec<Block> {
    words
        .chunks(WORDS_PER_BLOCK)
        .map(|chunk| {
            let mut block = [F::ZERO; LANES];
            for ([low, high], &word) in block.as_chunks_mut().0.iter_mut().zip(chunk) {
                *low = F::from_u32(word & 0xffff);
                *high = F::from_u32(word >> 16);
            }
            block
        })
        .collect()
}

/// Converts a 32-byte digest to limbs.
pub fn digest_to_limbs(digest: [u8; 32]) -> ByteDigest {
    let mut limbs = ByteDigest::default();
    let words = digest.as_chunks().0.iter();
    for (limb, &bytes) in limbs.as_flattened_mut().iter_mut().zip(words) {
        *limb = F::from_u16(u16::from_le_bytes(bytes));
    }
    limbs
}

/// Converts the limbs of a digest to its 32 bytes.
///
/// # Errors
/// If a limb is not below `2^16`.
pub fn digest_from_limbs(limbs: &ByteDigest) -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    for (pair, &limb) in bytes.chunks_exact_mut(2).zip(limbs.as_flattened()) {
        pair.copy_from_slice(&limb_value("digest", limb)?.to_le_bytes());
    }
    Ok(bytes)
}

fn limb_value(precompile: &'static str, limb: F) -> Result<u16> {
    let value = limb.as_canonical_u32();
    check_range(precompile, "limb", u64::from(value), 0, 0xffff)?;
    Ok(value as u16)
}

/// Returns the bytes of `words` words whose limbs are in `blocks`. The words are stored in runs of
/// `run` words, which start `stride` blocks apart; word `i` of a run is at lane `2i` from the run's
/// start.
fn limb_bytes(
    precompile: &'static str,
    blocks: &[Block],
    words: usize,
    run: usize,
    stride: usize,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in 0..words {
        let lane = 2 * (word % run);
        let block = stride * (word / run) + lane / LANES;
        let last = blocks.len() as u64;
        check_range(precompile, "block", block as u64 + 1, 1, last)?;
        let lanes = blocks.get(block).into_iter().flatten();
        for limb in lanes.skip(lane % LANES).take(2) {
            bytes.extend(limb_value(precompile, *limb)?.to_le_bytes());
        }
    }
    Ok(bytes)
}

/// The chaining value of a BLAKE3 chunk of `words` 32-bit words (1 to 256) or, if `root`, the
/// BLAKE3 digest of these bytes.
///
/// # Errors
/// If the number of words is out of range, `root` is set and the chunk is not chunk 0, a limb is
/// not below `2^16`, or there are too few `blocks`.
pub fn blake3_chunk(
    blocks: &[Block],
    words: usize,
    counter: u32,
    root: bool,
) -> Result<ByteDigest> {
    use blake3::hazmat::HasherExt;
    const NAME: &str = "blake3_chunk";
    check_range(NAME, "words", words as u64, 1, BLAKE3_CHUNK_WORDS as u64)?;
    if root {
        check_range(NAME, "counter of the root", u64::from(counter), 0, 0)?;
    }
    let bytes = limb_bytes(
        NAME,
        blocks,
        words,
        BLAKE3_BLOCK_WORDS,
        BLAKE3_BLOCK_WORDS / 4,
    )?;
    let digest = if root {
        *blake3::hash(&bytes).as_bytes()
    } else {
        let mut hasher = blake3::Hasher::new();
        hasher.set_input_offset(u64::from(counter) * 1024);
        hasher.update(&bytes);
        hasher.finalize_non_root()
    };
    Ok(digest_to_limbs(digest))
}

/// The BLAKE3 parent node of two chaining values or, if `root`, the digest of the whole input.
///
/// # Errors
/// If a limb is not below `2^16`.
pub fn blake3_parent(left: &ByteDigest, right: &ByteDigest, root: bool) -> Result<ByteDigest> {
    use blake3::hazmat::{Mode, merge_subtrees_non_root, merge_subtrees_root};
    let (left, right) = (digest_from_limbs(left)?, digest_from_limbs(right)?);
    Ok(digest_to_limbs(if root {
        *merge_subtrees_root(&left, &right, Mode::Hash).as_bytes()
    } else {
        merge_subtrees_non_root(&left, &right, Mode::Hash)
    }))
}

/// The root of a Merkle path whose parents are `blake3(left || right)`; see [`poseidon16_merkle`].
///
/// # Errors
/// As for [`poseidon16_merkle`], or if a limb is not below `2^16`.
pub fn blake3_merkle(leaf: &ByteDigest, index: u32, siblings: &[ByteDigest]) -> Result<ByteDigest> {
    byte_merkle("blake3_merkle", leaf, index, siblings, |bytes| {
        *blake3::hash(bytes).as_bytes()
    })
}

/// The root of a Merkle path whose parents are `keccak256(left || right)`; see
/// [`poseidon16_merkle`].
///
/// # Errors
/// As for [`poseidon16_merkle`], or if a limb is not below `2^16`.
pub fn keccak_merkle(leaf: &ByteDigest, index: u32, siblings: &[ByteDigest]) -> Result<ByteDigest> {
    byte_merkle("keccak_merkle", leaf, index, siblings, |bytes| {
        Keccak256Hash.hash_slice(bytes)
    })
}

fn byte_merkle(
    precompile: &'static str,
    leaf: &ByteDigest,
    index: u32,
    siblings: &[ByteDigest],
    hash: impl Fn(&[u8]) -> [u8; 32],
) -> Result<ByteDigest> {
    let siblings = siblings.iter().map(digest_from_limbs);
    let siblings = siblings.collect::<Result<Vec<_>, _>>()?;
    let leaf = digest_from_limbs(leaf)?;
    let root = merkle(precompile, leaf, index, &siblings, |left, right| {
        hash([*left, *right].as_flattened())
    })?;
    Ok(digest_to_limbs(root))
}

/// Keccak-256 (padding 0x01) of `words >= 1` 32-bit words. Rate blocks of 34 words start
/// [`KECCAK_RATE_BLOCKS`] blocks apart.
///
/// # Errors
/// If there are no words, a limb is not below `2^16`, or there are too few `blocks`.
pub fn keccak_hash(blocks: &[Block], words: usize) -> Result<ByteDigest> {
    const NAME: &str = "keccak_hash";
    check_range(NAME, "words", words as u64, 1, 1 << 30)?;
    let bytes = limb_bytes(NAME, blocks, words, KECCAK_RATE_WORDS, KECCAK_RATE_BLOCKS)?;
    Ok(digest_to_limbs(Keccak256Hash.hash_slice(&bytes)))
}

/// The limbs of the words that a byte hash absorbs for eight elements (see
/// [`crate::hash::encoding`]).
pub fn limbs(elements: &Block) -> [Block; 2] {
    let mut blocks = [[F::ZERO; LANES]; 2];
    let words = elements.map(|element| element.to_unique_u32());
    for (block, limbs) in blocks.iter_mut().zip(words_to_limbs(&words)) {
        *block = limbs;
    }
    blocks
}
