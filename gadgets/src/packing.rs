//! Extension elements packed five lanes each in blocks.

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

/// `N` consecutive extension elements, five coefficients each, laid out from place `at` on.
pub fn unpack_all<H: Hash, const N: usize>(data: Slice, at: usize) -> [Ext; N] {
    let mut elements = [Ext::ZERO; N];
    if H::RUN == 8 {
        let all = unpack(data.skip(at / 8), at % 8, N);
        for i in 0..N {
            elements[i] = all.block(i).as_ext();
        }
    } else {
        let mut done = 0;
        for _run in 0..N {
            if done < N {
                let place = at + 5 * done;
                let first = data.skip(place / H::RUN * H::RUN_BLOCKS);
                let lane = place % H::RUN;
                // Elements that lie within this run.
                let fit = (H::RUN - lane) / 5;
                let count = if fit < N - done { fit } else { N - done };
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

/// Fails if element `index` of `N` consecutive ones at the start of `data` is not `value`. `elements` are
/// all of them.
///
/// Nothing here bounds `index`: the caller makes sure, by constraints, that it is below `N`.
pub fn assert_entry_unchecked<H: Hash, const N: usize>(
    data: Slice,
    elements: [Ext; N],
    index: Felt,
    value: Ext,
) {
    if H::RUN == 8 {
        // Of `N` blocks, and the index is below `N`: the caller's obligation.
        let entry = unpack(data, 0, N).at_unchecked(index);
        assert_eq!(entry, value.as_block());
    } else {
        let mut blocks = [Block::ZERO; N];
        for i in 0..N {
            blocks[i] = elements[i].as_block();
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
