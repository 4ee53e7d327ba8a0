//! The text of programs that verify a proof about Merkle paths, and their native runs.

use std::fmt::Write as _;

use droste_gadgets::verify::batch::reveal_statement;
use droste_gadgets::verify::batch::shape::Shape;

use crate::program::literal;

/// Text of the program that verifies one proof of this shape, and reveals the digest of its
/// statement.
pub fn program(shape: &Shape) -> String {
    let mut text = String::from(
        "use droste_gadgets::verify::batch::reveal_statement;\n\
         use droste_gadgets::verify::batch::shape::{\n    \
         Circuit, Common, Constant, ConstantRow, Constants, Group, Place, Product, Rotation, Round,\n    \
         Shape, Term,\n};\n\n",
    );
    let _ = write!(
        text,
        "/// The shape of the proof.\npub fn shape() -> Shape {{\n{}\n}}\n\n\
         /// Verifies the proof and reveals the digest of its statement.\n\
         pub fn main() {{\n    reveal_statement(&shape());\n}}\n",
        literal(shape)
    );
    text
}

/// Runs natively what the program does.
pub fn run(shape: &Shape) {
    reveal_statement(shape);
}
