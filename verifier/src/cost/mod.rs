//! Measures what verifying a proof costs: a program is proved in one hash, the proof is verified in
//! the machine, and that run is proved.
//!
//! Every figure of a [`Cost`] is measured in the calling process. Peak memory is that of the whole
//! process, so each [`Cost`] should be measured in a process of its own.

mod leaf;
mod machine;
mod outer;
mod stages;

use droste_native::whir::WhirSettings;
use droste_native::{HashId, with_suite};
use droste_vm::codec::EncodeError;
use droste_vm::isa::Program;
use droste_vm::key::KeyError;
use droste_vm::prover::{self, ProveError};
use droste_vm::record::Execution;
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::verifier::VerifyError;
use droste_vm::whir;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::aggregate::{AggregateError, Aggregator, VerifiedProof};
use crate::circuit::{CircuitError, LeafProof};
use crate::summary::StepSummary;
pub use leaf::{Leaf, leaf};
pub use machine::{Kernels, Machine};
pub use stages::{Recorder, StagesMs};

/// Why there are no figures.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum CostError {
    /// The key of the wrap cannot be made.
    Key(#[from] KeyError),
    /// The proof of the program would take more memory than allowed.
    #[error(
        "the inner proof needs about {:.1} GiB of memory, of at most {:.1} GiB",
        gibibytes(*.estimate),
        gibibytes(*.allowed)
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
    /// Settings of the wrap's proof. Where its tables take more cells, the rows of the stack are
    /// longer and the blowup is 2, as in the steps of an [`Aggregator`].
    pub outer: WhirSettings,
    /// Most bytes of memory that a proof may take, by estimate.
    pub memory: usize,
    /// Whether the wrap is only executed, not proved.
    pub execute_only: bool,
}

/// What one program costs in one hash. Times are in milliseconds of the clock. Fields of the outer
/// proof (the wrap's) are null if only the execution was asked for; fields of memory are null if
/// the operating system does not report it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Name of the program.
    pub program: String,
    /// Cycles of its run.
    pub inner_cycles: usize,
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
    /// Proven bits of the wrap's proof, from its shape.
    pub proven_bits_outer: usize,
    /// Blowup of the wrap's proof.
    pub outer_blowup: usize,
    /// Why the wrap was not proved although it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Time to make traces and proof of the leaf, without its key.
    pub leaf_prove_ms: f64,
    /// CPU time of that, in all threads.
    pub leaf_cpu_ms: f64,
    /// `fft_cost` of the leaf's tables, as [`Self::fft_cost`].
    pub leaf_fft_cost: u64,
    /// Bytes of the leaf's file.
    pub leaf_proof_bytes: usize,
    /// Time to write the hints and run the wrap.
    pub execute_ms: f64,
    /// Largest resident memory of the process while it did that.
    pub execute_peak_rss_bytes: Option<usize>,
    /// Cycles of the wrap.
    pub cycles: usize,
    /// Tables of the wrap.
    pub tables: Vec<TableCost>,
    /// `w * h * log2(h)`, summed over the wrap's tables; `w` counts main columns.
    pub fft_cost: u64,
    /// Twice the number of butterflies in the prover's transforms: of the rows of the stack and of
    /// the later codewords.
    pub transform_cost: u64,
    /// Base field elements that one query of the wrap's proof opens; over WHIR a query to the
    /// commitment to the columns.
    pub opened_per_query: usize,
    /// Time to make traces and proof of the wrap, without its key.
    pub outer_prove_ms: Option<f64>,
    /// How that time is divided among the prover's stages.
    pub stages_ms: Option<StagesMs>,
    /// Time to verify the wrap's proof natively.
    pub outer_verify_ms: Option<f64>,
    /// Bytes of the wrap's file.
    pub outer_proof_bytes: Option<usize>,
    /// Largest resident memory of the process from the execution of the wrap to its verified proof.
    pub peak_rss_bytes: Option<usize>,
    /// Permutations and compressions that the wrap computes.
    pub permutations: Permutations,
    /// CPU time of traces and proof of the wrap, in nanoseconds, divided by its `fft_cost`.
    pub cpu_ns_per_fft_unit: Option<f64>,
}

/// One table of the wrap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableCost {
    /// Its name.
    pub name: String,
    /// Rows before padding.
    pub rows: usize,
    /// Rows after padding to a power of two.
    pub height: usize,
    /// Main columns.
    pub main: usize,
    /// Main columns times height.
    pub cells: u64,
    /// Cells times `log2(height)`.
    pub fft_cost: u64,
    /// Rows divided by height.
    pub fill: f64,
}

/// Calls of the permutations behind the hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permutations {
    /// Poseidon-16 permutations.
    pub poseidon16: usize,
    /// Poseidon2 permutations of both widths.
    pub poseidon2: usize,
    /// Blake3 compressions.
    pub blake3: usize,
    /// Keccak-f permutations.
    pub keccak: usize,
}

/// Measures a program whose proof is committed in `inner`, and the wrap of that proof. Returns the
/// figures, and an estimate of the bytes of memory that the outer proof needs.
///
/// # Errors
/// If anything cannot be proved or does not verify, or if the inner proof would take more memory
/// than the request allows. If only the wrap's would, it is left out ([`Cost::left_out`]).
pub fn measure(request: &Request<'_>, inner: HashId) -> Result<(Cost, usize), CostError> {
    // The hash is chosen here, not by a type parameter, so that the provers are compiled in this
    // crate, once for each hash, and not in every user of it.
    let run = with_suite!(inner, H => match request.inner {
        StackSettings::Fri(settings) => leaf::run::<prover::Proof<H>>(request, settings),
        StackSettings::Whir(settings) => leaf::run::<whir::Proof<H>>(request, settings),
    })?;
    outer::measure(request, &run)
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
            steps(aggregator, leaf::<prover::Proof<H>>(request, settings)?)
        }
        StackSettings::Whir(settings) => {
            steps(aggregator, leaf::<whir::Proof<H>>(request, settings)?)
        }
    })
}

fn steps<P: LeafProof>(
    aggregator: &Aggregator,
    leaf: Leaf<P>,
) -> Result<Vec<StepSummary>, CostError> {
    let proof = VerifiedProof::under_its_own_key(leaf.proof)?;
    let wrap = aggregator.wrap(&proof)?;
    Ok(wrap.steps().iter().map(StepSummary::new).collect())
}

fn gibibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}
