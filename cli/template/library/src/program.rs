//! Reveals the cube of a public input.

use droste_gadgets::prelude::*;

pub fn main() {
    let x = public_input();
    reveal(x * x * x);
}
