//! XMSS signatures in Poseidon-16: a batch of signatures of one message in one slot, by keys of a
//! registry, each counted once ([`verify_registered`]).
//!
//! `droste_native::hash_signature` defines the scheme. A signature is valid if the chains of its
//! one-time key, from the positions that its encoding says, end in a leaf from which its Merkle
//! path leads to the root of the public key.

use crate::bits::{hint_bits, integer};
use crate::integers::assert_bits;
use crate::prelude::*;
use crate::signers::{WORD_BITS, blocks_for, digest_of_signers, sum_of_shifts};
use crate::suites::poseidon16::hash_slice;
use crate::unchecked::UncheckedSlice;

/// Tag of the hash whose digest is the statement.
pub const CLAIM_TAG: usize = 0x786d_7373;

/// Weight of the kind of a tweak in its first element.
const KIND: usize = 1 << 26;

/// Weight of the upper half of an index in the first element of its tweak.
const UPPER: usize = 1 << 10;

/// The inverse of 64 in the field.
const INVERSE_OF_64: usize = 2_097_414_145;

/// What all signatures of a batch share.
struct Slot {
    /// First element of the tweak of the slot of kind 0, number 0: that of another kind or number
    /// is higher by a constant.
    base: Felt,
    /// Second element of every tweak of the slot.
    low: Felt,
    /// For each level the tweak, and the side of the node below.
    tweaks: Slice,
}

/// Bits of the place of a signer in a word, of which not all values are places.
const PLACE_BITS: usize = 5;

/// Verifies signatures of a message in a slot by keys of a registry, and reveals the digest of what
/// they say ([`signers_statement`]).
///
/// The registry has `2^LOG` keys. The statement names the root of the Merkle tree in Poseidon-16
/// over them, the set of those that have signed, and how many these are. A signature has `2 * PAIRS`
/// chains with `STEPS` steps in all, and a path of `LEVELS` levels.
///
/// Hints: the bits of the slot, the message, the registry's keys, the set of signers, and for each
/// signer, in any order of those of one word, the place in its word and the hints of its signature:
/// a slice of blocks (randomness and the tweak of the encoding; the chains' values, two to a block;
/// and for each level both children), three blocks (the public parameter and four zeros; six
/// elements with digits and the tweak of the chains; the leaf's first state), and the low 24 bits of
/// each element of the encoding, after which come the digits alone if the element has fewer than
/// eight.
pub fn verify_registered<
    const LOG: usize,
    const PAIRS: usize,
    const STEPS: usize,
    const LEVELS: usize,
>() {
    let keys_number = 1usize << LOG;
    let blocks = blocks_for(keys_number);
    let bits = hint_bits::<LEVELS>();
    let slot = slot::<LEVELS>(bits);
    // The statement says which message, registry and signers they are.
    let message = hint_slice(1).any().block(0);
    let keys = hint_slice(keys_number).any();
    let signers = hint_slice(blocks).any();
    assert_none_above(signers, keys_number, blocks);
    let powers = powers_of_two();
    let mut number = Felt::ZERO;
    for i in count(blocks) {
        // `i` is below the number of blocks.
        let block = signers.at_unchecked(i);
        let first = i * felt(8 * WORD_BITS);
        for lane in 0..8 {
            let word = block.lane(lane);
            let ones = felt(2) * word - sum_of_shifts(word).coeff(0);
            // Powers of two, as many as the word has ones, add up to the word only if they are
            // those of its bits: of the places below, none is outside of the word, and none is
            // there twice.
            let mut sum = Felt::ZERO;
            for _signer in count_to(ones) {
                // Added up.
                let place = hint_felt().any();
                assert_bits(place, PLACE_BITS);
                // `place` is below 32, the number of these blocks.
                sum += powers.at_unchecked(place).lane(0);
                // The word has a bit at `place`, so it is that of a key of the registry.
                let key = keys.at_unchecked(first + felt(lane * WORD_BITS) + place);
                verify::<PAIRS, STEPS, LEVELS>(key, message, &slot);
            }
            assert_eq!(sum, word, "other keys have signed");
            number += ones;
        }
    }

    let zero = Felt::ZERO;
    let said = [
        slot_block(&slot, bits, LEVELS),
        message,
        root(keys, LOG),
        digest_of_signers(signers, blocks),
        Block::new([number, zero, zero, zero, zero, zero, zero, zero]),
    ];
    let statement = signers_statement(Slice::from_blocks(said));
    for i in 0..8 {
        reveal(statement.lane(i));
    }
}

/// Returns the statement of [`verify_registered`], of five blocks: the lower and the upper half of
/// the slot; the message; the root of the registry; the digest of the set of signers; and their
/// number.
pub fn signers_statement(said: Slice) -> Block {
    hash_slice(felt(CLAIM_TAG), said, 5)
}

/// Returns the block of the lower and the upper half of a slot.
fn slot_block(slot: &Slot, bits: [Felt; 32], levels: usize) -> Block {
    let zero = Felt::ZERO;
    let upper = part(bits, 16, levels);
    Block::new([slot.low, upper, zero, zero, zero, zero, zero, zero])
}

/// Fails if a set has a signer whose number is not below `keys`.
fn assert_none_above(signers: Slice, keys: usize, blocks: usize) {
    for word in 0..8 * blocks {
        let below = keys.saturating_sub(WORD_BITS * word);
        if below < WORD_BITS {
            let signed = signers.block(word / 8).lane(word % 8);
            if below == 0 {
                assert_eq!(signed, Felt::ZERO, "a signer is outside of the registry");
            } else {
                assert_bits(signed, below);
            }
        }
    }
}

