//! Aggregation: proofs of any shape brought to one, and those joined.
//!
//! The recursion machine R has the tables of [`PRECOMPILES`]. A proof on R at the heights of an
//! [`Aggregator`] is *home*: all such proofs have one shape, so that one program joins them, wraps and
//! joins alike. [`Aggregator::wrap`] brings any proof home, in as many steps as that takes: a proof in
//! Blake3 or Keccak is first verified on R with that hash's tables beside it, and a proof too wide for
//! R's heights on R at larger ones.
//!
//! [`Aggregate::verify`] is how a chain of proofs ends: one proof, one digest of the recursion keys
//! that are accepted ([`KeySet`]), one claim.

mod preset;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use droste_native::{F, FriSettings, HashId, Poseidon16Family};
use droste_vm::compiler::Compiled;
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::key::{KeyDigest, KeyError, KeyHeights, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveError, prove_with_key};
use droste_vm::record::Execution;
use droste_vm::verifier::{Report, Verifier, VerifyError};
use thiserror::Error;

use crate::claim::{Claim, ClaimError, ClaimTree};
use crate::keys::KeySet;
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
    /// The keys of an aggregate are not the expected ones.
    #[error("the aggregate's set of recursion keys is {found}, expected {expected}")]
    Keys {
        /// Digest asked for.
        expected: KeyDigest,
        /// Digest of the keys that the aggregate names.
        found: KeyDigest,
    },
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
    /// Keys of the recursion programs in the tree.
    pub keys: KeySet,
    /// The steps that made it from its children, last one last; none where it was read from a file.
    pub steps: Vec<Step>,
}

/// What an accepted aggregate says.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// The proof at the root.
    pub root: Report,
    /// Proven bits that every proof of the tree has, the root's and those at the leaves included.
    pub bits: usize,
}

/// The run of a recursion program that is to be proved.
#[derive(Debug)]
pub struct Run<'a> {
    /// Hash of the proofs it verified.
    pub hash: HashId,
    /// The program.
    pub compiled: &'a Compiled,
    /// Proven bits of every proof that the program accepts.
    pub bits: usize,
    /// The run.
    pub execution: &'a Execution,
    /// Claim trees of the proofs it verified.
    pub trees: Vec<ClaimTree>,
    /// Time that generating and compiling the program took.
    pub compile: Duration,
    /// Time that writing the hints and running the program took.
    pub execute: Duration,
}

