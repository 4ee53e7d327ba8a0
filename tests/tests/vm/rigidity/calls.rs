//! Calls of every precompile, whose operands are given.

use crate::common::call;
use droste_native::hash::poseidon2::Constants;
use droste_native::{EF, EF4, F, precompile as native};
use droste_vm::isa::{Instruction, id};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32, TwoAdicField};

pub type Block = [F; 8];

/// Address of the first block that the run computes. All blocks before are given.
pub const RESULTS: u32 = 200;

/// Calls of precompiles, and the blocks that they take.
pub struct Calls {
    pub given: Vec<Block>,
    pub results: u32,
    pub instructions: Vec<Instruction>,
}

pub fn random(seed: u32) -> Block {
    std::array::from_fn(|lane| F::from_u32(seed * 77_777 + 5 * lane as u32 + 3).cube())
}

pub fn limbs(seed: u32) -> Block {
    random(seed).map(|value| F::from_u32(value.as_canonical_u32() & 0xffff))
}

pub fn element(seed: u32) -> EF {
    EF::from_basis_coefficients_fn(|index| random(seed)[index])
}

impl Calls {
    pub fn new() -> Self {
        Self {
            given: Vec::new(),
            results: RESULTS,
            instructions: Vec::new(),
        }
    }

    /// Appends given blocks, and returns the address of the first one.
    pub fn many(&mut self, blocks: Vec<Block>) -> u32 {
        // Block 0 is the statement.
        let at = 1 + self.given.len() as u32;
        self.given.extend(blocks);
        assert!(
            self.given.len() < RESULTS as usize,
            "{} blocks",
            self.given.len()
        );
        at
    }

    /// Appends a given block, and returns its address.
    pub fn one(&mut self, block: Block) -> u32 {
        self.many(vec![block])
    }

    /// Appends given blocks that a sponge absorbs, of which the last is as it absorbs it, and
    /// returns the address of the first one.
    pub fn absorbed(&mut self, mut blocks: Vec<Block>, last: Block) -> u32 {
        blocks.pop();
        blocks.push(last);
        self.many(blocks)
    }

    /// Returns the address of blocks that a call writes.
    pub fn results(&mut self, count: u32) -> u32 {
        self.results += count;
        self.results - count
    }

    pub fn call(&mut self, identity: u32, operands: [u32; 5]) {
        self.instructions.push(call(identity, operands));
    }

    /// Returns the address of a slice with so many lanes, which calls of `ext` write: whole blocks
    /// as copies of given ones, the lanes of the last one by themselves.
    pub fn slice(&mut self, lanes: usize, seed: u32) -> u32 {
        let at = self.results(lanes.div_ceil(8) as u32);
        for block in 0..(lanes / 8) as u32 {
            let from = self.one(random(seed + block));
            self.call(id::BLOCK_EQ, [from, at + block, 0, 0, 0]);
        }
        let last = random(seed + 90);
        for (lane, value) in last.iter().enumerate().take(lanes % 8) {
            let value = value.as_canonical_u32();
            self.call(
                id::LANE,
                [at + (lanes / 8) as u32, value, 0, 0, lane as u32],
            );
        }
        at
    }
}

pub fn ext(calls: &mut Calls) {
    let elements = [1, 2, 3].map(|seed| native::ext_to_block(element(seed)));
    let [a, b, c] = elements.map(|block| calls.one(block));
    for mode in 0..5 {
        let (b, c) = match mode {
            0 | 4 => (b, c),
            1 => (9, c),
            2 => (b, 11),
            _ => (9, 11),
        };
        let d = calls.results(1);
        calls.call(id::EXT, [a, b, c, d, mode]);
    }
    calls.slice(11, 5);
    let data = calls.many((10..14).map(random).collect());
    for (skip, length) in [(3, 17), (0, 8), (7, 1), (2, 3)] {
        let d = calls.results(1);
        calls.call(id::HORNER, [data, b, length, d, skip]);
    }
    for (skip, count) in [(1, 4), (3, 1), (4, 1), (0, 3)] {
        let d = calls.results(count);
        calls.call(id::UNPACK, [data, 0, count, d, skip]);
    }
    for (x, count) in [
        (0x5aa5_1234, 4),
        (127 << 24, 4),
        (0, 4),
        (0x1234, 2),
        (200, 1),
        (0x00ab_cdef, 3),
    ] {
        let a = calls.results(count);
        calls.call(id::RIGHT_SHIFTS, [a, x, count, 0, 0]);
    }
}

