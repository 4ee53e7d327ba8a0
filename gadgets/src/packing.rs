//! Extension elements packed five lanes each in blocks.

use crate::advice::advise_elements;
use crate::hash::Hash;
use crate::prelude::*;
use crate::unchecked::UncheckedSlice;

/// The powers `X^i` of the extension's generator that recompose an element from its coefficients.
pub const BASIS: [Ext; 5] = [
    Ext::new([1, 0, 0, 0, 0]),
    Ext::new([0, 1, 0, 0, 0]),
    Ext::new([0, 0, 1, 0, 0]),
    Ext::new([0, 0, 0, 1, 0]),
    Ext::new([0, 0, 0, 0, 1]),
];

/// `n` consecutive extension elements, five coefficients each, laid out from place `at` on.
pub fn unpack_all<H: Hash>(data: Slice, at: usize, n: usize) -> Vec<Ext> {
    let mut elements = vec![Ext::ZERO; n];
    if H::RUN == 8 {
        let all = unpack(data.skip(at / 8), at % 8, n);
        for i in 0..n {
            elements[i] = all.block(i).as_ext();
        }
    } else {
        let mut done = 0;
        for _run in 0..n {
            if done < n {
                let place = at + 5 * done;
                let first = data.skip(place / H::RUN * H::RUN_BLOCKS);
                let lane = place % H::RUN;
                // Elements that lie within this run.
                let fit = (H::RUN - lane) / 5;
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

/// A row of `n` elements that the prover chooses, laid out to be hashed.
pub fn hint_row<H: Hash>(n: usize) -> Unchecked<Slice> {
    advise_elements(&[], 0, n, (H::RUN, H::RUN_BLOCKS), !H::FILLS || n < 8);
    hint_slice(blocks_for::<H>(0, n))
}

/// Fails if element `index` of consecutive ones at the start of `data` is not `value`. `elements` are all
/// of them.
///
/// Nothing here bounds `index`: the caller makes sure, by constraints, that it is below their
/// number.
pub fn assert_entry_unchecked<H: Hash>(data: Slice, elements: &[Ext], index: Felt, value: Ext) {
    if H::RUN == 8 {
        // One block an element, and the index is below their number: the caller's obligation.
        let entry = unpack(data, 0, elements.len()).at_unchecked(index);
        assert_eq!(entry, value.as_block());
    } else {
        let mut blocks = Vec::new();
        for element in elements {
            blocks.push(element.as_block());
        }
        // As above.
        let entry = Slice::from_blocks(blocks).at_unchecked(index);
        assert_eq!(entry, value.as_block());
    }
}

/// The element laid out from place `at` on, which reaches into the next run.
fn across_runs<H: Hash>(data: Slice, at: usize) -> Ext {
    let mut coefficients = [Felt::ZERO; 5];
    for i in 0..5 {
        let run = (at + i) / H::RUN;
        let lane = (at + i) % H::RUN;
        let block = data.block(run * H::RUN_BLOCKS + lane / 8);
        coefficients[i] = block.lane(lane % 8);
    }
    Ext::from_coeffs(coefficients)
}

/// Blocks that `n` elements take from place `at` of a run on.
pub fn blocks_for<H: Hash>(at: usize, n: usize) -> usize {
    let last = at + n - 1;
    (last / H::RUN) * H::RUN_BLOCKS + (last % H::RUN) / 8 + 1
}
