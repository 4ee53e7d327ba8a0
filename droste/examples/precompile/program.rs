//! Squares the lanes of a block twice, by a precompile.

use droste_gadgets::prelude::*;
use my_crate::squares;

/// Public input `x`, output `x^4`.
pub fn main() {
    let x = public_input();
    let block = Block::new([x, felt(2), felt(3), x, x, x, x, felt(8)]);
    reveal(squares(squares(block)).lane(0));
}
