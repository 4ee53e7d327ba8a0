//! Reveals a commitment to a number and its cube.

use droste_gadgets::commitment::reveal_commitment;
use droste_gadgets::prelude::*;

/// The statement is the commitment to `x` and `x^3`, for a hint `x`.
///
/// A statement has eight elements. A commitment takes all of them and binds any number of elements.
/// Without one, `public_input()` reads an element of the statement, and `reveal(x)` writes one.
pub fn main() {
    // Every number is admissible: the commitment binds it.
    let x = hint_felt().any();
    reveal_commitment(&[x, cube(x)]);
}

fn cube(x: Felt) -> Felt {
    x * x * x
}

/// `cargo test` runs these natively, `droste test` in the machine as well.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_of_three() {
        assert_eq!(cube(felt(3)), felt(27));
    }
}
