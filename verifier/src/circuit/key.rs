//! Keys that prove and verify runs of a circuit.

use std::fmt;

use droste_native::Poseidon16Suite;
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::{KeyDigest, ProvingKey};
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::{Accepted, Prove, Stack, StackSettings, Verify};
use droste_vm::verifier::{Verifier, VerifyError, VerifyOptions};
use droste_vm::whir;

use super::{CircuitError, RecursionProof, precompiles};

/// Proving and verification key of a circuit, for one choice of settings and heights.
pub struct CircuitKey(Keys);

enum Keys {
    Fri {
        proving: Box<ProvingKey<Poseidon16Suite, StandardTables>>,
        verifier: Box<Verifier<Poseidon16Suite, StandardTables>>,
    },
    Whir {
        proving: Box<whir::ProvingKey<StandardTables>>,
        verifier: Box<whir::Verifier<StandardTables>>,
    },
}

impl fmt::Debug for CircuitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Keys::Fri { proving, .. } => proving.fmt(f),
            Keys::Whir { proving, .. } => proving.fmt(f),
        }
    }
}

impl CircuitKey {
    /// Makes the keys, which commits to the program. Its machine has the tables of
    /// [`precompiles`] and of whatever other precompiles the program calls.
    pub(crate) fn new(
        program: &Program,
        settings: StackSettings,
        heights: Heights,
    ) -> Result<Self, CircuitError> {
        let tables = precompiles(settings.stack()).iter().copied().collect();
        Ok(Self(match settings {
            StackSettings::Fri(settings) => {
                let proving = ProvingKey::with_precompiles(program, &tables, settings, heights)?;
                let verifier = Verifier::new(proving.key().clone())?;
                Keys::Fri {
                    proving: Box::new(proving),
                    verifier: Box::new(verifier),
                }
            }
            StackSettings::Whir(settings) => {
                let proving =
                    whir::ProvingKey::with_precompiles(program, &tables, settings, heights)?;
                let verifier = whir::Verifier::new(proving.key().clone())?;
                Keys::Whir {
                    proving: Box::new(proving),
                    verifier: Box::new(verifier),
                }
            }
        }))
    }

    /// The digest of the verification key.
    pub fn digest(&self) -> KeyDigest {
        match &self.0 {
            Keys::Fri { proving, .. } => proving.key().digest(),
            Keys::Whir { proving, .. } => proving.key().digest(),
        }
    }

    /// The stack of its proofs.
    pub const fn stack(&self) -> Stack {
        match &self.0 {
            Keys::Fri { .. } => Stack::Fri,
            Keys::Whir { .. } => Stack::Whir,
        }
    }

    /// Proves a run of the circuit.
    ///
    /// # Errors
    /// If it cannot be proved, at these heights or at all.
    pub fn prove(&self, execution: &Execution) -> Result<RecursionProof, CircuitError> {
        Ok(match &self.0 {
            Keys::Fri { proving, .. } => proving.prove_run(execution)?.into(),
            Keys::Whir { proving, .. } => proving.prove_run(execution)?.into(),
        })
    }

    /// Verifies a proof made with this key.
    ///
    /// # Errors
    /// If the proof is rejected.
    pub fn verify(&self, proof: &RecursionProof) -> Result<Accepted, CircuitError> {
        let (statement, options) = (proof.statement(), VerifyOptions::min_bits(0));
        Ok(match (&self.0, proof) {
            (Keys::Fri { verifier, .. }, RecursionProof::Fri(proof)) => {
                verifier.accept(&statement, options, proof)
            }
            (Keys::Whir { verifier, .. }, RecursionProof::Whir(proof)) => {
                verifier.accept(&statement, options, proof)
            }
            _ => Err(VerifyError::Stack {
                expected: self.stack(),
                found: proof.stack(),
            }),
        }?)
    }
}
