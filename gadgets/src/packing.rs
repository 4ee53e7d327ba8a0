//! Extension elements packed five lanes each in blocks.

use crate::hash::Hash;
use crate::prelude::*;

/// `X^i` for the generator `X` of the extension, up to the largest power [`unpack`] needs.
const POWERS: [Ext; 16] = [
    Ext::new([1, 0, 0, 0, 0]),
    Ext::new([0, 1, 0, 0, 0]),
    Ext::new([0, 0, 1, 0, 0]),
    Ext::new([0, 0, 0, 1, 0]),
    Ext::new([0, 0, 0, 0, 1]),
    Ext::new([1, 0, 2130706432, 0, 0]),
    Ext::new([0, 1, 0, 2130706432, 0]),
    Ext::new([0, 0, 1, 0, 2130706432]),
    Ext::new([2130706432, 0, 1, 1, 0]),
    Ext::new([0, 2130706432, 0, 1, 1]),
    Ext::new([1, 0, 2130706431, 0, 1]),
    Ext::new([1, 1, 2130706432, 2130706431, 0]),
    Ext::new([0, 1, 1, 2130706432, 2130706431]),
    Ext::new([2130706431, 0, 3, 1, 2130706432]),
    Ext::new([2130706432, 2130706431, 1, 3, 1]),
    Ext::new([1, 2130706432, 2130706430, 1, 3]),
];

/// `X^-1`.
const INVERSE: Ext = Ext::new([0, 1, 0, 0, 1]);

/// The `X^i` that recompose an element from its coefficients.
pub const BASIS: [Ext; 5] = [POWERS[0], POWERS[1], POWERS[2], POWERS[3], POWERS[4]];

/// The extension element whose five coefficients are laid out from place `at` on.
pub fn unpack<H: Hash>(data: Slice, at: usize) -> Ext {
    let run = at / H::RUN;
    let lane = at % H::RUN;
    if H::RUN == 8 || lane + 5 <= H::RUN {
        let first = data.skip(run * H::RUN_BLOCKS + lane / 8);
        let skip = lane % 8;
        let blocks = (skip + 12) / 8;
        // The window's lanes weighted with powers of X^-1, brought back to coefficients.
        horner(first, skip, 5, INVERSE) * POWERS[8 * blocks - 1 - skip]
    } else {
        let mut coefficients = [Felt::ZERO; 5];
        for i in 0..5 {
            let run = (at + i) / H::RUN;
            let lane = (at + i) % H::RUN;
            let block = data.block(run * H::RUN_BLOCKS + lane / 8);
            coefficients[i] = block.lane(lane % 8);
        }
        Ext::from_coeffs(coefficients)
    }
}

/// `N` consecutive extension elements from place `at` on.
pub fn unpack_all<H: Hash, const N: usize>(data: Slice, at: usize) -> [Ext; N] {
    let mut elements = [Ext::ZERO; N];
    for i in 0..N {
        elements[i] = unpack::<H>(data, at + 5 * i);
    }
    elements
}

/// Blocks that `n` elements take from place `at` of a run on.
pub fn blocks_for<H: Hash>(at: usize, n: usize) -> usize {
    let last = at + n - 1;
    (last / H::RUN) * H::RUN_BLOCKS + (last % H::RUN) / 8 + 1
}
