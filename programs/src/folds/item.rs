//! An item of a list: the number at an index. Here any number; a program of yours shows why it is
//! this one.

use droste_gadgets::integers::assert_bits;
use droste_gadgets::prelude::*;

/// Bits of an index.
const INDEX_BITS: usize = 14;

/// Bits of a number.
const BITS: usize = 16;

/// Public inputs: the index and the number.
pub fn main() {
    let index = public_input();
    let number = public_input();
    assert_bits(index, INDEX_BITS);
    assert_bits(number, BITS);
}
