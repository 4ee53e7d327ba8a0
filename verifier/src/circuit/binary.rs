//! Programs that verify proofs of `droste-binary` about Merkle paths or calls.

use droste_native::stark::security::Security;
use droste_vm::key::KeyDigest;

use super::BinaryShape;
use crate::binary::{BinaryProgram, ShapeError, events};

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
        let program = BinaryProgram::new(of)?;
        let mut bound = of.statement()?.security()?;
        bound.terms.extend(events(&program.shape));
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
