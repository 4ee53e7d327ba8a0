//! Aggregation: proofs of any shape brought to one, and those joined.
//!
//! The recursion machine R has the tables of [`PRECOMPILES`]. A proof on R at the heights of an
//! [`Aggregator`] is *home*: all such proofs have one shape, so that one program joins them, wraps and
//! joins alike. [`Aggregator::wrap`] brings any proof home, in as many steps as that takes: a proof in
//! Blake3 or Keccak is first verified on R with that hash's tables beside it, and a proof too wide for
//! R's heights on R at larger ones.
//!
//! [`UnverifiedAggregate::verify`] is how a chain of proofs ends: one proof, one digest of the recursion
//! keys that are accepted ([`KeySet`]), one claim. What is wrapped and joined has been verified before:
//! [`VerifiedProof`] and [`Aggregate`] are made by verification, or by proving here, and in no other way.

mod preset;
mod step;
mod verified;

use droste_native::{F, FriSettings, HashId, Poseidon16Family};
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::key::{KeyDigest, KeyError, KeyHeights};
use droste_vm::machine::{Machine, MachineError, Provable, StandardTables};
use droste_vm::prover::{Proof, ProveError};
use droste_vm::tables::program::ProgramTable;
use droste_vm::verifier::VerifyError;
use thiserror::Error;

pub use step::{Run, Step};
pub use verified::{Accepted, Aggregate, UnverifiedAggregate, VerifiedProof};

use crate::claim::ClaimError;
use crate::keys::{ChildShape, Children, KeySet, KeysError, Recipe, RecipeError};
use crate::recursion::{RecursionError, claim_tree};
use crate::tape::TapeFamily;
use step::Size;

/// Precompiles whose tables the recursion machine R has: extension arithmetic and Poseidon-16.
pub const PRECOMPILES: [u32; 2] = [id::EXT, id::POSEIDON16_SPONGE];

/// Most steps that bring one proof home: each verifies a proof smaller than the one before.
const MOST_STEPS: usize = 8;

