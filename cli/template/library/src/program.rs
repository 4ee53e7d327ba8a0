//! Reveals the cube of a public input.

use droste_gadgets::prelude::*;

/// Public input `x`, output `x^3`.
pub fn main() {
    let x = public_input();
    reveal(x * x * x);
}
