// Runs the whole program natively and in the machine: both must end in the same statement.

use droste::both_ways::{NativeTape, Program};

#[test]
fn the_cube_of_five() {
    let program = Program::new("src/lib.rs", include_str!("../src/lib.rs"), program::main);
    // No hints, one public input.
    let statement = program.both(&NativeTape::default(), &[5]).unwrap();
    assert_eq!(statement[..2], [5, 125]);
}