/// Why proofs cannot be aggregated.
#[derive(Debug, Error)]
pub enum AggregateError {
    /// A recursion program or its run.
    #[error(transparent)]
    Recursion(#[from] RecursionError),
    /// The key of a recursion program.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The recursion program is larger than any that is derived again.
    #[error(transparent)]
    Recipe(Box<RecipeError>),
    /// Proving a step.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// A child, or the proof just made, does not verify.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The recursion keys of an aggregate are not the expected ones, or not those of their programs.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The claim of an aggregate is not the expected one.
    #[error("the claim is {}, expected {}", hex(.found), hex(.expected))]
    Statement {
        /// Claim asked for.
        expected: [F; 8],
        /// Claim of the aggregate.
        found: [F; 8],
    },
    /// A proof to join has other settings or heights than this aggregator's.
    #[error("proof {child} is not one of this aggregator's: its settings or its heights differ")]
    Foreign {
        /// Which, from 0.
        child: usize,
    },
    /// Nothing to join.
    #[error("no proofs to join")]
    Empty,
    /// The proof does not get smaller.
    #[error("no further step brings the proof home: R's heights are too small")]
    NotHome,
    /// The wrap of a proof is not home, so that its own shape is known only once it is proved.
    #[error("one step does not bring the proof home: wrap one like it, and derive keys from that")]
    MoreSteps,
    /// The children of a join need more rows than R has.
    #[error("joining {children} proofs needs more rows than R's heights allow")]
    TooManyChildren {
        /// Number of children.
        children: usize,
    },
    /// A claim tree that is not the proof's.
    #[error(transparent)]
    Claim(#[from] ClaimError),
}

/// Makes recursion proofs of one shape.
#[derive(Clone, Debug)]
pub struct Aggregator {
    settings: FriSettings,
    log_heights: Vec<usize>,
    /// Settings of a proof that is not home: of more rows and columns, hence with the preset's own queries
    /// and more grinding.
    away: FriSettings,
    /// The same where it verified a proof in Keccak.
    away_of_keccak: FriSettings,
    /// Settings and heights of a proof that is one step from home, where natural heights never get there.
    nearly: Option<(FriSettings, Vec<usize>)>,
}

impl Aggregator {
    /// R with these settings, its tables of these heights, in the machine's order.
    pub fn new(settings: FriSettings, log_heights: Vec<usize>) -> Self {
        Self {
            settings,
            log_heights,
            away: settings,
            away_of_keccak: settings,
            nearly: None,
        }
    }

    /// FRI settings of every proof that is home.
    pub const fn settings(&self) -> &FriSettings {
        &self.settings
    }

    /// FRI settings of a proof that is not home and verified proofs in this hash.
    pub const fn settings_away(&self, hash: HashId) -> &FriSettings {
        match hash {
            HashId::Keccak => &self.away_of_keccak,
            HashId::Poseidon16 | HashId::Blake3 => &self.away,
        }
    }

    /// Logarithms of R's heights, in the machine's order.
    pub fn log_heights(&self) -> &[usize] {
        &self.log_heights
    }

    /// What the key of a join of so many proofs is made from. It is the same whether they are wraps or
    /// joins: those are of one shape.
    ///
    /// # Errors
    /// If R's tables cannot be proved.
    pub fn join_recipe(&self, children: usize) -> Result<Recipe, MachineError> {
        let program = ProgramTable::of_height(0);
        let machine = Machine::<StandardTables>::new(program, &PRECOMPILES.into())?;
        Ok(Recipe {
            children: Children::Programs {
                shape: ChildShape {
                    hash: HashId::Poseidon16,
                    settings: self.settings,
                    tables: machine.names(),
                    log_heights: self.log_heights.clone(),
                    fixed: true,
                },
                count: children,
            },
            settings: self.settings,
            heights: Heights::Exact(self.log_heights.clone()),
        })
    }

    /// Whether `proof` is one of those that this aggregator joins.
    pub fn is_home(&self, proof: &Proof<Poseidon16Family>) -> bool {
        proof.key.settings == self.settings
            && proof.key.heights == KeyHeights::Fixed(self.log_heights.clone())
    }

    /// Brings the proof of an ordinary program home. `progress` sees each step when it is done.
    ///
    /// # Errors
    /// If R's heights are too small for it.
    pub fn wrap<H: TapeFamily>(
        &self,
        proof: &VerifiedProof<H>,
        mut progress: impl FnMut(&Step),
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let aggregate = self.wrap_once(proof, Size::Home)?;
        aggregate.steps().iter().for_each(&mut progress);
        self.bring_home(aggregate, progress)
    }

    /// The first step of [`Self::wrap`] alone, its tables as low as the run allows: what verifying
    /// such a proof costs.
    ///
    /// # Errors
    /// If the run cannot be proved.
    pub fn wrap_at_natural_heights<H: TapeFamily>(
        &self,
        proof: &VerifiedProof<H>,
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        self.wrap_once(proof, Size::Natural)
    }

    fn wrap_once<H: TapeFamily>(
        &self,
        proof: &VerifiedProof<H>,
        size: Size,
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let proof = proof.proof();
        let tree = claim_tree(proof, vec![]);
        self.step::<H>(&[proof], vec![tree], KeySet::default(), size)
    }

    /// Brings an aggregate home that is not. `progress` sees each step when it is done.
    ///
    /// # Errors
    /// If R's heights are too small for it.
    pub fn bring_home(
        &self,
        mut aggregate: Aggregate,
        mut progress: impl FnMut(&Step),
    ) -> Result<Aggregate, AggregateError> {
        while !self.is_home(aggregate.proof()) {
            if aggregate.steps().len() == MOST_STEPS {
                return Err(AggregateError::NotHome);
            }
            let (before, tree, keys, steps) = aggregate.into_parts();
            let next = self.step::<Poseidon16Family>(&[&before], vec![tree], keys, Size::Home)?;
            next.steps().iter().for_each(&mut progress);
            let after = next.proof();
            if !self.is_home(after)
                && before.batch.degree_bits == after.batch.degree_bits
                && before.key.settings == after.key.settings
            {
                // A proof of this shape is verified by one of this shape.
                return Err(AggregateError::NotHome);
            }
            aggregate = next.after(steps);
        }
        Ok(aggregate)
    }

    /// Brings home the run of a program that verifies a proof of AIRs (see [`crate::driver`]).
    /// `progress` sees each step when it is done.
    ///
    /// # Errors
    /// If the run cannot be proved, or R's heights are too small for it.
    pub fn wrap_run(
        &self,
        run: Run<'_>,
        mut progress: impl FnMut(&Step),
    ) -> Result<Aggregate, AggregateError> {
        let aggregate = self.prove_run(run, KeySet::default(), Size::Home)?;
        aggregate.steps().iter().for_each(&mut progress);
        self.bring_home(aggregate, progress)
    }

    /// Joins aggregates that are home into one that is; their order is kept.
    ///
    /// # Errors
    /// If a child is not home, or there are too many of them for R's heights.
    pub fn join(&self, children: Vec<Aggregate>) -> Result<Aggregate, AggregateError> {
        let (mut proofs, mut trees, mut keys) = (vec![], vec![], KeySet::default());
        for (index, child) in children.into_iter().enumerate() {
            if !self.is_home(child.proof()) {
                return Err(AggregateError::Foreign { child: index });
            }
            let (proof, tree, below, _) = child.into_parts();
            keys.extend(&below);
            proofs.push(proof);
            trees.push(tree);
        }
        let proofs: Vec<&Proof<Poseidon16Family>> = proofs.iter().collect();
        let joined = self.step::<Poseidon16Family>(&proofs, trees, keys, Size::Home)?;
        if !self.is_home(joined.proof()) {
            return Err(AggregateError::TooManyChildren {
                children: proofs.len(),
            });
        }
        Ok(joined)
    }
}

/// Claims are written as keys are.
const fn hex(claim: &[F; 8]) -> KeyDigest {
    KeyDigest(*claim)
}
