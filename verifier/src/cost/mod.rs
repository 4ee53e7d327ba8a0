//! Measures what verifying a proof costs: a program is proved in one hash, the proof is verified in
//! the machine, and that run is proved. [`measure_wrap`] measures the run alone, whatever proof it
//! verifies.
//!
//! Every figure is measured in the calling process. Peak memory is that of the whole process, so
//! each [`Cost`] should be measured in a process of its own.

mod leaf;
mod machine;
mod openings;
mod stages;
mod wrap;

use droste_native::codec::{DecodeError, EncodeError};
use droste_native::whir::WhirSettings;
use droste_native::{HashId, with_suite};
use droste_vm::isa::Program;
use droste_vm::key::KeyError;
use droste_vm::record::Execution;
use droste_vm::stack::{self, ProveError, RunProof, Stack, StackSettings};
use droste_vm::verifier::VerifyError;
use droste_vm::{fri, whir};
pub use leaf::{Leaf, leaf};
pub use machine::{Kernels, Machine};
pub use openings::{OpeningsCost, calls_at_queries, cheaper_openings, is_batch_cheaper};
use serde::{Deserialize, Serialize};
pub use stages::{Recorder, StagesMs};
use thiserror::Error;
pub use wrap::{Permutations, TableCost, WrapCost, WrapRequest, measure_wrap};

use crate::aggregate::{AggregateError, Aggregator, VerifiedProof};
use crate::circuit::{CircuitError, LeafProof, Openings, with_proof};
use crate::summary::{StepSummary, milliseconds};

