//! Programs that verify proofs of programs over FRI.

use droste_gadgets::NativeTape;
use droste_native::field::EXTENSION_DEGREE;
use droste_native::stark::security::Security;
use droste_native::stark::suite::SuiteCap;
use droste_native::{Commitment, F};
use droste_vm::fri::{Proof, Verifier};
use droste_vm::machine::Provable;

use super::{CircuitError, RecursionCircuit, Result, header};
use crate::codegen::{FriEvaluators, TableSource, generate};
use crate::program::run_recursion;
use crate::shape::{FriShape, Protocol};
use crate::tape::{Answers, TapeSuite, commitment_lanes};

/// What a program that verifies proofs over FRI is generated from.
pub(crate) struct FriVerifier {
    /// Shape of the proofs.
    pub shape: FriShape,
    /// Constraint evaluators of their tables.
    pub evaluators: FriEvaluators,
    /// Preimage of their key digests up to the commitment to the program: the part that all of them
    /// share.
    pub header: Vec<F>,
    /// Blocks of the round constants that the program gives, if any.
    pub constants: Vec<[F; 8]>,
    /// Proven security of each.
    pub security: Security,
}

impl FriVerifier {
    /// Of proofs with these heights under the key of `verifier`.
    pub(super) fn new<H: TapeSuite, T: Provable<H>>(
        verifier: &Verifier<H, T>,
        log_heights: &[usize],
    ) -> Result<Self> {
        let key = verifier.key();
        let (_, security) = verifier.shape(log_heights).map_err(CircuitError::Heights)?;
        let tables = verifier.machine().tables();
        let names: Vec<String> = tables
            .iter()
            .map(|table| table.name().replace([' ', '-'], "_"))
            .collect();
        let lookups = &verifier.common().lookups;
        let sources = TableSource::list(&names, tables, lookups, log_heights)?;
        let evaluators = generate(&sources, EXTENSION_DEGREE)?;
        let (digest, batch) = (key.digest().0.len(), Protocol::Batch);
        let shape = FriShape::new(batch, H::ID, key.settings, digest, &evaluators, log_heights)?;
        Ok(Self {
            shape,
            evaluators,
            header: header(key),
            constants: Vec::new(),
            security,
        })
    }
}

/// The hints with which a circuit's program accepts these children.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub(super) fn tape<H: TapeSuite>(
    circuit: &RecursionCircuit,
    children: &[&Proof<H>],
) -> Result<NativeTape> {
    let FriVerifier {
        shape,
        evaluators,
        header,
        ..
    } = circuit.fri()?;
    circuit.check_children(children, header)?;
    let mut answers = Answers::<H>::default();
    for proof in children {
        let root: Commitment<H> = SuiteCap::from_digests(proof.key.program.clone());
        answers.message(commitment_lanes::<H>(&root));
        answers.message(proof.statement.to_vec());
        answers.proof(shape, Some(&root), &proof.batch)?;
    }
    let record = || run_recursion::<H>(shape, evaluators, header, children.len());
    Ok(answers.record(record)?)
}
