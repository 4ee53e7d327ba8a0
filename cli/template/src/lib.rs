//! Reveals the cube of its public input.

use droste_gadgets::prelude::*;

/// Public input `x`, output `x^3`.
pub fn main() {
    let x = public_input();
    reveal(cube(x));
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
