//! Extension elements packed into blocks, as many lanes each as they have coefficients.

use crate::advice::advise_elements;
use crate::prelude::*;
use crate::suites::hash::Hash;
use crate::unchecked::UncheckedSlice;

/// Returns `n` consecutive extension elements, laid out from position `at` on.
pub fn unpack_all<H: Hash>(data: Slice, at: usize, n: usize) -> Vec<Ext> {
    let mut elements = vec![Ext::ZERO; n];
    if H::RUN == 8 {
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
    advise_elements(&[], 0, n, (H::RUN, H::RUN_BLOCKS), n < H::FILLED_FROM);
    hint_slice(blocks_for::<H>(0, n))
}

/// Fails unless element `index` of the consecutive elements at the start of `data` is `value`.
/// `elements` are all of these elements.
///
/// This function does not bound `index`: the caller must ensure by constraints that it is below the
/// number of elements.
pub fn assert_entry_unchecked<H: Hash>(data: Slice, elements: &[Ext], index: Felt, value: Ext) {
    if H::RUN == 8 {
        // An element has one block, and the caller ensures that the index is below their number.
        let entry = unpack(data, 0, elements.len()).at_unchecked(index);
        assert_eq!(entry, value.as_block());
    } else {
        let mut blocks = Vec::new();
        for element in elements {
            blocks.push(element.as_block());
        }
        // An element has one block, and the caller ensures that the index is below their number.
        let entry = Slice::from_blocks(blocks).at_unchecked(index);
        assert_eq!(entry, value.as_block());
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

/// Returns the number of blocks that `n` elements from position `at` of a run on take.
pub fn blocks_for<H: Hash>(at: usize, n: usize) -> usize {
    let last = at + n - 1;
    (last / H::RUN) * H::RUN_BLOCKS + (last % H::RUN) / 8 + 1
}
