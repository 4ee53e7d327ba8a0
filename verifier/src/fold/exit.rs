//! Folds in aggregates and on chains: the wrap of a fold's proof, and its last proof.

use std::time::{Duration, Instant};

use droste_native::KeccakSuite;
use droste_native::whir::WhirSettings;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::verifier::{Report, VerifyOptions};
use droste_vm::whir::{Proof, Verifier};

use super::{Accepted, Fold, FoldError, Folded};
use crate::aggregate::{Aggregate, AggregateError, Aggregator, VerifiedProof};
use crate::circuit::CircuitError;
use crate::claim::claim_digest;

/// The last proof of a fold, as [`crate::aggregate::Exit`] is one of an aggregate.
#[derive(Debug)]
pub struct FoldExit {
    /// The proof. Its statement is the claim with the fold's proof as only child.
    pub proof: Proof<KeccakSuite>,
    /// What verifying it established; all bits are those of the whole tree with it as root.
    pub accepted: Accepted,
    /// Time to make it, its key included.
    pub prove: Duration,
    /// Time to verify it.
    pub verify: Duration,
}

impl Fold {
    /// Makes the last proof of a fold ([`Aggregator::exit_fold`]).
    ///
    /// # Errors
    /// If the settings make no such proofs.
    pub fn exit(&self, fold: &Folded, settings: WhirSettings) -> Result<FoldExit, FoldError> {
        Ok(self.aggregator.exit_fold(fold, settings)?)
    }
}

impl Aggregator {
    /// Makes the last proof of a fold of this canonical shape, as [`Self::exit`] does of an
    /// aggregate: it has the same key. A verifier must know the rules' keys, too: the statement
    /// binds the key of the rule at the root, but a program that checks nothing states what it
    /// likes.
    ///
    /// # Errors
    /// If the fold has another shape, or the settings make no such proofs.
    pub fn exit_fold(
        &self,
        fold: &Folded,
        settings: WhirSettings,
    ) -> Result<FoldExit, AggregateError> {
        let start = Instant::now();
        let (run, key) = self.exit_run(fold.proof(), settings)?;
        let proof = key.prove_run(run.execution());
        let proof = proof.map_err(CircuitError::from)?;
        let prove = start.elapsed();
        let verifier = Verifier::<StandardTables, KeccakSuite>::new(key.key().clone());
        let verifier = verifier.map_err(CircuitError::from)?;
        let start = Instant::now();
        let statement = claim_digest(&[(fold.rule(), fold.statement())]);
        let report = verifier.verify(&statement, VerifyOptions::min_bits(0), &proof);
        let report = report.map_err(CircuitError::from)?;
        Ok(FoldExit {
            verify: start.elapsed(),
            accepted: accepted(fold, report),
            proof,
            prove,
        })
    }

    /// Wraps a fold's proof, of whatever shape, so that it can be joined. In the aggregate it is a
    /// leaf, under the key of its rule, and counts as one proof: [`Aggregate::with_folds`] counts
    /// those below it.
    ///
    /// # Errors
    /// As [`Self::wrap`].
    pub fn wrap_fold(&self, fold: Folded) -> Result<Aggregate, AggregateError> {
        let proof = fold.into_unverified().proof;
        let verified = VerifiedProof::under_its_own_key(proof);
        self.wrap(&verified.map_err(CircuitError::from)?)
    }
}

/// What is accepted with the last proof of a fold.
pub(super) fn accepted(fold: &Folded, root: Report) -> Accepted {
    let mut below = fold.family().below(fold.counters());
    below.add(fold.accepted().root.bits(), 1);
    Accepted::new(root, below, fold.counters())
}
