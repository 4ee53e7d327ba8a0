//! One Poseidon-16 permutation.

use droste_gadgets::prelude::*;

/// Public inputs: the first four elements of the state; the other twelve are zero. Reveals two
/// elements of each half of the output.
pub fn main() {
    let a = public_input();
    let b = public_input();
    let c = public_input();
    let d = public_input();
    let zero = Felt::ZERO;
    let state = Slice::from_blocks([Block::new([a, b, c, d, zero, zero, zero, zero])]);
    let (rate, capacity) = poseidon16_sponge(state, 8, Block::ZERO);
    reveal(rate.lane(0));
    reveal(rate.lane(7));
    reveal(capacity.lane(0));
    reveal(capacity.lane(7));
}
