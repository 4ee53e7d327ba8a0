//! Fibonacci numbers: reads `n` and reveals the `n`-th number in the field.

use droste_gadgets::prelude::*;

/// Public input `n`, output `F(n)` with `F(0) = 0`, `F(1) = 1`.
pub fn main() {
    let n = public_input();
    let mut current = Felt::ZERO;
    let mut next = Felt::ONE;
    for _i in count_to(n) {
        let sum = current + next;
        current = next;
        next = sum;
    }
    reveal(current);
}
