//! Two calls of BLAKE3, of which the second takes the first one's output.

use droste_gadgets::prelude::*;
use droste_gadgets::verify::binary::called::CallList;
use droste_gadgets::verify::binary::shape::{Calls, Shape};

/// Hint: a block, all of which is admissible, since the calls bind it. Reveals its lanes 0 to 3,
/// and those of the first element of the second output.
pub fn run(shape: &Shape, calls: &Calls) {
    let first = hint_slice(1).any().block(0);
    let mut list = CallList::empty();
    let zero = Block::ZERO;
    let output = list.call(calls, &[first, zero, zero, zero, zero, zero, zero]);
    let input = [
        first, zero, output[0], output[1], output[2], output[3], zero,
    ];
    let output = list.call(calls, &input);
    list.verify(shape, calls);
    for i in 0..4 {
        reveal(first.lane(i));
    }
    for i in 0..4 {
        reveal(output[0].lane(i));
    }
}
