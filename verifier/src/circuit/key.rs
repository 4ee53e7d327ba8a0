//! Keys that prove and verify runs of a circuit.

use std::fmt;

use droste_native::{FriSettings, Poseidon16Suite};
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::{Key, KeyError, ProvingKey};
use droste_vm::machine::StandardTables;
use droste_vm::prover::{Proof, prove_with_key};
use droste_vm::record::Execution;
use droste_vm::verifier::{Report, Verifier};

use super::{CircuitError, PRECOMPILES};

/// Proving and verification key of a circuit, for one choice of settings and heights.
pub struct CircuitKey {
    proving: ProvingKey<Poseidon16Suite, StandardTables>,
    verifier: Verifier<Poseidon16Suite, StandardTables>,
}

impl fmt::Debug for CircuitKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.proving.fmt(f)
    }
}

impl CircuitKey {
    /// Makes the keys, which commits to the program.
    pub(super) fn new(
        program: &Program,
        settings: FriSettings,
        heights: Heights,
    ) -> Result<Self, CircuitError> {
        let proving = proving_key(program, settings, heights)?;
        let verifier = Verifier::new(proving.key().clone())?;
        Ok(Self { proving, verifier })
    }

    /// The verification key.
    pub fn key(&self) -> &Key<Poseidon16Suite> {
        self.proving.key()
    }

    /// Proves a run of the circuit.
    ///
    /// # Errors
    /// If it cannot be proved, at these heights or at all.
    pub fn prove(&self, execution: &Execution) -> Result<Proof<Poseidon16Suite>, CircuitError> {
        Ok(prove_with_key(&self.proving, execution)?)
    }

    /// Verifies a proof made with this key.
    ///
    /// # Errors
    /// If the proof is rejected.
    pub fn verify(&self, proof: &Proof<Poseidon16Suite>) -> Result<Report, CircuitError> {
        Ok(self.verifier.verify(&proof.statement, 0, proof)?)
    }
}

/// The key that proves runs of a recursion program, on the machine that has the tables of
/// [`PRECOMPILES`] and of whatever other precompiles the program calls.
pub(crate) fn proving_key(
    program: &Program,
    settings: FriSettings,
    heights: Heights,
) -> Result<ProvingKey<Poseidon16Suite, StandardTables>, KeyError> {
    ProvingKey::with_precompiles(program, &PRECOMPILES.into(), settings, heights)
}
