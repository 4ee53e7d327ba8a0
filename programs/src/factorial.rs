//! Factorial: reads `n` and reveals `n!` in the field.

use droste_gadgets::prelude::*;

/// Public input `n`, output `1 * 2 * .. * n`.
pub fn main() {
    let n = public_input();
    let mut product = Felt::ONE;
    for i in count_to(n) {
        product *= i + Felt::ONE;
    }
    reveal(product);
}
