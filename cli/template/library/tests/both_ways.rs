// Runs the program natively and in the machine: both must end in the same statement.

use droste::both_ways::{NativeTape, Program};

use library::program;

#[test]
fn the_cube_of_five() {
    let text = include_str!("../src/program.rs");
    let program = Program::new("src/program.rs", text, program::main);
    let tape = NativeTape::default();
    let statement = program.both(&tape, &[5]).unwrap();
    assert_eq!(statement[..3], [5, 125, 0]);
    // No false hint leads to another statement: here are only those that the executor computes.
    assert_eq!(program.mutate_hints(&tape, &[5]), 0);
}
