//! What makes recursion proofs of one canonical shape.

use std::sync::Arc;

use droste_native::HashId;
use droste_native::whir::WhirSettings;
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::MachineError;
use droste_vm::whir;
use educe::Educe;
use thiserror::Error;

use super::shape::{FixedShape, tables_of_r};
use super::{AcceptError, Aggregate, Level, NotCanonical, Step, VerifiedProof, step};
use crate::circuit::{ChildShape, Children, CircuitCache, CircuitError, LeafProof, Openings, Run};
use crate::claim::{ClaimTree, claim_tree};
use crate::keys::{KeySet, Recipe, RecipeError, power};

/// Largest number of steps that bring one proof to the canonical shape. Each verifies a smaller
/// proof than the step before it did, so few are needed.
pub(super) const MOST_STEPS: usize = 8;

pub(super) type Result<T, E = AggregateError> = std::result::Result<T, E>;

/// Why proofs cannot be aggregated.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum AggregateError {
    /// A circuit cannot be made, or rejects its children, or its run cannot be proved.
    Circuit(#[from] CircuitError),
    /// An aggregate is not accepted.
    Accept(#[from] AcceptError),
    /// The recursion program exceeds the limits of [`Recipe::check`], so nobody could derive its
    /// key.
    Recipe(Box<RecipeError>),
    /// A proof to join does not have this aggregator's canonical shape.
    #[error("proof {child}: {source}")]
    OtherShape {
        /// Index of the proof, from 0.
        child: usize,
        /// What is wrong, and what to do.
        source: NotCanonical,
    },
    /// [`Aggregator::join`] was given no proofs.
    #[error("no proofs were given to join, expected at least one")]
    Empty,
    /// The run of a step needs more cells than one proof commits to at its level of security.
    #[error(
        "verifying the proof needs more cells than a proof over WHIR commits to at its level of \
         security: a proof at a larger blowup needs fewer"
    )]
    TooManyCells,
    /// R has a table whose rows cannot be estimated.
    #[error("nothing says how many rows a run that verifies proofs has in table {0}")]
    UnknownRows(&'static str),
    /// Further steps do not make the proof smaller.
    #[error(
        "no further step brings the proof to the canonical shape: the heights of the aggregator's \
         recursion machine are too small"
    )]
    NoCanonicalShape,
    /// The wrap of a proof has an intermediate shape, which is known only once it is proved, so the
    /// keys of the steps after it cannot be derived in advance.
    #[error(
        "one step does not bring the proof to the canonical shape: wrap a proof of this shape and \
         derive the keys from that aggregate"
    )]
    NeedsMoreSteps,
    /// The children of a join need more rows than R has.
    #[error(
        "{children} proofs are too many to join at the heights of the recursion machine, expected \
         at most {fit}: join in several steps, as `droste aggregate` does, or wrap with a larger \
         arity"
    )]
    TooManyChildren {
        /// Number of children.
        children: usize,
        /// Largest number of children that fit.
        fit: usize,
    },
}

/// Makes recursion proofs of one canonical shape. It keeps the circuits that its steps compile and
/// shares them with its clones.
#[derive(Clone, Educe)]
#[educe(Debug)]
pub struct Aggregator {
    pub(super) canonical: FixedShape,
    pub(super) intermediate: WhirSettings,
    pub(super) circuits: Arc<CircuitCache>,
    pub(super) openings: Openings,
    #[educe(Debug(ignore))]
    pub(super) progress: Progress,
}

/// What is called after each step.
type Progress = Arc<dyn Fn(&Step) + Send + Sync>;

impl Aggregator {
    /// An aggregator whose canonical shape is R with these settings and these logarithms of the
    /// tables' heights, in the machine's order. If there are none, no run fits it, so first steps
    /// are made at the least heights that fit their runs.
    pub fn new(settings: WhirSettings, log_heights: Vec<usize>) -> Self {
        Self {
            canonical: FixedShape {
                settings,
                log_heights,
            },
            intermediate: settings,
            circuits: Arc::default(),
            openings: Openings::Tables,
            progress: Arc::new(|_| ()),
        }
    }

    /// Settings of every proof of canonical shape.
    pub const fn settings(&self) -> &WhirSettings {
        &self.canonical.settings
    }

