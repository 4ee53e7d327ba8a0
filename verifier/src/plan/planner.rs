//! Makes plans.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use droste_native::F;
use droste_native::stark::security::Preset;
use droste_vm::key::KeyDigest;
use droste_vm::stack;
use droste_vm::verifier::VerifyOptions;
use thiserror::Error;

use super::draft::Draft;
use super::{Leaf, LeafError, LeafProgram, MAX_LEAVES, Name, Plan, Worker};
use crate::aggregate::{AggregateError, AggregateOptions, Aggregator, RunFigures, VerifiedProof};
use crate::circuit::{ChildShape, CircuitCache, LeafProof, with_proof};
use crate::claim::{AcceptedLeaves, MAX_DEPTH, MAX_NODES};
use crate::file::{self, MAX_KEYS};
use crate::fold;
use crate::keys::{Deriver, MAX_CHILDREN, RecipeError};

/// Arities that are compared if the caller names none.
const ARITIES: [usize; 4] = [2, 3, 4, 8];

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The number of leaves is not possible in a plan.
    #[error("{0} leaves were given, expected 1 to {MAX_LEAVES}")]
    Leaves(usize),
    /// No plan has this arity.
    #[error("the arity is {found}, expected {least} to {MAX_CHILDREN}")]
    Arity {
        /// The arity.
        found: usize,
        /// The least arity: 2 if there are several leaves.
        least: usize,
    },
    /// A leaf cannot be brought to the canonical shape.
    #[error("leaf {leaf} cannot be wrapped")]
    Leaf {
        /// Index of the leaf, from 0.
        leaf: usize,
        /// Why it cannot.
        source: Box<AggregateError>,
    },
    /// There is no join at these parameters.
    #[error(transparent)]
    Join(#[from] AggregateError),
    /// The key of a task's recursion program cannot be derived.
    #[error("the key of a recursion program cannot be derived")]
    Key(#[source] Box<RecipeError>),
    /// A task would verify the openings of a proof in a batch.
    #[error(
        "a plan has no tasks that verify openings in a batch: plan with an aggregator that \
         verifies them by tables"
    )]
    Openings,
    /// The claim tree would be larger than a file can hold.
    #[error(
        "the claim tree of these leaves has {nodes} nodes and {depth} levels, but the file of an \
         aggregate holds {MAX_NODES} nodes and {MAX_DEPTH} levels"
    )]
    ClaimTree {
        /// Number of nodes.
        nodes: usize,
        /// Number of levels.
        depth: usize,
    },
    /// The leaves have more shapes, and so recursion keys, than a file can hold. This is the number
    /// of keys as far as they were counted.
    #[error(
        "the leaves and their wraps have {0} recursion keys or more, but the file of an \
         aggregate holds {MAX_KEYS}: there is one for each shape of proofs; make several aggregates"
    )]
    Keys(usize),
    /// A task cannot be named.
    #[error("what a task depends on cannot be encoded")]
    Name,
}

/// Leaves of one shape, for which the same steps are planned; and whether they are aggregates, of
/// which figures are estimated.
type Class = (ChildShape, bool);

/// Verifies leaves and makes plans of them. Compiled circuits and derived keys are kept and shared
/// with the workers that it makes.
#[derive(Debug, Default)]
pub struct Planner {
    deriver: Arc<Deriver>,
    circuits: Arc<CircuitCache>,
    /// The run that verifies a proof of each shape, made once for the first such leaf.
    figures: Mutex<HashMap<Class, Arc<RunFigures>>>,
}

impl Planner {
    /// A planner that derives keys by `deriver`.
    pub fn new(deriver: impl Into<Arc<Deriver>>) -> Self {
        Self {
            deriver: deriver.into(),
            ..Self::default()
        }
    }

    /// Verifies a leaf that is a proof of `program`: its statement must begin with `expected`, and
    /// it must be as `options` ask ([`droste_vm::verifier::verify_program`]).
    ///
    /// # Errors
    /// Why the leaf is refused.
    pub fn proof(
        &self,
        bytes: &[u8],
        program: &LeafProgram,
        expected: &[F],
        options: VerifyOptions,
    ) -> Result<Leaf, LeafError> {
        let hash = stack::hash_of(bytes)?;
        with_proof!(stack::stack_of(bytes), hash, P => {
            let verified = program.verify::<P>(bytes, expected, options)?;
            self.verified(bytes, &verified)
        })
    }

    /// Verifies a leaf that is a fold with this fold key. It must have the proven bits that
    /// `options` ask for. In the aggregate it is a leaf under the key of its rule.
    ///
    /// # Errors
    /// Why the leaf is refused.
    pub fn fold(
        &self,
        bytes: &[u8],
        key: KeyDigest,
        options: VerifyOptions,
    ) -> Result<Leaf, LeafError> {
        let asked = fold::Options::min_bits(options.min_bits).with_min_tree_bits(0_usize);
        let folded = file::fold::decode(bytes)?.verify(key, &asked)?;
        let proof = folded.into_unverified().proof;
        self.verified(bytes, &VerifiedProof::under_its_own_key(proof)?)
    }

