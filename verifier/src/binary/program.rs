//! The text of programs that verify a proof about Merkle paths or calls, and their native runs.

use std::fmt::Write as _;

use droste_gadgets::prelude::{Block, Felt};
use droste_gadgets::verify::binary::verify;
use droste_gadgets::verify::recursion::{Child, reveal_claim};
use droste_vm::key::KeyDigest;
use p3_field::PrimeField32;

use super::{BinaryProgram, ListShape};
use crate::program::literal;
use crate::summary::integers;
use crate::tags::CLAIM_TAG;

impl BinaryProgram {
    /// Text of the program that verifies one proof, and reveals the claim of one child with this
    /// key, whose statement is the proof's.
    pub fn text(&self, key: KeyDigest) -> String {
        let (name, imports, list) = match &self.list {
            ListShape::Paths(paths) => ("Paths", "ConstantRow, Paths", literal(paths)),
            ListShape::Calls(calls) => ("Calls", "Calls, PublicRow", literal(calls)),
        };
        let mut text = format!(
            "use droste_gadgets::prelude::*;\n\
             use droste_gadgets::verify::binary::shape::{{\n    \
             Circuit, Common, Constant, Constants, Group, Place, Product, Rotation, Round, Shape, \
             Term,\n    {imports},\n}};\n\
             use droste_gadgets::verify::binary::verify;\n\
             use droste_gadgets::verify::recursion::{{Child, reveal_claim}};\n\n",
        );
        let lanes = integers(&key.0).into_iter();
        let lanes: Vec<String> = lanes.map(|lane| format!("Felt::new({lane})")).collect();
        let _ = write!(
            text,
            "/// The shape of the proof.\npub fn shape() -> Shape {{\n{}\n}}\n\n\
             /// What it is about.\npub fn list() -> {name} {{\n{list}\n}}\n\n\
             /// Verifies the proof and reveals the claim.\n\
             pub fn main() {{\n    \
             let key = Block::new([{}]);\n    \
             let statement = verify(&shape(), &list());\n    \
             reveal_claim(Felt::new({}), &[Child {{ key, statement }}]);\n}}\n",
            literal(&self.shape),
            lanes.join(", "),
            CLAIM_TAG.as_canonical_u32(),
        );
        text
    }

    /// Runs natively what the program does.
    pub fn run(&self, key: KeyDigest) {
        let key = Block::new(key.0.map(Felt::from));
        let statement = self.verify();
        reveal_claim(CLAIM_TAG.into(), &[Child { key, statement }]);
    }

    /// Runs natively the verifier in the zk-DSL, and returns the digest of the statement.
    pub fn verify(&self) -> Block {
        match &self.list {
            ListShape::Paths(paths) => verify(&self.shape, paths),
            ListShape::Calls(calls) => verify(&self.shape, calls),
        }
    }
}
