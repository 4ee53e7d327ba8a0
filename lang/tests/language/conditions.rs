//! `cfg` is decided as in rustc's normal build, where `test` is not set.

use droste_lang::compiler::compile;
use droste_lang::executor::{Tape, execute};
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

const SOURCE: &str = "
use droste_gadgets::prelude::*;

#[cfg(not(test))]
const QUERIES: usize = 85;
#[cfg(test)]
const QUERIES: usize = 1;

trait Check {
    fn check(&self, x: Felt) {}
}

struct Three;

impl Check for Three {
    #[cfg(not(test))]
    fn check(&self, x: Felt) {
        assert_eq!(x, felt(3));
    }
}

#[cfg(test)]
mod tests {
    enum Anything { Goes(f64) }
}

#[test]
fn never() {
    println!(\"{}\", 1.5);
}

pub fn main() {
    let x = public_input();
    Three.check(x);
    #[cfg(test)]
    reveal(felt(1));
    #[cfg(all(not(test), any(test, not(test))))]
    reveal(felt(2));
    let sum = {
        #[cfg(test)]
        let one = 10;
        #[cfg(not(test))]
        let one = 1;
        QUERIES + one
    };
    reveal(felt(sum));
}
";

/// As rustc builds it, this program reveals 2 and 86 for the input 3, and fails for every other
/// input.
#[test]
fn the_program_is_that_of_the_normal_build() {
    let compiled = compile(SOURCE, &[]).unwrap();
    let run = |x: u32| execute(&compiled, &[F::from_u32(x)], &Tape::default(), 1 << 10);
    let statement = run(3).unwrap().statement;
    assert_eq!(statement[1..3], [2, 86].map(F::from_u32));
    assert!(run(4).is_err());
}
