//! The wrap: the run of a circuit that verifies a proof, and the proof of that run, the outer one.

use std::time::{Duration, Instant};

use droste_native::field::EXTENSION_DEGREE;
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::Prove;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{ProvingKey, Verifier, encoded_length};
use p3_air::BaseAir;
use serde::{Deserialize, Serialize};

use super::{CostError, OpeningsCost, Recorder, StagesMs, gibibytes};
use crate::aggregate::{AggregateError, settings_for};
use crate::circuit::{PRECOMPILES, RecursionCircuit};
use crate::resources::{cpu_time, estimated_bytes_over_whir, peak_memory};
use crate::summary::milliseconds;

/// How a wrap is measured.
#[derive(Clone, Copy, Debug)]
pub struct WrapRequest {
    /// Settings of its proof. Where its tables take more cells, the rows of the stack are longer
    /// and the blowup is 2, as in the steps of an [`Aggregator`](crate::aggregate::Aggregator).
    pub settings: WhirSettings,
    /// Most bytes of memory that the proof may take, by estimate.
    pub memory: usize,
    /// Whether it is only executed, not proved.
    pub execute_only: bool,
}

/// What a wrap costs: the run of a program that verifies a proof, and the proof of that run. Times
/// are in milliseconds of the clock. Fields of the outer proof (the wrap's) are null if only the
/// execution was asked for; fields of memory are null if the operating system does not report it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrapCost {
    /// Proven bits of the wrap's proof, from its shape.
    pub proven_bits_outer: usize,
    /// Blowup of the wrap's proof.
    pub outer_blowup: usize,
    /// Why the wrap was not proved although it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// What the batch of openings costs that the wrap verifies, if it verifies one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<OpeningsCost>,
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

/// The wrap as it would be proved.
struct Wrap {
    key: ProvingKey<StandardTables>,
    verifier: Verifier<StandardTables>,
    tables: Vec<TableCost>,
    bits: usize,
    transform_cost: u64,
    opened_per_query: usize,
    /// Bytes of memory that the proof needs.
    estimate: usize,
}

/// `n log2(n)` for a transform of length `n`.
const fn transform(log_length: usize) -> u64 {
    (log_length as u64) << log_length
}

impl Wrap {
    fn new(
        circuit: &RecursionCircuit,
        execution: &Execution,
        settings: WhirSettings,
    ) -> Result<Self, CostError> {
        let rows = circuit.needed_rows(execution)?;
        let settings = settings_for(settings, &rows).ok_or(AggregateError::TooManyCells)?;
        let program = &circuit.compiled().program;
        let heights = Heights::Minimal;
        let key = ProvingKey::with_precompiles(program, &PRECOMPILES.into(), settings, heights)?;
        let verifier = Verifier::<StandardTables>::new(key.key().clone())?;
        let log_heights = key.log_heights(execution)?;
        let (scheme, shape) = verifier.shape(&log_heights)?;
        let tables = key.machine().tables().iter().zip(&log_heights);
        let tables = tables.map(|(table, &log_height)| {
            let input = TraceInput { program, execution };
            TableCost::new(table, table.rows(&input), log_height)
        });
        let (layout, schedule) = (scheme.layout(), scheme.schedule());
        let folded = schedule.folded.iter().map(|step| {
            // A row's elements are of the extension field.
            let columns = (EXTENSION_DEGREE as u64) << step.fold;
            columns * transform(step.log_leaves)
        });
        let stack = layout.main_rows().len() as u64 * transform(schedule.stack.log_leaves);
        Ok(Self {
            tables: tables.collect(),
            bits: verifier.security(&log_heights)?.bits(),
            transform_cost: stack + folded.sum::<u64>(),
            opened_per_query: layout.main_rows().len() + layout.preprocessed_rows().len(),
            estimate: estimated_bytes_over_whir(&scheme, &shape),
            key,
            verifier,
        })
    }

