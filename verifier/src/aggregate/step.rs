//! One recursion step: runs a circuit that verifies proofs, and proves the run.

use std::time::{Duration, Instant};

use droste_native::HashId;
use droste_vm::heights::Heights;
use droste_vm::verifier::Report;
use droste_vm::whir;
use p3_maybe_rayon::prelude::join;

use super::aggregator::Result;
use super::shape::least_heights;
use super::{AcceptError, Aggregate, AggregateError, Aggregator, VerifiedProof};
use crate::circuit::{
    ChildShape, Children, CircuitCache, CircuitKey, LeafProof, Openings, OwnMachine, Run,
};
use crate::claim::{ClaimTree, check_size, tree_of};
use crate::keys::{KeySet, Recipe};
use crate::resources::cpu_time;

/// Figures of one recursion step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Hash of the proofs it verified.
    pub hash: HashId,
    /// Number of proofs it verified.
    pub children: usize,
    /// Whether its proof has the canonical shape.
    pub canonical: bool,
    /// Cycles of the run.
    pub cycles: usize,
    /// Time to get the circuit: to generate and compile its program, unless that was done while an
    /// earlier step was proved, or by one.
    pub compile: Duration,
    /// Time to write the hints and run the program.
    pub execute: Duration,
    /// Time to make traces and proof, and the key, unless an earlier step made it. Meanwhile the
    /// circuit of the next step is compiled, if one follows in the same call.
    pub prove: Duration,
    /// CPU time of that, in all threads of the process.
    pub prove_cpu: Duration,
    /// Time to verify the proof natively.
    pub verify: Duration,
    /// Key, cost and security of the proof.
    pub report: Report,
}

/// Runs the verification of `children`, proofs of one shape, in the machine. The caller has
/// verified them natively; `trees` are their claim trees.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub(super) fn run<P: LeafProof>(
    circuits: &CircuitCache,
    children: &[&P],
    trees: Vec<ClaimTree>,
) -> Result<Run> {
    let first = children.first().ok_or(AggregateError::Empty)?;
    let of = Children::Programs {
        shape: first.shape(),
        count: children.len(),
    };
    run_circuit(circuits, (&of, None), children, trees)
}

/// Runs the verification of a proof, of any machine, in the machine, that of its openings in one way.
#[inline(never)] // Linked by other crates (docs/profiles.md).
pub(super) fn run_leaf<P: LeafProof>(
    circuits: &CircuitCache,
    openings: Openings,
    proof: &VerifiedProof<P>,
    trees: Vec<ClaimTree>,
) -> Result<Run> {
    let (children, machine) = (proof.children(openings), proof.machine());
    run_circuit(circuits, (&children, machine), &[proof.proof()], trees)
}

/// Runs the circuit of these children, which are proofs on the standard machine or on another.
fn run_circuit<P: LeafProof>(
    circuits: &CircuitCache,
    (of, machine): (&Children, Option<OwnMachine>),
    children: &[&P],
    trees: Vec<ClaimTree>,
) -> Result<Run> {
    let start = Instant::now();
    check(of)?;
    let circuit = circuits.circuit_of(of, machine.as_slice())?;
    let compile = start.elapsed();

    let start = Instant::now();
    let execution = circuit.execute(children)?;
    let execute = start.elapsed();
    Ok(Run::new(circuit, execution, trees, compile, execute)?)
}

/// A valid proof may have any settings. Beyond the limits of recipes, generating the program would
/// take long, and nobody could derive its key.
fn check(children: &Children) -> Result<()> {
    let checked = children.check();
    checked.map_err(|error| AggregateError::Recipe(Box::new(error)))
}

impl Aggregator {
    /// The recipe of the key of this proof's wrap. The wrap is run, but not proved, to find its
    /// shape.
    ///
    /// # Errors
    /// [`AggregateError::NeedsMoreSteps`] if the wrap does not have the canonical shape.
    pub fn wrap_recipe<P: LeafProof>(&self, proof: &VerifiedProof<P>) -> Result<Recipe> {
        let run = run_leaf(&self.circuits, self.openings, proof, vec![])?;
        if !self.canonical.fits(run.needed_rows()) {
            return Err(AggregateError::NeedsMoreSteps);
        }
        Ok(Recipe {
            children: run.circuit().children().clone(),
            settings: self.canonical.settings,
            heights: Heights::Exact(self.canonical.log_heights.clone()),
        })
    }

    /// Runs the verification of recursion proofs, all of one shape, in the machine. The caller has
    /// verified them natively; `trees` are their claim trees.
    pub(super) fn run(&self, children: &[&whir::Proof], trees: Vec<ClaimTree>) -> Result<Run> {
        run(&self.circuits, children, trees)
    }

    /// Proves the run of a circuit. `keys` are the recursion keys in the trees of its children. If a
    /// step follows proofs of intermediate shape, its circuit is compiled meanwhile.
    pub(super) fn prove_run(
        &self,
        run: Run,
        mut keys: KeySet,
        is_followed: bool,
    ) -> Result<Aggregate> {
        check_size(run.trees()).map_err(AcceptError::from)?;
        let (cpu, start) = (cpu_time(), Instant::now());
        let (settings, heights) = self.shape_of(run.needed_rows())?;
        let recipe = Recipe {
            children: run.circuit().children().clone(),
            settings,
            heights,
        };
        // Beyond these limits nobody could derive the key.
        let checked = recipe.check();
        checked.map_err(|error| AggregateError::Recipe(Box::new(error)))?;
        let key = run.circuit().key(settings, &recipe.heights)?;
        let compile_next = || {
            if is_followed && recipe.heights == Heights::Minimal {
                self.compile_next(&key, &least_heights(run.needed_rows()));
            }
        };
        let (proof, ()) = join(|| key.prove(run.execution()), compile_next);
        let proof = proof?;
        let (prove, prove_cpu) = (start.elapsed(), cpu_time().saturating_sub(cpu));

        let start = Instant::now();
        let report = key.verify(&proof)?;
        let verify = start.elapsed();
        keys.insert(report.key, run.bits(), recipe);
        let step = Step {
            hash: run.circuit().hash(),
            children: run.trees().len(),
            canonical: self.is_canonical(&proof),
            cycles: run.execution().cycles.len(),
            compile: run.compile_time(),
            execute: run.execute_time(),
            prove,
            prove_cpu,
            verify,
            report: report.clone(),
        };
        (self.progress)(&step);
        let tree = tree_of(report.key, report.statement, run.into_trees());
        Ok(Aggregate::made(proof, tree, keys, report, step)?)
    }

    /// Compiles the circuit that verifies a proof under this key, of these heights.
    fn compile_next(&self, key: &CircuitKey, log_heights: &[usize]) {
        let shape = ChildShape::new(key.verifier().key(), log_heights);
        if check(&Children::Programs { shape, count: 1 }).is_ok() {
            // What is wrong with it, the next step says.
            let _ = self.circuits.circuit_over_whir(key.verifier(), log_heights);
        }
    }
}
