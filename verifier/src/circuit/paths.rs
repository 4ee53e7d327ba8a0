//! Programs that verify proofs of `droste-batch` about Merkle paths.

use droste_batch::statement::Statement;
use droste_batch::tree_hash::CHALLENGE_LOSS;
use droste_gadgets::verify::batch::shape::Shape;
use droste_native::stark::security::{
    BIRTHDAY, Regime, SCHWARTZ_ZIPPEL, Security, SecurityBound, SecurityTerm,
};
use droste_vm::key::KeyDigest;

use super::{CircuitError, PathsShape, Result};
use crate::batch::{ShapeError, events, program, shape};

/// What a program that verifies proofs about Merkle paths is generated from.
pub(crate) struct PathsVerifier {
    /// Shape of the proofs.
    pub shape: Shape,
    /// Their key in claims.
    pub key: KeyDigest,
    /// Proven security of each.
    pub security: Security,
}

impl PathsVerifier {
    /// Of proofs of this shape.
    pub(super) fn new(of: PathsShape) -> Result<Self> {
        let paths = of.any_paths().map_err(CircuitError::PathsShape)?;
        let security = droste_batch::proof::security(&Statement::Paths(&paths));
        let security = security.map_err(ShapeError::from);
        let security = security.map_err(CircuitError::PathsShape)?;
        let shape = shape(&paths).map_err(CircuitError::PathsShape)?;
        let of_proof = security.terms.iter().map(|term| SecurityTerm {
            commitment: term.round,
            name: term.name,
            theorem: theorem(term.name),
            bits: term.bits,
        });
        let of_program = events(&shape).map(|(name, values)| SecurityTerm {
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
            shape,
            key: of.key(),
            security: Security::new(|_| bound.clone()),
        })
    }

    /// Text of the program.
    pub(super) fn text(&self) -> String {
        program(&self.shape, self.key)
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
