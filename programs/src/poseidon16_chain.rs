//! Hash chain in Poseidon-16.

use droste_gadgets::prelude::*;

/// Public inputs `n` and `x`. Starts with the digest `(x, 0, .., 0)`, compresses it `n` times with
/// the zero digest, and reveals four lanes of the result.
pub fn main() {
    let n = public_input();
    let x = public_input();
    let zero = Felt::ZERO;
    let mut digest = Block::new([x, zero, zero, zero, zero, zero, zero, zero]);
    for _i in count_to(n) {
        digest = poseidon16_compress(digest, Block::ZERO);
    }
    for i in 0..4 {
        reveal(digest.lane(i));
    }
}
