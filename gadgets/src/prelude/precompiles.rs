//! The precompiles as functions. [`droste_native::precompile`] defines what each of them computes.

use droste_native::precompile::{self, BINARY_LANES, PrecompileError, SpongeOutput, ext_to_block};
use droste_native::{ChallengeField, EF, F};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::block::{Block, Slice};
use super::ext::{Ext, in_extension};
use super::felt::Felt;
use super::run;

pub(super) fn solved<T>(result: Result<T, PrecompileError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// Returns the blocks that contain the first `lanes` lanes, which must have values.
fn read_lanes(data: Slice, lanes: usize) -> Vec<precompile::Block> {
    run::read_lanes(data.address(lanes.div_ceil(8)), lanes)
}

/// Returns the sum of `beta^(8R - 1 - j)` times lane `j` of `data` over the window
/// `skip..skip + len`, which spans `R` blocks.
pub fn horner(data: Slice, skip: usize, len: usize, beta: Ext) -> Ext {
    // Lanes after the window may have no value.
    let blocks = read_lanes(data, skip + len);
    in_extension!(|E| {
        let sum = precompile::horner(&blocks, skip, len, beta.to::<E>());
        Ext::of(solved(sum))
    })
}

/// Returns the `n` extension elements that are stored one after the other, [`Ext::degree`] lanes
/// each, from lane `skip < 8` of `data` on. Each of them gets a block of its own.
pub fn unpack(data: Slice, skip: usize, n: usize) -> Slice {
    let blocks = read_lanes(data, skip + Ext::degree() * n);
    let blocks: Vec<_> = in_extension!(|E| {
        let elements = solved(precompile::unpack::<E>(&blocks, skip, n));
        elements.into_iter().map(ext_to_block).collect()
    });
    Slice::from_native(&blocks)
}

/// Fails unless [`unpack`] of these arguments is `elements`.
pub fn assert_unpacked(data: Slice, skip: usize, n: usize, elements: Slice) {
    assert_eq!(unpack(data, skip, n).native(n), elements.native(n));
}

/// Returns the `n` elements of GF(2^128) that are stored one after the other, five lanes each, from
/// lane `skip < 8` of `data` on. Each of them gets a block of its own.
///
/// That they are elements is seen where they are multiplied: a lane may have any value.
pub fn unpack_binary(data: Slice, skip: usize, n: usize) -> Slice {
    let blocks = read_lanes(data, skip + BINARY_LANES * n);
    let elements = solved(precompile::unpack::<EF>(&blocks, skip, n));
    let blocks: Vec<_> = elements.into_iter().map(ext_to_block).collect();
    Slice::from_native(&blocks)
}

/// Returns the canonical integer of `x`, shifted right by 0 to `8n - 1` bits: lane `j` of block `i`
/// is `x >> (8i + j)`.
///
/// Fails if the integer has more than `8n` bits; `n` is 1 to 4.
pub fn right_shifts(x: Felt, n: usize) -> Slice {
    Slice::from_native(&solved(precompile::right_shifts(x.0, n)))
}

/// Returns the product of `1 - r_i + r_i x^(2^i)` over the extension elements `r_i` in the first
/// `n` blocks of `coordinates`, where `x` is `generator` to the power of the canonical integer of
/// `exponent`.
///
/// Fails if the integer has more than `n` bits; `n` is 1 to 24. The degree must be five.
pub fn power_weights(coordinates: Slice, n: usize, generator: Felt, exponent: Felt) -> Ext {
    let blocks = coordinates.native(n);
    let coordinates = blocks.iter().map(precompile::ext_from_block::<EF>);
    let coordinates: Vec<_> = solved(coordinates.collect());
    let weight = precompile::power_weights(&coordinates, generator.0, exponent.0);
    Ext::from(solved(weight))
}

/// Returns the result of a step of FRI folding: `(left + right) / 2 + scale * (left - right)`.
pub fn fold_pair(left: Ext, right: Ext, scale: Ext) -> Ext {
    in_extension!(|E| {
        let [left, right, scale] = [left, right, scale].map(Ext::to::<E>);
        Ext::of(precompile::fold(left, right, scale))
    })
}

/// Returns the sum of the words of the first `blocks >= 1` blocks of `data`, each multiplied by the
/// element in its block of `weights`, and of `sum`. Both slices have the layout of an [`Ext`] of
/// [`baby_bear`](super::baby_bear): four words in each block of data, and so four weights for each.
///
/// Fails unless all words of the data are canonical.
pub fn baby_bear_dot(data: Slice, weights: Slice, blocks: usize, sum: Ext) -> Ext {
    let field = run::field();
    assert_eq!(field, ChallengeField::BabyBear, "the field of challenges");
    let (data, weights) = (data.native(blocks), weights.native(4 * blocks));
    let sum = precompile::baby_bear_dot(&data, &weights, &sum.as_block().native());
    Ext::of(solved(sum))
}

/// Returns the Poseidon-16 compression of two blocks.
pub fn poseidon16_compress(left: Block, right: Block) -> Block {
    let (left, right) = (left.native(), right.native());
    Block::from_native(precompile::poseidon16_compress(&left, &right))
}

/// Runs an overwrite sponge over `lanes >= 8` lanes of `data`, and returns the rate and capacity
/// halves of the last output.
///
/// If the last block is partial, the sponge gives its other lanes the values that they have in the
/// previous output. Lanes that already have a value must agree.
pub fn poseidon16_sponge(data: Slice, lanes: usize, capacity: Block) -> (Block, Block) {
    let output = sponge(data, lanes, capacity, 0, precompile::poseidon16_duplex);
    let [rate] = output.rate.map(Block::from_native);
    (rate, Block::from_native(output.capacity))
}

/// Like [`poseidon16_sponge`], but adds `tag` to lane 0 of the capacity before every permutation,
/// and returns the rate and capacity halves of the last output as two consecutive blocks.
pub fn poseidon16_duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
    let output = sponge(data, lanes, capacity, tag, precompile::poseidon16_duplex);
    let [rate] = output.rate;
    Slice::from_native(&[rate, output.capacity])
}