/// Heights of a step's proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// R's where the run fits, as low as it allows otherwise.
    Home,
    /// As low as the run allows.
    Natural,
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

    /// Whether `proof` is one of those that this aggregator joins.
    pub fn is_home(&self, proof: &Proof<Poseidon16Family>) -> bool {
        proof.key.settings == self.settings
            && proof.key.heights == KeyHeights::Fixed(self.log_heights.clone())
    }

    /// Brings the proof of an ordinary program home. `progress` sees each step when it is done.
    ///
    /// # Errors
    /// If the proof is not valid, or R's heights are too small for it.
    pub fn wrap<H: TapeFamily>(
        &self,
        proof: &Proof<H>,
        mut progress: impl FnMut(&Step),
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let aggregate = self.wrap_once(proof, Size::Home)?;
        aggregate.steps.iter().for_each(&mut progress);
        self.bring_home(aggregate, progress)
    }

    /// The first step of [`Self::wrap`] alone, its tables as low as the run allows: what verifying
    /// such a proof costs.
    ///
    /// # Errors
    /// If the proof is not valid.
    pub fn wrap_at_natural_heights<H: TapeFamily>(
        &self,
        proof: &Proof<H>,
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        self.wrap_once(proof, Size::Natural)
    }

    fn wrap_once<H: TapeFamily>(
        &self,
        proof: &Proof<H>,
        size: Size,
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let tree = claim_tree(proof, vec![]);
        self.step::<H>(&[proof], vec![tree], KeySet::default(), size)
    }

    /// Brings an aggregate home that is not. `progress` sees each step when it is done.
    ///
    /// # Errors
    /// If the aggregate is not valid, or R's heights are too small for it.
    pub fn bring_home(
        &self,
        mut aggregate: Aggregate,
        mut progress: impl FnMut(&Step),
    ) -> Result<Aggregate, AggregateError> {
        while !self.is_home(&aggregate.proof) {
            if aggregate.steps.len() == MOST_STEPS {
                return Err(AggregateError::NotHome);
            }
            aggregate.check_tree(0)?;
            let next = self.step::<Poseidon16Family>(
                &[&aggregate.proof],
                vec![aggregate.tree],
                aggregate.keys,
                Size::Home,
            )?;
            next.steps.iter().for_each(&mut progress);
            let (before, after) = (&aggregate.proof, &next.proof);
            if !self.is_home(after)
                && before.batch.degree_bits == after.batch.degree_bits
                && before.key.settings == after.key.settings
            {
                // A proof of this shape is verified by one of this shape.
                return Err(AggregateError::NotHome);
            }
            let mut steps = aggregate.steps;
            steps.extend(next.steps);
            aggregate = Aggregate { steps, ..next };
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
        aggregate.steps.iter().for_each(&mut progress);
        self.bring_home(aggregate, progress)
    }

    /// Joins aggregates that are home into one that is; their order is kept.
    ///
    /// # Errors
    /// If a child is not valid or not home, or there are too many of them for R's heights.
    pub fn join(&self, children: Vec<Aggregate>) -> Result<Aggregate, AggregateError> {
        if children.is_empty() {
            return Err(AggregateError::Empty);
        }
        let (mut proofs, mut trees, mut keys) = (vec![], vec![], KeySet::default());
        for (index, child) in children.into_iter().enumerate() {
            if !self.is_home(&child.proof) {
                return Err(AggregateError::Foreign { child: index });
            }
            child.check_tree(0)?;
            keys.extend(&child.keys);
            proofs.push(child.proof);
            trees.push(child.tree);
        }
        let proofs: Vec<&Proof<Poseidon16Family>> = proofs.iter().collect();
        let joined = self.step::<Poseidon16Family>(&proofs, trees, keys, Size::Home)?;
        if !self.is_home(&joined.proof) {
            return Err(AggregateError::TooManyChildren {
                children: proofs.len(),
            });
        }
        Ok(joined)
    }

    /// Verifies `children`, all of one shape, natively and in the machine, and proves that.
    fn step<H: TapeFamily>(
        &self,
        children: &[&Proof<H>],
        trees: Vec<ClaimTree>,
        keys: KeySet,
        size: Size,
    ) -> Result<Aggregate, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let first = children.first().ok_or(AggregateError::Empty)?;
        let verifier = Verifier::<H, StandardTables>::new(first.key.clone())?;
        for child in children {
            if child.key == *verifier.key() {
                verifier.verify(&[], 0, child)?;
            } else {
                Verifier::<H, StandardTables>::new(child.key.clone())?.verify(&[], 0, child)?;
            }
        }
        let start = Instant::now();
        let recursion = Recursion::new(&verifier, &first.batch.degree_bits, children.len())?;
        let compile = start.elapsed();

        let start = Instant::now();
        let execution = recursion.execute(children)?;
        let execute = start.elapsed();

        let run = Run {
            hash: H::ID,
            compiled: recursion.compiled(),
            bits: recursion.security().bits(),
            execution: &execution,
            trees,
            compile,
            execute,
        };
        self.prove_run(run, keys, size)
    }

    /// Proves the run of a recursion program, below which there are `keys`: home if that is asked for
    /// and the run fits, on the machine and at the heights that it needs otherwise.
    fn prove_run(
        &self,
        run: Run<'_>,
        mut keys: KeySet,
        size: Size,
    ) -> Result<Aggregate, AggregateError> {
        let start = Instant::now();
        let program = &run.compiled.program;
        let own = BTreeSet::from(PRECOMPILES);
        let prove = |settings, heights| -> Result<Proof<Poseidon16Family>, AggregateError> {
            let key = ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
                program, &own, settings, heights,
            )?;
            Ok(prove_with_key(&key, run.execution)?)
        };
        let exact = |(settings, log_heights): (FriSettings, Vec<usize>)| {
            prove(settings, Heights::Exact(log_heights))
        };
        let home = (self.settings, self.log_heights.clone());
        let shapes = match size {
            Size::Home => [Some(home), self.nearly.clone()],
            Size::Natural => [None, None],
        };
        let fitting = shapes
            .into_iter()
            .flatten()
            .map(exact)
            .find(|result| !result.as_ref().is_err_and(needs_more));
        let proof = match fitting {
            Some(result) => result?,
            None => prove(*self.settings_away(run.hash), Heights::Minimal)?,
        };
        let prove = start.elapsed();

        let start = Instant::now();
        let report = Verifier::<Poseidon16Family, StandardTables>::new(proof.key.clone())?.verify(
            &proof.statement,
            0,
            &proof,
        )?;
        let verify = start.elapsed();
        keys.insert(report.key, run.bits);
        Ok(Aggregate {
            steps: vec![Step {
                hash: run.hash,
                children: run.trees.len(),
                home: self.is_home(&proof),
                cycles: run.execution.cycles.len(),
                compile: run.compile,
                execute: run.execute,
                prove,
                verify,
                report,
            }],
            tree: claim_tree(&proof, run.trees),
            keys,
            proof,
        })
    }
}