/// Returns a block for each value of [`PLACE_BITS`] bits: with a power of two for a place in a word,
/// and with zero otherwise.
fn powers_of_two() -> Slice {
    let mut powers = vec![Block::ZERO; 1 << PLACE_BITS];
    for place in 0..WORD_BITS {
        powers[place] = Ext::from_felt(felt(1 << place)).as_block();
    }
    Slice::from_blocks(&powers)
}

/// Returns the integer of the 16 bits of an integer of `length` bits from bit `from` on.
fn part(bits: [Felt; 32], from: usize, length: usize) -> Felt {
    if from < length {
        integer(bits, from, (length - from).min(16))
    } else {
        Felt::ZERO
    }
}

/// Computes what depends on the slot alone.
fn slot<const LEVELS: usize>(bits: [Felt; 32]) -> Slot {
    let zero = Felt::ZERO;
    let mut tweaks = Vec::new();
    for level in 0..LEVELS {
        // The index of the node above, among those of its level.
        let lower = part(bits, level + 1, LEVELS);
        let upper = part(bits, level + 17, LEVELS);
        let kind = felt(2 * KIND + level + 1) + upper * felt(UPPER);
        tweaks.push(Block::new([
            kind,
            lower,
            bits[level],
            zero,
            zero,
            zero,
            zero,
            zero,
        ]));
    }
    Slot {
        base: part(bits, 16, LEVELS) * felt(UPPER),
        low: part(bits, 0, LEVELS),
        tweaks: Slice::from_blocks(&tweaks),
    }
}

/// Returns the root of the tree over `2^log` blocks.
fn root(leaves: Slice, log: usize) -> Block {
    let mut nodes = Vec::new();
    for i in 0..(1usize << log) {
        nodes.push(leaves.block(i));
    }
    for _level in 0..log {
        let mut parents = Vec::new();
        for i in 0..nodes.len() / 2 {
            parents.push(poseidon16_compress(nodes[2 * i], nodes[2 * i + 1]));
        }
        nodes = parents;
    }
    nodes[0]
}

/// Fails unless the next hints are a signature of the message under the key.
fn verify<const PAIRS: usize, const STEPS: usize, const LEVELS: usize>(
    key: Block,
    message: Block,
    slot: &Slot,
) {
    // Every randomness and every value of a chain is admissible if the path from the chains' ends
    // leads to the key. The randomness is followed by the tweak.
    let signature = hint_slice(1 + PAIRS + LEVELS).any();
    let randomness = signature.block(0);
    assert_eq!(randomness.lane(6), slot.base + felt(3 * KIND));
    assert_eq!(randomness.lane(7), slot.low);
    let zero = Felt::ZERO;
    let (p0, p1, p2, p3) = (key.lane(4), key.lane(5), key.lane(6), key.lane(7));
    // What the chains read is a hint so that the parameter is at one address only. It is compared
    // with what it must be.
    let context = hint_slice(3).any();
    let parameter = context.block(0);
    assert_eq!(
        parameter,
        Block::new([p0, p1, p2, p3, zero, zero, zero, zero])
    );

    let encoding = poseidon16_compress(poseidon16_compress(message, randomness), parameter);
    let elements = digits::<PAIRS>(encoding);
    let [e0, e1, e2, e3, e4, e5] = elements;
    assert_eq!(
        context.block(1),
        Block::new([e0, e1, e2, e3, e4, e5, slot.base, slot.low])
    );
    let tweak = slot.base + felt(KIND);
    let leaf = Block::new([tweak, slot.low, zero, zero, p0, p1, p2, p3]);
    assert_eq!(context.block(2), poseidon16_compress(leaf, Block::ZERO));

    let values = signature.skip(1);
    let states = poseidon16_winternitz(values, context, PAIRS, STEPS);
    let leaf = states.block(PAIRS - 1);
    assert_poseidon16_tweaked_path(key, leaf, slot.tweaks, values.skip(PAIRS), LEVELS);
}

/// Returns the elements that hold the digits of `PAIRS` pairs of chains, as the encoding says.
/// Fails if an element of the encoding is `p - 1`.
///
/// An element has the digits of four pairs, 24 bits. That the digits of the last pairs, which may
/// be fewer, are below `2^(6 r)` is asserted where the chains use them up.
fn digits<const PAIRS: usize>(encoding: Block) -> [Felt; 6] {
    let mut elements = [Felt::ZERO; 6];
    for i in 0..8 {
        let element = encoding.lane(i);
        // Every value of the hints is admissible: only one passes the assertion.
        let low = hint_felt().any();
        assert_low_24_bits(element, low);
        let pairs = PAIRS.saturating_sub(4 * i).min(4);
        if pairs == 4 {
            elements[i] = low;
        } else if pairs > 0 {
            elements[i] = hint_felt().any();
            assert_above(low - elements[i], pairs);
        }
    }
    elements
}

/// Fails unless `x` is the integer of 24 bits of which the lowest `6 * pairs` are zero.
///
/// The bits above these are an integer: its products with powers of 64 are below `2^24`, one after
/// the other, so none wraps around the field.
fn assert_above(x: Felt, pairs: usize) {
    let mut inverse = Felt::ONE;
    for _pair in 0..pairs {
        inverse = inverse * felt(INVERSE_OF_64);
    }
    let mut product = x * inverse;
    for _pair in 0..pairs {
        assert_low_24_bits(product, product);
        product = product * felt(64);
    }
    assert_low_24_bits(product, product);
}
