//! A chain of calls of Keccak-f that are proved in one batch, not in the machine's table.

use droste_gadgets::prelude::*;
use droste_gadgets::verify::binary::called::CallList;
use droste_gadgets::verify::binary::shape::{Calls, Shape};

/// Public input `x < 2^30`. Starts with a state whose first element, lanes 0 and 1, is `x`, and the
/// others zero, permutes it as often as there are calls, and reveals the first 120 bits of the
/// result, 30 each.
pub fn run(shape: &Shape, calls: &Calls) {
    let x = public_input();
    let mut list = CallList::empty();
    let zero = Felt::ZERO;
    let first = Block::new([x, zero, zero, zero, zero, zero, zero, zero]);
    let mut state = vec![Block::ZERO; 13];
    state[0] = first;
    for _i in 0..1usize << shape.log_calls {
        state = list.call(calls, &state);
    }
    list.verify(shape, calls);
    for i in 0..4 {
        reveal(state[0].lane(i));
    }
}
