//! Machines other than the standard one: what makes the circuits that verify their proofs.

use droste_native::F;
use droste_vm::fri;
use droste_vm::key::{Key, ProofSystem};
use droste_vm::machine::{MachineTables, Provable};
use droste_vm::stack::{Proves, RunProof};
use droste_vm::tables::VerifierCost;
use droste_vm::whir;

use super::{ChildShape, Children, CircuitError, RecursionCircuit, Result};
use crate::tape::TapeSuite;

/// A proof of a run on a machine with the tables `T`, which a recursion program can verify.
///
/// Proofs over WHIR are, whatever the tables, and proofs over FRI if the tables are
/// [`Provable`] in their hash.
pub trait MachineProof<T: MachineTables>: RunProof<System: Proves<T, Proof = Self>> {
    /// The circuit that verifies one proof of this shape, on the machine of this identity.
    ///
    /// # Errors
    /// [`CircuitError::OtherMachine`] if the tables `T` make another machine, or the proofs are of
    /// another hash; or if no program can be generated.
    fn circuit(shape: &ChildShape, identity: [F; 8]) -> Result<RecursionCircuit>;
}

impl<H: TapeSuite, T: Provable<H>> MachineProof<T> for fri::Proof<H> {
    fn circuit(shape: &ChildShape, identity: [F; 8]) -> Result<RecursionCircuit> {
        let verifier = shape.verifier::<H, T>()?;
        let children = children(shape, identity, verifier.key())?;
        RecursionCircuit::of_fri(children, &verifier, &shape.log_heights)
    }
}

impl<H: TapeSuite, T: whir::Provable> MachineProof<T> for whir::Proof<H> {
    fn circuit(shape: &ChildShape, identity: [F; 8]) -> Result<RecursionCircuit> {
        let verifier = shape.verifier_over_whir::<T, H>()?;
        let children = children(shape, identity, verifier.key())?;
        RecursionCircuit::of_whir(children, &verifier, &shape.log_heights)
    }
}

/// A proof of this shape, if `made`, a key of the caller's machine, is one of such proofs.
fn children<P: ProofSystem>(
    shape: &ChildShape,
    identity: [F; 8],
    made: &Key<P>,
) -> Result<Children> {
    if shape.hash != P::HASH || made.machine_id != identity {
        return Err(CircuitError::OtherMachine);
    }
    Ok(Children::OwnMachine {
        shape: shape.clone(),
        identity,
    })
}

/// A machine other than the standard one, and a kind of proofs on it: their stack and hash. It is a
/// value and no type, so that what wraps proofs is compiled once for all machines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnMachine {
    circuit: fn(&ChildShape, [F; 8]) -> Result<RecursionCircuit>,
    costs: fn() -> Vec<(&'static str, VerifierCost)>,
}

impl OwnMachine {
    /// The machine with the tables `T`, for proofs of type `P`.
    pub fn of<P: MachineProof<T>, T: MachineTables>() -> Self {
        Self {
            circuit: P::circuit,
            costs: || {
                let tables = T::precompile_tables().into_iter();
                tables
                    .map(|table| (table.name(), table.verifier_cost()))
                    .collect()
            },
        }
    }

    /// What its tables add at most to the work of generating the program that verifies a proof of
    /// this shape.
    pub fn cost(&self, shape: &ChildShape) -> usize {
        let costs = (self.costs)().into_iter();
        let used = costs.filter(|(name, _)| shape.tables.iter().any(|table| table == name));
        used.map(|(_, cost)| cost.over_fri.max(cost.over_whir) + cost.evaluator)
            .fold(0, usize::saturating_add)
    }
}

/// The circuit that verifies one proof of this shape on the one of `machines` that has this
/// identity.
pub(super) fn circuit_on(
    machines: &[OwnMachine],
    shape: &ChildShape,
    identity: [F; 8],
) -> Result<RecursionCircuit> {
    let mut refusal = CircuitError::OtherMachine;
    for machine in machines {
        match (machine.circuit)(shape, identity) {
            // It makes no such proofs; another one may.
            Err(
                CircuitError::OtherMachine
                | CircuitError::Stack { .. }
                | CircuitError::ChildMachine(_),
            ) => {}
            Err(error @ CircuitError::Heights(_)) => refusal = error,
            made => return made,
        }
    }
    Err(refusal)
}