    /// Settings of proofs of intermediate shape. Where a run needs more cells, the rows of the
    /// stack are longer and the blowup is 2.
    pub const fn intermediate_settings(&self) -> &WhirSettings {
        &self.intermediate
    }

    /// Logarithms of R's heights, in the machine's order.
    pub fn log_heights(&self) -> &[usize] {
        &self.canonical.log_heights
    }

    /// Shares compiled circuits with others that use `circuits`.
    #[must_use]
    pub fn with_circuits(self, circuits: Arc<CircuitCache>) -> Self {
        Self { circuits, ..self }
    }

    /// Verifies the openings of programs' proofs in this way: by tables, unless this is called. In a
    /// batch it wraps proofs over FRI in a byte hash only.
    #[must_use]
    pub fn with_openings(self, openings: Openings) -> Self {
        Self { openings, ..self }
    }

    /// Calls `progress` after each step of a wrap or join, on the thread that makes it.
    #[must_use]
    pub fn with_progress(self, progress: impl Fn(&Step) + Send + Sync + 'static) -> Self {
        Self {
            progress: Arc::new(progress),
            ..self
        }
    }

    /// The circuits that this aggregator's steps have compiled.
    pub fn circuits(&self) -> &CircuitCache {
        &self.circuits
    }

    /// The recipe of the key of a join of `children` proofs. It is the same for wraps and joins,
    /// since both have the canonical shape.
    ///
    /// # Errors
    /// If R's tables cannot be proved.
    pub fn join_recipe(&self, children: usize) -> Result<Recipe, MachineError> {
        Ok(Recipe {
            children: Children::Programs {
                shape: self.canonical_shape()?,
                count: children,
            },
            settings: self.canonical.settings,
            heights: Heights::Exact(self.canonical.log_heights.clone()),
        })
    }

    /// The shape of proofs of canonical shape, as the program that verifies them takes it.
    pub(crate) fn canonical_shape(&self) -> Result<ChildShape, MachineError> {
        Ok(ChildShape {
            hash: HashId::Poseidon16,
            settings: self.canonical.settings.into(),
            tables: tables_of_r()?,
            log_heights: self.canonical.log_heights.clone(),
            fixed: true,
        })
    }

    /// Whether `proof` has the canonical shape, so that this aggregator can join it.
    pub fn is_canonical(&self, proof: &whir::Proof) -> bool {
        self.canonical.is_of(&proof.shape())
    }

    /// Like [`Self::is_canonical`], with the words for a proof that is not.
    ///
    /// # Errors
    /// If it is not.
    pub fn check_canonical(&self, proof: &whir::Proof) -> Result<(), NotCanonical> {
        if self.is_canonical(proof) {
            return Ok(());
        }
        let expected = self.canonical_shape().ok();
        Err(NotCanonical {
            found: Level::of(&proof.shape()),
            expected: expected.as_ref().and_then(Level::of),
        })
    }

    /// Brings the proof of an ordinary program to the canonical shape.
    ///
    /// # Errors
    /// If R's heights are too small to verify it.
    pub fn wrap<P: LeafProof>(&self, proof: &VerifiedProof<P>) -> Result<Aggregate> {
        self.to_canonical_shape(self.prove_first_step(proof, true)?)
    }

    /// Makes the first step of [`Self::wrap`] alone: the aggregate may have an intermediate shape,
    /// from which [`Self::to_canonical_shape`] goes on.
    ///
    /// # Errors
    /// If the run cannot be proved.
    pub fn first_step<P: LeafProof>(&self, proof: &VerifiedProof<P>) -> Result<Aggregate> {
        self.prove_first_step(proof, false)
    }

    fn prove_first_step<P: LeafProof>(
        &self,
        proof: &VerifiedProof<P>,
        is_followed: bool,
    ) -> Result<Aggregate> {
        let tree = claim_tree(proof.proof(), vec![]);
        let run = step::run_leaf(&self.circuits, self.openings, proof, vec![tree])?;
        self.prove_run(run, KeySet::default(), is_followed)
    }

    /// Proves the run of a circuit for AIRs (see [`crate::airs`]) and brings the proof to the
    /// canonical shape.
    ///
    /// # Errors
    /// If the run cannot be proved, or R's heights are too small for it.
    pub fn wrap_run(&self, run: Run) -> Result<Aggregate> {
        self.to_canonical_shape(self.prove_run(run, KeySet::default(), true)?)
    }

