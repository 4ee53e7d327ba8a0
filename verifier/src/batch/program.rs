//! The text of programs that verify a proof about Merkle paths, and their native runs.

use std::fmt::Write as _;

use droste_gadgets::prelude::{Block, Felt};
use droste_gadgets::verify::batch::shape::Shape;
use droste_gadgets::verify::batch::verify;
use droste_gadgets::verify::recursion::{Child, reveal_claim};
use droste_vm::key::KeyDigest;
use p3_field::PrimeField32;

use crate::program::literal;
use crate::summary::integers;
use crate::tags::CLAIM_TAG;

/// Text of the program that verifies one proof of this shape, and reveals the claim of one child
/// with this key, whose statement is the proof's.
pub fn program(shape: &Shape, key: KeyDigest) -> String {
    let mut text = String::from(
        "use droste_gadgets::prelude::*;\n\
         use droste_gadgets::verify::batch::shape::{\n    \
         Circuit, Common, Constant, ConstantRow, Constants, Group, Place, Product, Rotation, Round,\n    \
         Shape, Term,\n};\n\
         use droste_gadgets::verify::batch::verify;\n\
         use droste_gadgets::verify::recursion::{Child, reveal_claim};\n\n",
    );
    let lanes = integers(&key.0).into_iter();
    let lanes: Vec<String> = lanes.map(|lane| format!("Felt::new({lane})")).collect();
    let _ = write!(
        text,
        "/// The shape of the proof.\npub fn shape() -> Shape {{\n{}\n}}\n\n\
         /// Verifies the proof and reveals the claim.\n\
         pub fn main() {{\n    \
         let key = Block::new([{}]);\n    \
         let statement = verify(&shape());\n    \
         reveal_claim(Felt::new({}), &[Child {{ key, statement }}]);\n}}\n",
        literal(shape),
        lanes.join(", "),
        CLAIM_TAG.as_canonical_u32(),
    );
    text
}

/// Runs natively what the program does.
pub fn run(shape: &Shape, key: KeyDigest) {
    let key = Block::new(key.0.map(Felt::from));
    let statement = verify(shape);
    reveal_claim(CLAIM_TAG.into(), &[Child { key, statement }]);
}
