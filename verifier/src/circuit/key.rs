//! Keys that prove and verify runs of a circuit.

use droste_native::whir::WhirSettings;
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::Prove;
use droste_vm::verifier::{Report, VerifyOptions};
use droste_vm::whir::{Proof, ProvingKey, Verifier};

use educe::Educe;

use super::{PRECOMPILES, Result};

/// Proving and verification key of a circuit, for one choice of settings and heights.
#[derive(Educe)]
#[educe(Debug)]
pub struct CircuitKey {
    proving: ProvingKey<StandardTables>,
    #[educe(Debug(ignore))]
    verifier: Verifier<StandardTables>,
}

impl CircuitKey {
    /// Makes the keys, which commits to the program. Its machine has the tables of [`PRECOMPILES`]
    /// and of whatever other precompiles the program calls.
    pub(crate) fn new(program: &Program, settings: WhirSettings, heights: Heights) -> Result<Self> {
        let proving =
            ProvingKey::with_precompiles(program, &PRECOMPILES.into(), settings, heights)?;
        Ok(Self {
            verifier: proving.verifier(),
            proving,
        })
    }

    /// The digest of the verification key.
    pub fn digest(&self) -> KeyDigest {
        self.proving.key().digest()
    }

    /// The verifier of its proofs.
    pub(crate) const fn verifier(&self) -> &Verifier<StandardTables> {
        &self.verifier
    }

    /// Proves a run of the circuit.
    ///
    /// # Errors
    /// If it cannot be proved, at these heights or at all.
    pub fn prove(&self, execution: &Execution) -> Result<Proof> {
        Ok(self.proving.prove_run(execution)?)
    }

    /// Verifies a proof made with this key.
    ///
    /// # Errors
    /// If the proof is rejected.
    pub fn verify(&self, proof: &Proof) -> Result<Report> {
        let options = VerifyOptions::min_bits(0);
        Ok(self.verifier.verify(&proof.statement, options, proof)?)
    }
}