pub fn poseidon16(calls: &mut Calls) {
    let capacity = calls.one(random(20));
    for (identity, lanes, tag) in [
        (id::POSEIDON16_SPONGE, 24, 0),
        (id::POSEIDON16_SPONGE, 11, 0),
        (id::POSEIDON16_HASH, 14, 0),
        (id::POSEIDON16_SPONGE, 19, 3),
        (id::POSEIDON16_SPONGE, 8, 8),
        (id::POSEIDON16_HASH, 12, 0),
    ] {
        sponge(calls, identity, 2, capacity, lanes, tag);
    }
    compressions(calls, id::POSEIDON16_COMPRESS, id::POSEIDON16_MERKLE);
}

/// A call of a sponge over so many lanes.
pub fn sponge(calls: &mut Calls, id: u32, results: u32, capacity: u32, lanes: usize, tag: u32) {
    let data = calls.slice(lanes, 100);
    let c = calls.results(results);
    calls.call(id, [data, capacity, c, tag, lanes as u32]);
}

pub fn compressions(calls: &mut Calls, compress: u32, merkle: u32) {
    let [a, b] = [21, 22].map(|seed| calls.one(random(seed)));
    let c = calls.results(1);
    calls.call(compress, [a, b, c, 0, 0]);
    let siblings = calls.many((30..33).map(random).collect());
    for (index, depth) in [(5, 3), (0, 1), (2, 2)] {
        let root = calls.results(1);
        calls.call(merkle, [root, index, siblings, a, depth]);
    }
}

pub fn poseidon2(calls: &mut Calls) {
    compressions(calls, id::POSEIDON2_COMPRESS, id::POSEIDON2_MERKLE);
    let capacity = calls.one(random(40));
    for (lanes, tag) in [(48, 16), (21, 0), (29, 7)] {
        sponge(calls, id::POSEIDON2_SPONGE, 3, capacity, lanes, tag);
    }
    for lanes in [16, 31, 17] {
        sponge(calls, id::POSEIDON2_HASH, 3, capacity, lanes, 0);
    }
}

pub fn tweaked(calls: &mut Calls) {
    let [p0, p1, p2, p3, ..] = random(50);
    let parameter = [p0, p1, p2, p3];
    for pairs in [
        &[(5, 7), (7, 6), (7, 7), (6, 5), (7, 6)][..],
        &[(6, 6)],
        &[(7, 7)],
        &[(7, 7), (4, 7), (6, 7), (7, 7)],
    ] {
        let mut digits = [F::ZERO; 8];
        for (index, (left, right)) in pairs.iter().enumerate() {
            digits[index / 4] += F::from_u32((left + 8 * right) << (6 * (index % 4)));
        }
        (digits[6], digits[7]) = (F::from_u32(3 << 10), F::from_u32(77));
        let mut held = [F::ZERO; 8];
        held[..4].copy_from_slice(&parameter);
        let steps: u32 = pairs.iter().map(|(left, right)| 14 - left - right).sum();
        let count = pairs.len() as u32;
        let starts = calls.many((60..60 + count).map(random).collect());
        let context = calls.many(vec![held, digits, random(51)]);
        let ends = calls.results(count + 1);
        calls.call(
            id::POSEIDON16_WINTERNITZ,
            [starts, context, ends, count, steps],
        );
    }
    for sides in [&[false, true, true][..], &[true]] {
        let leaf = random(70);
        let mut below = [leaf[0], leaf[1], leaf[2], leaf[3]];
        let (mut tweaks, mut children) = (vec![], vec![]);
        for (level, &is_right) in (0..).zip(sides) {
            let (mut tweak, mut pair) = (random(71 + level), random(81 + level));
            tweak[2] = F::from_bool(is_right);
            pair[4 * usize::from(is_right)..][..4].copy_from_slice(&below);
            below = native::poseidon16_tweaked([tweak[0], tweak[1]], parameter, pair);
            tweaks.push(tweak);
            children.push(pair);
        }
        let mut key = [F::ZERO; 8];
        key[..4].copy_from_slice(&below);
        key[4..].copy_from_slice(&parameter);
        let [key, leaf] = [key, leaf].map(|block| calls.one(block));
        let (tweaks, children) = (calls.many(tweaks), calls.many(children));
        let operands = [key, tweaks, children, leaf, sides.len() as u32];
        calls.call(id::POSEIDON16_TWEAKED_PATH, operands);
    }
}

pub fn weights(calls: &mut Calls) {
    let eighth = F::two_adic_generator(3).as_canonical_u32();
    for (count, base, exponent) in [
        (3, eighth, 6),
        (1, F::ORDER_U32 - 1, 1),
        (5, 3, 19),
        (4, eighth, 0),
    ] {
        let point = (90..90 + count).map(|seed| native::ext_to_block(element(seed)));
        let point = calls.many(point.collect());
        let d = calls.results(1);
        calls.call(id::POWER_WEIGHTS, [point, base, exponent, d, count]);
    }
}

