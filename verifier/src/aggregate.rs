//! Aggregation: proofs of any shape brought to one, and those joined.
//!
//! The recursion machine R has the tables of [`PRECOMPILES`]. A proof on R at the heights of an
//! [`Aggregator`] is *home*: all such proofs have one shape, so that one program joins them, wraps and
//! joins alike. [`Aggregator::wrap`] brings any proof home, in as many steps as that takes: a proof in
//! Blake3 or Keccak is first verified on R with that hash's tables beside it, and a proof too wide for
//! R's heights on R at larger ones.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use droste_native::{FriSettings, HashId, Poseidon16Family};
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::key::{KeyDigest, KeyError, KeyHeights, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveError, prove_with_key};
use droste_vm::verifier::{Report, Verifier, VerifyError};
use thiserror::Error;

use crate::claim::{ClaimError, ClaimTree};
use crate::recursion::{Recursion, RecursionError, claim_tree};
use crate::tape::TapeFamily;

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
    /// Proving a step.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// A child, or the proof just made, does not verify.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// Nothing to join.
    #[error("no proofs to join")]
    Empty,
    /// The proof does not get smaller.
    #[error("the proof is not home after {MOST_STEPS} steps: R's heights are too small")]
    NotHome,
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

/// One recursion step and what it took.
#[derive(Clone, Debug)]
pub struct Step {
    /// Hash of the proofs it verified.
    pub hash: HashId,
    /// Number of proofs it verified.
    pub children: usize,
    /// Whether its proof is home.
    pub home: bool,
    /// Cycles of the run.
    pub cycles: usize,
    /// Generating and compiling the program.
    pub compile: Duration,
    /// Writing the hints and running the program.
    pub execute: Duration,
    /// Key, traces and proof.
    pub prove: Duration,
    /// Native verification of the proof.
    pub verify: Duration,
    /// Tables and security of the proof.
    pub report: Report,
}

/// A recursion proof and what it claims.
#[derive(Debug)]
pub struct Aggregate {
    /// The proof.
    pub proof: Proof<Poseidon16Family>,
    /// Keys and statements below it.
    pub tree: ClaimTree,
    /// The steps that made it from its children, last one last.
    pub steps: Vec<Step>,
}

/// Makes recursion proofs of one shape.
#[derive(Clone, Debug)]
pub struct Aggregator {
    settings: FriSettings,
    log_heights: Vec<usize>,
}

impl Aggregator {
    /// R with these settings, its tables of these heights, in the machine's order.
    pub fn new(settings: FriSettings, log_heights: Vec<usize>) -> Self {
        Self {
            settings,
            log_heights,
        }
    }

    /// Whether `proof` is one of those that this aggregator joins.
    pub fn is_home(&self, proof: &Proof<Poseidon16Family>) -> bool {
        proof.key.settings == self.settings
            && proof.key.heights == KeyHeights::Fixed(self.log_heights.clone())
    }

    /// Brings a proof home; `tree` is its claim tree. `progress` sees each step when it is done.
    ///
    /// # Errors
    /// If the proof is not valid, or R's heights are too small for it.
    pub fn wrap<H: TapeFamily>(
        &self,
        proof: &Proof<H>,
        tree: ClaimTree,
        mut progress: impl FnMut(&Step),
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let mut aggregate = self.step::<H>(&[proof], vec![tree])?;
        while let Some(step) = aggregate.steps.last() {
            progress(step);
            if step.home {
                return Ok(aggregate);
            }
            if aggregate.steps.len() == MOST_STEPS {
                break;
            }
            let mut next =
                self.step::<Poseidon16Family>(&[&aggregate.proof], vec![aggregate.tree])?;
            aggregate.steps.append(&mut next.steps);
            aggregate = Aggregate {
                steps: aggregate.steps,
                ..next
            };
        }
        Err(AggregateError::NotHome)
    }

    /// Joins proofs that are home into one that is.
    ///
    /// # Errors
    /// If a child is not valid or not home, or there are too many of them for R's heights.
    pub fn join(&self, children: Vec<Aggregate>) -> Result<Aggregate, AggregateError> {
        if children.is_empty() {
            return Err(AggregateError::Empty);
        }
        let (proofs, trees): (Vec<_>, Vec<_>) = children
            .into_iter()
            .map(|child| (child.proof, child.tree))
            .unzip();
        let proofs: Vec<&Proof<Poseidon16Family>> = proofs.iter().collect();
        let joined = self.step::<Poseidon16Family>(&proofs, trees)?;
        match joined.steps.last() {
            Some(step) if step.home => Ok(joined),
            _ => Err(AggregateError::TooManyChildren {
                children: proofs.len(),
            }),
        }
    }

    /// Verifies `children`, all of one shape, natively and in the machine, and proves that: home if
    /// the run fits, on the machine and at the heights that it needs otherwise.
    fn step<H: TapeFamily>(
        &self,
        children: &[&Proof<H>],
        trees: Vec<ClaimTree>,
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let first = children.first().ok_or(AggregateError::Empty)?;
        let start = Instant::now();
        let verifier = Verifier::<H, StandardTables>::new(first.key.clone())?;
        let recursion = Recursion::new(&verifier, &first.batch.degree_bits, children.len())?;
        let compile = start.elapsed();

        for proof in children {
            Verifier::<H, StandardTables>::new(proof.key.clone())?.verify(&[], 0, proof)?;
        }
        let start = Instant::now();
        let execution = recursion.execute(children)?;
        let execute = start.elapsed();

        let start = Instant::now();
        let program = &recursion.compiled().program;
        let own = BTreeSet::from(PRECOMPILES);
        let key = |heights| {
            ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
                program,
                &own,
                self.settings,
                heights,
            )
        };
        let home = key(Heights::Exact(self.log_heights.clone()))
            .map_err(AggregateError::from)
            .and_then(|key| Ok(prove_with_key(&key, &execution)?));
        let proof = match home {
            Err(error) if needs_more(&error) => {
                prove_with_key(&key(Heights::Minimal)?, &execution)?
            }
            result => result?,
        };
        let prove = start.elapsed();

        let start = Instant::now();
        let report = Verifier::<Poseidon16Family, StandardTables>::new(proof.key.clone())?.verify(
            &proof.statement,
            0,
            &proof,
        )?;
        let verify = start.elapsed();
        let tree = claim_tree(&proof, trees);
        Ok(Aggregate {
            steps: vec![Step {
                hash: H::ID,
                children: children.len(),
                home: self.is_home(&proof),
                cycles: execution.cycles.len(),
                compile,
                execute,
                prove,
                verify,
                report,
            }],
            proof,
            tree,
        })
    }
}

/// Whether a program or its run lacks tables or rows at R's heights.
fn needs_more(error: &AggregateError) -> bool {
    matches!(
        error,
        AggregateError::Key(KeyError::HeightCount { .. } | KeyError::Program(_))
            | AggregateError::Prove(ProveError::TooManyRows { .. })
    )
}

impl Aggregate {
    /// Checks that the claim tree is the proof's and that its keys are known: those of recursion
    /// programs above, those of programs at the leaves.
    ///
    /// # Errors
    /// What in the tree is not as expected.
    pub fn check(&self, recursion: &[KeyDigest], programs: &[KeyDigest]) -> Result<(), ClaimError> {
        let key = self.proof.key.digest();
        self.tree
            .check(key, &self.proof.statement, recursion, programs)
    }
}