/// Returns the rate half of [`poseidon16_sponge`]: a digest, for hashes that do not continue from
/// the capacity.
pub fn poseidon16_hash(data: Slice, lanes: usize, capacity: Block) -> Block {
    let [rate] = sponge(data, lanes, capacity, 0, precompile::poseidon16_duplex).rate;
    Block::from_native(rate)
}

/// Runs a native overwrite sponge of a rate of `N` blocks, and gives the lanes after the end of a
/// partial last block their values.
pub(super) fn sponge<const N: usize>(
    data: Slice,
    lanes: usize,
    capacity: Block,
    tag: usize,
    native: impl FnOnce(
        &[precompile::Block],
        usize,
        &precompile::Block,
        F,
    ) -> Result<SpongeOutput<N>, PrecompileError>,
) -> SpongeOutput<N> {
    let blocks = read_lanes(data, lanes);
    let output = native(&blocks, lanes, &capacity.native(), F::from_usize(tag));
    let (output, last) = (solved(output), blocks.len() - 1);
    run::fill(data.address(blocks.len()) + last, output.last_block);
    output
}

/// Returns the root of a Merkle path of `depth` siblings, from 1 to 30. Fails unless `index` is
/// below `2^depth`.
pub fn poseidon16_merkle(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
    let (leaf, index) = (leaf.native(), index.0.as_canonical_u32());
    let root = precompile::poseidon16_merkle(&leaf, index, &path.native(depth));
    Block::from_native(solved(root))
}

/// Returns the parent of two digests in Poseidon2.
///
/// This is no hash of two blocks: there is no feed-forward, so for any result whoever chooses both
/// blocks finds some at once. It is for trees of fixed depth over hashed leaves. To hash two
/// blocks, use [`poseidon2_hash`] or [`poseidon16_compress`].
pub fn poseidon2_compress(left: Block, right: Block) -> Block {
    let (left, right) = (left.native(), right.native());
    Block::from_native(precompile::poseidon2_compress(&left, &right))
}

/// Runs the Poseidon2 sponge of rate 16 over `lanes >= 16` lanes of `data`, adding `tag` to lane 0
/// of the capacity before every permutation, and returns the two blocks of the rate and the
/// capacity of the last output as three consecutive blocks.
///
/// If the last block is partial, the sponge gives its other lanes the values that they have in the
/// previous output. Lanes that already have a value must agree.
pub fn poseidon2_duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
    let output = sponge(data, lanes, capacity, tag, precompile::poseidon2_sponge);
    let [low, high] = output.rate;
    Slice::from_native(&[low, high, output.capacity])
}

/// Returns the digest of the Poseidon2 sponge: the first block of [`poseidon2_duplex`] with tag 0.
pub fn poseidon2_hash(data: Slice, lanes: usize, capacity: Block) -> Block {
    let [digest, _] = sponge(data, lanes, capacity, 0, precompile::poseidon2_sponge).rate;
    Block::from_native(digest)
}

