//! Extension elements packed into blocks, as many lanes each as they have coefficients.
//!
//! In proofs over BabyBear, where [`Hash::LANES`] is two, an element has four words, of two limbs
//! each, and the layout is that of the words that are hashed.

use crate::advice::{advise_elements, advise_words};
use crate::prelude::*;
use crate::suites::hash::Hash;
use crate::unchecked::UncheckedSlice;

/// Returns `n` consecutive extension elements, laid out from position `at` on.
pub fn unpack_all<H: Hash>(data: Slice, at: usize, n: usize) -> Vec<Ext> {
    let mut elements = vec![Ext::ZERO; n];
    if H::LANES == 2 {
        for i in 0..n {
            elements[i] = element_of_words::<H>(data, at + 4 * i);
        }
    } else if H::RUN == 8 {
        let all = unpack(data.skip(at / 8), at % 8, n);
        for i in 0..n {
            elements[i] = all.block(i).as_ext();
        }
    } else {
        let degree = Ext::degree();
        let mut done = 0;
        for _run in 0..n {
            if done < n {
                let place = at + degree * done;
                let first = data.skip(place / H::RUN * H::RUN_BLOCKS);
                let lane = place % H::RUN;
                // Number of elements that lie entirely within this run.
                let fit = (H::RUN - lane) / degree;
                let count = if fit < n - done { fit } else { n - done };
                if count > 0 {
                    let all = unpack(first.skip(lane / 8), lane % 8, count);
                    for i in 0..count {
                        elements[done + i] = all.block(i).as_ext();
                    }
                    done += count;
                } else {
                    elements[done] = across_runs::<H>(data, place);
                    done += 1;
                }
            }
        }
    }
    elements
}

/// Reads a row of `n` elements that the prover chooses, laid out to be hashed.
pub fn hint_row<H: Hash>(n: usize) -> Unchecked<Slice> {
    if H::LANES == 2 {
        advise_words(&[], 0, n, (H::RUN, H::RUN_BLOCKS));
    } else {
        advise_elements(&[], 0, n, (H::RUN, H::RUN_BLOCKS), n < H::FILLED_FROM);
    }
    hint_slice(blocks_for::<H>(0, n))
}

/// Fails unless element `index` of the consecutive elements at the start of `data` is `value`.
/// `elements` are all of these elements.
///
/// This function does not bound `index`: the caller must ensure by constraints that it is below the
/// number of elements.
pub fn assert_entry_unchecked<H: Hash>(data: Slice, elements: &[Ext], index: Felt, value: Ext) {
    // An element has one block, and the caller ensures that the index is below their number.
    let entry = entries::<H>(data, elements).at_unchecked(index);
    assert_eq!(entry, value.as_block());
}

/// Returns a slice of the elements at the start of `data`, each in a block.
fn entries<H: Hash>(data: Slice, elements: &[Ext]) -> Slice {
    let n = elements.len();
    if H::LANES == 2 && (H::RUN == 8 || 4 * n <= H::RUN) {
        // The row itself is one.
        data
    } else if H::LANES == 1 && H::RUN == 8 {
        unpack(data, 0, n)
    } else {
        let mut blocks = Vec::new();
        for element in elements {
            blocks.push(element.as_block());
        }
        Slice::from_blocks(blocks)
    }
}

/// Fails unless words `from..to` of a row over BabyBear are canonical. Does nothing for other rows.
pub fn assert_canonical<H: Hash>(data: Slice, from: usize, to: usize) {
    if H::LANES == 2 {
        let mut checked = 0usize;
        for word in from..to {
            let (block, _lane) = word_place::<H>(word);
            if block >= checked {
                // Its other words are those of elements, which are canonical, or zeros after the row.
                let _element = data.block(block).as_ext();
                checked = block + 1;
            }
        }
    }
}

/// Returns the element of BabyBear whose word has these limbs. Fails unless the word is canonical.
pub fn word_as_ext(low: Felt, high: Felt) -> Ext {
    let zero = Felt::ZERO;
    Block::new([low, high, zero, zero, zero, zero, zero, zero]).as_ext()
}

/// Returns the block of a word of a row over BabyBear, and the lane of the word's low limb.
pub fn word_place<H: Hash>(word: usize) -> (usize, usize) {
    let (run, within) = (word / H::RUN, word % H::RUN);
    (2 * H::RUN_BLOCKS * run + within / 4, 2 * (within % 4))
}

/// Returns the element whose words are laid out from position `at` on. Fails unless they are
/// canonical.
fn element_of_words<H: Hash>(data: Slice, at: usize) -> Ext {
    let (block, lane) = word_place::<H>(at);
    let (last_block, _last_lane) = word_place::<H>(at + 3);
    if lane == 0 && last_block == block {
        data.block(block).as_ext()
    } else {
        let mut limbs = [Felt::ZERO; 8];
        for i in 0..4 {
            let (block, lane) = word_place::<H>(at + i);
            limbs[2 * i] = data.block(block).lane(lane);
            limbs[2 * i + 1] = data.block(block).lane(lane + 1);
        }
        Block::new(limbs).as_ext()
    }
}

/// Returns the element laid out from position `at` on, part of which is in the next run.
fn across_runs<H: Hash>(data: Slice, at: usize) -> Ext {
    let mut coefficients = [Felt::ZERO; 5];
    for i in 0..Ext::degree() {
        let run = (at + i) / H::RUN;
        let lane = (at + i) % H::RUN;
        let block = data.block(run * H::RUN_BLOCKS + lane / 8);
        coefficients[i] = block.lane(lane % 8);
    }
    Ext::from_coeffs(coefficients)
}

/// Returns the number of blocks that `n` elements from position `at` of a run on take. Words take
/// twice as many as elements of one lane.
pub fn blocks_for<H: Hash>(at: usize, n: usize) -> usize {
    let last = at + n - 1;
    H::LANES * ((last / H::RUN) * H::RUN_BLOCKS + (last % H::RUN) / 8 + 1)
}
