//! Poseidon2 with round constants that the program gives.
//!
//! The machine's tables have one list of constants for a whole run. So a program calls
//! [`poseidon2_16_constants`] and [`poseidon2_24_constants`] once each at most, before whatever
//! needs the constants, and outside of run-time loops, branches and `#[inline(never)]` functions.
//! The compiler refuses other programs, since tables do not know which of two calls comes first.

use std::cell::RefCell;

use droste_native::hash::poseidon2::Constants;
use droste_native::precompile::Permutations;
use p3_field::PrimeField32;

use super::block::{Block, Slice};
use super::felt::Felt;
use super::precompiles::{solved, sponge};

thread_local! {
    /// The permutations of the run, which has its own thread.
    static PERMUTATIONS: RefCell<Permutations> = RefCell::new(Permutations::default());
}

/// Takes the round constants of Poseidon2 of width 16, 148 elements in the order in which the
/// permutation adds them, in 19 blocks of which the last is filled up with zeros.
///
/// Fails if they have been given before.
pub fn poseidon2_16_constants(constants: Slice) {
    let blocks = constants.native(Constants::<16>::BLOCKS);
    PERMUTATIONS.with_borrow_mut(|permutations| {
        solved(permutations.poseidon2_16_constants(&blocks));
    });
}

/// Takes the round constants of Poseidon2 of width 24, 215 elements in the order in which the
/// permutation adds them, in 27 blocks of which the last is filled up with zeros.
///
/// Fails if they have been given before.
pub fn poseidon2_24_constants(constants: Slice) {
    let blocks = constants.native(Constants::<24>::BLOCKS);
    PERMUTATIONS.with_borrow_mut(|permutations| {
        solved(permutations.poseidon2_24_constants(&blocks));
    });
}

/// Returns the parent of two digests in Poseidon2 of width 16 with the program's constants.
///
/// This is no hash of two blocks, as [`poseidon2_compress`](super::poseidon2_compress) is none.
pub fn poseidon2_16_compress(left: Block, right: Block) -> Block {
    let (left, right) = (left.native(), right.native());
    let parent =
        PERMUTATIONS.with_borrow(|permutations| permutations.poseidon2_16_compress(&left, &right));
    Block::from_native(solved(parent))
}

/// Runs the Poseidon2 sponge of width 16 and rate 8 over `lanes >= 8` lanes of `data` with the
/// program's constants, adding `tag` to lane 0 of the capacity before every permutation, and returns
/// the rate and the capacity of the last output as two consecutive blocks.
///
/// If the last block is partial, the sponge gives its other lanes the values that they have in the
/// previous output. Lanes that already have a value must agree.
pub fn poseidon2_16_duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
    PERMUTATIONS.with_borrow(|permutations| {
        let output = sponge(
            data,
            lanes,
            capacity,
            tag,
            |blocks, lanes, capacity, tag| {
                permutations.poseidon2_16_duplex(blocks, lanes, capacity, tag)
            },
        );
        let [rate] = output.rate;
        Slice::from_native(&[rate, output.capacity])
    })
}

/// Returns the digest of the sponge of width 16: the first block of [`poseidon2_16_duplex`] with tag
/// 0.
pub fn poseidon2_16_hash(data: Slice, lanes: usize, capacity: Block) -> Block {
    poseidon2_16_duplex(data, lanes, capacity, 0).block(0)
}

/// Returns the root of a Merkle path of [`poseidon2_16_compress`] of `depth` siblings, from 1 to 30.
/// Fails unless `index` is below `2^depth`. The leaf must be a hash.
pub fn poseidon2_16_merkle(leaf: Block, index: Felt, path: Slice, depth: usize) -> Block {
    let (leaf, index) = (leaf.native(), index.0.as_canonical_u32());
    let siblings = path.native(depth);
    let root = PERMUTATIONS
        .with_borrow(|permutations| permutations.poseidon2_16_merkle(&leaf, index, &siblings));
    Block::from_native(solved(root))
}

/// Runs the Poseidon2 sponge of width 24 and rate 16 over `lanes >= 16` lanes of `data` with the
/// program's constants, adding `tag` to lane 0 of the capacity before every permutation, and returns
/// the two blocks of the rate and the capacity of the last output as three consecutive blocks.
///
/// A partial last block is filled as by [`poseidon2_16_duplex`].
pub fn poseidon2_24_duplex(data: Slice, lanes: usize, capacity: Block, tag: usize) -> Slice {
    PERMUTATIONS.with_borrow(|permutations| {
        let output = sponge(
            data,
            lanes,
            capacity,
            tag,
            |blocks, lanes, capacity, tag| {
                permutations.poseidon2_24_duplex(blocks, lanes, capacity, tag)
            },
        );
        let [low, high] = output.rate;
        Slice::from_native(&[low, high, output.capacity])
    })
}

/// Returns the digest of the sponge of width 24: the first block of [`poseidon2_24_duplex`] with tag
/// 0.
pub fn poseidon2_24_hash(data: Slice, lanes: usize, capacity: Block) -> Block {
    poseidon2_24_duplex(data, lanes, capacity, 0).block(0)
}
