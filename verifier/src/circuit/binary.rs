//! Programs that verify proofs of `droste-binary` about Merkle paths or calls.

use droste_binary::tree_hash::CHALLENGE_LOSS;
use droste_native::stark::security::{
    BIRTHDAY, Regime, SCHWARTZ_ZIPPEL, Security, SecurityBound, SecurityTerm,
};
use droste_vm::key::KeyDigest;

use super::BinaryShape;
use crate::binary::{AnyList, BinaryProgram, ShapeError, events};

/// What a program that verifies such proofs is generated from.
pub(crate) struct BinaryVerifier {
    /// Shape of the proofs.
    pub program: BinaryProgram,
    /// Their key in claims.
    pub key: KeyDigest,
    /// Proven security of each.
    pub security: Security,
}

impl BinaryVerifier {
    /// Of proofs of this shape.
    pub fn new(of: BinaryShape) -> Result<Self, ShapeError> {
        let list = AnyList::new(of)?;
        let security = droste_binary::proof::security(&list.statement());
        let security = security?;
        let program = BinaryProgram::new(list.statement())?;
        let of_proof = security.terms.iter().map(|term| SecurityTerm {
            commitment: term.round,
            name: term.name,
            theorem: theorem(term.name),
            bits: term.bits,
        });
        let of_program = events(&program.shape).map(|(name, values)| SecurityTerm {
            commitment: None,
            name,
            theorem: theorem(name),
            bits: 128.0 - CHALLENGE_LOSS - (values as f64).log2(),
        });
        let bound = SecurityBound {
            regime: Regime::UniqueDecoding,
            terms: of_proof.chain(of_program).collect(),
        };
        Ok(Self {
            program,
            key: of.key(),
            security: Security::new(|_| bound.clone()),
        })
    }

    /// Text of the program.
    pub(super) fn text(&self) -> String {
        self.program.text(self.key)
    }
}

/// What bounds a term of this name.
fn theorem(name: &str) -> &'static str {
    match name {
        "proximity" => "ePrint 2024/1351, corollary 3.7",
        "queries" => "unique decoding",
        "collisions" => BIRTHDAY,
        _ => SCHWARTZ_ZIPPEL,
    }
}
