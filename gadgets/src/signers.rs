//! Sets of signers, as bits, and their union, which counts nobody twice.
//!
//! A word has a bit for each of 24 keys of a list, that of the first key lowest. A block has eight
//! words.

use crate::prelude::*;
use crate::suites::poseidon16::hash_slice;

/// Keys in a word.
pub const WORD_BITS: usize = 24;

/// Tag of digests of sets ("sgnr").
pub const SIGNERS_TAG: u32 = 0x7367_6e72;

/// Blocks of shifts of a word: an element that has them is an integer below 2^24.
const SHIFTS: usize = WORD_BITS / 8;

/// Returns the number of blocks of a set of so many keys.
pub const fn blocks_for(keys: usize) -> usize {
    keys.div_ceil(8 * WORD_BITS)
}

/// Returns the digest of the set in the first blocks of a slice.
pub fn digest_of_signers(signers: Slice, blocks: usize) -> Block {
    hash_slice(Felt::new(SIGNERS_TAG), signers, blocks)
}

/// Returns the sum of a word's right shifts, by 0 to 23 bits. Fails unless the word is below 2^24.
///
/// This is twice the word less the number of its ones (Legendre).
pub fn sum_of_shifts(word: Felt) -> Ext {
    horner(right_shifts(word, SHIFTS), 0, WORD_BITS, Ext::ONE)
}

/// Returns the union of the sets in the first blocks of two slices, and the number of its signers.
///
/// Let `x` be a word of what both have in common, and `p` and `q` the words of both sets without
/// it. The word `p + q + x`, which must be below 2^24, has as many ones as `p`, `q` and `x`
/// together, less the carries of the additions (Kummer). The number of carries over all words must
/// be zero. Then `p`, `q` and `x` have no bit in common, so `x` is the intersection, and
/// `p + q + x` the union.
pub fn signers_of_both(left: Slice, right: Slice, blocks: usize) -> (Slice, Felt) {
    // Only the intersection passes.
    let common = hint_slice(blocks).any();
    let mut both = Vec::new();
    let (mut sum, mut apart, mut united) = (Felt::ZERO, Ext::ZERO, Ext::ZERO);
    for i in 0..blocks {
        let mut words = [Felt::ZERO; 8];
        for lane in 0..8 {
            let x = common.block(i).lane(lane);
            let word = left.block(i).lane(lane);
            let p = word - x;
            let q = right.block(i).lane(lane) - x;
            let union = word + q;
            apart += sum_of_shifts(p) + sum_of_shifts(q) + sum_of_shifts(x);
            united += sum_of_shifts(union);
            sum += union;
            words[lane] = union;
        }
        both.push(Block::new(words));
    }
    // Both are twice the sum of the unions, less a number of ones, or less this and the carries.
    // These numbers are below the field's order.
    assert_eq!(united, apart, "these are not the signers that both have");
    let signers = felt(2) * sum - united.coeff(0);
    (Slice::from_blocks(&both), signers)
}