/// Returns the root of a Merkle path in Poseidon2 of `depth` siblings, from 1 to 30. Fails unless
/// `index` is below `2^depth`. The leaf must be a hash: see [`poseidon2_compress`].
pub fn poseidon2_merkle(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
    let (leaf, index) = (leaf.native(), index.0.as_canonical_u32());
    let root = precompile::poseidon2_merkle(&leaf, index, &path.native(depth));
    Block::from_native(solved(root))
}

/// Returns the limbs of `groups` blocks of elements, two blocks for each.
pub fn limbs(data: Slice, groups: usize) -> Slice {
    // The prover may choose lanes without a value; this run chooses zero.
    let blocks = run::read_or_zero(data.address(groups), groups);
    let limbs: Vec<_> = blocks.iter().flat_map(precompile::limbs).collect();
    Slice::from_native(&limbs)
}

/// Returns the chaining value of a BLAKE3 chunk of `words` words or, if `root`, the digest.
pub fn blake3_chunk(limbs: Slice, words: usize, counter: usize, root: bool) -> Slice {
    let blocks = read_lanes(limbs, 2 * words);
    let digest = precompile::blake3_chunk(&blocks, words, counter as u32, root);
    Slice::from_native(&solved(digest))
}

/// Returns the BLAKE3 parent node or, if `root`, the digest.
pub fn blake3_parent(left: Slice, right: Slice, root: bool) -> Slice {
    let (left, right) = (byte_digest(left), byte_digest(right));
    Slice::from_native(&solved(precompile::blake3_parent(&left, &right, root)))
}

/// Returns the root of a Merkle path in Blake3 with `depth` siblings, from 1 to 30, of two blocks
/// each. Fails unless `index` is below `2^depth`.
pub fn blake3_merkle(leaf: Slice, index: Felt, path: Slice, depth: usize) -> Slice {
    let (leaf, index) = (byte_digest(leaf), index.0.as_canonical_u32());
    let root = precompile::blake3_merkle(&leaf, index, &byte_path(path, depth));
    Slice::from_native(&solved(root))
}

/// Returns the Keccak-256 digest of `words` words; rate blocks of 34 words start 10 blocks apart.
pub fn keccak_hash(limbs: Slice, words: usize) -> Slice {
    let blocks = read_rate_blocks(limbs, words);
    Slice::from_native(&solved(precompile::keccak_hash(&blocks, words)))
}

/// Returns the blocks that contain `words` words in rate blocks of Keccak-f.
fn read_rate_blocks(limbs: Slice, words: usize) -> Vec<precompile::Block> {
    let runs = words.saturating_sub(1) / precompile::KECCAK_RATE_WORDS;
    let rest = words - runs * precompile::KECCAK_RATE_WORDS;
    let lanes = 8 * runs * precompile::KECCAK_RATE_BLOCKS + 2 * rest;
    let blocks = lanes.div_ceil(8);
    run::read_or_zero(limbs.address(blocks), blocks)
}

/// Returns the root of a Merkle path in Keccak-256 with `depth` siblings, from 1 to 30, of two
/// blocks each. Fails unless `index` is below `2^depth`.
pub fn keccak_merkle(leaf: Slice, index: Felt, path: Slice, depth: usize) -> Slice {
    let (leaf, index) = (byte_digest(leaf), index.0.as_canonical_u32());
    let root = precompile::keccak_merkle(&leaf, index, &byte_path(path, depth));
    Slice::from_native(&solved(root))
}

/// Returns the digest of `words` words in the overwrite sponge over the 64-bit lanes of Keccak-f;
/// rate blocks of 34 words start 10 blocks apart.
///
/// Nothing is padded: words of zero after the end may give the same digest. It is for messages
/// whose length is a constant.
pub fn keccak_sponge(limbs: Slice, words: usize) -> Slice {
    let blocks = read_rate_blocks(limbs, words);
    Slice::from_native(&solved(precompile::keccak_sponge(&blocks, words)))
}

/// Returns the root of a Merkle path in [`keccak_sponge`] with `depth` siblings, from 1 to 30, of
/// two blocks each. Fails unless `index` is below `2^depth`.
pub fn keccak_sponge_merkle(leaf: Slice, index: Felt, path: Slice, depth: usize) -> Slice {
    let (leaf, index) = (byte_digest(leaf), index.0.as_canonical_u32());
    let root = precompile::keccak_sponge_merkle(&leaf, index, &byte_path(path, depth));
    Slice::from_native(&solved(root))
}

