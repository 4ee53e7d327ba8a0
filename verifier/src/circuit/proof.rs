//! Proofs of runs of recursion programs, in either proof stack.

use droste_native::{F, Poseidon16Suite};
use droste_vm::codec::{self, EncodeError};
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::prover::Proof;
use droste_vm::stack::{Accepted, Stack, StackSettings, Verify};
use droste_vm::verifier::{Verifier, VerifyError, VerifyOptions};
use droste_vm::whir;
use serde::Serialize;

use super::{ChildShape, CircuitError};

/// The proof of a recursion program's run, committed in Poseidon-16. It serializes without its
/// stack, which a file must say elsewhere.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum RecursionProof {
    /// A batch STARK over FRI.
    Fri(Proof<Poseidon16Suite>),
    /// A proof over WHIR.
    Whir(whir::Proof),
}

impl From<Proof<Poseidon16Suite>> for RecursionProof {
    fn from(proof: Proof<Poseidon16Suite>) -> Self {
        Self::Fri(proof)
    }
}

impl From<whir::Proof> for RecursionProof {
    fn from(proof: whir::Proof) -> Self {
        Self::Whir(proof)
    }
}

impl RecursionProof {
    /// The proof stack.
    pub const fn stack(&self) -> Stack {
        match self {
            Self::Fri(_) => Stack::Fri,
            Self::Whir(_) => Stack::Whir,
        }
    }

    /// The proof, if it is one over FRI.
    ///
    /// # Errors
    /// [`CircuitError::Stack`] if it is not.
    pub fn over_fri(self) -> Result<Proof<Poseidon16Suite>, CircuitError> {
        match self {
            Self::Fri(proof) => Ok(proof),
            Self::Whir(_) => Err(CircuitError::Stack {
                expected: Stack::Fri,
                found: Stack::Whir,
            }),
        }
    }

    /// What the proof claims.
    pub const fn statement(&self) -> [F; 8] {
        match self {
            Self::Fri(proof) => proof.statement,
            Self::Whir(proof) => proof.statement,
        }
    }

    /// The digest of its key.
    pub fn key(&self) -> KeyDigest {
        match self {
            Self::Fri(proof) => proof.key.digest(),
            Self::Whir(proof) => proof.key.digest(),
        }
    }

    /// Its settings.
    pub const fn settings(&self) -> StackSettings {
        match self {
            Self::Fri(proof) => StackSettings::Fri(proof.key.settings),
            Self::Whir(proof) => StackSettings::Whir(proof.key.settings),
        }
    }

    /// Logarithms of the heights of its tables.
    pub fn log_heights(&self) -> &[usize] {
        match self {
            Self::Fri(proof) => &proof.batch.degree_bits,
            Self::Whir(proof) => &proof.log_heights,
        }
    }

    /// Its shape.
    pub fn shape(&self) -> ChildShape {
        match self {
            Self::Fri(proof) => ChildShape::new(&proof.key, &proof.batch.degree_bits),
            Self::Whir(proof) => ChildShape::new(&proof.key, &proof.log_heights),
        }
    }

    /// Number of queries; over WHIR to the commitment to the tables, later ones have fewer.
    pub fn queries(&self) -> usize {
        match self {
            Self::Fri(proof) => proof.key.settings.num_queries,
            Self::Whir(proof) => proof.stark.opening.first_queries(),
        }
    }

    /// The bytes of the proof's own file.
    ///
    /// # Errors
    /// None for proofs that a prover made.
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        match self {
            Self::Fri(proof) => codec::encode(proof),
            Self::Whir(proof) => whir::encode(proof),
        }
    }

    /// Verifies the proof under the key that it carries. It may have any statement: the caller
    /// compares what is returned with what it expects.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(&self, options: VerifyOptions) -> Result<Accepted, VerifyError> {
        Ok(match self {
            Self::Fri(proof) => {
                let verifier = Verifier::<_, StandardTables>::new(proof.key.clone())?;
                verifier.accept(&[], options, proof)?
            }
            Self::Whir(proof) => {
                let verifier = whir::Verifier::<StandardTables>::new(proof.key.clone())?;
                verifier.accept(&[], options, proof)?
            }
        })
    }
}
