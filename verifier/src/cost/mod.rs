//! What verifying a proof costs: a program proved in one hash, that proof verified in the machine,
//! and the run of that proved.
//!
//! Every figure of a [`Cost`] is measured in the process that asks for it; peak memory only means
//! something where each is measured in a process of its own.

mod peer;
mod process;
mod stages;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use droste_native::{FriSettings, HashFamily, HashId};
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

use crate::aggregate::PRECOMPILES;
use crate::recursion::{Recursion, RecursionError};
use crate::tape::TapeFamily;
pub use peer::cpu_ns_per_fft_unit;
pub use process::{cpu_time, peak_memory};
pub use stages::{Recorder, StagesMs};

/// Why there are no figures.
#[derive(Debug, Error)]
pub enum CostError {
    /// The key of the wrap.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Proving the program or the wrap.
    #[error(transparent)]
    Prove(#[from] ProveError),
    /// A proof just made does not verify.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The wrap or its run.
    #[error(transparent)]
    Recursion(#[from] RecursionError),
    /// The form in which a proof is counted.
    #[error(transparent)]
    Encode(#[from] DecodeError),
    /// Plonky3's own table, proved beside the wrap.
    #[error("the peer: {0}")]
    Peer(String),
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
    /// Settings of its proof.
    pub inner: FriSettings,
    /// Settings of the proof that it verifies.
    pub outer: FriSettings,
    /// Whether that proof is left out.
    pub execute_only: bool,
}

/// What one program costs in one hash. Times are wall-clock milliseconds; fields of the outer proof
/// are null where only the execution was asked for, those of memory where the system does not tell.
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
    /// Traces and proof of the leaf; its key is made before.
    pub leaf_prove_ms: f64,
    /// `w * h * log2(h)` of the leaf.
    pub leaf_fft_cost: u64,
    /// Bytes of the leaf's file.
    pub leaf_proof_bytes: usize,
    /// Writing the hints and running the wrap.
    pub execute_ms: f64,
    /// Largest resident memory of the process while it did that.
    pub execute_peak_rss_bytes: Option<usize>,
    /// Cycles of the wrap.
    pub cycles: usize,
    /// Tables of the wrap.
    pub tables: Vec<TableCost>,
    /// `w * h * log2(h)`, summed over the tables; `w` counts main and look-up columns.
    pub fft_cost: u64,
    /// Butterflies of the transforms that the prover does, times two: interpolation and low-degree
    /// extension of main and look-up columns and of quotient chunks.
    pub transform_cost: u64,
    /// Base field elements that one query of the wrap's proof opens.
    pub opened_per_query: usize,
    /// Traces and proof of the wrap; its key is made before.
    pub outer_prove_ms: Option<f64>,
    /// Where the time goes.
    pub stages_ms: Option<StagesMs>,
    /// Native verification of the wrap's proof.
    pub outer_verify_ms: Option<f64>,
    /// Bytes of the wrap's file.
    pub outer_proof_bytes: Option<usize>,
    /// Largest resident memory of the process from the execution of the wrap to its verified proof.
    pub peak_rss_bytes: Option<usize>,
    /// Permutations and compressions of the wrap.
    pub permutations: Permutations,
    /// CPU time of traces and proof of the wrap over its `fft_cost`.
    pub cpu_ns_per_fft_unit: Option<f64>,
    /// The same of p3-batch-stark on p3-poseidon1-air, at the outer settings.
    pub peer_cpu_ns_per_fft_unit: Option<f64>,
}

/// One table of the wrap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableCost {
    /// Its name.
    pub name: String,
    /// Rows before padding.
    pub rows: usize,
    /// Rows with padding.
    pub height: usize,
    /// Main columns.
    pub main: usize,
    /// Look-up columns, in base field elements.
    pub lookup: usize,
    /// Main and look-up columns times height.
    pub cells: u64,
    /// Cells times `log2(height)`.
    pub fft_cost: u64,
    /// Rows over height.
    pub fill: f64,
}

/// Calls of the permutations behind the hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permutations {
    /// Poseidon-16 permutations.
    pub poseidon16: usize,
    /// Blake3 compressions.
    pub blake3: usize,
    /// Keccak-f permutations.
    pub keccak: usize,
}

/// Base field elements that the prover extends for one table: main, look-up and quotient columns.
fn extended_width(table: &TableReport) -> usize {
    table.shape.main_width + table.lookup_width() + table.quotient_width()
}

/// Transforms of a table at blowup `2^log_blowup`: for each extended column, an inverse transform of
/// its height and a transform of the blown-up height, `n log2(n)` each.
pub fn transform_cost(table: &TableReport, log_blowup: usize) -> u64 {
    let transform = |log_length: usize| (log_length as u64) << log_length;
    let log_height = table.shape.log_height;
    extended_width(table) as u64 * (transform(log_height) + transform(log_height + log_blowup))
}

impl Cost {
    /// Bytes of memory that proving the wrap would need, where it was left out: 1.7, 1.5 or 1.4 times
    /// its low-degree extensions at blowup 2, 4 and above.
    pub fn estimated_bytes(tables: &[TableReport], outer: &FriSettings) -> usize {
        let elements: usize = tables
            .iter()
            .map(|table| (extended_width(table) * table.height()) << outer.log_blowup)
            .sum();
        let tenths = match outer.log_blowup {
            1 => 17,
            2 => 15,
            _ => 14,
        };
        elements * size_of::<droste_native::F>() / 10 * tenths
    }
}