    /// A leaf that is this proof, of the file `bytes`.
    fn verified<P: LeafProof>(
        &self,
        bytes: &[u8],
        proof: &VerifiedProof<P>,
    ) -> Result<Leaf, LeafError> {
        let shape = proof.proof().shape();
        let figures = || RunFigures::of_proof(&self.circuits, proof);
        Ok(Leaf {
            name: Name::of_leaf(bytes),
            says: vec![(proof.report().key, proof.report().statement)],
            nodes: 1,
            depth: 1,
            keys: vec![],
            bits: proof.report().security.bits(),
            is_aggregate: false,
            figures: self.figures((shape, false), figures)?,
        })
    }

    /// Verifies a leaf that is an aggregate, with derived recursion keys. Every proof of its tree
    /// must have the proven bits that `options` ask for. Its own leaves may have any keys: the
    /// claim of what is planned names them, and whoever verifies it says which ones are accepted.
    ///
    /// # Errors
    /// Why the leaf is refused.
    pub fn aggregate(&self, bytes: &[u8], options: VerifyOptions) -> Result<Leaf, LeafError> {
        let aggregate = file::decode(bytes)?;
        let aggregate = aggregate.derive(&self.deriver, &AcceptedLeaves::Any)?;
        let options = AggregateOptions::min_bits(options.min_bits).with_min_tree_bits(Some(0));
        aggregate.accepted().check(options)?;
        let shape = aggregate.proof().shape();
        let figures = || RunFigures::of_aggregate(&aggregate);
        Ok(Leaf {
            name: Name::of_leaf(bytes),
            says: aggregate.tree().leaves(),
            nodes: usize::try_from(aggregate.accepted().proofs).unwrap_or(usize::MAX),
            depth: aggregate.tree().depth(),
            keys: aggregate.keys().iter().map(|(key, _)| key).collect(),
            bits: aggregate.accepted().bits,
            is_aggregate: true,
            figures: self.figures((shape, true), figures)?,
        })
    }

    fn figures(
        &self,
        of: Class,
        make: impl FnOnce() -> Result<RunFigures, AggregateError>,
    ) -> Result<Arc<RunFigures>, AggregateError> {
        let known = || self.figures.lock().unwrap_or_else(PoisonError::into_inner);
        // Not locked while the run is made: making one may verify other leaves on this thread.
        let found = known().get(&of).cloned();
        if let Some(figures) = found {
            return Ok(figures);
        }
        let figures = Arc::new(make()?);
        known().insert(of, Arc::clone(&figures));
        Ok(figures)
    }

    /// A worker for the tasks of a plan. It shares this planner's circuits and keys.
    pub fn worker(&self, plan: &Plan) -> Worker {
        let aggregator = Aggregator::for_preset(plan.preset, plan.arity);
        let circuits = Arc::clone(&self.circuits);
        Worker::of(
            aggregator.with_circuits(circuits),
            Arc::clone(&self.deriver),
        )
    }

    /// Plans the aggregation of these leaves, in this order. Without an arity, the one of 2, 3, 4
    /// and 8 with the least estimated `fft_cost` is chosen.
    ///
    /// # Errors
    /// If there is no plan.
    pub fn plan(
        &self,
        leaves: &[Leaf],
        preset: Preset,
        arity: Option<usize>,
    ) -> Result<Plan, PlanError> {
        if !(1..=MAX_LEAVES).contains(&leaves.len()) {
            let found = leaves.len();
            return Err(PlanError::Leaves(found));
        }
        let draft = |arity| Draft::new(leaves, preset, arity, &self.circuits);
        if let Some(found) = arity {
            let least = leaves.len().min(2);
            return if (least..=MAX_CHILDREN).contains(&found) {
                self.finish(&draft(found)?)
            } else {
                Err(PlanError::Arity { found, least })
            };
        }
        let mut best: Option<(u64, Draft<'_>)> = None;
        // A join never takes more proofs than there are.
        let sensible = |arity: &usize| *arity == 2 || *arity <= leaves.len();
        for arity in ARITIES.into_iter().filter(sensible) {
            let draft = draft(arity)?;
            let cost = draft.fft_cost()?;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, draft));
            }
        }
        match best {
            Some((_, draft)) => self.finish(&draft),
            None => Err(PlanError::Leaves(0)),
        }
    }

    fn finish(&self, draft: &Draft<'_>) -> Result<Plan, PlanError> {
        draft.check_claim_tree()?;
        draft.plan(&self.deriver)
    }
}

#[cfg(test)]
mod tests;