    fn permutations(&self) -> Permutations {
        let rows = |hash: HashId| {
            let tables = self.key.machine().tables().iter().zip(&self.tables);
            let of_hash = tables.filter(|(table, _)| table.permutation() == Some(hash));
            of_hash.map(|(_, cost)| cost.rows).sum::<usize>()
        };
        Permutations {
            poseidon16: rows(HashId::Poseidon16),
            poseidon2: rows(HashId::Poseidon2),
            blake3: rows(HashId::Blake3),
            keccak: rows(HashId::Keccak),
        }
    }

    /// Proves the wrap and fills in the figures of its proof.
    fn prove(
        &self,
        cost: &mut WrapCost,
        execution: &Execution,
        execute: Duration,
    ) -> Result<(), CostError> {
        let recorder = Recorder::install();
        let cpu = cpu_time();
        let start = Instant::now();
        let proof = self.key.prove_run(execution)?;
        let all = start.elapsed();
        let cpu = cpu_time().saturating_sub(cpu);
        cost.outer_prove_ms = Some(milliseconds(all));
        cost.stages_ms = recorder.map(|recorder| recorder.stages_over_whir(execute, all));
        cost.cpu_ns_per_fft_unit = Some(cpu.as_nanos() as f64 / cost.fft_cost as f64);

        let start = Instant::now();
        let options = VerifyOptions::min_bits(0);
        let verified = self.verifier.verify(&execution.statement, options, &proof);
        verified?;
        cost.outer_verify_ms = Some(milliseconds(start.elapsed()));
        cost.peak_rss_bytes = peak_memory();
        cost.outer_proof_bytes = Some(encoded_length(&proof)?);
        Ok(())
    }
}

/// Measures a wrap: the run `execution` of `circuit`, which took `execute`, and, unless only that
/// was asked for, its proof. If that takes more memory than allowed, it is left out
/// ([`WrapCost::left_out`]). Returns the figures, and the estimated bytes of memory that the proof
/// needs. The largest memory of the execution is what the process has had until now.
///
/// # Errors
/// If the run cannot be proved, or the proof does not verify.
pub fn measure_wrap(
    request: &WrapRequest,
    circuit: &RecursionCircuit,
    execution: &Execution,
    execute: Duration,
) -> Result<(WrapCost, usize), CostError> {
    let execute_peak_rss_bytes = peak_memory();
    let wrap = Wrap::new(circuit, execution, request.settings)?;
    let left_out = wrap.estimate > request.memory && !request.execute_only;
    let mut cost = WrapCost {
        proven_bits_outer: wrap.bits,
        outer_blowup: 1 << wrap.key.key().settings.log_blowup,
        left_out: left_out.then(|| {
            format!(
                "its proof needs about {:.1} GiB of memory, expected at most {:.1} GiB",
                gibibytes(wrap.estimate),
                gibibytes(request.memory)
            )
        }),
        openings: OpeningsCost::new(circuit, &wrap.tables, Duration::ZERO),
        execute_ms: milliseconds(execute),
        execute_peak_rss_bytes,
        cycles: execution.cycles.len(),
        permutations: wrap.permutations(),
        fft_cost: wrap.tables.iter().map(|table| table.fft_cost).sum(),
        tables: wrap.tables.clone(),
        transform_cost: wrap.transform_cost,
        opened_per_query: wrap.opened_per_query,
        outer_prove_ms: None,
        stages_ms: None,
        outer_verify_ms: None,
        outer_proof_bytes: None,
        peak_rss_bytes: None,
        cpu_ns_per_fft_unit: None,
    };
    if !left_out && !request.execute_only {
        wrap.prove(&mut cost, execution, execute)?;
    }
    Ok((cost, wrap.estimate))
}

impl TableCost {
    fn new(table: &StandardTables, rows: usize, log_height: usize) -> Self {
        let (main, height) = (BaseAir::<F>::width(table), 1 << log_height);
        let cells = (main * height) as u64;
        Self {
            name: table.name().to_owned(),
            rows,
            height,
            main,
            cells,
            fft_cost: cells * log_height as u64,
            fill: rows as f64 / height as f64,
        }
    }
}