/// A program proved in hash `H`, which is what a wrap verifies.
#[derive(Debug)]
pub struct Leaf<H: HashFamily> {
    /// The proof.
    pub proof: Proof<H>,
    /// Time for traces and proof.
    pub prove: Duration,
    /// `w * h * log2(h)`.
    pub fft_cost: u64,
    /// Proven bits.
    pub bits: usize,
}

/// Proves a run of a program, at the least heights it fits.
///
/// # Errors
/// If it cannot be proved.
pub fn leaf<H: HashFamily>(request: &Request<'_>) -> Result<Leaf<H>, CostError>
where
    StandardTables: Provable<H>,
{
    let key =
        ProvingKey::<H, StandardTables>::new(request.program, request.inner, Heights::Minimal)?;
    let start = Instant::now();
    let traces = traces(&key, request.execution)?;
    let proof = prove_traces(&key, request.execution.statement, &traces)?;
    let prove = start.elapsed();
    let verifier = Verifier::<H, StandardTables>::new(proof.key.clone())?;
    let report = verifier.verify(&[], 0, &proof)?;
    Ok(Leaf {
        prove,
        fft_cost: report.tables.iter().map(TableReport::fft_cost).sum(),
        bits: report.security.bits(),
        proof,
    })
}

/// Measures a program whose proof is committed in hash `H`, and a wrap whose proof is in hash `O`.
/// Gives the figures, and the memory that the outer proof needs by estimate.
///
/// # Errors
/// If anything cannot be proved or does not verify.
pub fn measure<H: TapeFamily, O: HashFamily>(
    request: &Request<'_>,
) -> Result<(Cost, usize), CostError>
where
    StandardTables: Provable<H> + Provable<O>,
{
    let leaf = leaf::<H>(request)?;
    let verifier = Verifier::<H, StandardTables>::new(leaf.proof.key.clone())?;
    let recursion = Recursion::new(&verifier, &leaf.proof.batch.degree_bits, 1)?;

    process::reset_peak_memory();
    let start = Instant::now();
    let execution = recursion.execute(&[&leaf.proof])?;
    let execute = start.elapsed();
    let execute_peak_rss_bytes = process::peak_memory();

    let program = &recursion.compiled().program;
    let key = ProvingKey::<O, StandardTables>::with_precompiles(
        program,
        &BTreeSet::from(PRECOMPILES),
        request.outer,
        Heights::Minimal,
    )?;
    let outer_verifier = Verifier::<O, StandardTables>::new(key.key().clone())?;
    let (reports, security) = outer_verifier.shape(&log_heights(&key, &execution)?)?;
    let estimate = Cost::estimated_bytes(&reports, &request.outer);
    let tables = table_costs(
        key.machine().tables(),
        &reports,
        &TraceInput {
            program,
            execution: &execution,
        },
    );
    let fft_cost = reports.iter().map(TableReport::fft_cost).sum();
    let mut cost = Cost {
        program: request.name.to_owned(),
        inner_cycles: request.execution.cycles.len(),
        inner_hash: H::ID,
        queries: request.inner.num_queries,
        blowup: request.inner.blowup(),
        proven_bits_inner: leaf.bits,
        outer_hash: O::ID,
        proven_bits_outer: security.bits(),
        leaf_prove_ms: milliseconds(leaf.prove),
        leaf_fft_cost: leaf.fft_cost,
        leaf_proof_bytes: codec::encode(&leaf.proof)?.len(),
        execute_ms: milliseconds(execute),
        execute_peak_rss_bytes,
        cycles: execution.cycles.len(),
        permutations: permutations(&tables),
        tables,
        fft_cost,
        transform_cost: reports
            .iter()
            .map(|table| transform_cost(table, request.outer.log_blowup))
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
    if !request.execute_only {
        drop(leaf);
        prove_outer(&mut cost, &key, &outer_verifier, &execution, execute)?;
        let tallest = cost.tables.iter().map(|table| table.height).max();
        let peer = cpu_ns_per_fft_unit(O::ID, &request.outer, tallest.unwrap_or(1))?;
        cost.peer_cpu_ns_per_fft_unit = Some(peer);
    }
    Ok((cost, estimate))
}

/// Proves the wrap and fills in the figures of that.
fn prove_outer<O: HashFamily>(
    cost: &mut Cost,
    key: &ProvingKey<O, StandardTables>,
    verifier: &Verifier<O, StandardTables>,
    execution: &Execution,
    execute: Duration,
) -> Result<(), CostError>
where
    StandardTables: Provable<O>,
{
    let recorder = Recorder::install();
    let cpu = process::cpu_time();
    let start = Instant::now();
    let traces = traces(key, execution)?;
    let trace = start.elapsed();
    let proof = prove_traces(key, execution.statement, &traces)?;
    let all = start.elapsed();
    let cpu = process::cpu_time().saturating_sub(cpu);
    drop(traces);
    cost.outer_prove_ms = Some(milliseconds(all));
    cost.stages_ms = recorder.map(|recorder| recorder.stages(execute, trace, start + trace, all));
    cost.cpu_ns_per_fft_unit = Some(cpu.as_nanos() as f64 / cost.fft_cost as f64);

    let start = Instant::now();
    verifier.verify(&execution.statement, 0, &proof)?;
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
        blake3: rows("blake3"),
        keccak: rows("keccak") / droste_air::keccak::ROUNDS,
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
