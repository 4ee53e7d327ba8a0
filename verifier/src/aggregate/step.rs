//! One recursion step: the run of a program that verifies proofs, proved.

use std::time::{Duration, Instant};

use droste_native::{FriSettings, HashId, Poseidon16Family};
use droste_vm::compiler::Compiled;
use droste_vm::heights::Heights;
use droste_vm::key::KeyError;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveError, log_heights, prove_with_key};
use droste_vm::record::Execution;
use droste_vm::verifier::{Report, Verifier};

use super::{Aggregate, AggregateError, Aggregator, VerifiedProof};
use crate::claim::ClaimTree;
use crate::keys::{Children, KeySet, Recipe, proving_key};
use crate::recursion::{Recursion, claim_tree};
use crate::tape::TapeFamily;

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

/// The run of a recursion program that is to be proved. Only what generates such programs makes one:
/// the drivers, [`crate::driver::BatchDriver::run`] and [`crate::driver::UniDriver::run`], after native
/// verification.
#[derive(Debug)]
pub struct Run<'a> {
    /// Hash of the proofs it verified.
    pub(crate) hash: HashId,
    /// The program.
    pub(crate) compiled: &'a Compiled,
    /// What the program is generated from.
    pub(crate) children: Children,
    /// Proven bits of every proof that the program accepts.
    pub(crate) bits: usize,
    /// The run.
    pub(crate) execution: Execution,
    /// Claim trees of the proofs it verified.
    pub(crate) trees: Vec<ClaimTree>,
    /// Time that generating and compiling the program took.
    pub(crate) compile: Duration,
    /// Time that writing the hints and running the program took.
    pub(crate) execute: Duration,
}

impl Run<'_> {
    /// The run.
    pub const fn execution(&self) -> &Execution {
        &self.execution
    }

    /// Claim trees of the proofs that it verified.
    pub fn trees(&self) -> &[ClaimTree] {
        &self.trees
    }

    /// Proven bits of every proof that the program accepts.
    pub const fn bits(&self) -> usize {
        self.bits
    }
}

/// Heights of a step's proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// R's where the run fits, as low as it allows otherwise.
    Home,
    /// As low as the run allows.
    Natural,
}

impl Aggregator {
    /// What the key of the wrap of this proof is made from, found by running the wrap, not by proving
    /// it.
    ///
    /// # Errors
    /// [`AggregateError::MoreSteps`] if one step does not bring the proof home.
    pub fn wrap_recipe<H: TapeFamily>(
        &self,
        proof: &VerifiedProof<H>,
    ) -> Result<Recipe, AggregateError>
    where
        StandardTables: Provable<H>,
    {
        let proof = proof.proof();
        let verifier = Verifier::<H, StandardTables>::new(proof.key.clone())?;
        let recursion = Recursion::new(&verifier, &proof.batch.degree_bits, 1)?;
        let execution = recursion.execute(&[proof])?;
        let heights = Heights::Exact(self.log_heights.clone());
        let program = &recursion.compiled().program;
        let fits = proving_key(program, self.settings, heights.clone())
            .map_err(AggregateError::from)
            .and_then(|key| Ok(log_heights(&key, &execution)?));
        if needs_more(&fits) {
            return Err(AggregateError::MoreSteps);
        }
        fits?;
        Ok(Recipe {
            children: recursion.children(),
            settings: self.settings,
            heights,
        })
    }

    /// Verifies `children`, all of one shape, in the machine, and proves that. They have been verified
    /// natively; their trees and `keys` are those of that verification.
    pub(super) fn step<H: TapeFamily>(
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
        let start = Instant::now();
        let verifier = Verifier::<H, StandardTables>::new(first.key.clone())?;
        let recursion = Recursion::new(&verifier, &first.batch.degree_bits, children.len())?;
        let compile = start.elapsed();

        let start = Instant::now();
        let execution = recursion.execute(children)?;
        let execute = start.elapsed();

        let run = Run {
            hash: H::ID,
            compiled: recursion.compiled(),
            children: recursion.children(),
            bits: recursion.security().bits(),
            execution,
            trees,
            compile,
            execute,
        };
        self.prove_run(run, keys, size)
    }

    /// Proves the run of a recursion program, below which there are `keys`: home if that is asked for
    /// and the run fits, on the machine and at the heights that it needs otherwise.
    pub(super) fn prove_run(
        &self,
        run: Run<'_>,
        mut keys: KeySet,
        size: Size,
    ) -> Result<Aggregate, AggregateError> {
        let start = Instant::now();
        let prove = |settings: FriSettings, heights: Heights| -> Result<_, AggregateError> {
            let recipe = Recipe {
                children: run.children.clone(),
                settings,
                heights: heights.clone(),
            };
            // Nobody could derive the key of another one.
            let checked = recipe.check();
            checked.map_err(|error| AggregateError::Recipe(Box::new(error)))?;
            let key = proving_key(&run.compiled.program, settings, heights)?;
            Ok((prove_with_key(&key, &run.execution)?, recipe))
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
            .find(|result| !needs_more(result));
        let (proof, recipe) = match fitting {
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
        keys.insert(report.key, run.bits, recipe);
        let step = Step {
            hash: run.hash,
            children: run.trees.len(),
            home: self.is_home(&proof),
            cycles: run.execution.cycles.len(),
            compile: run.compile,
            execute: run.execute,
            prove,
            verify,
            report: report.clone(),
        };
        let tree = claim_tree(&proof, run.trees);
        Aggregate::made(proof, tree, keys, report, step)
    }
}

/// Whether a program or its run lacks tables or rows at R's heights.
fn needs_more<T>(result: &Result<T, AggregateError>) -> bool {
    matches!(
        result,
        Err(AggregateError::Key(
            KeyError::HeightCount { .. } | KeyError::Program(_)
        )) | Err(AggregateError::Prove(ProveError::TooManyRows { .. }))
    )
}
