//! The last proof of a chain, for verifiers that have Keccak-256 but not Poseidon-16 at hand, such
//! as contracts.
//!
//! It is the proof of the run that verifies an aggregate, as the join of one would be, committed in
//! Keccak at low rates, so that it is short and needs few hashes. Its statement is the claim with
//! the aggregate's root as only child ([`claim_digest`]), and its key depends only on the canonical
//! shape of the aggregate and on the settings. It cannot be joined any more, only wrapped, as any
//! proof of a program.

use std::time::{Duration, Instant};

use droste_native::whir::WhirSettings;
use droste_native::{F, KeccakSuite};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::verifier::{Report, VerifyOptions};
use droste_vm::whir::{Proof, ProvingKey, Verifier};

use super::shape::least_heights;
use super::{AcceptError, Accepted, Aggregate, AggregateError, Aggregator};
use crate::circuit::{CircuitError, PRECOMPILES};
use crate::claim::{ClaimError, claim_digest};

/// The last proof of a chain.
#[derive(Debug)]
pub struct Exit {
    /// The proof.
    pub proof: Proof<KeccakSuite>,
    /// What verifying it established; all bits are those of the whole tree with it as root.
    pub accepted: Accepted,
    /// Time to make it, its key included.
    pub prove: Duration,
    /// Time to verify it.
    pub verify: Duration,
}

/// The statement of the last proof of an aggregate.
pub fn exit_statement(aggregate: &Aggregate) -> [F; 8] {
    claim_digest(&[(aggregate.proof().key.digest(), aggregate.claim())])
}

impl Aggregator {
    /// Makes the last proof of an aggregate of canonical shape, with settings such as
    /// [`WhirSettings::of_exit`], but with rows of the stack as long as the run needs.
    ///
    /// # Errors
    /// If the aggregate has another shape, or the settings make no such proofs.
    pub fn exit(
        &self,
        aggregate: &Aggregate,
        settings: WhirSettings,
    ) -> Result<Exit, AggregateError> {
        let canonical = self.check_canonical(aggregate.proof());
        canonical.map_err(|source| AggregateError::OtherShape { child: 0, source })?;
        let start = Instant::now();
        let run = self.run(&[aggregate.proof()], vec![])?;
        let log_heights = least_heights(run.needed_rows());
        let settings = WhirSettings {
            log_block: log_heights.iter().copied().fold(0, usize::max),
            ..settings
        };
        let key = ProvingKey::<StandardTables, KeccakSuite>::with_precompiles(
            &run.circuit().compiled().program,
            &PRECOMPILES.into(),
            settings,
            Heights::Exact(log_heights),
        );
        let key = key.map_err(CircuitError::from)?;
        let proof = key.prove_run(run.execution());
        let proof = proof.map_err(CircuitError::from)?;
        let prove = start.elapsed();
        let verifier = Verifier::<StandardTables, KeccakSuite>::new(key.key().clone());
        let verifier = verifier.map_err(CircuitError::from)?;
        let start = Instant::now();
        let options = VerifyOptions::min_bits(0);
        let report = verifier.verify(&exit_statement(aggregate), options, &proof);
        let report = report.map_err(CircuitError::from)?;
        Ok(Exit {
            verify: start.elapsed(),
            accepted: accepted(aggregate, report).map_err(AcceptError::from)?,
            proof,
            prove,
        })
    }
}

/// What is accepted with the last proof of an aggregate.
fn accepted(aggregate: &Aggregate, root: Report) -> Result<Accepted, ClaimError> {
    let before = aggregate.accepted();
    let mut below = aggregate.tree().check(aggregate.keys(), 0)?;
    below.add(before.root.bits(), 1);
    Ok(Accepted::new(root, below, &before.leaves))
}
