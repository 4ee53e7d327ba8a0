// The whole program, natively and in the machine: both runs must give the same statement.

use droste::both_ways::{Program, Tape};

#[test]
fn the_cube_of_five() {
    let program = Program::new("src/lib.rs", include_str!("../src/lib.rs"), program::main);
    // No hints, one public input.
    let statement = program.both(&Tape::default(), &[5]).unwrap();
    assert_eq!(statement[..2], [5, 125]);
}