pub fn arithmetic(calls: &mut Calls) {
    for (element, low) in [
        (0, 0),
        (0x1234_5678, 0x34_5678),
        ((127 << 24) - 1, 0xff_ffff),
    ] {
        calls.call(id::LOW_24_BITS, [element, low, 0, 0, 0]);
    }
    weights(calls);
    let data = calls.many((110..113).map(random).collect());
    for groups in [1, 3] {
        let c = calls.results(2 * groups);
        calls.call(id::LIMBS, [data, 0, c, 0, groups]);
    }
}

/// An element of GF(2^128).
fn binary_element(seed: u32) -> Block {
    let lanes = random(seed).map(|lane| lane.as_canonical_u32() & 0x3fff_ffff);
    let [a, b, c, d, e, ..] = lanes;
    let block = [a, b, c, d, e & 0xff, 0, 0, 0];
    block.map(F::from_u32)
}

/// Products in GF(2^128), of any elements.
pub fn binary(calls: &mut Calls) {
    let mut element = |seed: u32| calls.one(binary_element(seed));
    let elements: Vec<u32> = (120..126).map(&mut element).collect();
    let [a, b, c, d, ..] = elements[..] else {
        return;
    };
    for (identity, operands, distance) in [
        (id::BINARY_PRODUCT, [a, b, c], 0),
        (id::BINARY_PRODUCTS, [a, b, d], 3),
        (id::BINARY_PRODUCTS, [c, d, a], 0),
        (id::BINARY_PRODUCT, [c, c, d], 0),
    ] {
        let result = calls.results(1);
        let [left, right, added] = operands;
        calls.call(identity, [left, right, added, result, distance]);
    }
}

/// Sums of products over BabyBear: words of A are canonical, others may be any.
pub fn baby_bear(calls: &mut Calls) {
    let data = |seed: u32| {
        let mut block = limbs(seed);
        for high in block.iter_mut().skip(1).step_by(2) {
            *high = F::from_u32(high.as_canonical_u32() % 0x7800);
        }
        block
    };
    let data = calls.many((130..133).map(data).collect());
    let any = calls.many((133..145).map(limbs).collect());
    for (a, b, c) in [(0, 0, 1), (1, 2, 2), (2, 3, 4)] {
        let d = calls.results(1);
        calls.call(id::BABY_BEAR, [data + a, any + b, any + c, d, 0]);
    }
    for (b, blocks) in [(0, 3), (5, 1)] {
        let d = calls.results(1);
        calls.call(id::BABY_BEAR_DOT, [data, any + b, any, d, blocks]);
    }
}

/// Products of words of two blocks, then of one.
pub fn words(calls: &mut Calls) {
    let data = calls.many((10..12).map(random).collect());
    let weights = calls.many((120..125).map(binary_element).collect());
    for blocks in [2, 1] {
        let result = calls.results(1);
        let operands = [data, weights, weights + 4, result, blocks];
        calls.call(id::WORD_PRODUCTS, operands);
    }
}

pub fn digests(calls: &mut Calls) {
    let data = calls.many((0..20).map(limbs).collect());
    for (words, flags) in [(40, 1), (16, 6), (5, 1), (33, 14)] {
        let c = calls.results(2);
        calls.call(id::BLAKE3_CHUNK, [data, flags, c, 0, words]);
    }
    for is_root in [0, 1] {
        let c = calls.results(2);
        calls.call(id::BLAKE3_PARENT, [data, data + 6, c, 0, is_root]);
    }
    for words in [3, 34, 40, 67] {
        let c = calls.results(2);
        calls.call(id::KECCAK_HASH, [data, 0, c, 0, words]);
    }
    for merkle in [id::BLAKE3_MERKLE, id::KECCAK_MERKLE] {
        for (index, depth) in [(5, 3), (0, 1), (2, 2)] {
            let d = calls.results(2);
            calls.call(merkle, [data + 2, index, data + 10, d, depth]);
        }
    }
}

