//! Programs that verify proofs of programs over FRI.

use droste_gadgets::NativeTape;
use droste_native::stark::security::{Security, SecurityBound, SecurityTerm};
use droste_native::stark::suite::SuiteCap;
use droste_native::{Commitment, EF, F};
use droste_vm::fri::{Proof, Verifier};
use droste_vm::machine::Provable;

use super::{CircuitError, RecursionCircuit, Result, header};
use crate::binary::GridProgram;
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
    /// The openings, if they are in a batch.
    pub openings: Option<GridProgram>,
    /// Proven security of each, with the batch of its openings if there is one.
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
        let evaluators = generate::<EF, T>(&sources)?;
        let (digest, batch) = (key.digest().0.len(), Protocol::Batch);
        let shape = FriShape::new(batch, H::ID, key.settings, digest, &evaluators, log_heights)?;
        Ok(Self {
            shape,
            evaluators,
            header: header(key),
            constants: Vec::new(),
            openings: None,
            security,
        })
    }

    /// Of the same proofs, with their openings in a batch.
    pub fn in_batch(&self) -> Result<Self> {
        let openings = GridProgram::of(&self.shape)?;
        let security = self.security_with(&openings);
        Ok(Self {
            shape: self.shape.clone(),
            evaluators: self.evaluators.clone(),
            header: self.header.clone(),
            constants: self.constants.clone(),
            openings: Some(openings),
            security,
        })
    }

    /// Proven security if the openings are in this batch.
    pub fn security_with(&self, openings: &GridProgram) -> Security {
        let mut security = self.security.clone();
        if self.openings.is_none() {
            let batch = openings.bound.sum();
            add_batch(&mut security.without, batch);
            add_batch(&mut security.with, batch);
        }
        security
    }
}

/// Adds what can go wrong in proof or batch. The program accepts a false proof if either has
/// failed, and each has a transcript of its own: the weakest round of one bounds its error, but the
/// errors of two transcripts add up. So one term has both, and whoever counts proofs counts one.
fn add_batch(proof: &mut SecurityBound, batch: f64) {
    let own = proof.weakest().map_or(0.0, |term| term.bits);
    proof.terms.push(SecurityTerm {
        commitment: None,
        name: "proof and openings in a batch",
        theorem: "union bound",
        bits: -((-own).exp2() + (-batch).exp2()).log2(),
    });
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
        openings,
        ..
    } = circuit.fri()?;
    circuit.check_children(children, header)?;
    let openings = openings.as_ref();
    let grid = openings.map(|openings| &openings.grid);
    let mut answers = Answers::<H>::default();
    for proof in children {
        let root: Commitment<H> = SuiteCap::from_digests(proof.key.program.clone());
        answers.message(commitment_lanes::<H>(&root));
        answers.message(proof.statement.to_vec());
        answers.proof(shape, grid, Some(&root), &proof.batch)?;
    }
    let record = || run_recursion::<H>(shape, evaluators, openings, header, children.len());
    Ok(answers.record(record)?)
}

#[cfg(test)]
mod tests {
    use droste_native::stark::security::{Regime, SCHWARTZ_ZIPPEL};

    use super::*;

    /// Errors of two transcripts add up, also where the weakest rounds of both have as many bits.
    #[test]
    fn bits_are_those_of_the_sum_of_two_errors() {
        let with = |bits: f64, batch: f64| {
            let term = |bits| SecurityTerm {
                commitment: None,
                name: "a round",
                theorem: SCHWARTZ_ZIPPEL,
                bits,
            };
            let mut bound = SecurityBound {
                regime: Regime::UniqueDecoding,
                terms: vec![term(bits), term(bits + 1.0)],
            };
            add_batch(&mut bound, batch);
            assert_eq!(bound.terms.len(), 3);
            bound.bits()
        };
        assert_eq!(with(120.0, 101.2), 101);
        assert_eq!(with(120.0, 100.6), 100);
        assert_eq!(with(102.5, 102.5), 101);
        assert_eq!(with(100.2, 100.6), 99);
        assert_eq!(with(64.5, 100.6), 64);
    }
}
