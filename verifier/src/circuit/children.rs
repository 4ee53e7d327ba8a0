//! Verifiers of the proofs that a circuit verifies.

use droste_native::HashSuite;
use droste_vm::fri::Verifier;
use droste_vm::key::{Key, KeyHeights, ProofSystem};
use droste_vm::machine::{Provable, program_entry};
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::whir;

use super::{ChildShape, CircuitError, Result};

impl ChildShape {
    /// The shape of proofs of `key` with these heights.
    pub fn new<P: ProofSystem>(key: &Key<P>, log_heights: &[usize]) -> Self {
        Self {
            hash: P::HASH,
            settings: key.settings.into(),
            tables: key.tables.clone(),
            log_heights: log_heights.to_vec(),
            fixed: key.heights != KeyHeights::Free,
        }
    }

    /// The verifier of such proofs over FRI in `H`, on a machine with the tables `T` and without a
    /// program.
    pub(crate) fn verifier<H: HashSuite, T: Provable<H>>(&self) -> Result<Verifier<H, T>> {
        let StackSettings::Fri(settings) = self.settings else {
            return Err(CircuitError::Stack {
                expected: Stack::Fri,
                found: Stack::Whir,
            });
        };
        let program = self.program_log_height();
        Verifier::of_machine(settings, &self.tables, self.key_heights(), program)
            .map_err(CircuitError::ChildMachine)
    }

    /// The verifier of such proofs over WHIR in `H`, on a machine with the tables `T` and without a
    /// program.
    pub(crate) fn verifier_over_whir<T: whir::Provable, H: HashSuite>(
        &self,
    ) -> Result<whir::Verifier<T, H>> {
        let StackSettings::Whir(settings) = self.settings else {
            return Err(CircuitError::Stack {
                expected: Stack::Whir,
                found: Stack::Fri,
            });
        };
        let program = self.program_log_height();
        whir::Verifier::of_machine(settings, &self.tables, self.key_heights(), program)
            .map_err(CircuitError::ChildMachine)
    }

    /// What their keys say about heights.
    fn key_heights(&self) -> KeyHeights {
        if self.fixed {
            KeyHeights::Fixed(self.log_heights.clone())
        } else {
            KeyHeights::Free
        }
    }

    /// Logarithm of the height of the program's table; 0 if there is none.
    pub(crate) fn program_log_height(&self) -> usize {
        program_entry(&self.log_heights).copied().unwrap_or(0)
    }
}
