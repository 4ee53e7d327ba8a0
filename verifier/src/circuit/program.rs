//! Circuits that verify proofs of programs.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use droste_gadgets::NativeTape;
use droste_native::stark::suite::SuiteCap;
use droste_native::{Commitment, F, HashSuite};
use droste_vm::key::Key;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::Proof;
use droste_vm::record::Execution;
use droste_vm::verifier::Verifier;
use p3_air::BaseAir;

use super::{ChildShape, Children, CircuitError, FriVerifier, Parts, RecursionCircuit, Verifies};
use crate::codegen::{TableSource, generate};
use crate::program::run_recursion;
use crate::shape::ProofShape;
use crate::tape::{Answers, TapeSuite, commitment_lanes};

/// A circuit that verifies proofs of programs. The proofs have one shape (one machine, settings and
/// list of heights), but may be of any programs.
///
/// The proof of its run is one over WHIR whose statement is the claim (see [`crate::claim`]).
pub struct ProgramCircuit<H> {
    circuit: Arc<RecursionCircuit>,
    hash: PhantomData<fn() -> H>,
}

impl<H> fmt::Debug for ProgramCircuit<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.circuit.fmt(f)
    }
}

impl<H> Deref for ProgramCircuit<H> {
    type Target = RecursionCircuit;

    fn deref(&self) -> &RecursionCircuit {
        &self.circuit
    }
}

/// A key digest's preimage without the commitment to the program, which is its last part.
fn header<H: HashSuite>(key: &Key<H>) -> Vec<F> {
    let mut preimage = key.preimage();
    preimage.truncate(16);
    preimage
}

impl<H: TapeSuite> ProgramCircuit<H> {
    /// The circuit that verifies `count` proofs with these heights under the key of `verifier`.
    ///
    /// # Errors
    /// If no proof of the verifier's key has these heights, or no program can be generated.
    pub fn new<T: Provable<H>>(
        verifier: &Verifier<H, T>,
        log_heights: &[usize],
        count: usize,
    ) -> Result<Self, CircuitError> {
        let circuit = compile(verifier, log_heights, count, Instant::now())?;
        Self::of(Arc::new(circuit))
    }

    /// The circuit for `count` proofs of this shape, on the standard machine.
    ///
    /// # Errors
    /// If the standard machine makes no such proofs, or no program can be generated.
    pub fn of_shape(shape: &ChildShape, count: usize) -> Result<Self, CircuitError> {
        Self::of(Arc::new(super::compile(shape, count)?))
    }

    /// Wraps a circuit whose children are proofs over FRI, committed in `H`.
    pub(crate) fn of(circuit: Arc<RecursionCircuit>) -> Result<Self, CircuitError> {
        circuit.fri()?;
        match circuit.hash() == H::ID {
            true => Ok(Self {
                circuit,
                hash: PhantomData,
            }),
            false => Err(CircuitError::OtherShape { child: 0 }),
        }
    }

    /// The hints with which the program accepts these children.
    ///
    /// # Errors
    /// If a child is of another shape, or the program rejects it.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn tape(&self, children: &[&Proof<H>]) -> Result<NativeTape, CircuitError> {
        self.check_count(children.len())?;
        let fri = self.fri()?;
        let shape = &fri.shape;
        let roots = children.iter().enumerate().map(|(child, proof)| {
            let digests = &proof.key.program;
            match digests.len().is_power_of_two() {
                true => Ok(SuiteCap::from_digests(digests.clone())),
                false => Err(CircuitError::OtherShape { child }),
            }
        });
        let roots: Vec<Commitment<H>> = roots.collect::<Result<_, _>>()?;
        let mut answers = Answers::<H>::default();
        for (child, (proof, root)) in children.iter().zip(&roots).enumerate() {
            let heights = shape.tables.iter().map(|table| table.log_height);
            if header(&proof.key) != fri.header
                || !heights.eq(proof.batch.degree_bits.iter().copied())
            {
                return Err(CircuitError::OtherShape { child });
            }
            answers.message(commitment_lanes::<H>(root));
            answers.message(proof.statement.to_vec());
            answers.proof(shape, Some(root), &proof.batch)?;
        }
        let record = || run_recursion::<H>(shape, &fri.evaluators, &fri.header, children.len());
        Ok(answers.record(record)?)
    }

    /// Runs the program on these children.
    ///
    /// # Errors
    /// If it rejects them.
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn execute(&self, children: &[&Proof<H>]) -> Result<Execution, CircuitError> {
        self.circuit.execute(&self.tape(children)?)
    }
}

/// The circuit that verifies `count` proofs over FRI of this shape, on the standard machine.
pub(super) fn compile_shape<H: TapeSuite>(
    shape: &ChildShape,
    count: usize,
) -> Result<RecursionCircuit, CircuitError>
where
    StandardTables: Provable<H>,
{
    let start = Instant::now();
    let verifier = shape.verifier::<H>()?;
    compile(&verifier, &shape.log_heights, count, start)
}

/// The circuit that verifies `count` proofs with these heights under the key of `verifier`.
fn compile<H: TapeSuite, T: Provable<H>>(
    verifier: &Verifier<H, T>,
    log_heights: &[usize],
    count: usize,
    start: Instant,
) -> Result<RecursionCircuit, CircuitError> {
    let key = verifier.key();
    let (_, security) = verifier.shape(log_heights).map_err(CircuitError::Heights)?;
    let tables = verifier.machine().tables();
    let names: Vec<String> = tables
        .iter()
        .map(|table| table.name().replace([' ', '-'], "_"))
        .collect();
    let sources: Vec<TableSource<'_, T>> = tables
        .iter()
        .zip(&names)
        .zip(&verifier.common().lookups)
        .zip(log_heights)
        .map(|(((air, name), lookups), &log_height)| TableSource {
            name,
            air,
            lookups,
            preprocessed_width: BaseAir::<F>::preprocessed_width(air),
            log_height,
        })
        .collect();
    let evaluators = generate(&sources)?;
    let digest = key.digest().0.len();
    let shape = ProofShape::new(H::ID, key.settings, digest, &evaluators, log_heights)?;
    RecursionCircuit::new(Parts {
        children: Children::Programs {
            shape: ChildShape::new(key, log_heights),
            count,
        },
        verifies: Verifies::Fri(Box::new(FriVerifier {
            shape,
            evaluators,
            header: header(key),
            security,
        })),
        start,
    })
}
