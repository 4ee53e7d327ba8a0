//! The outer proof, that of the wrap.

use std::time::Instant;

use droste_native::F;
use droste_native::field::EXTENSION_DEGREE;
use droste_native::whir::WhirSettings;
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{ProvingKey, Verifier, encoded_length};
use p3_air::BaseAir;

use super::leaf::Run;
use super::{Cost, CostError, Permutations, Recorder, Request, TableCost, gibibytes};
use crate::aggregate::{AggregateError, settings_for};
use crate::circuit::PRECOMPILES;
use crate::resources::{cpu_time, estimated_bytes_over_whir, peak_memory};
use crate::summary::milliseconds;

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
    fn new(run: &Run, settings: WhirSettings) -> Result<Self, CostError> {
        let rows = run.circuit.needed_rows(&run.execution)?;
        let settings = settings_for(settings, &rows).ok_or(AggregateError::TooManyCells)?;
        let program = &run.circuit.compiled().program;
        let heights = Heights::Minimal;
        let key = ProvingKey::with_precompiles(program, &PRECOMPILES.into(), settings, heights)?;
        let verifier = Verifier::<StandardTables>::new(key.key().clone())?;
        let log_heights = key.log_heights(&run.execution)?;
        let (scheme, shape) = verifier.shape(&log_heights)?;
        let tables = key.machine().tables().iter().zip(&log_heights);
        let tables = tables.map(|(table, &log_height)| run.table_cost(table, log_height));
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

    /// Proves the wrap and fills in the figures of its proof.
    fn prove(&self, cost: &mut Cost, run: &Run) -> Result<(), CostError> {
        let recorder = Recorder::install();
        let cpu = cpu_time();
        let start = Instant::now();
        let proof = self.key.prove_run(&run.execution)?;
        let all = start.elapsed();
        let cpu = cpu_time().saturating_sub(cpu);
        cost.outer_prove_ms = Some(milliseconds(all));
        cost.stages_ms = recorder.map(|recorder| recorder.stages_over_whir(run.execute, all));
        cost.cpu_ns_per_fft_unit = Some(cpu.as_nanos() as f64 / cost.fft_cost as f64);

        let start = Instant::now();
        let options = VerifyOptions::min_bits(0);
        let verified = self
            .verifier
            .verify(&run.execution.statement, options, &proof);
        verified?;
        cost.outer_verify_ms = Some(milliseconds(start.elapsed()));
        cost.peak_rss_bytes = peak_memory();
        cost.outer_proof_bytes = Some(encoded_length(&proof)?);
        Ok(())
    }
}

/// Measures the wrap whose run this is: its tables and, unless only the execution was asked for,
/// its proof. If that takes more memory than allowed, it is left out. Returns the figures, and the
/// estimated bytes of memory that the proof needs.
pub(super) fn measure(request: &Request<'_>, run: &Run) -> Result<(Cost, usize), CostError> {
    let wrap = Wrap::new(run, request.outer)?;
    let left_out = wrap.estimate > request.memory && !request.execute_only;
    let mut cost = Cost {
        program: request.name.to_owned(),
        inner_cycles: request.execution.cycles.len(),
        inner_hash: run.hash,
        inner_stack: run.stack,
        queries: run.queries,
        blowup: run.blowup,
        proven_bits_inner: run.bits,
        proven_bits_outer: wrap.bits,
        outer_blowup: 1 << wrap.key.key().settings.log_blowup,
        left_out: left_out.then(|| {
            format!(
                "its proof needs about {:.1} GiB of memory, of at most {:.1} GiB",
                gibibytes(wrap.estimate),
                gibibytes(request.memory)
            )
        }),
        leaf_prove_ms: milliseconds(run.leaf_prove),
        leaf_cpu_ms: milliseconds(run.leaf_cpu),
        leaf_fft_cost: run.leaf_fft_cost,
        leaf_proof_bytes: run.leaf_proof_bytes,
        execute_ms: milliseconds(run.execute),
        execute_peak_rss_bytes: run.execute_peak_rss_bytes,
        cycles: run.execution.cycles.len(),
        permutations: permutations(&wrap.tables),
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
        wrap.prove(&mut cost, run)?;
    }
    Ok((cost, wrap.estimate))
}

impl Run {
    /// The cost of a table of the wrap.
    fn table_cost(&self, table: &StandardTables, log_height: usize) -> TableCost {
        let rows = table.rows(&TraceInput {
            program: &self.circuit.compiled().program,
            execution: &self.execution,
        });
        let (main, height) = (BaseAir::<F>::width(table), 1 << log_height);
        let cells = (main * height) as u64;
        TableCost {
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
