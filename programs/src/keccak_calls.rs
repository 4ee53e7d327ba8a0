//! A chain of calls of Keccak-f that are proved in one batch, not in the machine's table.

use droste_gadgets::prelude::*;
use droste_gadgets::verify::binary::called::{CallList, Caller};

/// Public input `x < 2^30`. Starts with a state whose first element, lanes 0 and 1, is `x`, and the
/// others zero, permutes it as often as there are calls, and reveals the first 120 bits of the
/// result, 30 each.
pub struct Program;

impl Caller for Program {
    fn run(list: &mut CallList) {
        let x = public_input();
        let zero = Felt::ZERO;
        let first = Block::new([x, zero, zero, zero, zero, zero, zero, zero]);
        let mut state = vec![Block::ZERO; 13];
        state[0] = first;
        for _i in 0..list.number() {
            state = list.call(&state);
        }
        for i in 0..4 {
            reveal(state[0].lane(i));
        }
    }
}
