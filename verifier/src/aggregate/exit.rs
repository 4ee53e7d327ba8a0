//! The last proof of a chain, for verifiers that have Keccak-256 but not Poseidon-16 at hand, such
//! as contracts.
//!
//! It is the proof of the run that verifies an aggregate, as the join of one would be, committed in
//! Keccak at low rates, so that it is short and needs few hashes. Its statement is the claim with
//! the aggregate's root as only child ([`claim_digest`]), and its key depends only on the canonical
//! shape of the aggregate and on the settings. It cannot be joined any more, only wrapped, as any
//! proof of a program.

use std::time::{Duration, Instant};

use droste_native::whir::settings::MAX_LOG_BLOCK;
use droste_native::whir::{Layout, Scheme, WhirSettings};
use droste_native::{F, KeccakSuite};
use droste_vm::heights::Heights;
use droste_vm::key::KeyHeights;
use droste_vm::machine::{StandardTables, program_entry};
use droste_vm::stack::Prove;
use droste_vm::verifier::{Report, VerifyOptions};
use droste_vm::whir::{self, Proof, ProvingKey, Verifier};

use super::aggregator::Result;
use super::shape::{least_heights, machine_of_r, tables_of_r};
use super::{AcceptError, Accepted, Aggregate, AggregateError, Aggregator};
use crate::circuit::{CircuitError, PRECOMPILES, Run};
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

/// Settings of last proofs of R's tables at these heights: those given, with rows of the stack of
/// the length that makes the shortest proofs, as far as their length is known before the queries.
/// Their bits are at least those of proofs with the shortest rows that there can be, which are as
/// long as the tallest table.
pub fn exit_settings(settings: WhirSettings, log_heights: &[usize]) -> WhirSettings {
    let shortest = log_heights.iter().copied().fold(0, usize::max);
    let of_rows = |log_block| WhirSettings {
        log_block,
        ..settings
    };
    let lengths = (shortest..=MAX_LOG_BLOCK).filter_map(|log_block| {
        let settings = of_rows(log_block);
        Some((most_bytes(&settings, log_heights)?, settings))
    });
    let mut lengths: Vec<(usize, WhirSettings)> = lengths.collect();
    // It is stable: of equal lengths, that of the shortest rows is the first.
    lengths.sort_by_key(|&(bytes, _)| bytes);
    let least = bits(of_rows(shortest), log_heights);
    let has_bits = |settings| {
        let bits = bits(settings, log_heights)?;
        let enough = bits.iter().zip(&least?).all(|(bits, least)| bits >= least);
        enough.then_some(settings)
    };
    let mut lengths = lengths.into_iter();
    let found = lengths.find_map(|(_, settings)| has_bits(settings));
    // Without any, making the key says what is wrong.
    found.unwrap_or_else(|| of_rows(shortest))
}

/// Most bytes of the openings of R's tables at these heights, if there are any with these settings.
fn most_bytes(settings: &WhirSettings, log_heights: &[usize]) -> Option<usize> {
    let shapes = machine_of_r().ok()?.shapes(log_heights);
    let layout = Layout::new(&shapes, settings.log_block).ok()?;
    let scheme = Scheme::<KeccakSuite>::new(settings, layout).ok()?;
    Some(scheme.most_bytes())
}

/// Proven bits of such proofs, and those of the sum of all terms, both rounded down.
fn bits(settings: WhirSettings, log_heights: &[usize]) -> Option<[usize; 2]> {
    let (tables, program) = (tables_of_r().ok()?, *program_entry(log_heights)?);
    let heights = KeyHeights::Fixed(log_heights.to_vec());
    let verifier =
        Verifier::<StandardTables, KeccakSuite>::of_machine(settings, &tables, heights, program);
    let bound = verifier.ok()?.security(log_heights).ok()?.without;
    Some([bound.bits(), bound.sum().max(0.0) as usize])
}

impl Aggregator {
    /// Makes the last proof of an aggregate of canonical shape, with settings such as
    /// [`WhirSettings::of_exit`], but with rows of the stack of the length that makes the shortest
    /// proofs ([`exit_settings`]).
    ///
    /// # Errors
    /// If the aggregate has another shape, or the settings make no such proofs.
    pub fn exit(&self, aggregate: &Aggregate, settings: WhirSettings) -> Result<Exit> {
        let start = Instant::now();
        let (run, key) = self.exit_run(aggregate.proof(), settings)?;
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

    /// The run that verifies a proof of canonical shape once more, and the key of its proof.
    pub(crate) fn exit_run(
        &self,
        proof: &whir::Proof,
        settings: WhirSettings,
    ) -> Result<(Run, ProvingKey<StandardTables, KeccakSuite>)> {
        let canonical = self.check_canonical(proof);
        canonical.map_err(|source| AggregateError::OtherShape { child: 0, source })?;
        let run = self.run(&[proof], vec![])?;
        let log_heights = least_heights(run.needed_rows());
        let key = ProvingKey::with_precompiles(
            &run.circuit().compiled().program,
            &PRECOMPILES.into(),
            exit_settings(settings, &log_heights),
            Heights::Exact(log_heights),
        );
        Ok((run, key.map_err(CircuitError::from)?))
    }
}

/// What is accepted with the last proof of an aggregate.
fn accepted(aggregate: &Aggregate, root: Report) -> Result<Accepted, ClaimError> {
    let before = aggregate.accepted();
    let mut below = aggregate.tree().check(aggregate.keys(), 0)?;
    below.add(before.root.bits(), 1);
    Ok(Accepted::new(root, below, &before.leaves))
}