fn byte_digest(slice: Slice) -> precompile::ByteDigest {
    let blocks = slice.native(2);
    [blocks[0], blocks[1]]
}

fn byte_path(path: Slice, depth: usize) -> Vec<precompile::ByteDigest> {
    (0..depth).map(|i| byte_digest(path.skip(2 * i))).collect()
}

/// Walks `pairs` pairs of Winternitz chains to their ends, `steps` steps in all, and compresses the
/// ends into a state, pair by pair. Returns the states; the last one stands for all chains.
///
/// Each block of `starts` holds the values of two chains, four lanes each. `context` holds the
/// public parameter; six elements with the chains' digits and the two elements of the tweak; and
/// the first state. [`droste_native::precompile::poseidon16_winternitz`] defines steps and digits.
///
/// Fails if the digits do not make so many steps.
pub fn poseidon16_winternitz(starts: Slice, context: Slice, pairs: usize, steps: usize) -> Slice {
    let (starts, context) = (starts.native(pairs), context.native(3));
    let [parameter, digits, first] = [0, 1, 2].map(|i| &context[i]);
    let states = precompile::poseidon16_winternitz(&starts, parameter, digits, first, steps as u32);
    Slice::from_native(&solved(states))
}

/// Fails unless a Merkle path of `levels` levels leads from the first half of `leaf` to the first
/// half of `key`. Nodes have four lanes; the second half of `key` is the public parameter that
/// every level hashes.
///
/// Each block of `tweaks` holds the tweak of a level and the side of the node below, each block of
/// `children` both children. [`droste_native::precompile::poseidon16_tweaked_root`] defines a
/// level.
pub fn assert_poseidon16_tweaked_path(
    key: Block,
    leaf: Block,
    tweaks: Slice,
    children: Slice,
    levels: usize,
) {
    let key = key.native();
    let [r0, r1, r2, r3, p0, p1, p2, p3] = key;
    let root = solved(precompile::poseidon16_tweaked_root(
        &leaf.native(),
        [p0, p1, p2, p3],
        &tweaks.native(levels),
        &children.native(levels),
    ));
    assert_eq!(root, [r0, r1, r2, r3], "the path leads to another root");
}

/// Fails unless `low` is the integer of the low 24 bits of the canonical integer of `x`, and `x` is
/// not `p - 1`. The seven bits above are then not all ones.
pub fn assert_low_24_bits(x: Felt, low: Felt) {
    assert_eq!(solved(precompile::low_24_bits(x.0)), low.0);
}

/// Returns the product of two elements of GF(2^128) and, added to it, a third.
/// [`droste_native::precompile::binary_to_block`] says how a block holds an element.
///
/// Fails if a block is not that of an element, as the other functions of these elements do.
pub fn binary_product(left: Block, right: Block, added: Block) -> Block {
    binary_products([[left, right]], added)
}

/// Returns the product of an element of GF(2^128) with the sum of the first two of a slice and,
/// added to it, another element.
pub fn binary_scale(left: Block, right: Slice, added: Block) -> Block {
    binary_products([[left, right.block(0)], [left, right.block(1)]], added)
}

/// Returns the sum of two products of elements of GF(2^128), of block 0 of each slice, and of block
/// `distance >= 1` of the left one with block 1 of the right one, and of another element.
pub fn binary_dot(left: Slice, distance: usize, right: Slice, added: Block) -> Block {
    let second = left.block(distance);
    binary_products(
        [[left.block(0), right.block(0)], [second, right.block(1)]],
        added,
    )
}

/// Returns the sum of the products of words with weights, and of another element of GF(2^128).
///
/// The words are those of the field elements in the first `blocks` blocks, one or two, of `words`:
/// those that a byte hash absorbs, four to an element, the lowest one first. So there are two
/// weights for each block.
pub fn word_products(words: Slice, blocks: usize, weights: Slice, added: Block) -> Block {
    let (words, weights) = (words.native(blocks), weights.native(2 * blocks));
    let result = precompile::word_products(&words, &weights, &added.native());
    Block::from_native(solved(result))
}

fn binary_products<const N: usize>(pairs: [[Block; 2]; N], added: Block) -> Block {
    let pairs = pairs.map(|pair| pair.map(Block::native));
    let pairs = pairs.each_ref().map(|[left, right]| [left, right]);
    let result = precompile::binary_products(&pairs, &added.native());
    Block::from_native(solved(result))
}
