//! Hash chain in BLAKE3.

use droste_gadgets::prelude::*;

/// Public inputs `n` and `x < 2^16`. Starts with 32 bytes of which the first two are `x` and the
/// others zero, hashes them `n` times, and reveals the first four 16-bit limbs of the result.
pub fn main() {
    let n = public_input();
    let x = public_input();
    let zero = Felt::ZERO;
    let first = Block::new([x, zero, zero, zero, zero, zero, zero, zero]);
    let mut digest = Slice::from_blocks([first, Block::ZERO]);
    for _i in count_to(n) {
        digest = blake3_chunk(digest, 8, 0, true);
    }
    for i in 0..4 {
        reveal(digest.block(0).lane(i));
    }
}