    /// Brings an aggregate of any shape to the canonical shape.
    ///
    /// # Errors
    /// If R's heights are too small to verify it.
    pub fn to_canonical_shape(&self, mut aggregate: Aggregate) -> Result<Aggregate> {
        while !self.is_canonical(aggregate.proof()) {
            if aggregate.steps().len() == MOST_STEPS {
                return Err(AggregateError::NoCanonicalShape);
            }
            let (before, tree, keys, steps) = aggregate.into_parts();
            let run = self.run(&[&before], vec![tree])?;
            if self.repeats(&before, &run) {
                return Err(AggregateError::NoCanonicalShape);
            }
            let next = self.prove_run(run, keys, true)?;
            aggregate = next.after(steps);
        }
        Ok(aggregate)
    }

    /// Joins aggregates of canonical shape into one aggregate of that shape. Their order is kept
    /// and is part of the claim.
    ///
    /// # Errors
    /// If there are no children, a child has another shape, or verifying them all does not fit R's
    /// heights.
    pub fn join(&self, children: Vec<Aggregate>) -> Result<Aggregate> {
        let (mut proofs, mut trees, mut keys) = (vec![], vec![], KeySet::default());
        for (index, child) in children.into_iter().enumerate() {
            let is_canonical = self.check_canonical(child.proof());
            is_canonical.map_err(|source| AggregateError::OtherShape {
                child: index,
                source,
            })?;
            let (proof, tree, below, _) = child.into_parts();
            keys.extend(&below);
            proofs.push(proof);
            trees.push(tree);
        }
        let proofs: Vec<&whir::Proof> = proofs.iter().collect();
        let run = self.run_of_join(&proofs, trees)?;
        self.prove_run(run, keys, false)
    }

    /// The key of the join of so many proofs like this one, of canonical shape.
    ///
    /// # Errors
    /// If verifying them all does not fit R's heights.
    pub(crate) fn join_key(&self, proof: &whir::Proof, children: usize) -> Result<KeyDigest> {
        let run = self.run_of_join(&vec![proof; children], vec![])?;
        let heights = Heights::Exact(self.canonical.log_heights.clone());
        let key = run.circuit().key(self.canonical.settings, &heights)?;
        Ok(key.digest())
    }

    /// Runs the verification of proofs of canonical shape, whose claim trees are `trees`.
    fn run_of_join(&self, proofs: &[&whir::Proof], trees: Vec<ClaimTree>) -> Result<Run> {
        if !proofs.is_empty() {
            // Beyond the limits of recipes, generating the program would take long.
            let recipe = self.join_recipe(proofs.len()).map_err(CircuitError::from)?;
            let checked = recipe.check();
            checked.map_err(|error| AggregateError::Recipe(Box::new(error)))?;
        }
        let run = self.run(proofs, trees)?;
        if !self.canonical.fits(run.needed_rows()) {
            return Err(AggregateError::TooManyChildren {
                children: proofs.len(),
                fit: self.fit(proofs, run.needed_rows()),
            });
        }
        Ok(run)
    }

    /// The largest number of these proofs that a join takes, where verifying all of them needs
    /// `rows`. Rows grow about linearly with the number, so few runs are tried.
    fn fit(&self, proofs: &[&whir::Proof], rows: &[(String, usize)]) -> usize {
        let heights = rows.iter().zip(&self.canonical.log_heights);
        let share = |((_, rows), &log_height): (&(String, usize), &usize)| {
            proofs.len().saturating_mul(power(log_height)) / (*rows).max(1)
        };
        let most = heights.map(share).min();
        // Rows that do not grow with the number make the estimate too low, never too high.
        let mut fit = most.unwrap_or_default().max(1);
        let fits = |count: usize| {
            let run = self.run(proofs.get(..count).unwrap_or_default(), vec![]);
            run.is_ok_and(|run| self.canonical.fits(run.needed_rows()))
        };
        while fit + 1 < proofs.len() && fits(fit + 1) {
            fit += 1;
        }
        while fit > 0 && !fits(fit) {
            fit -= 1;
        }
        fit
    }
}