/// Calls of the precompiles of degree 4.
pub fn ext4(calls: &mut Calls) {
    let element = |seed: u32| EF4::from_basis_coefficients_fn(|index| random(seed)[index]);
    let elements = [1, 2, 3].map(|seed| native::ext_to_block::<EF4>(element(seed)));
    let [a, b, c] = elements.map(|block| calls.one(block));
    for mode in 0..5 {
        let (b, c) = match mode {
            0 | 4 => (b, c),
            1 => (9, c),
            2 => (b, 11),
            _ => (9, 11),
        };
        let d = calls.results(1);
        calls.call(id::EXT4, [a, b, c, d, mode]);
    }
    let data = calls.many((10..14).map(random).collect());
    for (skip, length) in [(3, 17), (0, 8), (7, 1), (2, 3)] {
        let d = calls.results(1);
        calls.call(id::HORNER4, [data, b, length, d, skip]);
    }
    for (skip, count) in [(2, 4), (5, 1), (4, 1), (0, 3)] {
        let d = calls.results(count);
        calls.call(id::UNPACK4, [data, 0, count, d, skip]);
    }
}

/// Calls of the Keccak sponge over lanes.
pub fn keccak_sponge(calls: &mut Calls) {
    let data = calls.many((0..20).map(limbs).collect());
    for words in [3, 34, 40, 67] {
        let c = calls.results(2);
        calls.call(id::KECCAK_SPONGE, [data, 0, c, 0, words]);
    }
    for (index, depth) in [(5, 3), (0, 1), (2, 2)] {
        let d = calls.results(2);
        let operands = [data + 2, index, data + 10, d, depth];
        calls.call(id::KECCAK_SPONGE_MERKLE, operands);
    }
}

/// Calls of Poseidon2 of width 16 with round constants of the program's own.
pub fn poseidon2_16(calls: &mut Calls) {
    let mut elements = (130..).flat_map(random);
    let constants = Constants::<16>::drawn(|| elements.next().unwrap()).blocks();
    let mut functions = native::Permutations::default();
    functions.poseidon2_16_constants(&constants).unwrap();
    let at = calls.many(constants);
    calls.call(id::POSEIDON2_16_CONSTANTS, [at, 0, 0, 0, 0]);
    absorbing(
        calls,
        [
            (id::POSEIDON2_16_DUPLEX, 2, 24, 0),
            (id::POSEIDON2_16_DUPLEX, 2, 11, 0),
            (id::POSEIDON2_16_HASH, 1, 14, 0),
            (id::POSEIDON2_16_DUPLEX, 2, 19, 3),
            (id::POSEIDON2_16_DUPLEX, 2, 8, 8),
            (id::POSEIDON2_16_HASH, 1, 12, 0),
        ],
        |data, lanes, start, tag| {
            let out = functions.poseidon2_16_duplex(data, lanes, start, tag);
            out.unwrap().last_block
        },
    );
    compressions(calls, id::POSEIDON2_16_COMPRESS, id::POSEIDON2_16_MERKLE);
}

/// Calls of Poseidon2 of width 24 with round constants of the program's own.
pub fn poseidon2_24(calls: &mut Calls) {
    let mut elements = (160..).flat_map(random);
    let constants = Constants::<24>::drawn(|| elements.next().unwrap()).blocks();
    let mut functions = native::Permutations::default();
    functions.poseidon2_24_constants(&constants).unwrap();
    let at = calls.many(constants);
    calls.call(id::POSEIDON2_24_CONSTANTS, [at, 0, 0, 0, 0]);
    absorbing(
        calls,
        [
            (id::POSEIDON2_24_DUPLEX, 3, 48, 16),
            (id::POSEIDON2_24_DUPLEX, 3, 21, 0),
            (id::POSEIDON2_24_DUPLEX, 3, 29, 7),
            (id::POSEIDON2_24_HASH, 1, 16, 0),
            (id::POSEIDON2_24_HASH, 1, 31, 0),
            (id::POSEIDON2_24_HASH, 1, 17, 0),
        ],
        |data, lanes, start, tag| {
            let out = functions.poseidon2_24_duplex(data, lanes, start, tag);
            out.unwrap().last_block
        },
    );
}

/// Calls of a sponge, each with its number of results, its lanes and its tag. `duplex` gives the block
/// that it absorbs last.
fn absorbing(
    calls: &mut Calls,
    all: [(u32, u32, usize, u32); 6],
    duplex: impl Fn(&[Block], usize, &Block, F) -> Block,
) {
    let start = random(40);
    let capacity = calls.one(start);
    for (identity, results, lanes, tag) in all {
        let data = message(lanes);
        let last = duplex(&data, lanes, &start, F::from_u32(tag));
        let a = calls.absorbed(data, last);
        let c = calls.results(results);
        calls.call(identity, [a, capacity, c, tag, lanes as u32]);
    }
}

/// Blocks with so many lanes.
pub fn message(lanes: usize) -> Vec<Block> {
    let blocks = lanes.div_ceil(8) as u32;
    (100..100 + blocks).map(random).collect()
}
