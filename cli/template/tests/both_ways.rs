// Runs the whole program natively and in the machine: both must end in the same statement.

use droste::both_ways::{Hint, NativeTape, Program};
use droste::prelude::{F, PrimeCharacteristicRing};
use droste::program::commitment;

#[test]
fn the_cube_of_five() {
    let program = Program::new("src/lib.rs", include_str!("../src/lib.rs"), program::main);
    // One hint, as in `hints.json`, and no public inputs.
    let tape = NativeTape {
        hints: vec![Hint::Felt(F::from_u32(5))],
    };
    let statement = program.both(&tape, &[]).unwrap();
    // In Python: `droste.commitment([5, 125])`.
    let expected = commitment(&[5, 125].map(F::from_u32));
    assert_eq!(statement.map(F::from_u32), expected);
    // No false hint leads to the same statement.
    assert_eq!(program.mutate_hints(&tape, &[]), 0);
}