/// Why there are no figures.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum CostError {
    /// The key of the wrap cannot be made.
    Key(#[from] KeyError),
    /// The proof of the program would take more memory than allowed.
    #[error(
        "proving the inner proof needs about {:.1} GiB of memory, expected at most {:.1} GiB",
        gibibytes(*.estimate), gibibytes(*.allowed)
    )]
    Memory {
        /// Estimated bytes.
        estimate: usize,
        /// Bytes that the request allows.
        allowed: usize,
    },
    /// The program or the wrap cannot be proved.
    Prove(#[from] ProveError),
    /// A proof just made does not verify.
    Verify(#[from] VerifyError),
    /// The wrap cannot be generated or run.
    Circuit(#[from] CircuitError),
    /// The inner proof cannot be brought to the canonical shape.
    Aggregate(#[from] AggregateError),
    /// A proof cannot be encoded, so its bytes cannot be counted.
    Encode(#[from] EncodeError),
    /// The bytes are no proof.
    Decode(#[from] DecodeError),
}

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Name of the program.
    pub name: &'a str,
    /// The program.
    pub program: &'a Program,
    /// A run of it.
    pub execution: &'a Execution,
    /// Settings of its proof, which the wrap verifies; they also say its stack.
    pub inner: StackSettings,
    /// How the wrap verifies the openings at the queries of that proof.
    pub openings: Openings,
    /// Settings of the wrap's proof. Where its tables take more cells, the rows of the stack are
    /// longer and the blowup is 2, as in the steps of an [`Aggregator`].
    pub outer: WhirSettings,
    /// Most bytes of memory that a proof may take, by estimate.
    pub memory: usize,
    /// Whether the wrap is only executed, not proved.
    pub execute_only: bool,
}

/// What one program costs in one hash. Times are in milliseconds of the clock. Of a proof that was
/// not made here, the fields of the run and of making the leaf are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Name of the program.
    pub program: String,
    /// Cycles of its run.
    pub inner_cycles: Option<usize>,
    /// Hash of its proof, the leaf.
    pub inner_hash: HashId,
    /// Stack of the leaf.
    pub inner_stack: Stack,
    /// Queries of the leaf; over WHIR to the commitment to its tables.
    pub queries: usize,
    /// Blowup of the leaf.
    pub blowup: usize,
    /// Proven bits of the leaf.
    pub proven_bits_inner: usize,
    /// Time to make traces and proof of the leaf, without its key.
    pub leaf_prove_ms: Option<f64>,
    /// CPU time of that, in all threads.
    pub leaf_cpu_ms: Option<f64>,
    /// `fft_cost` of the leaf's tables, as [`WrapCost::fft_cost`].
    pub leaf_fft_cost: u64,
    /// Bytes of the leaf's file.
    pub leaf_proof_bytes: usize,
    /// Calls of the byte hash at the leaf's queries, for leaves, nodes and parents of trees. None if
    /// no batch takes them ([`calls_at_queries`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_at_queries: Option<usize>,
    /// What the wrap costs.
    #[serde(flatten)]
    pub wrap: WrapCost,
}

/// Measures a program whose proof is committed in `inner`, and the wrap of that proof. Returns the
/// figures, and an estimate of the bytes of memory that the outer proof needs.
///
/// # Errors
/// If anything cannot be proved or does not verify, or if the inner proof would take more memory
/// than the request allows. If only the wrap's would, it is left out ([`WrapCost::left_out`]).
pub fn measure(request: &Request<'_>, inner: HashId) -> Result<(Cost, usize), CostError> {
    // The hash is chosen here, not by a type parameter, so that the provers are compiled in this
    // crate, once for each hash, and not in every user of it.
    let run = with_suite!(inner, H => match request.inner {
        StackSettings::Fri(settings) => leaf::run::<fri::Proof<H>>(request, settings),
        StackSettings::Whir(settings) => leaf::run::<whir::Proof<H>>(request, settings),
    })?;
    let wrap = WrapRequest {
        settings: request.outer,
        memory: request.memory,
        execute_only: request.execute_only,
    };
    let cycles = request.execution.cycles.len();
    figures(request.name, Some(cycles), run, &wrap)
}

/// Measures the wrap of a proof of a program, of which `bytes` are the file and which `name` names.
/// The proof is verified under the key that it carries, and its openings as `openings` says. Returns
/// what [`measure`] returns.
///
/// # Errors
/// If it is no valid proof, or its wrap cannot be run or proved.
pub fn measure_file(
    name: &str,
    bytes: &[u8],
    openings: Openings,
    wrap: &WrapRequest,
) -> Result<(Cost, usize), CostError> {
    let run = with_proof!(stack::stack_of(bytes), stack::hash_of(bytes)?, P => {
        leaf::run_of_file::<P>(bytes, openings)
    })?;
    figures(name, None, run, wrap)
}

/// The figures of a run, and of the proof of that run.
fn figures(
    name: &str,
    inner_cycles: Option<usize>,
    run: leaf::Run,
    wrap: &WrapRequest,
) -> Result<(Cost, usize), CostError> {
    let (mut wrap, estimate) = measure_wrap(wrap, &run.circuit, &run.execution, run.execute)?;
    wrap.openings = OpeningsCost::new(&run.circuit, &wrap.tables, run.native);
    let (leaf_prove, leaf_cpu) = run.leaf_times.unzip();
    let cost = Cost {
        program: name.to_owned(),
        inner_cycles,
        inner_hash: run.hash,
        inner_stack: run.stack,
        queries: run.queries,
        blowup: run.blowup,
        proven_bits_inner: run.bits,
        leaf_prove_ms: leaf_prove.map(milliseconds),
        leaf_cpu_ms: leaf_cpu.map(milliseconds),
        leaf_fft_cost: run.leaf_fft_cost,
        leaf_proof_bytes: run.leaf_proof_bytes,
        calls_at_queries: calls_at_queries(&run.circuit),
        wrap,
    };
    Ok((cost, estimate))
}

/// Proves a program in `inner` and brings the proof to the canonical shape. Returns the steps.
///
/// # Errors
/// If anything cannot be proved, or the inner proof would take more memory than the request allows.
pub fn canonical_steps(
    request: &Request<'_>,
    inner: HashId,
    aggregator: &Aggregator,
) -> Result<Vec<StepSummary>, CostError> {
    with_suite!(inner, H => match request.inner {
        StackSettings::Fri(settings) => {
            steps(aggregator, leaf::<fri::Proof<H>>(request, settings)?.proof)
        }
        StackSettings::Whir(settings) => {
            steps(aggregator, leaf::<whir::Proof<H>>(request, settings)?.proof)
        }
    })
}

/// Brings the proof of a program, of which `bytes` are the file, to the canonical shape. Returns the
/// steps.
///
/// # Errors
/// If it is no valid proof, or cannot be brought there.
pub fn canonical_steps_of_file(
    bytes: &[u8],
    aggregator: &Aggregator,
) -> Result<Vec<StepSummary>, CostError> {
    with_proof!(stack::stack_of(bytes), stack::hash_of(bytes)?, P => {
        steps(aggregator, P::decode(bytes)?)
    })
}

fn steps<P: LeafProof>(aggregator: &Aggregator, leaf: P) -> Result<Vec<StepSummary>, CostError> {
    let proof = VerifiedProof::under_its_own_key(leaf)?;
    let wrap = aggregator.wrap(&proof)?;
    Ok(wrap.steps().iter().map(StepSummary::new).collect())
}

pub(crate) fn gibibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}
