//! Measures what verifying a proof costs: a program is proved in one hash, the proof is verified in
//! the machine, and that run is proved.
//!
//! Every figure of a [`Cost`] is measured in the calling process. Peak memory is that of the whole
//! process, so each [`Cost`] should be measured in a process of its own.

mod machine;
mod memory;
mod peer;
mod process;
mod stages;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use droste_native::{FriSettings, HashId, HashSuite, with_suite};
use droste_vm::codec::{self, DecodeError};
use droste_vm::heights::Heights;
use droste_vm::isa::Program;
use droste_vm::key::{KeyError, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, ProveError, log_heights, prove_traces, traces};
use droste_vm::record::Execution;
use droste_vm::report::TableReport;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::{Verifier, VerifyError};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::circuit::{CircuitError, PRECOMPILES, ProgramCircuit, RecursionCircuit};
use crate::tape::TapeSuite;
pub use machine::{Kernels, Machine};
pub use peer::{PEER_HEIGHTS, PeerTable, cpu_ns_per_fft_unit, peer_table, peer_trace};
pub use process::{cpu_time, peak_memory};
pub use stages::{Recorder, StagesMs};

/// Why there are no figures.
#[derive(Debug, Error)]
pub enum CostError {
    /// The key of the wrap cannot be made.
    #[error(transparent)]
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
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// A proof just made does not verify.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The wrap cannot be generated or run.
    #[error(transparent)]
    Circuit(#[from] CircuitError),
    /// A proof cannot be encoded, so its bytes cannot be counted.
    #[error(transparent)]
    Encode(#[from] DecodeError),
    /// Plonky3's own table, which is proved for comparison, cannot be proved.
    #[error("Plonky3's own Poseidon1 table, the peer, cannot be proved")]
    Peer(#[source] Box<dyn std::error::Error + Send + Sync>),
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
    /// FRI settings of its proof, which the wrap verifies.
    pub inner: FriSettings,
    /// FRI settings of the wrap's proof. If it would take more memory than allowed, the next of
    /// [`Self::smaller`] are tried.
    pub outer: FriSettings,
    /// Other settings of the wrap's proof, of the same level, that take less memory.
    pub smaller: &'a [FriSettings],
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
    /// Queries of the leaf.
    pub queries: usize,
    /// Blowup of the leaf.
    pub blowup: usize,
    /// Proven bits of the leaf.
    pub proven_bits_inner: usize,
    /// Hash of the wrap's proof.
    pub outer_hash: HashId,
    /// Proven bits of the wrap's proof, from its shape.
    pub proven_bits_outer: usize,
    /// Blowup of the wrap's proof; not in rows of early versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outer_blowup: Option<usize>,
    /// Why the wrap was not proved although it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Time to make traces and proof of the leaf, without its key.
    pub leaf_prove_ms: f64,
    /// CPU time of that, in all threads; not in rows of early versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaf_cpu_ms: Option<f64>,
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
    /// `w * h * log2(h)`, summed over the wrap's tables; `w` counts main and lookup columns.
    pub fft_cost: u64,
    /// Twice the number of butterflies in the prover's transforms: interpolation and low-degree
    /// extension of main and lookup columns and of quotient chunks.
    pub transform_cost: u64,
    /// Base field elements that one query of the wrap's proof opens.
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
    /// The same figure of p3-batch-stark on p3-poseidon1-air, at the outer settings.
    pub peer_cpu_ns_per_fft_unit: Option<f64>,
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
    /// Lookup columns, in base field elements.
    pub lookup: usize,
    /// Main and lookup columns times height.
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
    /// Poseidon2 permutations of both widths. Rows that were saved before there was such a table have
    /// none.
    #[serde(default)]
    pub poseidon2: usize,
    /// Blake3 compressions.
    pub blake3: usize,
    /// Keccak-f permutations.
    pub keccak: usize,
}

/// Base field columns that the prover extends for one table: main, lookup and quotient columns.
fn extended_width(table: &TableReport) -> usize {
    table.shape.main_width + table.lookup_width() + table.quotient_width()
}

/// Cost of a table's transforms at blowup `2^log_blowup`: for each extended column an inverse
/// transform of the table's height and a transform of the codeword's length, at `n log2(n)` each.
pub fn transform_cost(table: &TableReport, log_blowup: usize) -> u64 {
    let transform = |log_length: usize| (log_length as u64) << log_length;
    let log_height = table.shape.log_height;
    extended_width(table) as u64 * (transform(log_height) + transform(log_height + log_blowup))
}

/// A program's proof in hash `H`, which the wrap verifies.
#[derive(Debug)]
pub struct Leaf<H: HashSuite> {
    /// The proof.
    pub proof: Proof<H>,
    /// Time to make traces and proof.
    pub prove: Duration,
    /// CPU time of that.
    pub cpu: Duration,
    /// `w * h * log2(h)`, summed over its tables.
    pub fft_cost: u64,
    /// Proven bits.
    pub bits: usize,
}

/// Proves a run of a program, at the smallest heights that fit.
///
/// # Errors
/// If it cannot be proved, or would take more memory than the request allows.
pub fn leaf<H: HashSuite>(request: &Request<'_>) -> Result<Leaf<H>, CostError>
where
    StandardTables: Provable<H>,
{
    let key =
        ProvingKey::<H, StandardTables>::new(request.program, request.inner, Heights::Minimal)?;
    let verifier = Verifier::<H, StandardTables>::new(key.key().clone())?;
    let (tables, _) = verifier.shape(&log_heights(&key, request.execution)?)?;
    let estimate = Cost::estimated_bytes(&tables, &request.inner);
    if estimate > request.memory {
        let allowed = request.memory;
        return Err(CostError::Memory { estimate, allowed });
    }
    let (cpu, start) = (process::cpu_time(), Instant::now());
    let traces = traces(&key, request.execution)?;
    let proof = prove_traces(&key, request.execution.statement, traces)?;
    let prove = start.elapsed();
    let cpu = process::cpu_time().saturating_sub(cpu);
    let report = verifier.verify(&[], 0, &proof)?;
    Ok(Leaf {
        prove,
        cpu,
        fft_cost: report.tables.iter().map(TableReport::fft_cost).sum(),
        bits: report.security.bits(),
        proof,
    })
}

/// Measures a program whose proof is committed in `inner`, and a wrap whose proof is committed in
/// `outer`. Returns the figures, and an estimate of the bytes of memory that the outer proof needs.
///
/// # Errors
/// If anything cannot be proved or does not verify, or if the inner proof would take more memory than
/// the request allows. If only the wrap's would, it is left out ([`Cost::left_out`]).
pub fn measure(
    request: &Request<'_>,
    inner: HashId,
    outer: HashId,
) -> Result<(Cost, usize), CostError> {
    // The hashes are chosen here, not by type parameters, so that the provers are compiled in this
    // crate, once for each hash and not for each pair, and not in every user of it.
    let run = with_suite!(inner, H => run::<H>(request))?;
    with_suite!(outer, H => wrap::<H>(request, &run))
}

/// A run of the circuit that verifies a program's proof, and the figures of both.
struct Run {
    hash: HashId,
    bits: usize,
    leaf_prove: Duration,
    leaf_cpu: Duration,
    leaf_fft_cost: u64,
    leaf_proof_bytes: usize,
    circuit: Arc<RecursionCircuit>,
    execution: Execution,
    execute: Duration,
    execute_peak_rss_bytes: Option<usize>,
}

/// Proves the program in hash `H` and verifies the proof in the machine.
fn run<H: TapeSuite>(request: &Request<'_>) -> Result<Run, CostError>
where
    StandardTables: Provable<H>,
{
    let leaf = leaf::<H>(request)?;
    let verifier = Verifier::<H, StandardTables>::new(leaf.proof.key.clone())?;
    let circuit = ProgramCircuit::new(&verifier, &leaf.proof.batch.degree_bits, 1)?;

    process::reset_peak_memory();
    let start = Instant::now();
    let execution = circuit.execute(&[&leaf.proof])?;
    let execute = start.elapsed();
    Ok(Run {
        hash: H::ID,
        bits: leaf.bits,
        leaf_prove: leaf.prove,
        leaf_cpu: leaf.cpu,
        leaf_fft_cost: leaf.fft_cost,
        leaf_proof_bytes: codec::encode(&leaf.proof)?.len(),
        circuit: circuit.share(),
        execution,
        execute,
        execute_peak_rss_bytes: process::peak_memory(),
    })
}

/// The wrap as it would be proved with certain settings.
struct Wrap<O: HashSuite>
where
    StandardTables: Provable<O>,
{
    key: ProvingKey<O, StandardTables>,
    verifier: Verifier<O, StandardTables>,
    reports: Vec<TableReport>,
    bits: usize,
    settings: FriSettings,
    estimate: usize,
}

impl<O: HashSuite> Wrap<O>
where
    StandardTables: Provable<O>,
{
    fn new(run: &Run, settings: FriSettings) -> Result<Self, CostError> {
        let key = ProvingKey::<O, StandardTables>::with_precompiles(
            &run.circuit.compiled().program,
            &BTreeSet::from(PRECOMPILES),
            settings,
            Heights::Minimal,
        )?;
        let verifier = Verifier::<O, StandardTables>::new(key.key().clone())?;
        let (reports, security) = verifier.shape(&log_heights(&key, &run.execution)?)?;
        Ok(Self {
            estimate: Cost::estimated_bytes(&reports, &settings),
            bits: security.bits(),
            key,
            verifier,
            reports,
            settings,
        })
    }

    /// The wrap with the first settings whose proof fits the memory allowed, or with the first of
    /// all if none does, or if nothing is proved.
    fn fitting(run: &Run, request: &Request<'_>) -> Result<Self, CostError> {
        let first = Self::new(run, request.outer)?;
        if first.estimate > request.memory && !request.execute_only {
            for &settings in request.smaller {
                let wrap = Self::new(run, settings)?;
                if wrap.estimate <= request.memory {
                    return Ok(wrap);
                }
            }
        }
        Ok(first)
    }
}

/// Measures the wrap whose run this is: its tables and, unless only the execution was asked for or
/// its proof takes too much memory, its proof in hash `O`.
fn wrap<O: HashSuite>(request: &Request<'_>, run: &Run) -> Result<(Cost, usize), CostError>
where
    StandardTables: Provable<O>,
{
    let wrap = Wrap::<O>::fitting(run, request)?;
    let (key, reports) = (&wrap.key, &wrap.reports);
    let fits = wrap.estimate <= request.memory;
    let tables = table_costs(
        key.machine().tables(),
        reports,
        &TraceInput {
            program: &run.circuit.compiled().program,
            execution: &run.execution,
        },
    );
    let fft_cost = reports.iter().map(TableReport::fft_cost).sum();
    let mut cost = Cost {
        program: request.name.to_owned(),
        inner_cycles: request.execution.cycles.len(),
        inner_hash: run.hash,
        queries: request.inner.num_queries,
        blowup: request.inner.blowup(),
        proven_bits_inner: run.bits,
        outer_hash: O::ID,
        proven_bits_outer: wrap.bits,
        outer_blowup: Some(wrap.settings.blowup()),
        left_out: (!fits && !request.execute_only).then(|| {
            format!(
                "its proof needs about {:.1} GiB of memory, of at most {:.1} GiB",
                gibibytes(wrap.estimate),
                gibibytes(request.memory)
            )
        }),
        leaf_prove_ms: milliseconds(run.leaf_prove),
        leaf_cpu_ms: Some(milliseconds(run.leaf_cpu)),
        leaf_fft_cost: run.leaf_fft_cost,
        leaf_proof_bytes: run.leaf_proof_bytes,
        execute_ms: milliseconds(run.execute),
        execute_peak_rss_bytes: run.execute_peak_rss_bytes,
        cycles: run.execution.cycles.len(),
        permutations: permutations(&tables),
        tables,
        fft_cost,
        transform_cost: reports
            .iter()
            .map(|table| transform_cost(table, wrap.settings.log_blowup))
            .sum(),
        opened_per_query: reports.iter().map(TableReport::opened_elements).sum(),
        outer_prove_ms: None,
        stages_ms: None,
        outer_verify_ms: None,
        outer_proof_bytes: None,
        peak_rss_bytes: None,
        cpu_ns_per_fft_unit: None,
        peer_cpu_ns_per_fft_unit: None,
    };
    if fits && !request.execute_only {
        prove_outer(&mut cost, key, &wrap.verifier, run)?;
        let tallest = cost.tables.iter().map(|table| table.height).max();
        let peer = cpu_ns_per_fft_unit(O::ID, &wrap.settings, tallest.unwrap_or(1))?;
        cost.peer_cpu_ns_per_fft_unit = Some(peer);
    }
    Ok((cost, wrap.estimate))
}

/// Proves the wrap and fills in the figures of its proof.
fn prove_outer<O: HashSuite>(
    cost: &mut Cost,
    key: &ProvingKey<O, StandardTables>,
    verifier: &Verifier<O, StandardTables>,
    run: &Run,
) -> Result<(), CostError>
where
    StandardTables: Provable<O>,
{
    let recorder = Recorder::install();
    let cpu = process::cpu_time();
    let start = Instant::now();
    let traces = traces(key, &run.execution)?;
    let trace = start.elapsed();
    let proof = prove_traces(key, run.execution.statement, traces)?;
    let all = start.elapsed();
    let cpu = process::cpu_time().saturating_sub(cpu);
    cost.outer_prove_ms = Some(milliseconds(all));
    cost.stages_ms =
        recorder.map(|recorder| recorder.stages(run.execute, trace, start + trace, all));
    cost.cpu_ns_per_fft_unit = Some(cpu.as_nanos() as f64 / cost.fft_cost as f64);

    let start = Instant::now();
    verifier.verify(&run.execution.statement, 0, &proof)?;
    cost.outer_verify_ms = Some(milliseconds(start.elapsed()));
    cost.peak_rss_bytes = process::peak_memory();
    cost.outer_proof_bytes = Some(codec::encode(&proof)?.len());
    Ok(())
}

fn table_costs(
    tables: &[StandardTables],
    reports: &[TableReport],
    input: &TraceInput<'_>,
) -> Vec<TableCost> {
    tables
        .iter()
        .zip(reports)
        .map(|(table, report)| {
            let rows = table.rows(input);
            let width = report.shape.main_width + report.lookup_width();
            TableCost {
                name: report.name.to_owned(),
                rows,
                height: report.height(),
                main: report.shape.main_width,
                lookup: report.lookup_width(),
                cells: (width * report.height()) as u64,
                fft_cost: report.fft_cost(),
                fill: rows as f64 / report.height() as f64,
            }
        })
        .collect()
}

fn permutations(tables: &[TableCost]) -> Permutations {
    let rows = |name: &str| {
        let table = tables.iter().find(|table| table.name == name);
        table.map_or(0, |table| table.rows)
    };
    Permutations {
        poseidon16: rows("poseidon16"),
        poseidon2: rows("poseidon2_parent") + rows("poseidon2_sponge"),
        blake3: rows("blake3_calls"),
        keccak: rows("keccak") / droste_air::keccak::ROUNDS,
    }
}

fn gibibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