/// Claims are written as keys are.
const fn hex(claim: &[F; 8]) -> KeyDigest {
    KeyDigest(*claim)
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
    /// The digest of the recursion keys below, for [`Self::verify`]. It names good keys where the
    /// caller made the aggregate; read from a file it is as trustworthy as the file.
    pub fn key(&self) -> KeyDigest {
        self.keys.digest()
    }

    /// What the aggregate claims.
    pub const fn claim(&self) -> [F; 8] {
        self.proof.statement
    }

    /// Accepts the aggregate if it proves `claim`, with recursion keys from the set of digest `key`,
    /// and every proof of its tree has `min_bits` proven bits or more.
    ///
    /// `claim` binds the keys and statements of all ordinary proofs below, in order
    /// ([`ClaimTree::leaves`]): a caller who takes it from elsewhere must look at those.
    ///
    /// # Errors
    /// Why it is rejected.
    pub fn verify(
        &self,
        key: KeyDigest,
        claim: &[F; 8],
        min_bits: usize,
    ) -> Result<Accepted, AggregateError> {
        let found = self.key();
        if found != key {
            return Err(AggregateError::Keys {
                expected: key,
                found,
            });
        }
        if self.claim() != *claim {
            return Err(AggregateError::Statement {
                expected: *claim,
                found: self.claim(),
            });
        }
        let below = self.check_tree(min_bits)?;
        let verifier = Verifier::<Poseidon16Family, StandardTables>::new(self.proof.key.clone())?;
        let root = verifier.verify(claim, min_bits, &self.proof)?;
        let bits = below.min(root.security.bits());
        Ok(Accepted { root, bits })
    }

    /// The tree is the proof's, its recursion keys are listed, and every proof below the root has
    /// `min_bits`; the bits that they have. The proof itself is not verified here.
    fn check_tree(&self, min_bits: usize) -> Result<usize, ClaimError> {
        let expected = self.proof.key.digest();
        let found = self.tree.key;
        if found != expected {
            return Err(ClaimError::Root { expected, found });
        }
        // A root without children would make an ordinary program's statement a claim.
        if matches!(self.tree.claim, Claim::Statement(_)) {
            return Err(ClaimError::Hidden(found));
        }
        if self.tree.claim.statement() != self.proof.statement {
            return Err(ClaimError::Digest);
        }
        self.tree.check(&self.keys, min_bits)
    }
}
